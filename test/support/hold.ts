/** Holds requests inside a simulated console, for tests that kill something meanwhile. */
import type { SimulatorOptions } from "../../src/simulator/simulator.ts";

export interface Hold {
  /** For the simulator: a request that the fault `slow` strikes waits here. */
  readonly wait: NonNullable<SimulatorOptions["wait"]>;
  /** Resolves once so many requests (1) wait. */
  held(count?: number): Promise<void>;
  /** Lets go of those that wait, or of so many that came first; later ones wait anew. */
  release(count?: number): void;
}

export function createHold(): Hold {
  let waiting: (() => void)[] = [];
  const watchers = new Set<() => void>();
  return {
    wait: (_delayMs, signal) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
        for (const look of watchers) look();
      }),
    held: (count = 1) =>
      new Promise((resolve) => {
        const look = () => {
          if (waiting.length < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    release(count = waiting.length) {
      for (const go of waiting.slice(0, count)) go();
      waiting = waiting.slice(count);
    },
  };
}
