/** Knows how many requests are being answered, so that a stopping gateway can wait for them. */

export interface Drain {
  track<Input>(handle: (input: Input) => Promise<void>): (input: Input) => Promise<void>;
  /** Resolves when nothing is being answered, or after `maxMs`. */
  drained(maxMs: number): Promise<void>;
}

export function createDrain(): Drain {
  let running = 0;
  let wake: (() => void) | undefined;

  return {
    track: (handle) => async (input) => {
      running++;
      try {
        await handle(input);
      } finally {
        running--;
        if (running === 0) wake?.();
      }
    },
    drained(maxMs) {
      if (running === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, maxMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
