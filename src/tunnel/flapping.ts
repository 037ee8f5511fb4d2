/** Two processes with one key take the link from each other in turn: seen by boot ids that come back. */
import { FLAPPING_WINDOW_MS } from "./limits.ts";

/** A process that restarts never shows an old boot id, so two returns (A B A B) are two living processes. */
const RETURNS = 2;
const REMEMBERED = 16;

interface Start {
  readonly bootId: string;
  readonly atMs: number;
}

export class FlappingWatch {
  readonly #starts = new Map<string, Start[]>();
  #sweepAtMs = 0;

  /** Notes a connection that became ready. */
  note(agentId: string, bootId: string, nowMs: number): void {
    this.#sweep(nowMs);
    const recent = this.#recent(agentId, nowMs);
    if (recent.at(-1)?.bootId !== bootId) recent.push({ bootId, atMs: nowMs });
    this.#starts.set(agentId, recent.slice(-REMEMBERED));
  }

  /** True while this agent is in conflict with a copy of itself; a window after its last turn it is forgiven. */
  isConflict(agentId: string, nowMs: number): boolean {
    const starts = this.#recent(agentId, nowMs);
    const returns = starts.filter((start, index) =>
      starts.slice(0, Math.max(0, index - 1)).some((earlier) => earlier.bootId === start.bootId),
    );
    return returns.length >= RETURNS;
  }

  #recent(agentId: string, nowMs: number): Start[] {
    return (this.#starts.get(agentId) ?? []).filter((start) => nowMs - start.atMs < FLAPPING_WINDOW_MS);
  }

  /** Drops agents whose starts are all older than the window; once a window, since a storm notes thousands. */
  #sweep(nowMs: number): void {
    if (nowMs < this.#sweepAtMs) return;
    this.#sweepAtMs = nowMs + FLAPPING_WINDOW_MS;
    for (const [agentId, starts] of this.#starts) {
      const last = starts.at(-1);
      if (last === undefined || nowMs - last.atMs >= FLAPPING_WINDOW_MS) this.#starts.delete(agentId);
    }
  }
}
