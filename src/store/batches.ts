/** What is kept of a batch, readable from every replica: an index of the agents' journals. */
import Type, { type Static } from "typebox";
import { BATCH_TTL_MS, batchKey, batchOperationsKey, WRITING_BATCH_TTL_MS } from "./keys.ts";
import type { Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

const BatchHeader = Type.Object({
  id: Type.String(),
  org: Type.String(),
  /** Only this account may read or cancel it. */
  subject: Type.String(),
  grant: Type.String(),
  app: Type.Union([Type.Literal("network"), Type.Literal("protect"), Type.Literal("access")]),
  createdAtMs: Type.Number(),
  /** Decides how long it is kept. */
  writes: Type.Boolean(),
  operations: Type.Array(
    Type.Object({ index: Type.Integer({ minimum: 0 }), tool: Type.String(), location: Type.String() }),
  ),
});
type StoredHeader = Static<typeof BatchHeader>;
/** As `BatchHeader`, with what may not change marked so. */
export type StoredBatchHeader = Readonly<Omit<StoredHeader, "operations">> & {
  readonly operations: readonly Readonly<StoredHeader["operations"][number]>[];
};
const readHeader = recordReader("batch", BatchHeader);

const OperationRecord = Type.Object({
  state: Type.Union([
    Type.Literal("queued"),
    Type.Literal("running"),
    Type.Literal("done"),
    Type.Literal("error"),
    Type.Literal("cancelled"),
  ]),
  startedAtMs: Type.Optional(Type.Number()),
  completedAtMs: Type.Optional(Type.Number()),
  isError: Type.Optional(Type.Boolean()),
  /** The tool's answer as it came: JSON text of one object. */
  body: Type.Optional(Type.String()),
});
export type StoredOperation = Readonly<Static<typeof OperationRecord>>;
const readOperation = recordReader("batch operation", OperationRecord);

export interface StoredBatches {
  saveHeader(header: StoredBatchHeader): Promise<void>;
  header(org: string, id: string): Promise<StoredBatchHeader | undefined>;
  /** Merged: an operation never goes back, and a final state never changes. */
  saveOperation(header: StoredBatchHeader, index: number, operation: StoredOperation): Promise<void>;
  operations(org: string, id: string): Promise<ReadonlyMap<number, StoredOperation>>;
}

/** An operation only moves to a greater number; reports may come twice and out of order. */
const STAGE: Readonly<Record<StoredOperation["state"], number>> = {
  queued: 0,
  running: 1,
  done: 2,
  error: 2,
  cancelled: 2,
};

/** Every method throws STORE_UNAVAILABLE when the store cannot be reached. */
export function createBatchRecords(store: Store): StoredBatches {
  return {
    saveHeader: async (header) => {
      await store.commit({ set: [headerEntry(header)] });
    },
    header: async (org, id) => readHeader(await store.get(batchKey(org, id))),
    saveOperation: async (header, index, operation) => {
      const key = batchOperationsKey(header.org, header.id);
      const field = String(index);
      // each round that fails means another report won, and at most two more can follow it
      for (let stage = 0; stage <= STAGE.done; stage += 1) {
        const stored = await store.getField(key, field);
        const present = readOperation(stored);
        if (present !== undefined && STAGE[present.state] >= STAGE[operation.state]) return;
        const done = await store.commit({
          if: [stored === undefined ? { key, field, is: "absent" } : { key, field, equals: stored }],
          // the header with it: it lives as long as its newest operation, and is rebuilt where the index was lost
          set: [headerEntry(header)],
          putFields: [{ key, fields: { [field]: JSON.stringify(operation) }, ttlMs: lifetimeOf(header) }],
        });
        if (done) return;
      }
    },
    operations: async (org, id) => {
      const fields = await store.getMap(batchOperationsKey(org, id));
      return new Map(
        [...fields].flatMap(([index, text]) => {
          const operation = readOperation(text);
          return operation === undefined ? [] : [[Number(index), operation] as const];
        }),
      );
    },
  };
}

function headerEntry(header: StoredBatchHeader) {
  return { key: batchKey(header.org, header.id), value: JSON.stringify(header), ttlMs: lifetimeOf(header) };
}

function lifetimeOf(header: StoredBatchHeader): number {
  return header.writes ? WRITING_BATCH_TTL_MS : BATCH_TTL_MS;
}
