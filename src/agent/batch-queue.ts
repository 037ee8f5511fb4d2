/** Whose turn it is: one operation from each batch in rotation, within the bounds, each after those it waits for. */
import type { NewOperation, StoredBatch } from "./batch-records.ts";

export type QueuedBatch = Omit<StoredBatch, "operations">;

export interface QueuedOperation extends NewOperation {
  readonly batch: QueuedBatch;
}

interface LiveBatch {
  readonly queued: Map<number, QueuedOperation>;
  readonly running: Map<number, QueuedOperation>;
  readonly done: Set<number>;
}

export class BatchQueue {
  readonly #bounds: { readonly operations: number; readonly writes: number };
  /** In rotation: whoever was served goes to the end. */
  readonly #batches = new Map<string, LiveBatch>();
  #running = 0;
  #writes = 0;

  constructor(bounds: { readonly operations: number; readonly writes: number }) {
    this.#bounds = bounds;
  }

  get waiting(): number {
    return [...this.#batches.values()].reduce((sum, { queued }) => sum + queued.size, 0);
  }

  /** Operations that ran when the process died are queued again. */
  add({ operations, ...batch }: StoredBatch): void {
    const live = operations.filter(({ state }) => state === "queued" || state === "running");
    this.#batches.set(batch.id, {
      queued: new Map(live.map(({ state: _state, ...operation }) => [operation.index, { ...operation, batch }])),
      running: new Map(),
      done: new Set(operations.filter(({ state }) => state === "done").map(({ index }) => index)),
    });
  }

  /** The next operation that may run now, marked as running; undefined = none may. */
  next(): QueuedOperation | undefined {
    if (this.#running >= this.#bounds.operations) return undefined;
    for (const [id, batch] of this.#batches) {
      const ready = [...batch.queued.values()].find((operation) => this.#mayRun(batch, operation));
      if (ready === undefined) continue;
      this.#batches.delete(id);
      this.#batches.set(id, batch);
      return this.#start(batch, ready);
    }
    return undefined;
  }

  /** Marks one operation as running whatever the bounds: its outcome is already known. */
  claim(id: string, index: number): QueuedOperation | undefined {
    const batch = this.#batches.get(id);
    const operation = batch?.queued.get(index);
    return batch === undefined || operation === undefined ? undefined : this.#start(batch, operation);
  }

  /** Notes an end. Returns the operations that now can never run, taken out of the queue. */
  ended(operation: QueuedOperation, succeeded: boolean): readonly QueuedOperation[] {
    const { batch: header, index, kind } = operation;
    const batch = this.#batches.get(header.id);
    if (batch === undefined) return [];
    if (batch.running.delete(index)) {
      this.#running -= 1;
      if (kind === "write") this.#writes -= 1;
    }
    if (succeeded) batch.done.add(index);
    const orphans = succeeded ? [] : [...batch.queued.values()].filter(({ order }) => order.after.includes(index));
    for (const orphan of orphans) batch.queued.delete(orphan.index);
    if (batch.queued.size + batch.running.size === 0 && orphans.length === 0) this.#batches.delete(header.id);
    return orphans;
  }

  /** Queued operations whose predecessors failed before the process died. Taken out of the queue. */
  orphans(): readonly QueuedOperation[] {
    return [...this.#batches.values()].flatMap((batch) => {
      const lost = [...batch.queued.values()].filter(({ order }) =>
        order.after.some((index) => !batch.done.has(index) && !batch.queued.has(index)),
      );
      for (const { index } of lost) batch.queued.delete(index);
      return lost;
    });
  }

  /** Takes out every operation of a batch that has not started. */
  withdraw(id: string): readonly QueuedOperation[] {
    const batch = this.#batches.get(id);
    const queued = [...(batch?.queued.values() ?? [])];
    batch?.queued.clear();
    return queued;
  }

  runningOf(id: string): readonly number[] {
    return [...(this.#batches.get(id)?.running.keys() ?? [])];
  }

  #mayRun(batch: LiveBatch, { kind, order }: QueuedOperation): boolean {
    if (kind === "write" && this.#writes >= this.#bounds.writes) return false;
    return order.after.every((index) => batch.done.has(index));
  }

  #start(batch: LiveBatch, operation: QueuedOperation): QueuedOperation {
    batch.queued.delete(operation.index);
    batch.running.set(operation.index, operation);
    this.#running += 1;
    if (operation.kind === "write") this.#writes += 1;
    return operation;
  }
}
