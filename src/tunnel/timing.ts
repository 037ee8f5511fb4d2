/** Time as the tunnel sees it: handed in, so that tests run a minute in no time. */

export interface Timing {
  /** Milliseconds of a clock that never jumps. */
  now(): number;
  /** Unix milliseconds, for nonces and what people read. */
  wallClock(): number;
  /** Runs `run` once after `delayMs`; the returned function calls it off. */
  after(delayMs: number, run: () => void): () => void;
}

export const realTiming: Timing = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
