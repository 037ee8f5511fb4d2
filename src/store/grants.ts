/** What a person's consent gave a client: organisation, locations and scopes, by grant id. */
import Type, { type Static } from "typebox";
import { DAY_MS, grantKey, grantsKey } from "./keys.ts";
import type { Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

/** A grant ends so long after consent, however often its token was refreshed. */
export const GRANT_TTL_MS = 180 * DAY_MS;

const GrantRecord = Type.Object({
  id: Type.String(),
  /** Account id. */
  subject: Type.String(),
  org: Type.String(),
  client: Type.String(),
  clientName: Type.String(),
  locations: Type.Union([Type.Literal("all"), Type.Array(Type.String())]),
  scopes: Type.Array(Type.String()),
  createdAtMs: Type.Number(),
  endsAtMs: Type.Number(),
});
export type GrantRecord = Static<typeof GrantRecord>;
const readGrant = recordReader("grant", GrantRecord);

/** Stores a new grant and lists it for its organisation. */
export async function saveGrant(store: Store, grant: GrantRecord, nowMs: number): Promise<void> {
  const value = JSON.stringify(grant);
  await store.commit({ set: [{ key: grantKey(grant.id), value, ttlMs: grant.endsAtMs - nowMs }] });
  const ended = [...(await store.getMap(grantsKey(grant.org))).values()].flatMap((text) => {
    const old = readGrant(text);
    return old !== undefined && old.endsAtMs <= nowMs ? [old.id] : [];
  });
  await store.commit({
    putFields: [{ key: grantsKey(grant.org), fields: { [grant.id]: value } }],
    removeFields: [{ key: grantsKey(grant.org), fields: ended }],
  });
}

/** The grant, or undefined once it ended or was revoked. */
export async function findGrant(store: Store, id: string): Promise<GrantRecord | undefined> {
  return readGrant(await store.get(grantKey(id)));
}

/** An organisation's grants that have not ended, newest first. */
export async function listGrants(store: Store, org: string, nowMs: number): Promise<GrantRecord[]> {
  const grants = [...(await store.getMap(grantsKey(org))).values()].flatMap((text) => readGrant(text) ?? []);
  return grants.filter((grant) => grant.endsAtMs > nowMs).sort((one, other) => other.createdAtMs - one.createdAtMs);
}

/**
 * A place is gone: grants that named it lose it, so that a later place of the same id is not theirs. Returns the ids of
 * those that named no other; the caller revokes them.
 */
export async function forgetLocationInGrants(
  store: Store,
  org: string,
  location: string,
  nowMs: number,
): Promise<string[]> {
  const left: string[] = [];
  for (const grant of await listGrants(store, org, nowMs)) {
    if (grant.locations === "all" || !grant.locations.includes(location)) continue;
    const locations = grant.locations.filter((id) => id !== location);
    if (locations.length === 0) left.push(grant.id);
    else await saveGrant(store, { ...grant, locations }, nowMs);
  }
  return left;
}

/** Forgets a grant; its tokens are stopped by the deny list (denied.ts). */
export async function removeGrant(store: Store, id: string): Promise<void> {
  const grant = await findGrant(store, id);
  await store.commit({ delete: [grantKey(id)] });
  if (grant !== undefined) await store.commit({ removeFields: [{ key: grantsKey(grant.org), fields: [id] }] });
}
