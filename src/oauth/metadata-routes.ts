/** Protected resource metadata (RFC 9728) at the two places where clients look for it. */
import type { FastifyInstance } from "fastify";
import type { Resource } from "./resource.ts";

const PREFIX = "/.well-known/oauth-protected-resource";
const CACHE_SECONDS = 3600;

/** Clients that run in a browser read it from other origins: it is public. */
export async function metadataRoutes(app: FastifyInstance, resource: Resource): Promise<void> {
  for (const url of [`${PREFIX}${resource.path}`, PREFIX]) {
    app.get(url, { exposeHeadRoute: false }, async (request, reply) => {
      const { search } = new URL(request.url, "http://any");
      return reply
        .header("cache-control", `public, max-age=${CACHE_SECONDS}`)
        .header("access-control-allow-origin", "*")
        .send(resource.metadata(search));
    });
  }
}
