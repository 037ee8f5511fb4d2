/** A console that gave no answer of its own: one error, and what a person can do about it. */
import { EdgeError, type EdgeErrorOptions } from "../../errors.ts";

const ASK_DOCTOR = "`unifi-edge doctor` on the agent's machine says at which step it fails.";

/** `message` says what was seen; nothing was executed. */
export function unreachable(message: string, options: Omit<EdgeErrorOptions, "executed"> = {}): EdgeError {
  const hint = options.hint === undefined ? `If this lasts: ${ASK_DOCTOR}` : `${options.hint} ${ASK_DOCTOR}`;
  return new EdgeError("CONTROLLER_UNREACHABLE", message, { ...options, executed: "no", hint });
}
