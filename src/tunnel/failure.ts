/** Errors as they travel in `res`, both ways, and the errors of a link that went away. */
import { asEdgeError, EdgeError, ERRORS, type ErrorCode } from "../errors.ts";
import { cleanText } from "../redaction/text.ts";
import type { FieldsOf } from "./frame.ts";
import type { LinkEnd } from "./link.ts";

type Failure = NonNullable<FieldsOf<"res">["err"]>;
const MESSAGE_LENGTH = 2048;

export function toFailure(thrown: unknown): Failure {
  const error = asEdgeError(thrown);
  return {
    code: error.code,
    message: error.message.slice(0, MESSAGE_LENGTH),
    executed: error.executed,
    ...(error.hint === undefined ? {} : { hint: error.hint.slice(0, MESSAGE_LENGTH) }),
    ...(error.retryAfterSeconds === undefined ? {} : { retry_after_seconds: error.retryAfterSeconds }),
    ...(error.details === undefined ? {} : { details: { ...error.details } }),
  };
}

/** A code that only a newer agent knows becomes INTERNAL and keeps its text, on one line without control characters. */
export function fromFailure(failure: Failure): EdgeError {
  const code: ErrorCode = Object.hasOwn(ERRORS, failure.code) ? (failure.code as ErrorCode) : "INTERNAL";
  return new EdgeError(code, cleanText(failure.message, MESSAGE_LENGTH), {
    ...(failure.hint === undefined ? {} : { hint: cleanText(failure.hint, MESSAGE_LENGTH) }),
    ...(failure.executed === undefined ? {} : { executed: failure.executed }),
    ...(failure.retry_after_seconds === undefined ? {} : { retryAfterSeconds: failure.retry_after_seconds }),
    ...(failure.details === undefined ? {} : { details: failure.details }),
  });
}

export function offline(): EdgeError {
  return new EdgeError("AGENT_OFFLINE", "The agent of this location is not connected.", {
    hint: "Try again in a minute; if it stays away, look at the agent's log.",
  });
}

/** For a request that was handed to the network: a read did no harm, a write may have happened. */
export function lostLink(write: boolean, id: string, end: LinkEnd): EdgeError {
  if (!write) {
    return new EdgeError("AGENT_OFFLINE", `The connection to the agent was lost (${end.reason || end.code}).`);
  }
  return new EdgeError("OUTCOME_UNKNOWN", "The connection to the agent was lost while it may have been writing.", {
    hint: "Ask again with the same confirm_token or batch id, or read the object back; do not repeat the write.",
    details: { call_id: id },
  });
}

/** For a request whose time is over, answer or not. */
export function overdue(write: boolean, id: string, ttlMs: number): EdgeError {
  if (!write) {
    return new EdgeError("TIMEOUT", `No answer within ${Math.ceil(ttlMs / 1000)} s.`, {
      hint: "Ask a narrower question.",
    });
  }
  return new EdgeError("OUTCOME_UNKNOWN", `The write was sent and not answered within ${Math.ceil(ttlMs / 1000)} s.`, {
    hint: "Ask again with the same confirm_token or batch id, or read the object back; do not repeat the write.",
    details: { call_id: id },
  });
}
