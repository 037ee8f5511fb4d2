/** Runs batches from the journal, gateway or not: bounded, fair between batches, in the order that `after` asks. */
import { asEdgeError, EdgeError } from "../errors.ts";
import type { BatchAnswer, BatchOperation, BatchRequest, CallResult, OperationUpdate } from "../tunnel/calls.ts";
import { type AnswerLimits, failureAnswer } from "./answers.ts";
import type { Auditing } from "./auditing.ts";
import { assertOrder } from "./batch-order.ts";
import { abortable, askBatch, type Questioned } from "./batch-question.ts";
import { BatchQueue, type QueuedOperation } from "./batch-queue.ts";
import { createBatchRecords, type NewOperation, type OperationEnd } from "./batch-records.ts";
import { createBatchReports } from "./batch-reports.ts";
import { type ConfirmMode, requirementOf, type Seen, type Tokens } from "./confirm.ts";
import type { Journal } from "./journal.ts";
import type { AgentLimits, Timer } from "./limits.ts";
import type { Asked, Prepared } from "./prepared.ts";
import type { Calls } from "./running-calls.ts";
import type { Sealer } from "./seal.ts";
import { isKnown, outcomeUnknown, settleUnknown } from "./write.ts";

export interface BatchDeps {
  readonly journal: Journal;
  readonly sealer: Sealer;
  readonly tokens: Tokens;
  readonly confirmMode: ConfirmMode;
  readonly calls: Calls;
  readonly auditing: Auditing;
  readonly answers: AnswerLimits;
  readonly limits: AgentLimits;
  readonly now: () => number;
  readonly timer: Timer;
  readonly warn: (message: string, error: unknown) => void;
  readonly prepare: (asked: Asked) => Prepared;
}

export interface Batches {
  accept(request: BatchRequest): Promise<BatchAnswer>;
  cancel(id: string): void;
  listen(listener: (update: OperationUpdate) => void): () => void;
  acknowledge(batch: string, index: number): void;
  close(): void;
}

/** Operations that may wait in one agent, over all batches. */
const MAX_WAITING = 5000;
/**
 * How long a batch's question may take to put together, the gateway waits 15 s for an answer to a batch; and how long a
 * console is asked what became of a write.
 */
const QUESTION_MS = 12_000;

export function createBatches(deps: BatchDeps): Batches {
  const records = createBatchRecords(deps.journal, deps.sealer, deps.now);
  const queue = new BatchQueue({ operations: deps.limits.batchOperations, writes: deps.limits.batchWrites });
  const reports = createBatchReports(records);
  const closing = new AbortController();
  records.prune();
  for (const batch of records.unfinished()) {
    queue.add(batch);
    for (const { state, index } of batch.operations) if (state === "running") settle(batch.id, index);
  }
  for (const orphan of queue.orphans()) finish(orphan, cancelledEnd("an operation that it waits for did not succeed"));
  // those who listen subscribe after we are made
  queueMicrotask(pump);

  /** An operation that ran when the last process died: what the ledger knows of it; what never reached it runs again. */
  function settle(batch: string, index: number): void {
    const found = deps.journal.outcome(`${batch}:${index}`);
    if (found.state !== "done" && found.state !== "unknown") return;
    const operation = queue.claim(batch, index);
    if (operation === undefined) return;
    if (found.state === "done") finish(operation, endOf(found.result));
    // it never rejects
    else void settleByReading(operation, found.id);
  }

  /** As a direct call that is sent again: the console may show that the write took effect. */
  async function settleByReading(operation: QueuedOperation, id: string): Promise<void> {
    const end = await readBack(operation, id);
    // the next process asks again
    if (closing.signal.aborted) return;
    finish(operation, end);
    pump();
  }

  async function readBack({ batch, tool, order }: QueuedOperation, id: string): Promise<OperationEnd> {
    const late = new AbortController();
    const stopTimer = deps.timer(QUESTION_MS, () => late.abort(tooSlow()));
    const signal = AbortSignal.any([late.signal, closing.signal]);
    const settling = { ...deps, limits: deps.answers };
    try {
      const call = deps.prepare({
        tool,
        args: order.args,
        console: order.console,
        site: order.site,
        owner: batch.owner,
      });
      const turn = { id, signal, progress: () => undefined };
      return endOf(await abortable(settleUnknown(settling, call, turn, id), signal));
    } catch {
      return { state: "error", result: failureAnswer(outcomeUnknown(id, true), deps.answers) };
    } finally {
      stopTimer();
    }
  }

  function pump(): void {
    while (!closing.signal.aborted) {
      const operation = queue.next();
      if (operation === undefined) return;
      // run() never rejects: every ending is an OperationEnd
      void run(operation);
    }
  }

  async function run(operation: QueuedOperation): Promise<void> {
    note("the start of an operation", () => records.started(operation.batch.id, operation.index));
    const startedAtMs = deps.now();
    tell(operation, { state: "running", startedAtMs });
    const end = await outcomeOf(operation);
    // given up because the agent stops: it runs again after the next start
    if (closing.signal.aborted && end.state === "cancelled") return;
    finish(operation, end, { startedAtMs });
    pump();
  }

  async function outcomeOf({ batch, index, tool, order }: QueuedOperation): Promise<OperationEnd> {
    const id = `${batch.id}:${index}`;
    const { args, console, site } = order;
    const asked: Asked = { tool, args, console, site, owner: batch.owner };
    try {
      const prepared = deps.calls.refusalAsAnswer(() => deps.prepare(asked));
      if ("refusal" in prepared) {
        deps.auditing.denied(id, asked, prepared.error);
        return endOf(prepared.refusal);
      }
      const { denied } = prepared;
      if (denied !== undefined && !isKnown(deps, { id, call: prepared, repeat: order.repeat })) {
        deps.auditing.denied(id, asked, denied);
        return endOf(failureAnswer(denied, deps.answers));
      }
      const untilMs = Math.min(batch.deadlineMs, batch.acceptedMs + (order.deadlineMs ?? Number.POSITIVE_INFINITY));
      const request = {
        id,
        source: "batch",
        call: prepared,
        repeat: order.repeat,
        confirmedByBatch: order.confirmed,
      } as const;
      return endOf(
        await deps.auditing.allowed(id, asked, prepared, () => deps.calls.run(request, untilMs - deps.now(), {})),
      );
    } catch (error) {
      const edge = asEdgeError(error);
      return { state: edge.code === "CANCELLED" ? "cancelled" : "error", result: failureAnswer(edge, deps.answers) };
    }
  }

  function finish(operation: QueuedOperation, end: OperationEnd, since: { readonly startedAtMs?: number } = {}): void {
    note("the end of an operation", () => records.ended(operation.batch.id, operation.index, end));
    tell(operation, { ...since, state: end.state, completedAtMs: deps.now(), result: end.result });
    const orphans = queue.ended(operation, end.state === "done");
    for (const orphan of orphans)
      finish(orphan, cancelledEnd(`operation ${operation.index}, which it waits for, did not succeed`));
  }

  function cancelledEnd(why: string): OperationEnd {
    const error = new EdgeError("CANCELLED", `Not run: ${why}.`);
    return { state: "cancelled", result: failureAnswer(error, deps.answers) };
  }

  function tell(operation: QueuedOperation, change: Partial<OperationUpdate> & Pick<OperationUpdate, "state">): void {
    const { batch, index, tool } = operation;
    reports.tell({ batch: batch.id, index, tool, owner: batch.owner, ...change });
  }

  function note(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      deps.warn(`${what} could not be recorded`, error);
    }
  }

  async function ask(request: BatchRequest, questions: readonly Questioned[], bound: Buffer): Promise<Buffer> {
    const late = new AbortController();
    const stopTimer = deps.timer(Math.min(QUESTION_MS, request.ttlMs), () => late.abort(tooSlow()));
    try {
      return await askBatch(deps, request, questions, bound, AbortSignal.any([late.signal, closing.signal]));
    } finally {
      stopTimer();
    }
  }

  async function accept(request: BatchRequest): Promise<BatchAnswer> {
    const bound = deps.journal.hmac("batch", request.owner.org, request.owner.grant, request.operations);
    if (records.known(request.id, bound)) return { accepted: true };
    deps.journal.assertCurrent(request.id);
    if (request.ttlMs <= 0) throw new EdgeError("DEADLINE_BEFORE_START", "The batch's time was over before it came.");
    assertOrder(request.operations);
    if (queue.waiting + request.operations.length > MAX_WAITING) {
      throw new EdgeError("OVERLOADED", "The agent has too many operations waiting.", { retryAfterSeconds: 30 });
    }

    const operations = request.operations.map((operation) => sortOperation(deps, request, operation));
    const questions = operations.flatMap(({ question }) => question ?? []);
    if (questions.length > 0 && request.confirmToken === undefined) {
      return { accepted: false, preview: await ask(request, questions, bound) };
    }
    const seen = request.confirmToken === undefined ? {} : seenBy(deps.tokens, request.confirmToken, bound);
    deps.journal.transaction(() => {
      if (request.confirmToken !== undefined) deps.tokens.spend(request.confirmToken, request.id);
      records.insert(
        request,
        bound,
        operations.map((operation) => operation.confirmedBy(seen)),
      );
    });
    const stored = records.batch(request.id);
    if (stored !== undefined) queue.add(stored);
    queueMicrotask(pump);
    return { accepted: true };
  }

  return {
    accept,
    cancel(id) {
      for (const operation of queue.withdraw(id)) finish(operation, cancelledEnd("its batch was cancelled"));
      for (const index of queue.runningOf(id)) deps.calls.cancel(`${id}:${index}`);
    },
    listen: reports.listen,
    acknowledge(batch, index) {
      reports.acknowledge(batch, index);
      // the gateway has it for its owner to read, which counts as delivered: the same write may be asked for again
      deps.calls.acknowledge(`${batch}:${index}`, true);
    },
    close: () => closing.abort(new EdgeError("CANCELLED", "The agent is stopping.")),
  };
}

interface SortedOperation {
  /** Set where this write needs the batch's question. */
  readonly question: Questioned | undefined;
  confirmedBy(seen: Seen): NewOperation;
}

/** Whether an operation writes, and whether it brings its own confirmation. A wrong one is kept, and fails in its turn. */
function sortOperation(deps: BatchDeps, { owner }: BatchRequest, operation: BatchOperation): SortedOperation {
  const { index, tool, args, console, site, after = [], deadlineMs, repeat = false } = operation;
  const order = { args, console, site, after, deadlineMs, repeat };
  const call = preparedOrUndefined(deps, { tool, args, console, site, owner });
  const asks = call !== undefined && needsQuestion(deps.confirmMode, call);
  return {
    question: asks ? { index, call, afterOthers: after.length > 0 } : undefined,
    confirmedBy: (seen) => ({
      index,
      tool,
      kind: call?.kind ?? "read",
      order: asks ? { ...order, confirmed: { seen: seen[index] } } : order,
    }),
  };
}

function preparedOrUndefined(deps: BatchDeps, asked: Asked): Prepared | undefined {
  try {
    const call = deps.prepare(asked);
    return call.denied === undefined ? call : undefined;
  } catch (error) {
    if (error instanceof EdgeError) return undefined;
    throw error;
  }
}

function needsQuestion(mode: ConfirmMode, call: Prepared): boolean {
  if (call.kind === "read" || call.confirmToken !== undefined) return false;
  const requirement = requirementOf(mode, call.tool);
  return requirement === "token" || (requirement === "flag" && !call.confirm);
}

function seenBy(tokens: Tokens, token: string, bound: Buffer): Seen {
  const { seen, spentBy } = tokens.check(token, bound);
  if (spentBy === undefined) return seen;
  throw new EdgeError("CONFIRM_TOKEN_INVALID", "These operations were already started with this confirm_token.", {
    hint: "Ask the status of that batch. To run them once more, send them without confirm_token for a fresh preview.",
    details: { batch_id: spentBy },
  });
}

function tooSlow(): EdgeError {
  return new EdgeError("TIMEOUT", "The console could not be asked about all writes of this batch in time.", {
    hint: "Nothing was changed. Split the batch, or try again when the console answers faster.",
  });
}

function endOf(result: CallResult): OperationEnd {
  return { state: result.isError ? "error" : "done", result };
}
