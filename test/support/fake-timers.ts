/** Time that passes when the test says so. */
import type { Timers } from "../../src/mcp/timers.ts";

export interface FakeTimers extends Timers {
  /** Runs what falls due, in order. */
  advance(ms: number): void;
  readonly pending: number;
}

interface Due {
  atMs: number;
  readonly run: () => void;
  readonly everyMs: number | undefined;
}

export function fakeTimers(startMs = 1_800_000_000_000): FakeTimers {
  let nowMs = startMs;
  const due = new Set<Due>();

  function add(delayMs: number, run: () => void, everyMs: number | undefined): () => void {
    const entry: Due = { atMs: nowMs + delayMs, run, everyMs };
    due.add(entry);
    return () => void due.delete(entry);
  }

  return {
    now: () => nowMs,
    after: (delayMs, run) => add(delayMs, run, undefined),
    every: (intervalMs, run) => add(intervalMs, run, intervalMs),
    get pending() {
      return due.size;
    },
    advance(ms) {
      const untilMs = nowMs + ms;
      for (;;) {
        const [next] = [...due].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
        if (next === undefined) break;
        nowMs = next.atMs;
        if (next.everyMs === undefined) due.delete(next);
        else next.atMs += next.everyMs;
        next.run();
      }
      nowMs = untilMs;
    },
  };
}
