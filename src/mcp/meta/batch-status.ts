/** `*_batch_status`: one job, several, or a whole batch; waits for an end when asked to. */
import { EdgeError } from "../../errors.ts";
import type { Call } from "../caller.ts";
import type { BatchQuestion, Execution, Outcome } from "../execution.ts";
import { askingOf } from "./execute.ts";

export interface StatusArguments {
  readonly jobId?: string;
  readonly jobIds?: readonly string[];
  readonly batchId?: string;
  /** 0 to 25, checked by the meta-tool's schema. */
  readonly wait_seconds?: number;
}

export function batchStatus(execution: Execution, call: Call, args: StatusArguments): Promise<Outcome> {
  return execution.batchStatus(questionOf(args), (args.wait_seconds ?? 0) * 1000, askingOf(call));
}

function questionOf({ jobId, jobIds, batchId }: StatusArguments): BatchQuestion {
  if (jobIds !== undefined) return { jobIds };
  if (jobId !== undefined) return { jobId };
  if (batchId !== undefined) return { batchId };
  throw new EdgeError("ARGUMENTS_INVALID", "Give one of jobId, jobIds and batchId.");
}
