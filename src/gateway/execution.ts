/** Joins routing and batches to what the MCP server asks for. */
import type { Audit } from "../audit/audit.ts";
import { type Batches, createBatches } from "../batch/batches.ts";
import type { BatchRecords } from "../batch/records.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { asEdgeError, EdgeError, failureResult } from "../errors.ts";
import type { Execution, Outcome } from "../mcp/execution.ts";
import type { Action } from "../principal.ts";
import { decide, decisionRecord } from "../routing/decide.ts";
import type { Directory } from "../routing/directory.ts";
import type { Intents } from "../routing/intents.ts";
import { chooseTargets } from "../routing/locations.ts";
import { createRouter } from "../routing/router.ts";

/** How long a batch may run in all, without renewed authority (design 6). */
export const BATCH_TTL_MS = 10 * 60 * 1000;

export interface ExecutionParts {
  readonly directory: Directory;
  readonly intents: Intents;
  readonly batches: BatchRecords;
  readonly catalog: Catalog;
  readonly audit: Audit;
  /** False while the store does not answer: no write may start on a token that cannot be checked (design 4). */
  readonly writesAllowed: () => boolean;
  readonly requireLocation: boolean;
  readonly callTimeoutMs: number;
  readonly reconnectWaitMs: number;
  readonly secret: Buffer;
  readonly newId: () => string;
  readonly now: () => number;
  readonly log: { warn(facts: object, message: string): void; error(facts: object, message: string): void };
}

export function createExecution(parts: ExecutionParts): { readonly execution: Execution; readonly batches: Batches } {
  const { directory, catalog, audit, now, log } = parts;
  const actionOf = (tool: string, args: Readonly<Record<string, unknown>>): Action | undefined =>
    catalog.get(tool) === undefined ? undefined : catalog.actionOf(tool, args);
  let reads = 0;
  const router = createRouter({ ...parts, actionOf, readId: () => `r${++reads}` });

  const batches = createBatches({
    records: parts.batches,
    admit(principal, operation) {
      const action = actionOf(operation.tool, operation.arguments) ?? "delete";
      // One place for each operation, reads too: a job has one result
      const { places } = chooseTargets(directory.visible(principal).locations, {
        tool: operation.tool,
        write: true,
        location: operation.location,
        required: true,
      });
      const location = places[0]?.id ?? "";
      const question = { tool: operation.tool, action, location };
      const verdict = decide(principal, question);
      const argumentsHash = action === "read" ? undefined : router.fingerprint(principal, location, operation);
      audit.record(
        decisionRecord(principal, question, verdict, {
          atMs: now(),
          site: operation.site,
          callId: undefined,
          argumentsHash,
        }),
      );
      if (!verdict.allowed) throw verdict.error;
      return { location, action };
    },
    async connect(org, location, waitMs, signal) {
      const connection = await directory.nextConnection(org, location, waitMs, signal);
      if (connection) return connection;
      throw new EdgeError("AGENT_OFFLINE", `No agent is connected for "${location}".`, {
        hint: "Nothing was started there.",
      });
    },
    connectionOf: (org, location) => directory.connectionOf(org, location),
    reconnectWaitMs: parts.reconnectWaitMs,
    ttlMs: BATCH_TTL_MS,
    newId: parts.newId,
    now,
    log,
  });

  const orFailure = (outcome: Promise<Outcome>): Promise<Outcome> =>
    outcome.catch((thrown: unknown): Outcome => {
      const error = asEdgeError(thrown);
      if (error.code === "INTERNAL") log.error({ err: thrown }, "a batch request failed inside the gateway");
      return { isError: true, type: "json", body: Buffer.from(JSON.stringify(failureResult(error))) };
    });

  return {
    batches,
    execution: {
      visible: (principal) => directory.visible(principal),
      refused(principal, { tool, action, error }) {
        const question = { tool, action, location: undefined };
        const facts = { atMs: now(), site: undefined, callId: undefined, argumentsHash: undefined };
        audit.record(decisionRecord(principal, question, { allowed: false, error }, facts));
      },
      execute: (request, asking) =>
        parts.writesAllowed() || actionOf(request.tool, request.arguments) === "read"
          ? router.execute(request, asking)
          : orFailure(Promise.reject(storeAway())),
      batch: (request, asking) => orFailure(batches.start(request, asking)),
      cancelBatch: (batchId, asking) => orFailure(batches.cancel(batchId, asking)),
      batchStatus: (question, waitMs, asking) => orFailure(batches.status(question, waitMs, asking)),
    },
  };
}

function storeAway(): EdgeError {
  return new EdgeError("STORE_UNAVAILABLE", "The gateway cannot reach its store, so no write is started.", {
    hint: "Reads go on for half a minute; try the write again when the store is back.",
  });
}
