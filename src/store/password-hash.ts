/** Passwords as argon2id PHC strings, computed off the main thread, two at a time. */
import { argon2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { EdgeError } from "../errors.ts";

/** OWASP's lowest memory choice for argon2id: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** 38 MiB at most for sign-in; whoever comes while the queue is full is told to come back. */
const AT_ONCE = 2;
const MAX_WAITING = 64;

const derive = promisify(argon2);

/** Random bytes: `node:crypto`'s in the programs, a fixed sequence in tests. */
export type RandomBytes = (bytes: number) => Buffer;

/** `$argon2id$v=19$m=19456,t=2,p=1$salt$hash` (PHC string format, base64 without padding). */
export async function hashPassword(password: string, random: RandomBytes): Promise<string> {
  const salt = random(SALT_BYTES);
  const hash = await inTurn(() =>
    derive("argon2id", {
      message: password.normalize("NFC"),
      nonce: salt,
      parallelism: LANES,
      tagLength: HASH_BYTES,
      memory: MEMORY_KIB,
      passes: PASSES,
    }),
  );
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(salt)}$${unpadded(hash)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** True when the password belongs to the hash; with `undefined` it does the same work and answers false. */
export async function passwordMatches(password: string, phc: string | undefined): Promise<boolean> {
  const parsed = PHC.exec(phc ?? UNKNOWN_ACCOUNT);
  if (parsed === null) throw new EdgeError("INTERNAL", "A stored password hash has an unknown form.");
  const [, memory, passes, lanes, salt = "", expected = ""] = parsed;
  const wanted = Buffer.from(expected, "base64");
  const hash = await inTurn(() =>
    derive("argon2id", {
      message: password.normalize("NFC"),
      nonce: Buffer.from(salt, "base64"),
      parallelism: Number(lanes),
      tagLength: wanted.length,
      memory: Number(memory),
      passes: Number(passes),
    }),
  );
  return timingSafeEqual(hash, wanted) && phc !== undefined;
}

/** The hash of no password: an unknown account costs the same time as a known one. */
const UNKNOWN_ACCOUNT = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${"A".repeat(22)}$${"A".repeat(43)}`;

const waiting: (() => void)[] = [];
let running = 0;

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running < AT_ONCE) running += 1;
  else if (waiting.length < MAX_WAITING) await new Promise<void>((resolve) => waiting.push(resolve));
  else throw new EdgeError("OVERLOADED", "Too many sign-ins at once.", { retryAfterSeconds: 5 });
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next(); // the place passes on; it never becomes free in between
  }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
