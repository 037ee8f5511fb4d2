/** Locations of an organisation, their enrolment tokens, and the agents that used them. */
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { forgetLocationInTokens, revokeAccessToken } from "../store/access-tokens.ts";
import { approveAgent, listAgents, revokeAgent, revokeAgentsOf } from "../store/agents.ts";
import { issueEnrolmentToken } from "../store/enrolment-tokens.ts";
import { forgetLocationInGrants } from "../store/grants.ts";
import { SECOND_MS } from "../store/keys.ts";
import {
  createLocation,
  getLocation,
  type Location,
  listLocations,
  removeLocation,
  renameLocation,
} from "../store/locations.ts";
import { getOrganisation } from "../store/organisations.ts";
import { findOwner } from "../store/owners.ts";
import { createPlaces, type StoredPlaceStatus } from "../store/places.ts";
import type { Store } from "../store/store.ts";
import { agentCommand } from "./agent-command.ts";
import { agentAnswer, DONE, type EnrolmentAnswer, iso, type LocationAnswer } from "./answers.ts";
import type { AdminParts } from "./api.ts";
import { AgentParams, LocationParams, NewEnrolment, NewNamed, OrgParams, Rename } from "./questions.ts";

type LocationParts = Pick<AdminParts, "store" | "now" | "random" | "publicUrl" | "revokeGrant">;

export async function locationRoutes(plain: FastifyInstance, parts: LocationParts): Promise<void> {
  const app = plain.withTypeProvider<TypeBoxTypeProvider>();
  const { store, now } = parts;
  const places = createPlaces(store);
  const locations = "/organisations/:org/locations";
  const agents = "/organisations/:org/agents";

  app.get(locations, { schema: { params: OrgParams } }, async ({ params: { org } }) => {
    await getOrganisation(store, org);
    const [known, seen] = await Promise.all([listLocations(store, org), places.places(org)]);
    const statusOf = new Map(seen.map(({ id, lastSeen }) => [id, lastSeen]));
    return Promise.all(
      known.map(async (location) => {
        const status = statusOf.get(location.id);
        return answerOf(location, status, await isHeld(store, org, location.id, status));
      }),
    );
  });

  app.post(locations, { schema: { params: OrgParams, body: NewNamed } }, async ({ params: { org }, body }, reply) => {
    await getOrganisation(store, org);
    reply.code(201);
    return answerOf(await createLocation(store, org, body, now), undefined, false);
  });

  app.patch(`${locations}/:location`, { schema: { params: LocationParams, body: Rename } }, async (request) => {
    const { org, location } = request.params;
    await renameLocation(store, org, location, request.body.name);
    return DONE;
  });

  app.delete(`${locations}/:location`, { schema: { params: LocationParams } }, async ({ params }) => {
    // the location first: from then on no token of it can enrol another key
    await removeLocation(store, params.org, params.location);
    await revokeAgentsOf(store, params.org, params.location);
    await endConsentFor(parts, params.org, params.location);
    return DONE;
  });

  app.post(
    `${locations}/:location/enrolment-tokens`,
    { schema: { params: LocationParams, body: NewEnrolment } },
    async ({ params: { org, location }, body }, reply): Promise<EnrolmentAnswer> => {
      await getLocation(store, org, location);
      const { uses = 1, ttl_seconds: ttlSeconds } = body;
      const ttlMs = ttlSeconds === undefined ? undefined : ttlSeconds * SECOND_MS;
      const { token, endsAtMs } = await issueEnrolmentToken(store, { org, location, uses, ttlMs }, parts);
      reply.code(201);
      return { token, ends: iso(endsAtMs), uses, agent_command: agentCommand(parts.publicUrl, token) };
    },
  );

  app.get(agents, { schema: { params: OrgParams } }, async ({ params: { org } }) => {
    await getOrganisation(store, org);
    return (await listAgents(store, org)).map(agentAnswer);
  });

  app.post(`${agents}/:agent/approve`, { schema: { params: AgentParams } }, async ({ params: { org, agent } }) => {
    const { approved, replaced } = await approveAgent(store, org, agent);
    return [approved, ...(replaced === undefined ? [] : [replaced])].map(agentAnswer);
  });

  app.post(`${agents}/:agent/revoke`, { schema: { params: AgentParams } }, async ({ params: { org, agent } }) =>
    agentAnswer(await revokeAgent(store, org, agent)),
  );
}

/** Nobody is left to note that an agent is gone when its gateway was killed: only a lease that lives says it is there. */
async function isHeld(store: Store, org: string, location: string, seen: StoredPlaceStatus | undefined) {
  if (seen === undefined || seen.offlineSinceMs !== undefined) return false;
  return (await findOwner(store, org, location)) !== undefined;
}

/** Consent was for the place that is gone, not for whatever is called so next. */
async function endConsentFor({ store, now, revokeGrant }: LocationParts, org: string, location: string): Promise<void> {
  for (const id of await forgetLocationInGrants(store, org, location, now())) await revokeGrant(id);
  for (const id of await forgetLocationInTokens(store, org, location, now())) {
    await revokeAccessToken(store, org, id);
    await revokeGrant(`pat:${id}`);
  }
}

function answerOf(
  { id, name, createdAtMs }: Location,
  seen: StoredPlaceStatus | undefined,
  held: boolean,
): LocationAnswer {
  const since = seen?.offlineSinceMs;
  return {
    id,
    name,
    created: iso(createdAtMs),
    status: seen === undefined ? "never seen" : held ? "online" : "offline",
    ...(since === undefined ? {} : { offline_since: iso(since) }),
    apps: [...(seen?.apps ?? [])],
    ...(seen === undefined ? {} : { agent_version: seen.agentVersion }),
  };
}
