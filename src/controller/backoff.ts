/** Waits that double: after a refusal nothing is tried until the time is over, so that a console never locks us out. */
import { EdgeError, type ErrorCode } from "../errors.ts";

const FIRST_MS = 60_000;
const LONGEST_MS = 900_000;
/** Spread over up to a tenth more, so that many agents do not come back in the same second. */
const SPREAD = 0.1;

interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

/** One thing that may be refused (sign-in, or calls at large), with its memory of refusals. */
export class Backoff {
  readonly #now: () => number;
  readonly #random: () => number;
  #failures = 0;
  #untilMs = 0;
  #refusal: Refusal | undefined;

  constructor(now: () => number, random: () => number) {
    this.#now = now;
    this.#random = random;
  }

  /** The refusal that is being waited out, as an error to throw; undefined when one may try. */
  blocked(): EdgeError | undefined {
    const leftMs = this.#untilMs - this.#now();
    if (this.#refusal === undefined || leftMs <= 0) return undefined;
    const { code, message, hint } = this.#refusal;
    const retryAfterSeconds = Math.ceil(leftMs / 1000);
    return new EdgeError(code, `${message} Nothing is tried for another ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
      executed: "no",
      ...(hint === undefined ? {} : { hint }),
    });
  }

  /**
   * Remembers a refusal and returns it with the time to wait. `askedSeconds` is a Retry-After header. Calls that were
   * under way together and are refused together count as one refusal.
   */
  refuse(error: EdgeError, askedSeconds?: number): EdgeError {
    const waiting = this.blocked();
    if (waiting !== undefined) return waiting;
    const doubledMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures);
    const askedMs = Math.min(LONGEST_MS, (askedSeconds ?? 0) * 1000);
    const waitMs = Math.min(LONGEST_MS, Math.max(doubledMs, askedMs) * (1 + SPREAD * this.#random()));
    this.#failures += 1;
    this.#untilMs = this.#now() + waitMs;
    this.#refusal = { code: error.code, message: error.message, hint: error.hint };
    return new EdgeError(error.code, error.message, {
      executed: "no",
      retryAfterSeconds: Math.ceil(waitMs / 1000),
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      ...(error.details === undefined ? {} : { details: error.details }),
    });
  }

  /** Forgets all refusals, unless one is being waited out: then the success was under way before it. */
  succeed(): void {
    if (this.blocked() !== undefined) return;
    this.#failures = 0;
    this.#untilMs = 0;
    this.#refusal = undefined;
  }
}
