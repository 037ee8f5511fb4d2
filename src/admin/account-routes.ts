/** Local accounts and their roles. */
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { EdgeError } from "../errors.ts";
import type { Role } from "../principal.ts";
import { listAccessTokens, revokeAccessToken } from "../store/access-tokens.ts";
import {
  type Account,
  createAccount,
  listAccounts,
  members,
  removeAccount,
  setMember,
  setPassword,
} from "../store/accounts.ts";
import { listGrants } from "../store/grants.ts";
import { getOrganisation, listOrganisations } from "../store/organisations.ts";
import type { Store } from "../store/store.ts";
import { type AccountAnswer, DONE, iso } from "./answers.ts";
import type { AdminParts } from "./api.ts";
import { AccountParams, MemberParams, NewAccount, NewPassword, NewRole } from "./questions.ts";

type AccountParts = Pick<AdminParts, "store" | "now" | "random" | "revokeGrant">;

export async function accountRoutes(plain: FastifyInstance, parts: AccountParts): Promise<void> {
  const app = plain.withTypeProvider<TypeBoxTypeProvider>();
  const { store } = parts;

  app.get("/accounts", async () => {
    const organisations = (await listOrganisations(store)).map(({ id }) => id);
    const roles = await Promise.all(organisations.map(async (org) => [org, await members(store, org)] as const));
    return (await listAccounts(store)).map((account) =>
      answerOf(
        account,
        roles.flatMap(([org, of]) => {
          const role = of.get(account.id);
          return role === undefined ? [] : [[org, role] as const];
        }),
      ),
    );
  });

  app.post("/accounts", { schema: { body: NewAccount } }, async ({ body: { name, password, email } }, reply) => {
    const wanted = { name, password, ...(email === undefined ? {} : { email }) };
    reply.code(201);
    return answerOf(await createAccount(store, wanted, parts), []);
  });

  app.put("/accounts/:account/password", { schema: { params: AccountParams, body: NewPassword } }, async (request) => {
    await setPassword(store, request.params.account, request.body.password, parts.random);
    return DONE;
  });

  app.delete("/accounts/:account", { schema: { params: AccountParams } }, async ({ params }) => {
    const organisations = (await listOrganisations(store)).map(({ id }) => id);
    const { id } = await accountNamed(store, params.account);
    await removeAccount(store, params.account, organisations);
    for (const org of organisations) await endAccess(parts, org, id);
    return DONE;
  });

  app.put(
    "/organisations/:org/members/:account",
    { schema: { params: MemberParams, body: NewRole } },
    async ({ params: { org, account }, body: { role } }) => {
      await getOrganisation(store, org);
      const { id } = await accountNamed(store, account);
      await setMember(store, org, id, role ?? undefined);
      if (!role) await endAccess(parts, org, id);
      return DONE;
    },
  );
}

/** Ends what a person who is no longer a member had given to clients, so that open streams close too. */
async function endAccess({ store, now, revokeGrant }: AccountParts, org: string, accountId: string): Promise<void> {
  const grants = (await listGrants(store, org, now())).filter(({ subject }) => subject === accountId);
  const tokens = (await listAccessTokens(store, org)).filter(({ owner }) => owner === accountId);
  for (const { id } of grants) await revokeGrant(id);
  for (const { id } of tokens) {
    await revokeAccessToken(store, org, id);
    await revokeGrant(`pat:${id}`);
  }
}

/** In any case of letters. Throws NOT_FOUND. */
export async function accountNamed(store: Store, name: string): Promise<Account> {
  const wanted = name.trim().normalize("NFC").toLowerCase();
  const found = (await listAccounts(store)).find((account) => account.name.toLowerCase() === wanted);
  if (found !== undefined) return found;
  throw new EdgeError("NOT_FOUND", `There is no account named ${name}.`, { hint: "See `unifi-edge user list`." });
}

function answerOf(
  { id, name, email, createdAtMs }: Account,
  roles: readonly (readonly [string, Role])[],
): AccountAnswer {
  return {
    id,
    name,
    ...(email === undefined ? {} : { email }),
    created: iso(createdAtMs),
    roles: Object.fromEntries(roles),
  };
}
