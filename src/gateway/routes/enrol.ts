/** `POST /agent/v1/enrol`: an agent shows a one-time token and the key that it made, and learns who it is. */
import rateLimit from "@fastify/rate-limit";
import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { ENROL_PATH, type EnrolAnswer, EnrolBody } from "../../tunnel/enrolment.ts";

const ENROLMENTS_PER_MINUTE = 20;
const ENROL_BODY_BYTES = 16 * 1024;

export interface EnrolRouteParts {
  /** Throws UNAUTHENTICATED for a wrong proof, or a token that is unknown, spent or over. */
  readonly enrol: (body: EnrolBody) => Promise<EnrolAnswer>;
}

export async function enrolRoutes(app: FastifyInstance, parts: EnrolRouteParts): Promise<void> {
  await app.register(rateLimit, { max: ENROLMENTS_PER_MINUTE, timeWindow: 60_000 });
  app
    .setValidatorCompiler(TypeBoxValidatorCompiler)
    .withTypeProvider<TypeBoxTypeProvider>()
    .post(ENROL_PATH, { bodyLimit: ENROL_BODY_BYTES, schema: { body: EnrolBody } }, async (request) =>
      parts.enrol(request.body),
    );
}
