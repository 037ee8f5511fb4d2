/** Puts the public program's HTTP together: builds, does not listen. */
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyPluginAsync,
  LogController,
} from "fastify";
import { asEdgeError, EdgeError, failureResult } from "../errors.ts";
import type { TunnelServer } from "../tunnel/server.ts";
import { isAgentUpgrade } from "../tunnel/upgrade.ts";
import { type EnrolRouteParts, enrolRoutes } from "./routes/enrol.ts";
import { type HealthRouteParts, healthRoutes } from "./routes/health.ts";
import { type McpRouteParts, mcpRoutes } from "./routes/mcp.ts";

export interface AppParts {
  readonly mcp: McpRouteParts;
  readonly enrol: EnrolRouteParts;
  readonly health: HealthRouteParts;
  /** Mounts metadata, OAuth endpoints and pages. */
  readonly authorization: FastifyPluginAsync;
  readonly tunnel: Pick<TunnelServer, "handleUpgrade">;
  readonly log: FastifyBaseLogger;
  readonly trustProxy: boolean;
}

/** Slow headers hold a socket no longer than this. */
const REQUEST_TIMEOUT_MS = 60_000;
const STATIC_HEADERS = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" } as const;

export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: parts.log,
    // One line a request would cost more than the request; failures are logged where they happen, calls are audited
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: parts.trustProxy,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { shouldUpgradeCallback: isAgentUpgrade },
    routerOptions: { maxParamLength: 200 },
  });
  app.setErrorHandler((error: FastifyError | EdgeError, _request, reply) => {
    const known = error instanceof EdgeError || error.statusCode === undefined || error.statusCode >= 500;
    const edgeError = known ? asEdgeError(error) : new EdgeError("ARGUMENTS_INVALID", error.message);
    if (edgeError.code === "INTERNAL") parts.log.error({ err: error }, "a request failed");
    return reply.code(known ? edgeError.status : (error.statusCode ?? 400)).send(failureResult(edgeError));
  });
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({
      success: false,
      error: `There is no ${request.method} ${request.url.split("?")[0]} here.`,
      code: "NOT_FOUND",
    }),
  );

  // Each in its own scope: their parsers, limits and error shapes do not leak into the others'
  await app.register(mcpRoutes, parts.mcp);
  await app.register(async (scope) => {
    // Not for /mcp: its answers are no pages, and every step there is paid by every request
    scope.addHook("onRequest", (_request, reply, done) => {
      reply.headers(STATIC_HEADERS);
      done();
    });
    await scope.register(enrolRoutes, parts.enrol);
    await scope.register(healthRoutes, parts.health);
    await scope.register(parts.authorization);
  });
  app.server.on("upgrade", (request, socket, head) => parts.tunnel.handleUpgrade(request, socket, head));
  return app;
}
