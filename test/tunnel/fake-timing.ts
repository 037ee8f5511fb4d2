/** A clock that stands until a test moves it. */
import type { Timing } from "../../src/tunnel/timing.ts";

export interface FakeTiming extends Timing {
  /** Moves the clock and runs what is due on the way, in order. */
  advance(ms: number): void;
  /** Delays of what is waiting, in ms from now, smallest first. */
  waiting(): number[];
}

export function fakeTiming(startMs = 1_000_000): FakeTiming {
  let now = startMs;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    wallClock: () => now,
    after(delayMs, run) {
      const timer = { at: now + delayMs, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const next = timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers = timers.filter((timer) => timer !== next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = until;
    },
    waiting: () => timers.map((timer) => timer.at - now).sort((a, b) => a - b),
  };
}
