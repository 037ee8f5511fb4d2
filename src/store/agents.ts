/** Agents by their keys: a location is spoken for by one key; another one is held until an operator approves it. */
import Type, { type Static } from "typebox";
import { EdgeError } from "../errors.ts";
import { activeAgentKey, agentByKeyKey, agentsChangedChannel, agentsKey } from "./keys.ts";
import { hintReader } from "./published-hint.ts";
import type { Commit, Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

const AgentRecord = Type.Object({
  agentId: Type.String(),
  org: Type.String(),
  location: Type.String(),
  /** RFC 7638, base64url. */
  thumbprint: Type.String(),
  publicJwk: Type.Object({ kty: Type.Literal("OKP"), crv: Type.Literal("Ed25519"), x: Type.String() }),
  state: Type.Union([Type.Literal("active"), Type.Literal("held"), Type.Literal("revoked")]),
  enrolledAtMs: Type.Number(),
});
export type AgentRecord = Static<typeof AgentRecord>;
export const readAgent = recordReader("agent", AgentRecord);

/** Told on `agentsChangedChannel` as JSON; whoever holds the agent's socket closes it unless `state` is active. */
export type AgentChange = Pick<AgentRecord, "agentId" | "org" | "location" | "state">;
const AgentChangeSchema = Type.Pick(AgentRecord, ["agentId", "org", "location", "state"]);
export const readAgentChange = hintReader(AgentChangeSchema);

/** A change races with another one at most this often before we give up. */
const ATTEMPTS = 5;

/** The agent whose key has this thumbprint, in whatever state. */
export async function findAgent(store: Store, thumbprint: string): Promise<AgentRecord | undefined> {
  return readAgent(await store.get(agentByKeyKey(thumbprint)));
}

/** All agents of an organisation, newest first, revoked ones included. */
export async function listAgents(store: Store, org: string): Promise<AgentRecord[]> {
  const thumbprints = [...(await store.getMap(agentsKey(org))).values()];
  const texts = await store.getMany(thumbprints.map(agentByKeyKey));
  const agents = texts.flatMap((text) => readAgent(text) ?? []);
  return agents.sort((one, other) => other.enrolledAtMs - one.enrolledAtMs || (one.agentId < other.agentId ? -1 : 1));
}

/**
 * Makes a held agent the one that speaks for its location; the one that did so far is revoked and returned as
 * `replaced`. Throws NOT_FOUND, or AGENT_CONFLICT for a revoked agent.
 */
export async function approveAgent(
  store: Store,
  org: string,
  agentId: string,
): Promise<{ approved: AgentRecord; replaced?: AgentRecord }> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const agent = await existingAgent(store, org, agentId);
    if (agent.state === "active") return { approved: agent };
    if (agent.state === "revoked") {
      throw new EdgeError("AGENT_CONFLICT", `The key of agent ${agentId} was revoked, which is final.`, {
        hint: "Enrol the agent again with a new token.",
      });
    }
    const key = activeAgentKey(org, agent.location);
    const present = await store.get(key);
    const former = present === undefined ? undefined : await findAgent(store, present);
    const approved: AgentRecord = { ...agent, state: "active" };
    const replaced: AgentRecord | undefined = former && { ...former, state: "revoked" };
    const done = await store.commit({
      if: [unchanged(agent), present === undefined ? { key, is: "absent" } : { key, equals: present }],
      set: [{ key, value: agent.thumbprint }, ...[approved, replaced].flatMap((one) => (one ? [write(one)] : []))],
    });
    if (!done) continue;
    if (replaced !== undefined) await tell(store, replaced);
    await tell(store, approved);
    return { approved, ...(replaced === undefined ? {} : { replaced }) };
  }
  throw contested(agentId);
}

/** Ends a key for good; its location is free for the next enrolment. Throws NOT_FOUND. */
export async function revokeAgent(store: Store, org: string, agentId: string): Promise<AgentRecord> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const agent = await existingAgent(store, org, agentId);
    if (agent.state === "revoked") return agent;
    const revoked: AgentRecord = { ...agent, state: "revoked" };
    const done = await store.commit({
      if: [unchanged(agent)],
      set: [write(revoked)],
      ...(agent.state === "active" ? { delete: [activeAgentKey(org, agent.location)] } : {}),
    });
    if (!done) continue;
    await tell(store, revoked);
    return revoked;
  }
  throw contested(agentId);
}

/** Revokes every key of a location; for its removal. */
export async function revokeAgentsOf(store: Store, org: string, location: string): Promise<void> {
  for (const agent of await listAgents(store, org)) {
    if (agent.location === location) await revokeAgent(store, org, agent.agentId);
  }
}

/** The effects that file a new agent, for the commit that spends its token. */
export function fileAgent(agent: AgentRecord): Required<Pick<Commit, "set" | "putFields">> {
  const { org, location, thumbprint } = agent;
  const active = agent.state === "active" ? [{ key: activeAgentKey(org, location), value: thumbprint }] : [];
  return {
    set: [write(agent), ...active],
    putFields: [{ key: agentsKey(org), fields: { [agent.agentId]: thumbprint } }],
  };
}

async function existingAgent(store: Store, org: string, agentId: string): Promise<AgentRecord> {
  const thumbprint = await store.getField(agentsKey(org), agentId);
  const agent = thumbprint === undefined ? undefined : await findAgent(store, thumbprint);
  if (agent === undefined) throw new EdgeError("NOT_FOUND", `There is no agent ${agentId} in ${org}.`);
  return agent;
}

function write(agent: AgentRecord) {
  return { key: agentByKeyKey(agent.thumbprint), value: JSON.stringify(agent) };
}

function unchanged(agent: AgentRecord) {
  return { key: agentByKeyKey(agent.thumbprint), equals: JSON.stringify(agent) };
}

async function tell(store: Store, { agentId, org, location, state }: AgentRecord): Promise<void> {
  await store.publish(agentsChangedChannel(), JSON.stringify({ agentId, org, location, state } satisfies AgentChange));
}

function contested(agentId: string): EdgeError {
  return new EdgeError("OVERLOADED", `Agent ${agentId} is being changed by somebody else; try again.`, {
    retryAfterSeconds: 1,
  });
}
