/** Tells operations' states to whoever listens: new ones at once, what was not acknowledged a few at a time. */
import type { OperationUpdate } from "../tunnel/calls.ts";
import type { BatchRecords } from "./batch-records.ts";

/** Ended operations that are replayed before the first of them is acknowledged: at most 4 MiB of answers. */
const REPLAY_WINDOW = 64;
/** The window is filled again once it is half empty: each filling reads the list of all that wait. */
const REFILL_BELOW = REPLAY_WINDOW / 2;

export interface BatchReports {
  tell(update: OperationUpdate): void;
  /** Replays states that are not final at once, ends as they are acknowledged, newest batch first. */
  listen(listener: (update: OperationUpdate) => void): () => void;
  /** Only ends are acknowledged: any other state is followed by one. */
  acknowledge(batch: string, index: number): void;
}

interface Listening {
  readonly listener: (update: OperationUpdate) => void;
  /** Told on this link; what ended before and is not here waits for its turn. */
  readonly told: Set<string>;
  unanswered: number;
}

export function createBatchReports(records: BatchRecords): BatchReports {
  const listening = new Set<Listening>();

  function replay(one: Listening): void {
    if (one.unanswered >= REFILL_BELOW) return;
    for (const { batch, index } of records.unacknowledgedEnds()) {
      if (one.told.has(keyOf(batch, index))) continue;
      const update = records.update(batch, index);
      if (update === undefined) continue;
      tellEnd(one, update);
      if (one.unanswered >= REPLAY_WINDOW) return;
    }
  }

  function tellEnd(one: Listening, update: OperationUpdate): void {
    one.told.add(keyOf(update.batch, update.index));
    one.unanswered += 1;
    one.listener(update);
  }

  return {
    tell(update) {
      for (const one of listening) {
        if (update.result === undefined) one.listener(update);
        else tellEnd(one, update);
      }
    },
    listen(listener) {
      const one: Listening = { listener, told: new Set(), unanswered: 0 };
      listening.add(one);
      for (const update of records.unended()) listener(update);
      replay(one);
      return () => void listening.delete(one);
    },
    acknowledge(batch, index) {
      if (!records.acknowledge(batch, index)) return;
      for (const one of listening) {
        if (!one.told.delete(keyOf(batch, index))) continue;
        one.unanswered -= 1;
        replay(one);
      }
    },
  };
}

function keyOf(batch: string, index: number): string {
  return `${batch}:${index}`;
}
