/** Sends a planned write once, reads the object back, and says what took effect. */
import { asEdgeError, EdgeError } from "../errors.ts";
import { verdictOf } from "../redaction/secret-names.ts";
import type { Payload, Plan } from "../tools/tool.ts";
import type { CallResult } from "../tunnel/calls.ts";
import { type AnswerLimits, failureAnswer, jsonAnswer, subjectOf, writtenFields } from "./answers.ts";
import type { Prepared } from "./prepared.ts";
import { unverified, type Verification, verify } from "./verify.ts";

export interface ApplyDeps {
  readonly limits: AnswerLimits;
  readonly warn: (message: string, error: unknown) => void;
}

export interface Outcome {
  readonly result: CallResult;
  readonly unresolved: boolean;
}

/** Sends the write once and looks at what it left. Never throws: from here on there is always something to record. */
export async function applied(deps: ApplyDeps, call: Prepared, plan: Plan, site: string): Promise<Outcome> {
  let fields: Payload;
  try {
    fields = await plan.apply();
  } catch (thrown) {
    if (!(thrown instanceof EdgeError)) deps.warn(`${call.tool.name} failed`, thrown);
    const error = asEdgeError(thrown);
    if (error.executed === "maybe" && (await tookEffect(deps, call, plan))) {
      const note = "The console's answer was lost; reading the object back shows that the write took effect.";
      const told = { ...writtenFields(plan, {}, undefined), note, site };
      return { result: fitting(deps, told, plan, site), unresolved: false };
    }
    return { result: failureAnswer(error, deps.limits), unresolved: error.executed === "maybe" };
  }
  const seen = await lookBack(deps, call, plan, fields);
  const result =
    seen === undefined || seen.dropped.length === 0
      ? fitting(deps, { ...writtenFields(plan, fields, seen), site }, plan, site)
      : notPersisted(deps, plan, seen, site);
  return { result, unresolved: false };
}

/** After a lost answer: true only where the object that was to change or go can be seen as asked for. */
async function tookEffect(deps: ApplyDeps, call: Prepared, plan: Plan): Promise<boolean> {
  if (
    plan.readBack === undefined ||
    (plan.action !== "delete" && plan.action !== "update" && plan.action !== "toggle")
  ) {
    return false;
  }
  try {
    const after = await plan.readBack({});
    if (plan.action === "delete") return after === undefined;
    const seen = verify(plan.proposed ?? {}, plan.current, after ?? {}, withheldBy(plan));
    return seen.persisted.length > 0 && seen.dropped.length + seen.unverifiable.length === 0 && isEmpty(seen.coerced);
  } catch (error) {
    deps.warn(`${call.tool.name}: the console could not be asked whether the write took effect`, error);
    return false;
  }
}

/** Secrets, and what the tool knows its console never to show. */
function withheldBy(plan: Plan): (name: string) => boolean {
  return (name) => verdictOf(name) === "secret" || plan.unverifiable?.includes(name) === true;
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}

/** A write that took effect is told in any case, if need be without the object that is too large to show. */
function fitting(deps: ApplyDeps, told: Payload, plan: Plan, site: string): CallResult {
  try {
    return jsonAnswer(told, deps.limits);
  } catch (error) {
    deps.warn("an answer did not fit and was told without its details", error);
    return jsonAnswer({ success: true, ...subjectOf(plan), details_omitted: true, site }, deps.limits);
  }
}

/** undefined = this write leaves nothing that could be compared. */
async function lookBack(
  deps: ApplyDeps,
  call: Prepared,
  plan: Plan,
  fields: Payload,
): Promise<Verification | undefined> {
  if (plan.readBack === undefined) return undefined;
  try {
    const after = await plan.readBack(fields);
    if (plan.action === "delete") return deletionOf(after !== undefined);
    if (plan.proposed === undefined) return undefined;
    return verify(plan.proposed, plan.current, after ?? {}, withheldBy(plan));
  } catch (error) {
    deps.warn(`${call.tool.name} was applied but could not be read back`, error);
    return unverified(plan.proposed);
  }
}

function deletionOf(stillThere: boolean): Verification | undefined {
  return stillThere ? { persisted: [], dropped: ["deletion"], coerced: {}, unverifiable: [] } : undefined;
}

function notPersisted(deps: ApplyDeps, plan: Plan, seen: Verification, site: string): CallResult {
  const { coerced, ...fields } = seen;
  const details = {
    ...subjectOf(plan),
    partial_success: seen.persisted.length > 0 || !isEmpty(coerced),
    ...fields,
    // names only where the values would not fit
    coerced: sizeOf(coerced) < deps.limits.maxBytes / 2 ? coerced : Object.keys(coerced),
    site,
  };
  const message =
    plan.action === "delete"
      ? "The console accepted the deletion, but the object is still there."
      : `The console accepted the write but did not save: ${seen.dropped.join(", ")}.`;
  const hint = "This console or its version may not support these fields, or another setting rules them out.";
  return failureAnswer(new EdgeError("NOT_PERSISTED", message, { hint, details }), deps.limits);
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
