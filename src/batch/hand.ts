/** Hands an agent its part of a batch, once or again, and tells a refusal from a part that the agent may have. */
import { asEdgeError, EdgeError } from "../errors.ts";
import type { BatchStart } from "../mcp/execution.ts";
import type { Action } from "../principal.ts";
import type { AgentConnection, BatchAnswer, BatchOperation, BatchRequest } from "../tunnel/calls.ts";
import { partIdOf } from "./ids.ts";
import type { BatchEntry, BatchHeader } from "./records.ts";

export interface HandParts {
  /** The present link, or the next one within `waitMs`; throws AGENT_OFFLINE. */
  readonly connect: (org: string, location: string, waitMs: number, signal: AbortSignal) => Promise<AgentConnection>;
  readonly reconnectWaitMs: number;
  /** How long a batch may take in all. */
  readonly ttlMs: number;
}

export interface Admitted extends BatchEntry {
  readonly action: Action;
  readonly operation: BatchStart["operations"][number];
}

export interface BatchPart {
  readonly header: BatchHeader;
  readonly location: string;
  readonly own: readonly Admitted[];
  readonly confirmToken: string | undefined;
  /** It was handed over before, as far as the index knows. */
  readonly isAgain: boolean;
  readonly signal: AbortSignal;
}

/**
 * Hands an agent its part; after a broken link the same part goes to it again, which never starts it twice.
 * A part that it may have from before, or from a lost first send, is never called "not started" for want of an answer.
 */
export async function hand(parts: HandParts, part: BatchPart): Promise<BatchAnswer> {
  const { header, location, own, confirmToken } = part;
  const request: BatchRequest = {
    id: partIdOf(header.id, location),
    operations: own.map(operationOf),
    ttlMs: parts.ttlMs,
    owner: { org: header.org, subject: header.subject, grant: header.grant },
    ...(confirmToken === undefined ? {} : { confirmToken }),
  };
  const connect = (waitMs: number) => parts.connect(header.org, location, waitMs, part.signal);
  let inDoubt = part.isAgain;
  try {
    const first = await connect(part.isAgain ? parts.reconnectWaitMs : 0);
    try {
      return await first.batch(request);
    } catch (error) {
      const { code } = asEdgeError(error);
      if (code !== "AGENT_OFFLINE" && code !== "OUTCOME_UNKNOWN") throw error;
      if (code === "OUTCOME_UNKNOWN") inDoubt = true;
      const again = await connect(parts.reconnectWaitMs);
      if (again.description.journalId !== first.description.journalId) throw error;
      return await again.batch(request);
    }
  } catch (error) {
    throw inDoubt && !isJudgement(error) ? mayHaveIt(error) : error;
  }
}

/** Refusals that an agent only gives of a part that it looked at; the others say nothing of an earlier send. */
const JUDGEMENTS: ReadonlySet<string> = new Set(["CONFIRM_TOKEN_INVALID", "PROTOCOL_ERROR", "ARGUMENTS_INVALID"]);

function isJudgement(error: unknown): boolean {
  return error instanceof EdgeError && JUDGEMENTS.has(error.code);
}

function mayHaveIt(cause: unknown): EdgeError {
  return new EdgeError(
    "OUTCOME_UNKNOWN",
    "The site may have this part of the batch from before, and does not answer.",
    {
      hint: "Nothing runs twice. Ask batch_status, which tells once the site is back; or send the same again then.",
      cause,
    },
  );
}

function operationOf({ index, operation }: Admitted): BatchOperation {
  return {
    index,
    tool: operation.tool,
    args: operation.arguments,
    ...(operation.site === undefined ? {} : { site: operation.site }),
    ...(operation.after === undefined ? {} : { after: operation.after }),
    ...(operation.deadlineSeconds === undefined ? {} : { deadlineMs: operation.deadlineSeconds * 1000 }),
    ...(operation.repeat === true ? { repeat: true } : {}),
  };
}
