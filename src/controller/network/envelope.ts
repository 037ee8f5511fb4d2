/** Judges a console's answer by HTTP status, content type and envelope together: only all three make a success. */
import { EdgeError, type EdgeErrorOptions } from "../../errors.ts";
import type { HttpMethod, Row } from "../controller.ts";
import type { Answer } from "./exchange.ts";
import type { Family } from "./paths.ts";
import { meaningOf, type Refusal, refusalOf, v1EnvelopeOf } from "./refusals.ts";
import { unreachable } from "./unreachable.ts";

/** What was asked, as far as judging needs it. */
export interface Asked {
  readonly family: Family;
  readonly method: HttpMethod;
  /** A lost answer may hide an effect. */
  readonly writes: boolean;
}

/** An answer whose body has been read once. */
export interface ReadAnswer {
  readonly status: number;
  readonly empty: boolean;
  /** False for HTML, plain text and broken JSON. */
  readonly isJson: boolean;
  readonly json: unknown;
  readonly refusal: Refusal | undefined;
  readonly retryAfterSeconds: number | undefined;
}

const JSON_TYPE = /^application\/([a-z0-9.+-]+\+)?json\b/i;

export function readAnswer(answer: Answer): ReadAnswer {
  const { status } = answer;
  const parsed = JSON_TYPE.test(answer.header("content-type") ?? "") ? parse(answer.body) : undefined;
  return {
    status,
    empty: answer.body.length === 0,
    isJson: parsed !== undefined,
    json: parsed?.value,
    refusal: parsed === undefined ? undefined : refusalOf(parsed.value, status >= 400),
    retryAfterSeconds: secondsOf(answer.header("retry-after")),
  };
}

/**
 * The whole JSON body of a success; null where an empty body is one (204, or a v2 or integration DELETE).
 *
 * @throws EdgeError as the table of refusals says; CONTROLLER_FAILED, CONTROLLER_UNREACHABLE or OUTCOME_UNKNOWN
 * where the console gave no usable answer
 */
export function judge(asked: Asked, answer: ReadAnswer): unknown {
  const { status } = answer;
  if (status === 429) throw rateLimited(answer.retryAfterSeconds);
  if (status === 499) throw mfaRequired();
  if (status >= 500) throw serverFailure(asked, answer);
  if (answer.refusal !== undefined || (status >= 400 && status < 500)) throw refused(answer);
  if (status < 200 || status >= 300) throw noAnswer(asked, `a redirect (HTTP ${status})`);
  if (answer.empty) {
    if (status === 204 || (asked.method === "DELETE" && asked.family !== "v1")) return null;
    throw noAnswer(asked, "an empty answer");
  }
  if (!answer.isJson) throw noAnswer(asked, "no JSON, as it does while it starts");
  if (asked.family === "v1" && v1EnvelopeOf(answer.json) === undefined) throw noAnswer(asked, "no v1 envelope");
  return answer.json;
}

/** Rows of a judged v1 body. A row that is no object is kept as `{value}`. */
export function rowsOf(body: unknown): readonly Row[] {
  const rows = v1EnvelopeOf(body)?.data ?? [];
  return rows.map((row) => (isRow(row) ? row : { value: row }));
}

export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function rateLimited(retryAfterSeconds: number | undefined): EdgeError {
  return new EdgeError("CONTROLLER_RATE_LIMITED", "The console asks for fewer requests.", {
    executed: "no",
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

export function mfaRequired(): EdgeError {
  return new EdgeError(
    "CONTROLLER_MFA_REQUIRED",
    "The console wants a second factor from this account, which an agent cannot give.",
    { hint: "Use a local account of the console (restricted to local access, no cloud sign-in), or an API key." },
  );
}

/** Details every console failure carries: its own code and words, in data fields only. */
export function consoleDetails(status: number, said: Refusal | undefined): Pick<EdgeErrorOptions, "details"> {
  return {
    details: {
      controller_status: status,
      ...(said?.code === undefined ? {} : { controller_code: said.code }),
      ...(said?.message === undefined ? {} : { controller_message: said.message }),
      ...(said === undefined || said.fields.length === 0 ? {} : { controller_fields: said.fields }),
    },
  };
}

function refused({ status, refusal }: ReadAnswer): EdgeError {
  const { code, words, hint } = meaningOf(status, refusal);
  return new EdgeError(code, words, {
    executed: "no",
    ...consoleDetails(status, refusal),
    ...(hint === undefined ? {} : { hint }),
  });
}

/** 5xx: in JSON the application itself failed, otherwise something in front of it answered. */
function serverFailure(asked: Asked, { status, isJson, refusal }: ReadAnswer): EdgeError {
  const details = consoleDetails(status, refusal);
  if (isJson && status === 501)
    return new EdgeError("CONTROLLER_UNSUPPORTED", meaningOf(status, refusal).words, details);
  if (isJson) {
    return new EdgeError("CONTROLLER_FAILED", `The Network application failed (HTTP ${status}).`, {
      ...details,
      executed: asked.writes ? "maybe" : "no",
      ...(asked.writes ? { hint: "Read the object back before trying again." } : {}),
    });
  }
  if (asked.writes) return noAnswer(asked, `an error page (HTTP ${status})`);
  const words = `The console answered with an error page (HTTP ${status}); its Network application may be restarting.`;
  if (status === 500) return new EdgeError("CONTROLLER_FAILED", words, { ...details, executed: "no" });
  return unreachable(words, details);
}

/** The console answered, but not about what was asked. */
function noAnswer(asked: Asked, what: string): EdgeError {
  if (asked.writes) {
    return new EdgeError("OUTCOME_UNKNOWN", `The console answered the change with ${what}; it may have taken effect.`, {
      hint: "Read the object back before trying again.",
    });
  }
  return new EdgeError("CONTROLLER_FAILED", `The console answered with ${what}.`, { executed: "no" });
}

function parse(body: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(body.toString("utf8")) };
  } catch {
    return undefined;
  }
}

/** Retry-After in seconds; its date form is not used by consoles. */
function secondsOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header.trim()) ? Number(header) : undefined;
}
