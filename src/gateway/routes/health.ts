/** `/healthz` (the process lives), `/readyz` (it can do its work, else why not), and a word for people at `/`. */
import type { FastifyInstance } from "fastify";
import { asEdgeError } from "../../errors.ts";

export interface HealthRouteParts {
  readonly publicUrl: string;
  readonly mcpPath: string;
  /** Throws with the reason in words. */
  readonly ready: () => Promise<void>;
}

export async function healthRoutes(app: FastifyInstance, parts: HealthRouteParts): Promise<void> {
  app.get("/healthz", async () => ({ status: "ok" }));

  app.get("/readyz", async (_request, reply) => {
    try {
      await parts.ready();
      return { status: "ready" };
    } catch (error) {
      return reply.code(503).send({ status: "not ready", error: asEdgeError(error).message });
    }
  });

  app.get("/", async (_request, reply) =>
    reply
      .type("text/plain; charset=utf-8")
      .send(`UniFi MCP Edge. Connect an MCP client to ${parts.publicUrl}${parts.mcpPath}\n`),
  );
}
