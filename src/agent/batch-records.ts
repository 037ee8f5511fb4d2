/** Batches in the journal: accepted whole in one transaction, arguments sealed until each operation has ended. */
import { EdgeError } from "../errors.ts";
import type { BatchRequest, CallOwner, CallResult, OperationState, OperationUpdate } from "../tunnel/calls.ts";
import { type Journal, resultOf } from "./journal.ts";
import type { Sealer } from "./seal.ts";

const KEEP_MS = 72 * 3_600_000;
/** States of an operation that has not ended, for SQL. */
const LIVE = "('queued', 'running')";

/** What an operation needs to run; sealed on disk, erased when it has ended. */
export interface OperationOrder {
  readonly args: Readonly<Record<string, unknown>>;
  readonly console?: string | undefined;
  readonly site?: string | undefined;
  readonly after: readonly number[];
  readonly deadlineMs?: number | undefined;
  readonly repeat: boolean;
  /** The batch's question covered this operation; `seen` = the state that it showed. */
  readonly confirmed?: { readonly seen: string | undefined } | undefined;
}

export interface NewOperation {
  readonly index: number;
  readonly tool: string;
  readonly kind: "read" | "write";
  readonly order: OperationOrder;
}

export interface StoredOperation extends NewOperation {
  readonly state: OperationState;
}

export interface StoredBatch {
  readonly id: string;
  readonly owner: CallOwner;
  readonly acceptedMs: number;
  /** Unix milliseconds. */
  readonly deadlineMs: number;
  readonly operations: readonly StoredOperation[];
}

export interface OperationEnd {
  readonly state: "done" | "error" | "cancelled";
  readonly result: CallResult;
}

export interface BatchRecords {
  /** `same` = this id was accepted with these operations; throws PROTOCOL_ERROR where they differ. */
  known(id: string, digest: Buffer): boolean;
  /** Call within a transaction. */
  insert(request: BatchRequest, digest: Buffer, operations: readonly NewOperation[]): void;
  /** Batches that have operations to run. */
  unfinished(): readonly StoredBatch[];
  started(batch: string, index: number): void;
  ended(batch: string, index: number, end: OperationEnd): void;
  batch(id: string): StoredBatch | undefined;
  /** Its result leaves this table. False = it has not ended, or is acknowledged already. */
  acknowledge(batch: string, index: number): boolean;
  /** Operations that wait or run, in order. */
  unended(): readonly OperationUpdate[];
  /** Operations whose end was not acknowledged, newest batch first. */
  unacknowledgedEnds(): readonly { readonly batch: string; readonly index: number }[];
  /** Undefined once its end was acknowledged. */
  update(batch: string, index: number): OperationUpdate | undefined;
  prune(): void;
}

export function createBatchRecords(journal: Journal, sealer: Sealer, now: () => number): BatchRecords {
  const { database } = journal;
  const selectBatch = database.prepare("SELECT digest FROM batches WHERE id = ?");
  const insertBatch = database.prepare(
    "INSERT INTO batches (id, digest, owner, accepted_ms, deadline_ms, writes) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const insertOperation = database.prepare(
    "INSERT INTO operations (batch, position, tool, kind, state, sealed) VALUES (?, ?, ?, ?, 'queued', ?)",
  );
  const selectHeader = database.prepare("SELECT id, owner, accepted_ms, deadline_ms FROM batches WHERE id = ?");
  const selectUnfinished = database.prepare(
    `SELECT b.id FROM batches b WHERE EXISTS (SELECT 1 FROM operations o WHERE o.batch = b.id AND o.state IN ${LIVE})
     ORDER BY b.accepted_ms`,
  );
  const selectOperations = database.prepare("SELECT * FROM operations WHERE batch = ? ORDER BY position");
  const start = database.prepare(
    "UPDATE operations SET state = 'running', started_ms = ? WHERE batch = ? AND position = ?",
  );
  const end = database.prepare(
    `UPDATE operations SET state = ?, completed_ms = ?, is_error = ?, type = ?, result = ?, sealed = NULL
     WHERE batch = ? AND position = ?`,
  );
  const acknowledge = database.prepare(
    `UPDATE operations SET acked = 1, result = NULL
     WHERE batch = ? AND position = ? AND acked = 0 AND state NOT IN ${LIVE}`,
  );
  const updates = "SELECT o.*, b.owner FROM operations o JOIN batches b ON b.id = o.batch WHERE";
  const selectUpdate = database.prepare(`${updates} o.batch = ? AND o.position = ? AND o.acked = 0`);
  const selectUnended = database.prepare(`${updates} o.state IN ${LIVE} ORDER BY b.accepted_ms, b.id, o.position`);
  const selectEnds = database.prepare(
    `SELECT o.batch, o.position FROM operations o JOIN batches b ON b.id = o.batch
     WHERE o.acked = 0 AND o.state NOT IN ${LIVE} ORDER BY b.accepted_ms DESC, b.id, o.position`,
  );
  const pruneOperations = database.prepare(
    "DELETE FROM operations WHERE batch IN (SELECT id FROM batches WHERE accepted_ms < ?)",
  );
  const pruneBatches = database.prepare("DELETE FROM batches WHERE accepted_ms < ?");
  const placeOf = (batch: string, index: number) => `${batch}:${index}`;

  function operationOf(row: Record<string, unknown>): StoredOperation {
    const index = Number(row.position);
    const place = placeOf(String(row.batch), index);
    const sealed = row.sealed;
    return {
      index,
      tool: String(row.tool),
      // rows are our own: their words are those that insert() and ended() wrote
      kind: row.kind as StoredOperation["kind"],
      state: row.state as OperationState,
      order: sealed instanceof Uint8Array ? orderOf(sealer.open(sealed, place)) : ENDED_ORDER,
    };
  }

  function batch(id: string): StoredBatch | undefined {
    const row = selectHeader.get(id);
    if (row === undefined) return undefined;
    return {
      id,
      owner: JSON.parse(String(row.owner)) as CallOwner,
      acceptedMs: Number(row.accepted_ms),
      deadlineMs: Number(row.deadline_ms),
      operations: selectOperations.all(id).map(operationOf),
    };
  }

  return {
    known(id, digest) {
      const row = selectBatch.get(id);
      if (row === undefined) return false;
      if (digest.equals(row.digest as Uint8Array)) return true;
      throw new EdgeError("PROTOCOL_ERROR", "A batch with this id was accepted before, with other operations.");
    },
    insert(request, digest, operations) {
      const writes = Number(operations.some((operation) => operation.kind === "write"));
      insertBatch.run(request.id, digest, JSON.stringify(request.owner), now(), now() + request.ttlMs, writes);
      for (const { index, tool, kind, order } of operations) {
        const sealed = sealer.seal(JSON.stringify(order), placeOf(request.id, index));
        insertOperation.run(request.id, index, tool, kind, sealed);
      }
    },
    batch,
    unfinished: () => selectUnfinished.all().flatMap((row) => batch(String(row.id)) ?? []),
    started: (batch, index) => void journal.transaction(() => start.run(now(), batch, index)),
    ended: (batch, index, { state, result }) =>
      void journal.transaction(() =>
        end.run(state, now(), Number(result.isError), result.type, result.body, batch, index),
      ),
    acknowledge: (id, index) => journal.transaction(() => acknowledge.run(id, index).changes > 0),
    unended: () => selectUnended.all().map(updateOf),
    unacknowledgedEnds: () =>
      selectEnds.all().map((row) => ({ batch: String(row.batch), index: Number(row.position) })),
    update(id, index) {
      const row = selectUpdate.get(id, index);
      return row === undefined ? undefined : updateOf(row);
    },
    prune() {
      journal.transaction(() => {
        pruneOperations.run(now() - KEEP_MS);
        pruneBatches.run(now() - KEEP_MS);
      });
    },
  };
}

const ENDED_ORDER: OperationOrder = { args: {}, after: [], repeat: false };

function orderOf(text: string): OperationOrder {
  return JSON.parse(text) as OperationOrder;
}

function updateOf(row: Record<string, unknown>): OperationUpdate {
  return {
    batch: String(row.batch),
    index: Number(row.position),
    tool: String(row.tool),
    state: row.state as OperationState,
    owner: JSON.parse(String(row.owner)) as CallOwner,
    ...(row.started_ms === null ? {} : { startedAtMs: Number(row.started_ms) }),
    ...(row.completed_ms === null ? {} : { completedAtMs: Number(row.completed_ms) }),
    ...(row.result === null ? {} : { result: resultOf(row) }),
  };
}
