/** Checks a password, slowing down whoever keeps guessing: by account with a delay, by address with a refusal. */
import Type from "typebox";
import { EdgeError } from "../errors.ts";
import { type Account, findAccountForSignIn, PASSWORD_MAX_LENGTH } from "./accounts.ts";
import { SIGN_IN_FAILURES_TTL_MS, signInFailuresKey } from "./keys.ts";
import { passwordMatches } from "./password-hash.ts";
import type { Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

export interface SignInOptions {
  /** Where the attempt comes from. */
  readonly address: string;
  readonly now: () => number;
  /** Waits so many milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

const FREE_ATTEMPTS = 4;
/** A delay, never a lock: a stranger's guesses may slow the owner down but cannot keep them out. */
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 4000;
/** An address that has failed this often waits, from one second doubling to a minute. */
const ADDRESS_ATTEMPTS = 20;
const ADDRESS_FIRST_PAUSE_MS = 1000;
const ADDRESS_LONGEST_PAUSE_MS = 60_000;
const COMMIT_ATTEMPTS = 8;

const readFailures = recordReader("sign-in", Type.Object({ attempts: Type.Number(), lastMs: Type.Number() }));

/**
 * The account, or undefined when name or password is wrong (never which). An attempt counts before it is judged, so
 * that parallel ones count as well. Throws RATE_LIMITED with the seconds to wait, OVERLOADED.
 */
export async function verifyPassword(
  store: Store,
  name: string,
  password: string,
  options: SignInOptions,
): Promise<Account | undefined> {
  const account = name.trim().normalize("NFC").toLowerCase().slice(0, 64);
  const byAddress = signInFailuresKey(`address:${options.address}`);
  const byAccount = signInFailuresKey(`account:${account}`);
  const fromAddress = await countAttempt(store, byAddress, options.now(), refuseTooFast);
  const { before } = await countAttempt(store, byAccount, options.now());
  const delayMs = delayAfter(before.attempts, FREE_ATTEMPTS, FIRST_DELAY_MS, LONGEST_DELAY_MS);
  if (delayMs > 0) await options.wait(delayMs);

  const record = await findAccountForSignIn(store, account);
  const matches = await passwordMatches(password.slice(0, PASSWORD_MAX_LENGTH), record?.passwordHash);
  if (!matches || record === undefined) return undefined;
  await store.commit({ delete: [byAccount] });
  await takeBack(store, byAddress, fromAddress);
  const { passwordHash: _, ...found } = record;
  return found;
}

interface Failures {
  readonly attempts: number;
  readonly lastMs: number;
}

interface Counted {
  readonly before: Failures;
  /** The record as it stands now. */
  readonly counted: string;
}

/**
 * A good sign-in does not count against its address, but neither does it forgive others: who has an account of their
 * own could otherwise guess at another's for ever.
 */
async function takeBack(store: Store, key: string, { before, counted }: Counted): Promise<void> {
  const value = JSON.stringify(before);
  await store.commit({ if: [{ key, equals: counted }], set: [{ key, value, ttlMs: SIGN_IN_FAILURES_TTL_MS }] });
}

async function countAttempt(
  store: Store,
  key: string,
  nowMs: number,
  judge: (failures: Failures, nowMs: number) => void = () => {},
): Promise<Counted> {
  for (let attempt = 0; attempt < COMMIT_ATTEMPTS; attempt += 1) {
    const text = await store.get(key);
    const before = readFailures(text) ?? { attempts: 0, lastMs: 0 };
    judge(before, nowMs);
    const counted = JSON.stringify({ attempts: before.attempts + 1, lastMs: nowMs });
    const done = await store.commit({
      if: [text === undefined ? { key, is: "absent" } : { key, equals: text }],
      set: [{ key, value: counted, ttlMs: SIGN_IN_FAILURES_TTL_MS }],
    });
    if (done) return { before, counted };
  }
  throw new EdgeError("RATE_LIMITED", "Too many sign-ins at once for this account or address.", {
    retryAfterSeconds: 5,
  });
}

function refuseTooFast({ attempts, lastMs }: Failures, nowMs: number): void {
  const pauseMs = delayAfter(attempts, ADDRESS_ATTEMPTS, ADDRESS_FIRST_PAUSE_MS, ADDRESS_LONGEST_PAUSE_MS);
  const leftMs = lastMs + pauseMs - nowMs;
  if (leftMs <= 0 || pauseMs === 0) return;
  const retryAfterSeconds = Math.ceil(leftMs / 1000);
  throw new EdgeError("RATE_LIMITED", `Too many failed sign-ins. Wait ${retryAfterSeconds} s and try again.`, {
    retryAfterSeconds,
  });
}

function delayAfter(attempts: number, free: number, firstMs: number, longestMs: number): number {
  if (attempts < free) return 0;
  return Math.min(firstMs * 2 ** Math.min(attempts - free, 20), longestMs);
}
