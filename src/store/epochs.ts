/** The number that orders an agent's connections: it only ever rises, even when the store lost its data. */
import { EdgeError } from "../errors.ts";
import { epochKey } from "./keys.ts";
import type { Store } from "./store.ts";

const ATTEMPTS = 20;

/** max(stored, the agent's own last) + 1, given to nobody else. */
export async function nextEpoch(store: Store, org: string, agentId: string, lastEpoch: number): Promise<number> {
  const key = epochKey(org, agentId);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const stored = await store.get(key);
    const known = Number(stored ?? 0);
    if (!Number.isSafeInteger(known)) throw new EdgeError("INTERNAL", "The store holds a damaged epoch record.");
    const epoch = Math.max(known, lastEpoch) + 1;
    const done = await store.commit({
      if: [stored === undefined ? { key, is: "absent" } : { key, equals: stored }],
      set: [{ key, value: String(epoch) }],
    });
    if (done) return epoch;
  }
  throw new EdgeError("AGENT_CONFLICT", `Agent ${agentId} connects many times at once.`, { retryAfterSeconds: 5 });
}
