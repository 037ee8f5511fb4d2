/** Randomness and time that tests hand in: every call gives something new, every run the same. */
import { createHash } from "node:crypto";

/** Distinct bytes at each call, from a counter. */
export function countingRandom(): (bytes: number) => Buffer {
  let calls = 0;
  return (bytes) => {
    calls += 1;
    const block = (part: number) => createHash("sha256").update(`${calls} ${part}`).digest();
    return Buffer.concat(Array.from({ length: Math.ceil(bytes / 32) }, (_, part) => block(part))).subarray(0, bytes);
  };
}

export interface FakeClock {
  (): number;
  advance(ms: number): void;
}

/** Unix milliseconds that move only when told to. */
export function fakeClock(startMs = Date.parse("2026-11-30T12:00:00Z")): FakeClock {
  let nowMs = startMs;
  return Object.assign(() => nowMs, {
    advance: (ms: number) => {
      nowMs += ms;
    },
  });
}
