/** Answers what became of jobs: from the index, whichever replica is asked, to the batch's owner only. */
import { EdgeError, failureResult } from "../errors.ts";
import type { Asking, BatchQuestion, Outcome } from "../mcp/execution.ts";
import { coversLocation, type Principal } from "../principal.ts";
import type { AgentConnection } from "../tunnel/calls.ts";
import { isBatchId, jobIdOf, parseJobId } from "./ids.ts";
import { type BatchHeader, type BatchRecords, FINAL_STATES, type OperationRecord } from "./records.ts";

/** A waiting question looks again this often, beside being told of changes in this process. */
const POLL_MS = 500;
const MAX_JOBS_ASKED = 500;
/** An agent tells on each new link what it has of every batch; so long after, what it did not tell it never got. */
const TELLS_WITHIN_MS = 5_000;

export interface StatusParts {
  readonly records: BatchRecords;
  readonly now: () => number;
  readonly connectionOf: (org: string, location: string) => AgentConnection | undefined;
  /** See StartParts. */
  readonly located?: boolean;
  /** Resolves at the next change of any operation here, or after `ms`. */
  readonly nextChange: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface Job {
  readonly jobId: string;
  readonly location: string | undefined;
  readonly tool: string | undefined;
  /** Undefined = not (or no longer) the caller's. */
  readonly record: OperationRecord | undefined;
}

export async function batchStatus(
  parts: StatusParts,
  question: BatchQuestion,
  waitMs: number,
  asking: Asking,
): Promise<Outcome> {
  const endsAt = parts.now() + waitMs;
  for (;;) {
    const jobs = await look(parts, question, asking);
    const left = endsAt - parts.now();
    const open = jobs.some(({ record }) => record && !FINAL_STATES.has(record.state));
    if (!open || left <= 0 || asking.signal.aborted)
      return answer(question, parts.located === false ? jobs.map(withoutLocation) : jobs);
    await parts.nextChange(Math.min(POLL_MS, left), asking.signal);
  }
}

async function look(parts: StatusParts, question: BatchQuestion, asking: Asking): Promise<Job[]> {
  const { org, subject } = asking.principal;
  const loaded = new Map<
    string,
    { header: BatchHeader; operations: ReadonlyMap<number, OperationRecord> } | undefined
  >();
  const load = async (batchId: string) => {
    if (!loaded.has(batchId)) {
      const header = await parts.records.header(org, batchId);
      const mine = header?.subject === subject ? shownTo(asking.principal, header) : undefined;
      loaded.set(batchId, mine && { header: mine, operations: await parts.records.operations(org, batchId) });
    }
    return loaded.get(batchId);
  };
  if ("batchId" in question) {
    const batch = isBatchId(question.batchId) ? await load(question.batchId) : undefined;
    if (!batch)
      throw new EdgeError("NOT_FOUND", "There is no batch of yours with this batchId (any more).", {
        hint: "Batches are kept 1 hour, 72 hours when they hold writes.",
      });
    return batch.header.operations.map((entry) => jobOf(parts, question.batchId, entry.index, batch));
  }
  const ids = "jobId" in question ? [question.jobId] : question.jobIds;
  if (ids.length > MAX_JOBS_ASKED)
    throw new EdgeError("ARGUMENTS_INVALID", `jobIds holds ${ids.length}; ${MAX_JOBS_ASKED} at most.`);
  const jobs: Job[] = [];
  for (const jobId of ids) {
    const parsed = parseJobId(jobId);
    const batch = parsed && (await load(parsed.batchId));
    jobs.push(
      parsed && batch
        ? jobOf(parts, parsed.batchId, parsed.index, batch)
        : { jobId, location: undefined, tool: undefined, record: undefined },
    );
  }
  return jobs;
}

/** What stands at places that this grant does not cover is not its to read, though the same person started it. */
function shownTo(principal: Principal, header: BatchHeader): BatchHeader | undefined {
  const operations = header.operations.filter(({ location }) => coversLocation(principal, location));
  return operations.length === 0 ? undefined : { ...header, operations };
}

function withoutLocation(job: Job): Job {
  return { ...job, location: undefined };
}

function jobOf(
  parts: StatusParts,
  batchId: string,
  index: number,
  batch: { header: BatchHeader; operations: ReadonlyMap<number, OperationRecord> },
): Job {
  const entry = batch.header.operations.find((operation) => operation.index === index);
  const record = entry && (batch.operations.get(index) ?? untold(parts, batch.header, entry.location));
  return { jobId: jobIdOf(batchId, index), location: entry?.location, tool: entry?.tool, record };
}

/** No agent has told of this operation: it waits there; or its agent came anew and is silent of it, so it was lost. */
function untold(parts: StatusParts, header: BatchHeader, location: string): OperationRecord {
  const connection = parts.connectionOf(header.org, location);
  const cameAnew = connection !== undefined && connection.connectedAtMs > header.createdAtMs;
  if (!cameAnew || parts.now() - connection.connectedAtMs < TELLS_WITHIN_MS) return { state: "queued" };
  const error = new EdgeError("OUTCOME_UNKNOWN", "The site does not know of this operation (any more).", {
    hint: "It was most likely lost on the way. Read the object back; if the change is missing, start the operation anew.",
  });
  return { state: "error", isError: true, body: JSON.stringify(failureResult(error)) };
}

function answer(question: BatchQuestion, jobs: readonly Job[]): Outcome {
  const [first] = jobs;
  const body = "jobId" in question && first ? jobJson(first) : `{"jobs":[${jobs.map(jobJson).join(",")}]}`;
  return { isError: false, type: "json", body: Buffer.from(body) };
}

/** Results are JSON text already and go in as they are. */
function jobJson({ jobId, location, tool, record }: Job): string {
  if (!record) return JSON.stringify({ jobId, status: "unknown", error: "No job of yours has this id (any more)." });
  const head = JSON.stringify({
    ...(location === undefined ? {} : { location }),
    jobId,
    tool,
    status: record.state,
    started: seconds(record.startedAtMs),
    ...(record.completedAtMs === undefined ? {} : { completed: seconds(record.completedAtMs) }),
  }).slice(0, -1);
  const body = record.body ?? "null";
  const failed = record.isError === true;
  return `${head},"result":${failed ? "null" : body},"error":${failed ? body : "null"}}`;
}

function seconds(ms: number | undefined): number | null {
  return ms === undefined ? null : ms / 1000;
}
