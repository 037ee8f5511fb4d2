/** Administration tokens: for the admin API on its own port, and nothing else; only their SHA-256 is stored. */
import { hash } from "node:crypto";
import Type, { type Static } from "typebox";
import { EdgeError } from "../errors.ts";
import { adminTokensKey, DAY_MS } from "./keys.ts";
import type { RandomBytes } from "./password-hash.ts";
import type { Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

export const ADMIN_TOKEN_TTL_MS = 30 * DAY_MS;
export const ADMIN_TOKEN_MAX_TTL_MS = 365 * DAY_MS;
/** Each opens the whole gateway: who needs more than these has lost sight of them. */
export const ADMIN_TOKENS_MAX = 100;
const TOKEN_BYTES = 32;
/** In hex, since an id that starts with a dash would look like an option on a command line. */
const ID_BYTES = 8;
/** `uea_` and 32 bytes in base64url: anything else is no reason to ask the store. */
const TOKEN_PATTERN = /^uea_[\w-]{43}$/;

const AdminTokenRecord = Type.Object({
  id: Type.String(),
  label: Type.String(),
  createdAtMs: Type.Number(),
  endsAtMs: Type.Number(),
});
export type AdminTokenRecord = Static<typeof AdminTokenRecord>;
const readToken = recordReader("administration token", AdminTokenRecord);

/** Makes a token; its text is told once and never stored. Throws ARGUMENTS_INVALID. */
export async function issueAdminToken(
  store: Store,
  { label, ttlMs = ADMIN_TOKEN_TTL_MS }: { readonly label: string; readonly ttlMs?: number | undefined },
  { random, now }: { readonly random: RandomBytes; readonly now: () => number },
): Promise<AdminTokenRecord & { readonly token: string }> {
  if (!(ttlMs > 0 && ttlMs <= ADMIN_TOKEN_MAX_TTL_MS)) {
    throw new EdgeError("ARGUMENTS_INVALID", "An administration token lives for at most 365 days.");
  }
  const stored = await storedTokens(store);
  const ended = stored.filter(({ endsAtMs }) => endsAtMs <= now());
  if (stored.length - ended.length >= ADMIN_TOKENS_MAX) {
    throw new EdgeError("ARGUMENTS_INVALID", `There are ${ADMIN_TOKENS_MAX} administration tokens already.`, {
      hint: "Revoke some: unifi-edge token admin list",
    });
  }
  const token = `uea_${random(TOKEN_BYTES).toString("base64url")}`;
  const createdAtMs = now();
  const record = { id: random(ID_BYTES).toString("hex"), label, createdAtMs, endsAtMs: createdAtMs + ttlMs };
  const key = adminTokensKey();
  await store.commit({
    removeFields: ended.length === 0 ? [] : [{ key, fields: ended.map(({ hashed }) => hashed) }],
    putFields: [{ key, fields: { [hashOf(token)]: JSON.stringify(record) } }],
  });
  return { ...record, token };
}

/** The record of a presented token, or undefined when it is unknown, revoked or has ended. */
export async function findAdminToken(
  store: Store,
  token: string,
  nowMs: number,
): Promise<AdminTokenRecord | undefined> {
  if (!TOKEN_PATTERN.test(token)) return undefined;
  const record = readToken(await store.getField(adminTokensKey(), hashOf(token)));
  return record !== undefined && record.endsAtMs > nowMs ? record : undefined;
}

/** Those that have not ended, newest first. Never the tokens themselves. */
export async function listAdminTokens(store: Store, nowMs: number): Promise<readonly AdminTokenRecord[]> {
  return (await storedTokens(store))
    .filter(({ endsAtMs }) => endsAtMs > nowMs)
    .map(({ hashed: _, ...record }) => record)
    .sort((a, b) => b.createdAtMs - a.createdAtMs);
}

/** Ends a token from the next request on; false when there is none of this id. */
export async function revokeAdminToken(store: Store, id: string): Promise<boolean> {
  const found = (await storedTokens(store)).find((record) => record.id === id);
  if (found === undefined) return false;
  return store.commit({ removeFields: [{ key: adminTokensKey(), fields: [found.hashed] }] });
}

async function storedTokens(store: Store): Promise<readonly (AdminTokenRecord & { readonly hashed: string })[]> {
  return [...(await store.getMap(adminTokensKey()))].flatMap(([hashed, text]) => {
    const record = readToken(text);
    return record === undefined ? [] : [{ ...record, hashed }];
  });
}

function hashOf(token: string): string {
  return hash("sha256", token, "base64url");
}
