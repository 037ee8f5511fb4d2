/** Waits for the signals that end a long-running command. */

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once, as people expect. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.once("SIGINT", leave).once("SIGTERM", leave);
      resolve();
    };
    const leave = () => process.exit(130);
    process.once("SIGINT", stop).once("SIGTERM", stop);
  });
}
