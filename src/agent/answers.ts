/** The answers of the result contract (design 3.1), redacted, bounded, as bytes. */
import { type EdgeError, failureResult } from "../errors.ts";
import { redact } from "../redaction/redact.ts";
import type { Payload, Plan, Tool } from "../tools/tool.ts";
import type { CallResult } from "../tunnel/calls.ts";
import { capped } from "./cap.ts";
import type { Verification } from "./verify.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Longest text of a console that is passed on; names and notes are far shorter. */
const MAX_TEXT = 4096;

/** Without secrets, and every text on one line without control characters. Keeps the shape of what it is given. */
export function redacted(fields: Fields): Fields {
  return redact(fields, { maxText: MAX_TEXT }) as Fields;
}

export interface AnswerLimits {
  readonly maxBytes: number;
}

/** An answer: everything in it is redacted, and rows are cut until it fits. */
export function jsonAnswer(fields: Fields, limits: AnswerLimits, tool?: Tool, isError = false): CallResult {
  return { isError, type: "json", body: capped(redacted(fields), limits.maxBytes, narrowingOf(tool)) };
}

export function failureAnswer(error: EdgeError, limits: AnswerLimits): CallResult {
  return jsonAnswer(failureResult(error), limits, undefined, true);
}

export function readAnswer(payload: Payload, site: string, limits: AnswerLimits, tool: Tool): CallResult {
  return jsonAnswer({ success: true, ...payload, site }, limits, tool);
}

/** What would happen, asked of the console a moment ago. `token` is given where the tool wants one. */
export function previewFields(plan: Plan, tool: string, token: string | undefined): Fields {
  return {
    success: true,
    requires_confirmation: true,
    ...subjectOf(plan),
    preview: changesOf(plan),
    ...(token === undefined ? {} : { confirm_token: token }),
    message:
      token === undefined
        ? `Nothing has been changed yet. Call ${tool} again with the same arguments and confirm=true to do it.`
        : `Nothing has been changed yet. Call ${tool} again with the same arguments and this confirm_token to do it; it holds for 10 minutes.`,
    ...warningsOf(plan),
  };
}

export function unchangedFields(plan: Plan): Fields {
  return {
    success: true,
    ...subjectOf(plan),
    unchanged: true,
    message: "The console already has these values, so nothing was sent.",
    ...warningsOf(plan),
  };
}

/** A write that took effect, with what was seen of it afterwards. */
export function writtenFields(plan: Plan, applied: Payload, seen: Verification | undefined): Fields {
  return {
    success: true,
    ...subjectOf(plan),
    ...applied,
    ...(seen === undefined ? {} : { ...seen }),
    ...warningsOf(plan),
  };
}

/** `{action, resource_type, resource_id?, resource_name?}`: names come from the console, so only ever as fields. */
export function subjectOf(plan: Plan): Fields {
  return {
    action: plan.action,
    resource_type: plan.resourceType,
    ...(plan.resourceId === undefined ? {} : { resource_id: plan.resourceId }),
    ...(plan.resourceName === undefined ? {} : { resource_name: plan.resourceName }),
  };
}

export function changesOf(plan: Plan): Fields {
  if (plan.action === "create") return { will_create: plan.proposed ?? {} };
  if (plan.action === "delete") return { will_delete: plan.current ?? {} };
  return { current: plan.current ?? {}, proposed: plan.proposed ?? {} };
}

function warningsOf(plan: Plan): Fields {
  return plan.warnings === undefined || plan.warnings.length === 0 ? {} : { warnings: plan.warnings };
}

/** A stored answer of another call, told as such. Images pass as they are. */
export function repeated(result: CallResult, firstId: string): CallResult {
  if (result.type !== "json") return result;
  const fields = JSON.parse(result.body.toString()) as Fields;
  return { ...result, body: Buffer.from(JSON.stringify({ ...fields, repeated_of: firstId })) };
}

const NARROWING = ["limit", "fields", "filter", "search", "within_hours"] as const;

function narrowingOf(tool: Tool | undefined): readonly string[] {
  const declared = tool?.input.properties ?? {};
  return NARROWING.filter((name) => name in declared);
}
