/** Reads that are asked for while the same one is under way: one request to the console answers them all. */
import { abortable } from "./abortable.ts";

const NEVER = new Promise<never>(() => undefined);

interface Pending {
  /** How many writes had begun or ended when it was sent. */
  readonly writes: number;
  readonly answer: Promise<unknown>;
}

/**
 * Bursts ask for the same lists: a batch of twenty renames reads the clients twenty times. Only what is under way is
 * shared, never what was answered; and never across a write, so that whoever reads after a write sees it.
 */
export class SharedReads {
  readonly #pending = new Map<string, Pending>();
  #writes = 0;

  /** `signal` ends this caller's wait; the request itself goes on for the others, bounded by its own time limit. */
  async read(path: string, send: () => Promise<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
    if (signal?.aborted) return abortable(NEVER, signal); // refused in the same words, and nothing is sent
    const known = this.#pending.get(path);
    const answer = known?.writes === this.#writes ? known.answer : this.#send(path, send);
    return abortable(answer, signal);
  }

  async write<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    this.#writes += 1;
    try {
      return await send();
    } finally {
      this.#writes += 1;
    }
  }

  #send(path: string, send: () => Promise<unknown>): Promise<unknown> {
    const pending: Pending = { writes: this.#writes, answer: send() };
    this.#pending.set(path, pending);
    const forget = () => {
      if (this.#pending.get(path) === pending) this.#pending.delete(path);
    };
    // whoever waits hears of a failure; here it only ends the sharing
    pending.answer.then(forget, forget);
    return pending.answer;
  }
}
