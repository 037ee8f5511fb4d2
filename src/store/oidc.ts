/** The authorization server's own records: stored under hashed ids, spent in one atomic step. */
import { createHash } from "node:crypto";
import Type, { type Static } from "typebox";
import { GRANT_TTL_MS } from "./grants.ts";
import { oidcKey, oidcOfGrantKey } from "./keys.ts";
import type { Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

/**
 * A refresh token may be presented again for so long after its first use (a lost reply, parallel refreshes), unless
 * one of its successors was used before: then the first reply had arrived.
 */
export const REFRESH_GRACE_MS = 30_000;
const COMMIT_ATTEMPTS = 10;

const OidcRecord = Type.Object({
  payload: Type.Record(Type.String(), Type.Unknown()),
  /** Absent: no end. */
  endsAtMs: Type.Optional(Type.Number()),
  consumedAtMs: Type.Optional(Type.Number()),
  /** Key of the refresh token that this one replaced. */
  parent: Type.Optional(Type.String()),
  successorUsed: Type.Optional(Type.Boolean()),
});
type OidcRecord = Static<typeof OidcRecord>;
const readRecord = recordReader("authorization server", OidcRecord);

export interface OidcPayload {
  readonly [name: string]: unknown;
}

export interface OidcRecords {
  /** `grantId` and `parentId` (the refresh token it replaces) tie it to others. */
  put(model: string, id: string, payload: OidcPayload, options: PutOptions): Promise<void>;
  /** With `consumed` (Unix seconds) once it was spent, which a refresh token within its grace is not. */
  find(model: string, id: string): Promise<OidcPayload | undefined>;
  /** Spends it: true for exactly one caller, or for every caller within a refresh token's grace. */
  consume(model: string, id: string): Promise<boolean>;
  remove(model: string, id: string): Promise<void>;
  /** Removes every code and token of a grant. */
  removeOfGrant(grantId: string): Promise<void>;
}

export interface PutOptions {
  readonly ttlSeconds?: number | undefined;
  readonly grantId?: string | undefined;
  readonly parentId?: string | undefined;
}

export function createOidcRecords(store: Store, now: () => number): OidcRecords {
  return {
    async put(model, id, payload, { ttlSeconds, grantId, parentId }) {
      const key = keyOf(model, id);
      const { jti: _, ...rest } = payload; // the id of a code or token is the secret itself
      const ttlMs = ttlSeconds === undefined ? undefined : ttlSeconds * 1000;
      const record: OidcRecord = {
        payload: rest,
        ...(ttlMs === undefined ? {} : { endsAtMs: now() + ttlMs }),
        ...(parentId === undefined ? {} : { parent: keyOf(model, parentId) }),
      };
      const value = JSON.stringify(record);
      await store.commit({
        set: [ttlMs === undefined ? { key, value } : { key, value, ttlMs }],
        ...(grantId === undefined
          ? {}
          : { putFields: [{ key: oidcOfGrantKey(grantId), fields: { [key]: "" }, ttlMs: GRANT_TTL_MS }] }),
      });
    },

    async find(model, id) {
      const record = readRecord(await store.get(keyOf(model, id)));
      if (record === undefined || hasEnded(record, now())) return undefined;
      const isSpent = record.consumedAtMs !== undefined && !isInGrace(model, record, now());
      return {
        ...record.payload,
        jti: id,
        ...(isSpent ? { consumed: Math.floor((record.consumedAtMs ?? 0) / 1000) } : {}),
      };
    },

    async consume(model, id) {
      const key = keyOf(model, id);
      for (let attempt = 0; attempt < COMMIT_ATTEMPTS; attempt += 1) {
        const text = await store.get(key);
        const record = readRecord(text);
        if (text === undefined || record === undefined || hasEnded(record, now())) return false;
        if (record.consumedAtMs !== undefined) return isInGrace(model, record, now());
        if (await spend(key, text, record)) return true;
      }
      return false;
    },

    async remove(model, id) {
      await store.commit({ delete: [keyOf(model, id)] });
    },

    async removeOfGrant(grantId) {
      const index = oidcOfGrantKey(grantId);
      const keys = [...(await store.getMap(index)).keys()];
      await store.commit({ delete: [...keys, index] });
    },
  };

  /** Marks it spent, and in the same step ends its parent's grace. Spent ones need not be found by grant again. */
  async function spend(key: string, text: string, record: OidcRecord): Promise<boolean> {
    const parentText = record.parent === undefined ? undefined : await store.get(record.parent);
    const parent = readRecord(parentText);
    const parentIsOpen = parent !== undefined && parent.successorUsed !== true;
    return store.commit({
      if: [
        { key, equals: text },
        ...(parentIsOpen && record.parent !== undefined && parentText !== undefined
          ? [{ key: record.parent, equals: parentText }]
          : []),
      ],
      set: [
        keeping(key, { ...record, consumedAtMs: now() }, now()),
        ...(parentIsOpen && record.parent !== undefined
          ? [keeping(record.parent, { ...parent, successorUsed: true }, now())]
          : []),
      ],
      ...(typeof record.payload.grantId === "string"
        ? { removeFields: [{ key: oidcOfGrantKey(record.payload.grantId), fields: [key] }] }
        : {}),
    });
  }
}

/** The changed record under its old end. */
function keeping(key: string, record: OidcRecord, nowMs: number): { key: string; value: string; ttlMs?: number } {
  const value = JSON.stringify(record);
  return record.endsAtMs === undefined ? { key, value } : { key, value, ttlMs: Math.max(record.endsAtMs - nowMs, 1) };
}

function isInGrace(model: string, record: OidcRecord, nowMs: number): boolean {
  if (model !== "RefreshToken" || record.consumedAtMs === undefined) return false;
  return record.successorUsed !== true && nowMs < record.consumedAtMs + REFRESH_GRACE_MS;
}

function hasEnded(record: OidcRecord, nowMs: number): boolean {
  return record.endsAtMs !== undefined && record.endsAtMs <= nowMs;
}

function keyOf(model: string, id: string): string {
  return oidcKey(model, createHash("sha256").update(id).digest("base64url"));
}
