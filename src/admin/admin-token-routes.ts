/** Administration tokens: issued at the gateway's own socket only, listed and revoked from anywhere. */
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { EdgeError } from "../errors.ts";
import { issueAdminToken, listAdminTokens, revokeAdminToken } from "../store/admin-tokens.ts";
import { SECOND_MS } from "../store/keys.ts";
import { type AdminTokenAnswer, DONE, type IssuedTokenAnswer, iso } from "./answers.ts";
import type { AdminParts } from "./api.ts";
import { AdminTokenParams, NewAdminToken } from "./questions.ts";

type AdminTokenParts = Pick<AdminParts, "store" | "now" | "random" | "authenticate">;

export async function adminTokenRoutes(plain: FastifyInstance, parts: AdminTokenParts): Promise<void> {
  const app = plain.withTypeProvider<TypeBoxTypeProvider>();
  const { store, now } = parts;

  app.get("/admin-tokens", async (): Promise<AdminTokenAnswer[]> => {
    return (await listAdminTokens(store, now())).map(({ id, label, createdAtMs, endsAtMs }) => ({
      id,
      label,
      created: iso(createdAtMs),
      ends: iso(endsAtMs),
    }));
  });

  app.post(
    "/admin-tokens",
    { schema: { body: NewAdminToken } },
    async ({ body: { label, ttl_seconds: seconds } }, reply): Promise<IssuedTokenAnswer> => {
      // a stolen token must not outlive its own revocation in others that it made
      if (parts.authenticate !== undefined) {
        throw new EdgeError("PERMISSION_DENIED", "Administration tokens are issued at the gateway's own socket only.", {
          hint: "Run unifi-edge token admin issue on the gateway's machine, without --url.",
        });
      }
      const wanted = { label, ttlMs: seconds === undefined ? undefined : seconds * SECOND_MS };
      const { id, token, endsAtMs } = await issueAdminToken(store, wanted, parts);
      reply.code(201);
      return { id, token, ends: iso(endsAtMs) };
    },
  );

  app.delete("/admin-tokens/:token", { schema: { params: AdminTokenParams } }, async ({ params: { token } }) => {
    if (await revokeAdminToken(store, token)) return DONE;
    throw new EdgeError("NOT_FOUND", `There is no administration token ${token}.`, {
      hint: "See unifi-edge token admin list.",
    });
  });
}
