/** The first start: a single-use set-up token, good for creating the first account and for nothing else. */
import { createHash } from "node:crypto";
import { accountsKey, SETUP_TOKEN_TTL_MS, setupTokenKey } from "./keys.ts";
import type { RandomBytes } from "./password-hash.ts";
import type { Commit, Store } from "./store.ts";

export const SETUP_TOKEN_PREFIX = "ues_";
export const SETUP_PATH = "/setup";
const TOKEN_BYTES = 32;

/**
 * A link to the set-up page, or undefined when there is an account already. Each start makes its own; the first that
 * is used ends all of them, since it creates an account.
 */
export async function ensureSetup(
  store: Store,
  { publicUrl, random, now }: { publicUrl: string; random: RandomBytes; now: () => number },
): Promise<{ link: string; token: string; endsAtMs: number } | undefined> {
  if ((await store.getMap(accountsKey())).size > 0) return undefined;
  const token = `${SETUP_TOKEN_PREFIX}${random(TOKEN_BYTES).toString("base64url")}`;
  const endsAtMs = now() + SETUP_TOKEN_TTL_MS;
  await store.commit({ set: [{ key: keyOf(token), value: String(endsAtMs), ttlMs: SETUP_TOKEN_TTL_MS }] });
  return { link: `${new URL(SETUP_PATH, publicUrl).href}?token=${token}`, token, endsAtMs };
}

/** True while the token can still create the first account; for showing the page. */
export async function isSetupToken(store: Store, token: string): Promise<boolean> {
  if ((await store.get(keyOf(token))) === undefined) return false;
  return (await store.getMap(accountsKey())).size === 0;
}

/**
 * The part that spends the token, to be merged into the commit that creates the first account: that commit is refused
 * when the token is spent, unknown or over, or when any account exists.
 */
export function spendSetupToken(token: string): Required<Pick<Commit, "if" | "delete">> {
  const key = keyOf(token);
  return {
    if: [
      { key, is: "present" },
      { key: accountsKey(), is: "absent" },
    ],
    delete: [key],
  };
}

function keyOf(token: string): string {
  return setupTokenKey(createHash("sha256").update(token).digest("hex"));
}
