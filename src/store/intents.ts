/** Writes that were sent and whose answer no client has yet: kept so that a re-issue meets the first outcome. */
import Type, { type Static } from "typebox";
import { INTENT_TTL_MS, intentByFingerprintKey, intentKey, TWIN_TTL_MS } from "./keys.ts";
import type { Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

const Intent = Type.Object({
  /** The call id that the agent's journal knows. */
  id: Type.String(),
  /** A write is only ever resent to the journal that first got it. */
  journalId: Type.String(),
  /** Keyed hash of principal, place, tool and arguments. */
  fingerprint: Type.String(),
  sentAtMs: Type.Number(),
});
export type Intent = Readonly<Static<typeof Intent>>;
/** Settled intents that the store could not be told of; the oldest are forgotten and then meet their first outcome. */
const MAX_SETTLED = 10_000;
const readIntent = recordReader("write intent", Intent);

export interface IntentRecords {
  /** The write with this call id, while it is unresolved or its answer was not delivered. */
  byId(org: string, id: string): Promise<Intent | undefined>;
  /** The newest identical write that is unresolved or undelivered. */
  twin(org: string, fingerprint: string): Promise<Intent | undefined>;
  /** Stored before the write is sent. */
  open(org: string, intent: Intent): Promise<void>;
  /** The client has the answer: an identical write may run again. */
  settle(org: string, intent: Intent): Promise<void>;
}

/** Every method throws STORE_UNAVAILABLE when the store cannot be reached. */
export function createIntents(store: Store): IntentRecords {
  /** Delivered while the store was away: their records still stand there, and are no twins to this process. */
  const settled = new Set<string>();
  const byId = async (org: string, id: string) =>
    settled.has(intentKey(org, id)) ? undefined : readIntent(await store.get(intentKey(org, id)));
  return {
    byId,
    twin: async (org, fingerprint) => {
      const id = await store.get(intentByFingerprintKey(org, fingerprint));
      return id === undefined ? undefined : byId(org, id);
    },
    open: async (org, intent) => {
      await store.commit({
        set: [
          { key: intentKey(org, intent.id), value: JSON.stringify(intent), ttlMs: INTENT_TTL_MS },
          { key: intentByFingerprintKey(org, intent.fingerprint), value: intent.id, ttlMs: TWIN_TTL_MS },
        ],
      });
    },
    settle: async (org, { id }) => {
      const key = intentKey(org, id);
      settled.add(key);
      const [oldest] = settled;
      if (settled.size > MAX_SETTLED && oldest !== undefined) settled.delete(oldest);
      // what still points to it by fingerprint then finds nothing, and ends by itself
      await store.commit({ delete: [key] });
      settled.delete(key);
    },
  };
}
