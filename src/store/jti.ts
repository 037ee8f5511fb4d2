/** Ids of signed upgrade requests: each is good for one connection, on whichever replica. */
import { JTI_TTL_MS, jtiKey } from "./keys.ts";
import type { Store } from "./store.ts";

/** True the first time. The proof itself ends long before its id is forgotten. */
export async function spendJti(store: Store, jti: string): Promise<boolean> {
  const key = jtiKey(jti);
  return store.commit({ if: [{ key, is: "absent" }], set: [{ key, value: "1", ttlMs: JTI_TTL_MS }] });
}
