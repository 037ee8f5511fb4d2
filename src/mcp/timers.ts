/** Time as the streams need it, handed in so that tests own it. */

export interface Timers {
  /** Unix milliseconds. */
  now(): number;
  /** Runs once; returns the canceller. */
  after(delayMs: number, run: () => void): () => void;
  /** Runs until cancelled. */
  every(intervalMs: number, run: () => void): () => void;
}

/** The real ones; they keep no process alive. */
export const SYSTEM_TIMERS: Timers = {
  now: Date.now,
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
  every(intervalMs, run) {
    const timer = setInterval(run, intervalMs);
    timer.unref();
    return () => clearInterval(timer);
  },
};
