/** Personal access tokens, and the grants that consent gave. */
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { EdgeError } from "../errors.ts";
import { issueAccessToken, listAccessTokens, revokeAccessToken } from "../store/access-tokens.ts";
import { listAccounts, members } from "../store/accounts.ts";
import { listGrants } from "../store/grants.ts";
import { SECOND_MS } from "../store/keys.ts";
import { getLocation } from "../store/locations.ts";
import { getOrganisation } from "../store/organisations.ts";
import type { Store } from "../store/store.ts";
import { accountNamed } from "./account-routes.ts";
import { type AccessTokenAnswer, DONE, type GrantAnswer, type IssuedTokenAnswer, iso } from "./answers.ts";
import type { AdminParts } from "./api.ts";
import { AccessTokenParams, GrantParams, NewAccessToken, OrgParams } from "./questions.ts";

type TokenParts = Pick<AdminParts, "store" | "now" | "random" | "revokeGrant">;

export async function tokenRoutes(plain: FastifyInstance, parts: TokenParts): Promise<void> {
  const app = plain.withTypeProvider<TypeBoxTypeProvider>();
  const { store, now } = parts;
  const tokens = "/organisations/:org/access-tokens";
  const grants = "/organisations/:org/grants";

  app.get(tokens, { schema: { params: OrgParams } }, async ({ params: { org } }): Promise<AccessTokenAnswer[]> => {
    await getOrganisation(store, org);
    const names = await accountNames(store);
    return (await listAccessTokens(store, org)).map(
      ({ id, label, owner, locations, scopes, createdAtMs, endsAtMs }) => ({
        id,
        label,
        owner: names.get(owner) ?? owner,
        locations,
        scopes,
        created: iso(createdAtMs),
        ends: iso(endsAtMs),
      }),
    );
  });

  app.post(
    tokens,
    { schema: { params: OrgParams, body: NewAccessToken } },
    async ({ params: { org }, body }, reply): Promise<IssuedTokenAnswer> => {
      await getOrganisation(store, org);
      const { ttl_seconds: ttlSeconds, owner, ...wanted } = body;
      const account = await accountNamed(store, owner);
      if (!(await members(store, org)).has(account.id)) {
        throw new EdgeError("ARGUMENTS_INVALID", `${account.name} has no role in ${org}.`, {
          hint: "Give one with `unifi-edge user role`.",
        });
      }
      if (wanted.locations !== "all") for (const location of wanted.locations) await getLocation(store, org, location);
      const issued = await issueAccessToken(
        store,
        { ...wanted, org, owner: account.id, ttlMs: ttlSeconds * SECOND_MS },
        parts,
      );
      reply.code(201);
      return { id: issued.id, token: issued.token, ends: iso(issued.endsAtMs) };
    },
  );

  app.delete(`${tokens}/:token`, { schema: { params: AccessTokenParams } }, async ({ params: { org, token } }) => {
    if (!(await revokeAccessToken(store, org, token))) {
      throw new EdgeError("NOT_FOUND", `There is no access token ${token} in ${org}.`);
    }
    await parts.revokeGrant(`pat:${token}`);
    return DONE;
  });

  app.get(grants, { schema: { params: OrgParams } }, async ({ params: { org } }): Promise<GrantAnswer[]> => {
    await getOrganisation(store, org);
    const names = await accountNames(store);
    return (await listGrants(store, org, now())).map((grant) => ({
      id: grant.id,
      client: grant.clientName,
      subject: names.get(grant.subject) ?? grant.subject,
      locations: grant.locations,
      scopes: grant.scopes,
      created: iso(grant.createdAtMs),
      ends: iso(grant.endsAtMs),
    }));
  });

  app.delete(`${grants}/:grant`, { schema: { params: GrantParams } }, async ({ params: { org, grant } }) => {
    const known = (await listGrants(store, org, now())).some(({ id }) => id === grant);
    if (!known) throw new EdgeError("NOT_FOUND", `There is no grant ${grant} in ${org}.`);
    await parts.revokeGrant(grant);
    return DONE;
  });
}

async function accountNames(store: Store): Promise<ReadonlyMap<string, string>> {
  return new Map((await listAccounts(store)).map(({ id, name }) => [id, name]));
}
