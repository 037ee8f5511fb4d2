/** One record for every decision: who asked what of which place, what was decided, and how it ended. */
import type { ErrorCode } from "../errors.ts";
import type { Action, Principal } from "../principal.ts";

export interface Decision {
  readonly atMs: number;
  readonly principal: Pick<Principal, "subject" | "org" | "grant" | "client">;
  readonly tool: string;
  readonly action: Action;
  readonly location: string | undefined;
  readonly site: string | undefined;
  readonly verdict: "allowed" | "denied";
  /** Which of policy, consent, scope, gate or argument decided; for people. */
  readonly reason: string;
  readonly callId: string | undefined;
  /** Keyed hash of the arguments: equal arguments can be recognised, never read. */
  readonly argumentsHash: string | undefined;
}

export interface Ending {
  readonly atMs: number;
  readonly callId: string;
  readonly outcome: "ok" | "error" | "preview" | ErrorCode;
  readonly durationMs: number;
}

/** Buffered in memory and written about once a second: audit costs no round trip on the request path (design 7). */
export interface Audit {
  record(decision: Decision): void;
  ended(ending: Ending): void;
  /** Writes what is buffered. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
