/** One-time tokens with which an agent enrols its key for a location. Only their SHA-256 is stored. */
import { createHash } from "node:crypto";
import Type, { type Static } from "typebox";
import { EdgeError } from "../errors.ts";
import { DAY_MS, enrolmentTokenKey, MINUTE_MS } from "./keys.ts";
import { locationBirth } from "./locations.ts";
import type { RandomBytes } from "./password-hash.ts";
import type { Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

export const ENROLMENT_TOKEN_PREFIX = "uee_";
export const ENROLMENT_TTL_MS = 15 * MINUTE_MS;
export const ENROLMENT_MAX_TTL_MS = 30 * DAY_MS;
export const ENROLMENT_MAX_USES = 100;
const TOKEN_BYTES = 32;

const EnrolmentToken = Type.Object({
  org: Type.String(),
  location: Type.String(),
  /** Of the location that the token was issued for: a later one of the same id is another. */
  locationBornAtMs: Type.Optional(Type.Number()),
  uses: Type.Integer({ minimum: 1, maximum: ENROLMENT_MAX_USES }),
  /** Thumbprints of the keys that used it; each may come again. */
  usedBy: Type.Array(Type.String(), { maxItems: ENROLMENT_MAX_USES }),
  endsAtMs: Type.Number(),
});
export type EnrolmentToken = Static<typeof EnrolmentToken>;
export const readEnrolmentToken = recordReader("enrolment token", EnrolmentToken);

export interface NewEnrolmentToken {
  readonly org: string;
  readonly location: string;
  /** At most 30 days; 15 minutes when absent. */
  readonly ttlMs?: number | undefined;
  /** How many different keys may use it; 1 when absent. */
  readonly uses?: number | undefined;
}

/** The token's text is told once. Throws ARGUMENTS_INVALID for a lifetime or number of uses out of bounds. */
export async function issueEnrolmentToken(
  store: Store,
  { org, location, ttlMs = ENROLMENT_TTL_MS, uses = 1 }: NewEnrolmentToken,
  { random, now }: { random: RandomBytes; now: () => number },
): Promise<{ token: string; endsAtMs: number }> {
  if (!(ttlMs > 0 && ttlMs <= ENROLMENT_MAX_TTL_MS)) {
    throw new EdgeError("ARGUMENTS_INVALID", "An enrolment token lives for at most 30 days.");
  }
  if (!(Number.isInteger(uses) && uses >= 1 && uses <= ENROLMENT_MAX_USES)) {
    throw new EdgeError("ARGUMENTS_INVALID", `An enrolment token has 1 to ${ENROLMENT_MAX_USES} uses.`);
  }
  const token = `${ENROLMENT_TOKEN_PREFIX}${random(TOKEN_BYTES).toString("base64url")}`;
  const locationBornAtMs = await locationBirth(store, org, location);
  const record: EnrolmentToken = {
    org,
    location,
    ...(locationBornAtMs === undefined ? {} : { locationBornAtMs }),
    uses,
    usedBy: [],
    endsAtMs: now() + ttlMs,
  };
  const hash = createHash("sha256").update(token).digest("hex");
  await store.commit({ set: [{ key: enrolmentTokenKey(hash), value: JSON.stringify(record), ttlMs }] });
  return { token, endsAtMs: record.endsAtMs };
}
