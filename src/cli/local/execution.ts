/** Execution without a tunnel: the agent's port is asked in the same process, and its journal judges ids and twins. */
import { type Batches, createBatches } from "../../batch/batches.ts";
import type { BatchRecords } from "../../batch/records.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { asEdgeError, EdgeError, failureResult } from "../../errors.ts";
import type { Asking, ExecuteRequest, Execution, Outcome, Visible } from "../../mcp/execution.ts";
import type { Principal } from "../../principal.ts";
import type { AgentConnection, AgentPort } from "../../tunnel/calls.ts";

/** The one organisation and the one place; no answer shows them. */
const PLACE = "local";
const BATCH_TTL_MS = 10 * 60 * 1000;

export interface LocalExecutionParts {
  readonly port: AgentPort;
  readonly catalog: Catalog;
  readonly batches: BatchRecords;
  readonly callTimeoutMs: number;
  readonly newId: () => string;
  readonly now: () => number;
  readonly log: { warn(facts: object, message: string): void; error(facts: object, message: string): void };
}

export interface LocalExecution {
  readonly execution: Execution;
  /** No more reports of batches are taken. */
  close(): void;
}

export function createLocalExecution(parts: LocalExecutionParts): LocalExecution {
  const { port, catalog, log } = parts;
  const connection = connectionTo(port, parts.now());
  const batches = createLocalBatches(parts, connection);
  const unsubscribe = port.operations((update) => {
    batches.report(connection, update).catch((error: unknown) => log.warn({ err: error }, "a batch was not recorded"));
  });
  const visible: Visible = {
    revision: PLACE,
    apps: new Set(port.describe().apps),
    locations: [],
    foreign: [],
    lacking: new Set(),
  };

  async function execute(request: ExecuteRequest, { principal, signal, progress }: Asking): Promise<Outcome> {
    const kind = catalog.kindOf(request.tool, request.arguments);
    const token = request.arguments.confirm_token;
    const id = kind === "write" && typeof token === "string" && token !== "" ? token : parts.newId();
    const result = await port.call(
      {
        id,
        kind,
        tool: request.tool,
        args: request.arguments,
        ttlMs: parts.callTimeoutMs,
        owner: ownerOf(principal),
        ...(request.site === undefined ? {} : { site: request.site }),
        ...(request.repeat === true ? { repeat: true } : {}),
      },
      {
        signal,
        ...(progress === undefined ? {} : { progress: ({ done, total, note }) => progress(done, total, note) }),
      },
    );
    return { ...result, ...(kind === "read" ? {} : { delivered: () => port.acknowledge(id, true) }) };
  }

  const orFailure = (outcome: Promise<Outcome>): Promise<Outcome> =>
    outcome.catch((thrown: unknown): Outcome => {
      const error = asEdgeError(thrown);
      if (error.code === "INTERNAL") log.error({ err: thrown }, "a request failed for a reason of our own");
      return { isError: true, type: "json", body: Buffer.from(JSON.stringify(failureResult(error))) };
    });

  return {
    execution: {
      visible: () => visible,
      execute: (request, asking) => orFailure(execute(request, asking)),
      batch: (request, asking) => orFailure(batches.start(request, asking)),
      cancelBatch: (batchId, asking) => orFailure(batches.cancel(batchId, asking)),
      batchStatus: (question, waitMs, asking) => orFailure(batches.status(question, waitMs, asking)),
    },
    close: unsubscribe,
  };
}

function createLocalBatches(parts: LocalExecutionParts, connection: AgentConnection): Batches {
  return createBatches({
    records: parts.batches,
    located: false,
    admit(_principal, { tool, arguments: args, location }) {
      if (location === undefined) return { location: PLACE, action: parts.catalog.actionOf(tool, args) };
      throw new EdgeError("ARGUMENTS_INVALID", "This server has one place: leave location out.");
    },
    connect: async () => connection,
    connectionOf: () => connection,
    reconnectWaitMs: 0,
    ttlMs: BATCH_TTL_MS,
    newId: parts.newId,
    now: parts.now,
    log: parts.log,
  });
}

/** The port as batches know it: a link that is always up. */
function connectionTo(port: AgentPort, connectedAtMs: number): AgentConnection {
  return {
    org: PLACE,
    location: PLACE,
    description: port.describe(),
    epoch: 0,
    connectedAtMs,
    call: port.call,
    acknowledge: port.acknowledge,
    batch: port.batch,
    cancelBatch: port.cancelBatch,
    manifest: async () => port.manifest(),
    acknowledgeOperation: port.acknowledgeOperation,
    closed: new AbortController().signal,
    close: () => undefined,
  };
}

function ownerOf({ org, subject, grant }: Principal) {
  return { org, subject, grant };
}
