/** The life of batches at the gateway: started, reported on by agents, read, cancelled. The agent's journal is the ledger. */
import { setTimeout as delay } from "node:timers/promises";
import { asEdgeError } from "../errors.ts";
import type { Asking, BatchQuestion, BatchStart, Outcome } from "../mcp/execution.ts";
import type { AgentConnection, OperationUpdate } from "../tunnel/calls.ts";
import { CLOSE } from "../tunnel/limits.ts";
import { assertMayCancel } from "./cancel-rights.ts";
import { isBatchId, partIdOf } from "./ids.ts";
import { FINAL_STATES, type OperationRecord } from "./records.ts";
import { createHeaderFor } from "./reported.ts";
import { type StartParts, startBatch } from "./start.ts";
import { batchStatus } from "./status.ts";

export interface BatchParts extends StartParts {
  readonly connectionOf: (org: string, location: string) => AgentConnection | undefined;
  /** REPORT_AGAIN_MS by default. */
  readonly reportAgainMs?: number;
  readonly log: { warn(facts: object, message: string): void };
}

/** An end that the store did not take is offered to it again so often: the agent tells it only once a link. */
const REPORT_AGAIN_MS = 1_000;
/** Ends that wait for the store; past it the link is ended, and the agent tells them all on its next one. */
const MAX_REPORTS_WAITING = 256;

export interface Batches {
  start(request: BatchStart, asking: Asking): Promise<Outcome>;
  status(question: BatchQuestion, waitMs: number, asking: Asking): Promise<Outcome>;
  cancel(batchId: string, asking: Asking): Promise<Outcome>;
  /** An agent reports on an operation; it is acknowledged once the index has its end. */
  report(connection: AgentConnection, update: OperationUpdate): Promise<void>;
}

export function createBatches(parts: BatchParts): Batches {
  const headerFor = createHeaderFor(parts);
  const waiting = new Set<() => void>();
  let reportsWaiting = 0;

  function nextChange(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", finish);
        waiting.delete(finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal.addEventListener("abort", finish);
      waiting.add(finish);
    });
  }

  async function report(connection: AgentConnection, update: OperationUpdate): Promise<void> {
    try {
      await take(connection, update);
    } catch (error) {
      // any other state is followed by its end
      if (!FINAL_STATES.has(update.state) || asEdgeError(error).code !== "STORE_UNAVAILABLE") throw error;
      parts.log.warn(
        { err: error, batch: update.batch, index: update.index },
        "an operation's end waits for the store",
      );
      await takeLater(connection, update);
    }
  }

  async function takeLater(connection: AgentConnection, update: OperationUpdate): Promise<void> {
    if (reportsWaiting >= MAX_REPORTS_WAITING) {
      connection.close(CLOSE.later, "the store does not take reports");
      return;
    }
    reportsWaiting += 1;
    try {
      while (!(await isOver(connection.closed, parts.reportAgainMs ?? REPORT_AGAIN_MS))) {
        const failure = await take(connection, update).catch(asEdgeError);
        if (failure === undefined) return;
        if (failure.code !== "STORE_UNAVAILABLE") throw failure;
      }
    } finally {
      reportsWaiting -= 1;
    }
  }

  async function take(connection: AgentConnection, update: OperationUpdate): Promise<void> {
    const header = await headerFor(connection, update);
    if (!header) {
      parts.log.warn(
        { batch: update.batch, location: connection.location },
        "an agent's report was not taken: its batch is not its own, or it brings back too many",
      );
      return;
    }
    await parts.records.saveOperation(header, update.index, recordOf(update));
    if (FINAL_STATES.has(update.state)) connection.acknowledgeOperation(update.batch, update.index);
    for (const wake of waiting) wake();
  }

  async function cancel(batchId: string, asking: Asking): Promise<Outcome> {
    const { org } = asking.principal;
    const header = isBatchId(batchId) ? await parts.records.header(org, batchId) : undefined;
    assertMayCancel(asking.principal, header);
    const places = [...new Set(header.operations.map((entry) => entry.location))];
    const offline = places.filter((location) => {
      const connection = parts.connectionOf(org, location);
      connection?.cancelBatch(partIdOf(batchId, location));
      return connection === undefined;
    });
    const message =
      offline.length === 0
        ? "Operations that have not started will not; ask batch_status for how each ended."
        : `These locations are offline and could not be told: ${offline.join(", ")}.`;
    return {
      isError: offline.length === places.length,
      type: "json",
      body: Buffer.from(JSON.stringify({ batchId, cancelled: offline.length < places.length, message })),
    };
  }

  return {
    start: (request, asking) => startBatch(parts, request, asking),
    status: (question, waitMs, asking) => batchStatus({ ...parts, nextChange }, question, waitMs, asking),
    cancel,
    report,
  };
}

/** Waits; true = the link ended meanwhile, and with it the reason to wait. */
function isOver(closed: AbortSignal, delayMs: number): Promise<boolean> {
  return delay(delayMs, false, { signal: closed }).catch(() => true);
}

function recordOf(update: OperationUpdate): OperationRecord {
  const { result } = update;
  return {
    state: update.state,
    ...(update.startedAtMs === undefined ? {} : { startedAtMs: update.startedAtMs }),
    ...(update.completedAtMs === undefined ? {} : { completedAtMs: update.completedAtMs }),
    ...(result === undefined ? {} : { isError: result.isError, body: bodyText(result) }),
  };
}

/** Images do not go into the index: their place says so (they come as resources). */
function bodyText(result: NonNullable<OperationUpdate["result"]>): string {
  if (result.type === "json") return result.body.toString("utf8");
  return JSON.stringify({
    success: true,
    image: result.type,
    bytes: result.body.length,
    note: "Images are not kept in batches; ask for it directly.",
  });
}
