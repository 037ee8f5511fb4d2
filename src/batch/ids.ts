/** Names of batches and jobs, and the one token that confirms the writes of several places. */
import { Buffer } from "node:buffer";
import { EdgeError } from "../errors.ts";

const BATCH_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const JOB_ID = /^(?<batch>[0-9a-f-]{36})-(?<index>\d{1,3})$/;
const MAX_TOKEN_BYTES = 16 * 1024;

export function jobIdOf(batchId: string, index: number): string {
  return `${batchId}-${index}`;
}

/** Undefined when the text is no job id of ours. */
export function parseJobId(jobId: string): { readonly batchId: string; readonly index: number } | undefined {
  const groups = JOB_ID.exec(jobId)?.groups;
  if (!groups?.batch || groups.index === undefined || !BATCH_ID.test(groups.batch)) return undefined;
  return { batchId: groups.batch, index: Number(groups.index) };
}

export function isBatchId(text: string): boolean {
  return BATCH_ID.test(text);
}

/** An agent's part of a batch; an operation's call id is `<part>:<index>`. */
export function partIdOf(batchId: string, location: string): string {
  return `${batchId}@${location}`;
}

export function parsePartId(partId: string): string | undefined {
  const [batchId = ""] = partId.split("@", 1);
  return BATCH_ID.test(batchId) ? batchId : undefined;
}

export interface BatchToken {
  readonly batchId: string;
  /** The agents' own tokens by location: each is bound to its operations by its agent, so this wrapper needs no seal. */
  readonly tokens: Readonly<Record<string, string>>;
}

export function sealBatchToken(token: BatchToken): string {
  return `bt_${Buffer.from(JSON.stringify([token.batchId, token.tokens])).toString("base64url")}`;
}

/** Throws CONFIRM_TOKEN_INVALID. */
export function openBatchToken(text: string): BatchToken {
  const refusal = new EdgeError("CONFIRM_TOKEN_INVALID", "This is no confirm_token of a batch preview.", {
    hint: "Send the operations without confirm_token to get a preview and its token.",
  });
  if (!text.startsWith("bt_") || text.length > MAX_TOKEN_BYTES) throw refusal;
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text.slice(3), "base64url").toString("utf8"));
  } catch {
    throw refusal;
  }
  if (!Array.isArray(parsed)) throw refusal;
  const [batchId, tokens] = parsed as unknown[];
  if (typeof batchId !== "string" || !BATCH_ID.test(batchId) || typeof tokens !== "object" || tokens === null)
    throw refusal;
  const entries = Object.entries(tokens);
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === "string")) throw refusal;
  return { batchId, tokens: Object.fromEntries(entries) };
}
