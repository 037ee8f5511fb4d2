/** One call's life in the agent: it may be given up until its write begins, and from then on it only ends. */
import type { EdgeError } from "../errors.ts";
import type { CallEvents, Progress } from "../tunnel/calls.ts";

/** What the work of a call may know of those who wait for it. */
export interface Turn {
  readonly id: string;
  /** Aborted with an EdgeError as its reason; never once the write has begun. */
  readonly signal: AbortSignal;
  /** The point of no return, just before the journal's row. Throws the reason where the call was given up. */
  beginWrite(): void;
  /** The row is durable. */
  accepted(): void;
  progress(progress: Progress): void;
}

export class RunningTurn implements Turn {
  readonly id: string;
  readonly #abort = new AbortController();
  readonly #listeners = new Set<CallEvents>();
  #began = false;
  #accepted = false;

  constructor(id: string) {
    this.id = id;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The write may have reached the console. */
  get began(): boolean {
    return this.#began;
  }

  get waiting(): number {
    return this.#listeners.size;
  }

  /** Adds one who waits; returns the remover. A late one is told at once that the row is durable. */
  attach(events: CallEvents): () => void {
    this.#listeners.add(events);
    if (this.#accepted) tell(() => events.accepted?.());
    return () => void this.#listeners.delete(events);
  }

  /** Gives the call up where that is still possible; false = its write has begun. */
  giveUp(reason: EdgeError): boolean {
    if (this.#began) return false;
    this.#abort.abort(reason);
    return true;
  }

  beginWrite(): void {
    this.signal.throwIfAborted();
    this.#began = true;
  }

  accepted(): void {
    this.#accepted = true;
    for (const listener of this.#listeners) tell(() => listener.accepted?.());
  }

  progress(progress: Progress): void {
    for (const listener of this.#listeners) tell(() => listener.progress?.(progress));
  }
}

/** A link that fails while it is told something must not fail the write that it is told of. */
function tell(speak: () => void): void {
  try {
    speak();
  } catch {
    // whoever waits on that link learns of its end from the link
  }
}
