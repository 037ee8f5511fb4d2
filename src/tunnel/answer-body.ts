/** What an agent answers is put into larger answers as bytes, so it must be one whole JSON object, and nothing after it. */
import { isUtf8 } from "node:buffer";
import { EdgeError, type Executed, failureResult } from "../errors.ts";
import type { CallResult } from "./calls.ts";

/** Undefined where the body is what its type says. Pictures are only ever encoded, so their bytes do not matter. */
export function faultOf({ type, body }: CallResult, executed: Executed): EdgeError | undefined {
  if (type !== "json" || isJsonObject(body)) return undefined;
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
