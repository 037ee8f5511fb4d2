/**
 * An agent's answer must be a JSON object. One that goes on alone, as text, is only looked at (design 7: bodies pass
 * unparsed); one that is put into a larger JSON answer must be whole, with nothing after it.
 */
import { isUtf8 } from "node:buffer";
import { EdgeError, type Executed, failureResult } from "../errors.ts";
import type { CallResult } from "./calls.ts";

/** Undefined where the body is one whole object. Pictures are only ever encoded, so their bytes do not matter. */
export function faultOf({ type, body }: CallResult, executed: Executed): EdgeError | undefined {
  return type !== "json" || isJsonObject(body) ? undefined : noObject(executed);
}

/** Undefined where the body begins as an object: enough for an answer that is only ever escaped into a text. */
export function faultAtStart({ type, body }: CallResult, executed: Executed): EdgeError | undefined {
  return type !== "json" || OBJECT_START.test(body.toString("latin1", 0, START_BYTES)) ? undefined : noObject(executed);
}

const OBJECT_START = /^[ \t\r\n]*\{/;
/** No agent of ours begins with more space. */
const START_BYTES = 16;

function noObject(executed: Executed): EdgeError {
  return new EdgeError("PROTOCOL_ERROR", "The agent's answer is not a JSON object.", {
    hint: "Bring the agent to the gateway's version; where it is, do not trust that machine.",
    executed,
  });
}

/** For results that nobody waits for: the fault in the place of the answer. */
export function faultAsAnswer(fault: EdgeError): CallResult {
  return { isError: true, type: "json", body: Buffer.from(JSON.stringify(failureResult(fault))) };
}

/** The object itself is thrown away: only parsing it shows that its bytes end where it ends. */
function isJsonObject(body: Buffer): boolean {
  if (!isUtf8(body)) return false;
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
