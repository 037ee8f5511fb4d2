/** Personal access tokens: for clients without OAuth; only their SHA-256 is stored. */
import { createHash } from "node:crypto";
import Type, { type Static } from "typebox";
import { EdgeError } from "../errors.ts";
import type { Scope } from "../principal.ts";
import { accessTokenKey, accessTokensOfKey, DAY_MS } from "./keys.ts";
import type { RandomBytes } from "./password-hash.ts";
import type { Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

export const ACCESS_TOKEN_PREFIX = "uep_";
export const ACCESS_TOKEN_MAX_TTL_MS = 365 * DAY_MS;
const TOKEN_BYTES = 32;
/** In hex, since an id that starts with a dash would look like an option on a command line. */
const ID_BYTES = 9;

const AccessTokenRecord = Type.Object({
  id: Type.String(),
  label: Type.String(),
  /** Account id; the owner's role at the moment of use applies. */
  owner: Type.String(),
  org: Type.String(),
  locations: Type.Union([Type.Literal("all"), Type.Array(Type.String())]),
  scopes: Type.Array(
    Type.Union([Type.Literal("unifi:read"), Type.Literal("unifi:write"), Type.Literal("unifi:admin")]),
  ),
  hash: Type.String(),
  createdAtMs: Type.Number(),
  endsAtMs: Type.Number(),
});
export type AccessTokenRecord = Static<typeof AccessTokenRecord>;
const readToken = recordReader("access token", AccessTokenRecord);

export interface NewAccessToken {
  readonly owner: string;
  readonly org: string;
  readonly locations: "all" | readonly string[];
  readonly scopes: readonly Scope[];
  /** At most a year. */
  readonly ttlMs: number;
  readonly label: string;
}

/** Makes a token; its text is told once and never stored. Throws ARGUMENTS_INVALID. */
export async function issueAccessToken(
  store: Store,
  wanted: NewAccessToken,
  { random, now }: { random: RandomBytes; now: () => number },
): Promise<{ token: string; id: string; endsAtMs: number }> {
  if (!(wanted.ttlMs > 0 && wanted.ttlMs <= ACCESS_TOKEN_MAX_TTL_MS)) {
    throw new EdgeError("ARGUMENTS_INVALID", "An access token lives for at most 365 days.");
  }
  if (wanted.scopes.length === 0) throw new EdgeError("ARGUMENTS_INVALID", "An access token needs a scope.");
  const token = `${ACCESS_TOKEN_PREFIX}${random(TOKEN_BYTES).toString("base64url")}`;
  const { ttlMs, ...given } = wanted;
  const record: AccessTokenRecord = {
    ...given,
    locations: given.locations === "all" ? "all" : [...given.locations],
    scopes: [...given.scopes],
    id: random(ID_BYTES).toString("hex"),
    hash: hashOf(token),
    createdAtMs: now(),
    endsAtMs: now() + ttlMs,
  };
  const value = JSON.stringify(record);
  await store.commit({ putFields: [{ key: accessTokensOfKey(record.org), fields: { [record.id]: value } }] });
  await store.commit({ set: [{ key: accessTokenKey(record.hash), value, ttlMs }] });
  return { token, id: record.id, endsAtMs: record.endsAtMs };
}

/** The record of a presented token, or undefined when it is unknown or has ended. */
export async function findAccessToken(
  store: Store,
  token: string,
  nowMs: number,
): Promise<AccessTokenRecord | undefined> {
  const record = readToken(await store.get(accessTokenKey(hashOf(token))));
  return record !== undefined && record.endsAtMs > nowMs ? record : undefined;
}

/** An organisation's tokens, newest first, ended ones included until they are revoked. Never the token itself. */
export async function listAccessTokens(store: Store, org: string): Promise<Omit<AccessTokenRecord, "hash">[]> {
  const records = [...(await store.getMap(accessTokensOfKey(org))).values()].flatMap((text) => readToken(text) ?? []);
  return records.sort((one, other) => other.createdAtMs - one.createdAtMs).map(({ hash: _, ...record }) => record);
}

/**
 * A place is gone: tokens that named it lose it, so that a later place of the same id is not theirs. Returns the ids of
 * those that named no other; the caller revokes them.
 */
export async function forgetLocationInTokens(
  store: Store,
  org: string,
  location: string,
  nowMs: number,
): Promise<string[]> {
  const left: string[] = [];
  for (const text of (await store.getMap(accessTokensOfKey(org))).values()) {
    const record = readToken(text);
    if (record === undefined || record.locations === "all" || !record.locations.includes(location)) continue;
    const locations = record.locations.filter((id) => id !== location);
    if (locations.length === 0 || record.endsAtMs <= nowMs) {
      left.push(record.id);
      continue;
    }
    const value = JSON.stringify({ ...record, locations });
    await store.commit({ putFields: [{ key: accessTokensOfKey(org), fields: { [record.id]: value } }] });
    await store.commit({
      if: [{ key: accessTokenKey(record.hash), is: "present" }],
      set: [{ key: accessTokenKey(record.hash), value, ttlMs: record.endsAtMs - nowMs }],
    });
  }
  return left;
}

/** Ends a token; false when the organisation has none of this id. The deny list stops what is cached: `pat:<id>`. */
export async function revokeAccessToken(store: Store, org: string, id: string): Promise<boolean> {
  const record = readToken(await store.getField(accessTokensOfKey(org), id));
  if (record === undefined) return false;
  await store.commit({ delete: [accessTokenKey(record.hash)] });
  return store.commit({ removeFields: [{ key: accessTokensOfKey(org), fields: [id] }] });
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
