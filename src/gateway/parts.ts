/** Makes those parts of the gateway that take a choice or a few lines; main.ts puts them together. */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import { agentCommand } from "../admin/agent-command.ts";
import { type Authorization, createAuthorization } from "../oauth/authorization.ts";
import { createFirstStart } from "../oauth/first-start.ts";
import { members } from "../store/accounts.ts";
import { createEmbeddedStore } from "../store/embedded.ts";
import { redeemEnrolment } from "../store/enrolment.ts";
import { listLocations } from "../store/locations.ts";
import { listOrganisations } from "../store/organisations.ts";
import { createRedisStore } from "../store/redis.ts";
import type { Store } from "../store/store.ts";
import { verifyEnrolmentProof } from "../tunnel/enrolment.ts";
import type { EnrolRouteParts } from "./routes/enrol.ts";

/** Redis where there is a URL for it, else the embedded store in the state folder. */
export function openStore(
  { redisUrl, stateDir }: { readonly redisUrl: string | undefined; readonly stateDir: string },
  log: FastifyBaseLogger,
): Store {
  if (redisUrl !== undefined) return createRedisStore({ url: redisUrl, log });
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  return createEmbeddedStore({ path: join(stateDir, "store.sqlite"), now: Date.now });
}

export interface AuthorizationParts {
  readonly store: Store;
  readonly publicUrl: string;
  readonly mcpPath: string;
  readonly secret: string;
  readonly log: FastifyBaseLogger;
}

export function openAuthorization({ store, log, ...parts }: AuthorizationParts): Promise<Authorization> {
  return createAuthorization({
    ...parts,
    store,
    now: Date.now,
    random: randomBytes,
    log: (message, error) => log.warn({ err: error }, message),
    organisationsOf: async (accountId) => {
      const organisations = await listOrganisations(store);
      const roles = await Promise.all(organisations.map(async ({ id }) => (await members(store, id)).get(accountId)));
      return organisations.flatMap(({ id, name }, index) => {
        const role = roles[index];
        return role === undefined ? [] : [{ id, name, role }];
      });
    },
    locationsOf: (org) => listLocations(store, org),
    setup: createFirstStart({
      store,
      now: Date.now,
      random: randomBytes,
      agentCommand: (token) => agentCommand(parts.publicUrl, token),
    }),
  });
}

/** Takes an agent's proof, spends its token and keeps its key. */
export function createEnrolment(store: Store, publicUrl: string): EnrolRouteParts {
  return {
    async enrol(body) {
      const proof = await verifyEnrolmentProof(body, publicUrl);
      const agent = await redeemEnrolment(store, { ...proof, jwk: body.jwk }, { random: randomBytes, now: Date.now });
      return {
        agent_id: agent.agentId,
        org: agent.org,
        location: agent.location,
        state: agent.state === "active" ? "active" : "held",
      };
    },
  };
}

/** The package's own, from beside src or dist. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}
