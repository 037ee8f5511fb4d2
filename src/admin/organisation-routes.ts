/** Status and organisations. */
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { createOrganisation, listOrganisations, type Organisation } from "../store/organisations.ts";
import { iso, type OrganisationAnswer, type StatusAnswer } from "./answers.ts";
import type { AdminParts } from "./api.ts";
import { NewNamed } from "./questions.ts";

type OrganisationParts = Pick<AdminParts, "store" | "now" | "version" | "publicUrl" | "agentsConnected"> & {
  readonly startedAtMs: number;
};

export async function organisationRoutes(plain: FastifyInstance, parts: OrganisationParts): Promise<void> {
  const app = plain.withTypeProvider<TypeBoxTypeProvider>();
  const { store, now } = parts;

  app.get("/status", async (): Promise<StatusAnswer> => {
    return {
      version: parts.version,
      public_url: parts.publicUrl,
      store: store.kind,
      started: iso(parts.startedAtMs),
      organisations: (await listOrganisations(store)).length,
      agents_connected: parts.agentsConnected(),
    };
  });

  app.get("/organisations", async () => (await listOrganisations(store)).map(answerOf));

  app.post("/organisations", { schema: { body: NewNamed } }, async (request, reply) => {
    reply.code(201);
    return answerOf(await createOrganisation(store, request.body, now));
  });
}

function answerOf({ id, name, createdAtMs }: Organisation): OrganisationAnswer {
  return { id, name, created: iso(createdAtMs) };
}
