/** Every code we raise: its HTTP status, whether the work can have been executed, and whether a retry can help. */

/** `no` = certainly not executed; `maybe` = a write may have taken effect; `yes` = it took effect, in whole or in part. */
export type Executed = "no" | "maybe" | "yes";
/** `no` = pointless; `changed` = after changing the request; `later` = the same request later; `yes` = at once. */
export type Retry = "no" | "changed" | "later" | "yes";

interface ErrorKind {
  readonly status: number;
  readonly executed: Executed;
  readonly retry: Retry;
}

export const ERRORS = {
  // What the caller asked for
  ARGUMENTS_INVALID: { status: 400, executed: "no", retry: "changed" },
  TOOL_NOT_FOUND: { status: 404, executed: "no", retry: "changed" },
  TOOL_UNAVAILABLE: { status: 404, executed: "no", retry: "changed" },
  LOCATION_UNKNOWN: { status: 404, executed: "no", retry: "changed" },
  LOCATION_REQUIRED: { status: 400, executed: "no", retry: "changed" },
  SITE_UNKNOWN: { status: 404, executed: "no", retry: "changed" },
  CONSOLE_UNKNOWN: { status: 404, executed: "no", retry: "changed" },
  NOT_FOUND: { status: 404, executed: "no", retry: "changed" },
  TOO_LARGE: { status: 413, executed: "no", retry: "changed" },
  // Who asks
  UNAUTHENTICATED: { status: 401, executed: "no", retry: "changed" },
  INSUFFICIENT_SCOPE: { status: 403, executed: "no", retry: "changed" },
  PERMISSION_DENIED: { status: 403, executed: "no", retry: "no" },
  POLICY_DENIED: { status: 403, executed: "no", retry: "no" },
  CONFIRM_TOKEN_INVALID: { status: 409, executed: "no", retry: "changed" },
  RATE_LIMITED: { status: 429, executed: "no", retry: "later" },
  OVERLOADED: { status: 503, executed: "no", retry: "later" },
  // The way there
  AGENT_OFFLINE: { status: 503, executed: "no", retry: "later" },
  AGENT_CONFLICT: { status: 409, executed: "no", retry: "later" },
  DEADLINE_BEFORE_START: { status: 504, executed: "no", retry: "yes" },
  CANCELLED: { status: 499, executed: "no", retry: "yes" },
  FENCED: { status: 409, executed: "no", retry: "yes" },
  STALE_CALL: { status: 409, executed: "no", retry: "changed" },
  TIMEOUT: { status: 504, executed: "no", retry: "yes" },
  OUTCOME_UNKNOWN: { status: 504, executed: "maybe", retry: "no" },
  JOURNAL_UNAVAILABLE: { status: 503, executed: "no", retry: "later" },
  STORE_UNAVAILABLE: { status: 503, executed: "no", retry: "later" },
  VERSION_UNSUPPORTED: { status: 426, executed: "no", retry: "no" },
  PROTOCOL_ERROR: { status: 400, executed: "no", retry: "no" },
  GATEWAY_UNREACHABLE: { status: 502, executed: "no", retry: "later" },
  // The console
  CONTROLLER_UNREACHABLE: { status: 502, executed: "no", retry: "later" },
  CONTROLLER_TLS_UNTRUSTED: { status: 502, executed: "no", retry: "no" },
  CONTROLLER_AUTH_FAILED: { status: 502, executed: "no", retry: "no" },
  CONTROLLER_MFA_REQUIRED: { status: 502, executed: "no", retry: "no" },
  CONTROLLER_RATE_LIMITED: { status: 503, executed: "no", retry: "later" },
  CONTROLLER_REJECTED: { status: 422, executed: "no", retry: "changed" },
  CONTROLLER_FAILED: { status: 502, executed: "maybe", retry: "later" },
  CONTROLLER_UNSUPPORTED: { status: 501, executed: "no", retry: "no" },
  NOT_PERSISTED: { status: 502, executed: "yes", retry: "changed" },
  // Ourselves
  CONFIG_INVALID: { status: 500, executed: "no", retry: "no" },
  INTERNAL: { status: 500, executed: "maybe", retry: "no" },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

export interface EdgeErrorOptions {
  /** What the reader may do next, in one sentence. */
  hint?: string;
  /** Overrides the table where the thrower knows better, e.g. a read that failed half-way was not executed. */
  executed?: Executed;
  retryAfterSeconds?: number;
  /** Further named facts for the answer (valid names, limits). Never secrets. */
  details?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/** The one error class: the code is the contract, the message helps a person, secrets go in neither. */
export class EdgeError extends Error {
  override readonly name = "EdgeError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly executed: Executed;
  readonly retryAfterSeconds: number | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: EdgeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.executed = options.executed ?? ERRORS[code].executed;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.details = options.details;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** Anything thrown, as an EdgeError: ours unchanged, the rest as INTERNAL whose text tells the client nothing. */
export function asEdgeError(thrown: unknown): EdgeError {
  if (thrown instanceof EdgeError) return thrown;
  return new EdgeError("INTERNAL", "An internal error occurred; the log has the details.", { cause: thrown });
}

/** The failure answer of the reference contract (design 3.1): `{success:false, error, code, executed, hint?, retry?}`. */
export interface FailureResult {
  success: false;
  error: string;
  code: ErrorCode;
  executed: Executed;
  hint?: string;
  retry?: Retry;
  retry_after_seconds?: number;
  [detail: string]: unknown;
}

export function failureResult(error: EdgeError): FailureResult {
  const { retry } = ERRORS[error.code];
  const contract = {
    success: false,
    error: error.message,
    code: error.code,
    executed: error.executed,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(retry === "no" ? {} : { retry }),
    ...(error.retryAfterSeconds === undefined ? {} : { retry_after_seconds: error.retryAfterSeconds }),
  } as const;
  // details may come from another machine: they add names and never change what the contract's own say
  return { ...contract, ...error.details, ...contract };
}
