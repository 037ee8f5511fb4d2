/** Which replica holds a location's agent: a lease that its owner renews, and that a newer connection takes over. */
import Type, { type Static } from "typebox";
import { OWNER_LEASE_MS, ownerKey } from "./keys.ts";
import type { Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

const Owner = Type.Object({
  /** Replica id. */
  replica: Type.String(),
  /** Where other replicas reach it. */
  address: Type.String(),
  agentId: Type.String(),
  /** Of the agent's connection: the greater one wins. */
  epoch: Type.Integer({ minimum: 0 }),
});
export type Owner = Static<typeof Owner>;
const readOwner = recordReader("owner", Owner);

const ATTEMPTS = 5;

/** The replica that holds the agent now, or undefined when none has said so within the lease. */
export async function findOwner(store: Store, org: string, location: string): Promise<Owner | undefined> {
  return readOwner(await store.get(ownerKey(org, location)));
}

/** Takes the lease, from whomever. False when a greater epoch has it: this connection is the old one. */
export async function claimOwner(store: Store, org: string, location: string, owner: Owner): Promise<boolean> {
  const key = ownerKey(org, location);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const stored = await store.get(key);
    const present = readOwner(stored);
    // another agent's epochs count from elsewhere; approval, not age, decided between the two
    if (present !== undefined && present.agentId === owner.agentId && present.epoch > owner.epoch) return false;
    const done = await store.commit({
      if: [stored === undefined ? { key, is: "absent" } : { key, equals: stored }],
      set: [{ key, value: written(owner), ttlMs: OWNER_LEASE_MS }],
    });
    if (done) return true;
  }
  return false;
}

/** Renews the own lease, or takes it again where the store has lost it. False when another holds it. */
export async function renewOwner(store: Store, org: string, location: string, owner: Owner): Promise<boolean> {
  const key = ownerKey(org, location);
  const set = [{ key, value: written(owner), ttlMs: OWNER_LEASE_MS }];
  if (await store.commit({ if: [{ key, equals: written(owner) }], set })) return true;
  return store.commit({ if: [{ key, is: "absent" }], set });
}

/** Gives the own lease back; another's stays. */
export async function releaseOwner(store: Store, org: string, location: string, owner: Owner): Promise<void> {
  const key = ownerKey(org, location);
  await store.commit({ if: [{ key, equals: written(owner) }], delete: [key] });
}

/** In one order of fields, so that the text can be compared. */
function written({ replica, address, agentId, epoch }: Owner): string {
  return JSON.stringify({ replica, address, agentId, epoch });
}
