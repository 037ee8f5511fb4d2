/** Redeeming an enrolment token: spending it and storing the agent's key is one atomic step. */
import { EdgeError } from "../errors.ts";
import { type AgentRecord, fileAgent, findAgent } from "./agents.ts";
import { type EnrolmentToken, readEnrolmentToken } from "./enrolment-tokens.ts";
import { activeAgentKey, agentByKeyKey, enrolmentTokenKey } from "./keys.ts";
import { locationBirth } from "./locations.ts";
import type { RandomBytes } from "./password-hash.ts";
import type { Store } from "./store.ts";

export interface Enrolment {
  /** SHA-256 hex of the token. */
  readonly tokenHash: string;
  /** RFC 7638 thumbprint of `jwk`, base64url; the caller has verified the key's proof. */
  readonly thumbprint: string;
  readonly jwk: AgentRecord["publicJwk"];
}

const AGENT_ID_BYTES = 12;
const ATTEMPTS = 10;

/**
 * Returns the agent, `active` or `held`. The same token and key may come again and get the same answer (a reply may
 * be lost). Throws UNAUTHENTICATED for a token that is unknown, spent or over, AGENT_CONFLICT for a key that speaks for
 * another location, PERMISSION_DENIED for a revoked key.
 */
export async function redeemEnrolment(
  store: Store,
  enrolment: Enrolment,
  { random, now }: { random: RandomBytes; now: () => number },
): Promise<AgentRecord> {
  const agentId = `agt_${random(AGENT_ID_BYTES).toString("base64url")}`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const stored = await store.get(enrolmentTokenKey(enrolment.tokenHash));
    const token = readEnrolmentToken(stored);
    if (stored === undefined || token === undefined || token.endsAtMs <= now()) throw refusedToken();
    await mustExist(store, token);

    const known = await findAgent(store, enrolment.thumbprint);
    if (known !== undefined) return sameAgent(known, token);
    if (token.usedBy.length >= token.uses) throw refusedToken();

    const agent = await enrol(store, enrolment, { stored, token, agentId, nowMs: now() });
    if (agent !== undefined) return agent;
  }
  throw new EdgeError("OVERLOADED", "Many agents enrol with this token at once; try again.", { retryAfterSeconds: 1 });
}

/** Undefined when somebody else was faster and everything must be read again. */
async function enrol(
  store: Store,
  { tokenHash, thumbprint, jwk }: Enrolment,
  { stored, token, agentId, nowMs }: { stored: string; token: EnrolmentToken; agentId: string; nowMs: number },
): Promise<AgentRecord | undefined> {
  const { org, location } = token;
  const key = enrolmentTokenKey(tokenHash);
  const activeKey = activeAgentKey(org, location);
  const isTaken = (await store.get(activeKey)) !== undefined;
  const agent: AgentRecord = {
    agentId,
    org,
    location,
    thumbprint,
    publicJwk: { kty: jwk.kty, crv: jwk.crv, x: jwk.x },
    state: isTaken ? "held" : "active",
    enrolledAtMs: nowMs,
  };
  const spent: EnrolmentToken = { ...token, usedBy: [...token.usedBy, thumbprint] };
  const { set, putFields } = fileAgent(agent);
  const done = await store.commit({
    if: [
      { key, equals: stored },
      { key: agentByKeyKey(thumbprint), is: "absent" },
      { key: activeKey, is: isTaken ? "present" : "absent" },
    ],
    set: [{ key, value: JSON.stringify(spent), ttlMs: token.endsAtMs - nowMs }, ...set],
    putFields,
  });
  return done ? agent : undefined;
}

function sameAgent(known: AgentRecord, token: EnrolmentToken): AgentRecord {
  if (known.org !== token.org || known.location !== token.location) {
    throw new EdgeError("AGENT_CONFLICT", "This agent's key speaks for another location already.", {
      hint: "Start the agent with an empty state directory: it then makes a key of its own for this location.",
    });
  }
  if (known.state === "revoked") {
    throw new EdgeError("PERMISSION_DENIED", "This agent's key was revoked, which is final.", {
      hint: "Remove the agent's identity file, so that it makes a new key, and enrol again.",
    });
  }
  return known;
}

async function mustExist(store: Store, { org, location, locationBornAtMs }: EnrolmentToken): Promise<void> {
  const bornAtMs = await locationBirth(store, org, location);
  if (bornAtMs !== undefined && bornAtMs === (locationBornAtMs ?? bornAtMs)) return;
  throw new EdgeError("LOCATION_UNKNOWN", "The location of this enrolment token has been removed.");
}

function refusedToken(): EdgeError {
  return new EdgeError("UNAUTHENTICATED", "This enrolment token is unknown, used up or has ended.", {
    hint: "Get a new one with `unifi-edge location token`.",
  });
}
