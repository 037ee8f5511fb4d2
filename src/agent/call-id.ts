/** Ids that carry their time: minting confirm tokens, and reading the moment out of any id that a call may have. */
import { v7 } from "uuid";

/** Prefix of a confirm token, so that a person who reads an id knows what it is. */
const TOKEN_PREFIX = "ct_";
/** An id is a key in the journal: longer ones are no ids of ours. */
const MAX_ID_LENGTH = 128;

const UUID_V7 = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/i;

/** Fills a buffer with random bytes; handed in so that tests choose them. */
export type RandomBytes = (size: number) => Buffer;

/** A fresh confirm token: a UUIDv7 with its 74 random bits, behind a prefix. */
export function mintToken(nowMs: number, random: RandomBytes): string {
  return `${TOKEN_PREFIX}${v7({ msecs: nowMs, random: random(16) })}`;
}

/** Unix milliseconds at which an id was minted (RFC 9562 §5.7: the first 48 bits); undefined = it carries no time. */
export function timeOfId(id: string): number | undefined {
  if (id.length > MAX_ID_LENGTH) return undefined;
  const uuid = UUID_V7.exec(id)?.[0];
  return uuid === undefined ? undefined : Number.parseInt(uuid.replace("-", "").slice(0, 12), 16);
}
