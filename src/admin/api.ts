/** The administration API: the one way to change organisations, locations, people and tokens of a running gateway. */
import { TypeBoxValidatorCompiler } from "@fastify/type-provider-typebox";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Audit } from "../audit/audit.ts";
import { asEdgeError, EdgeError, ERRORS, failureResult } from "../errors.ts";
import type { Action } from "../principal.ts";
import type { RandomBytes } from "../store/password-hash.ts";
import type { Store } from "../store/store.ts";
import { METRICS_TYPE, type Metrics } from "../telemetry/metrics.ts";
import { accountRoutes } from "./account-routes.ts";
import { adminTokenRoutes } from "./admin-token-routes.ts";
import { ADMIN_PREFIX } from "./answers.ts";
import { type Authenticate, guard, operatorOf } from "./guard.ts";
import { locationRoutes } from "./location-routes.ts";
import { organisationRoutes } from "./organisation-routes.ts";
import { tokenRoutes } from "./token-routes.ts";

/** PEM texts. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

export interface AdminParts {
  readonly store: Store;
  readonly publicUrl: string;
  readonly version: string;
  readonly random: RandomBytes;
  readonly now: () => number;
  readonly audit: Pick<Audit, "record">;
  readonly log: FastifyBaseLogger;
  /** Stops the tokens of a grant, or of `pat:<id>`, on every replica. */
  readonly revokeGrant: (grant: string) => Promise<void>;
  /** Agents whose socket this replica holds. */
  readonly agentsConnected: () => number;
  /** Answered at `GET /metrics`, as Prometheus reads it. */
  readonly metrics?: Pick<Metrics, "text">;
  /** Absent on the unix socket, where the file's mode is the guard; only there are administration tokens issued. */
  readonly authenticate?: Authenticate;
  /** Of a port with TLS of its own. */
  readonly tls?: TlsPair;
}

const ADMIN_BODY_BYTES = 64 * 1024;
/** Slow requests hold a socket no longer than this. */
const REQUEST_TIMEOUT_MS = 60_000;

const ACTION_OF_METHOD: Readonly<Record<string, Action>> = {
  POST: "create",
  PUT: "update",
  PATCH: "update",
  DELETE: "delete",
};

/** Builds, does not listen. */
export function buildAdminApi(parts: AdminParts): FastifyInstance {
  const startedAtMs = parts.now();
  const app = Fastify({
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: ADMIN_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    https: parts.tls ?? null,
    routerOptions: { maxParamLength: 200 },
  });
  app.setValidatorCompiler(TypeBoxValidatorCompiler);
  app.setErrorHandler((error: FastifyError | EdgeError, _request, reply) => {
    const told = asTold(error);
    if (told.code === "INTERNAL") parts.log.error({ err: error }, "an administration request failed");
    return reply.code(told.status).send(failureResult(told));
  });
  app.setNotFoundHandler(() => {
    throw new EdgeError("NOT_FOUND", "The administration API has no such route.");
  });

  guard(app, parts.authenticate);
  app.addHook("onResponse", async (request, reply) => recordChange(parts, request, reply.statusCode));

  const { metrics } = parts;
  if (metrics !== undefined)
    app.get("/metrics", async (_request, reply) => reply.type(METRICS_TYPE).send(metrics.text()));
  app.register(
    async (routes) => {
      await routes.register(organisationRoutes, { ...parts, startedAtMs });
      await routes.register(locationRoutes, parts);
      await routes.register(accountRoutes, parts);
      await routes.register(tokenRoutes, parts);
      await routes.register(adminTokenRoutes, parts);
    },
    { prefix: ADMIN_PREFIX },
  );
  return app;
}

/** Fastify's own refusals (schema, JSON, size) are the caller's to correct. */
function asTold(error: FastifyError | EdgeError): EdgeError {
  if (error instanceof EdgeError || error.statusCode === undefined || error.statusCode >= 500) {
    return asEdgeError(error);
  }
  return new EdgeError(error.statusCode === 413 ? "TOO_LARGE" : "ARGUMENTS_INVALID", error.message);
}

/** Who changed what, refused changes too; bodies are left out, since they hold passwords. */
function recordChange(parts: AdminParts, request: FastifyRequest, status: number): void {
  const action = ACTION_OF_METHOD[request.method];
  // refusals of a flood would fill the disk that the audit is on
  if (action === undefined || status === ERRORS.RATE_LIMITED.status) return;
  const { org = "", location } = request.params as { org?: string; location?: string }; // checked by the route's schema
  parts.audit.record({
    atMs: parts.now(),
    principal: { subject: operatorOf(request), org, grant: "admin", client: "admin" },
    tool: `admin ${request.method} ${request.routeOptions.url ?? "unknown route"}`,
    action,
    location,
    site: undefined,
    verdict: status < 400 ? "allowed" : "denied",
    reason: `HTTP ${status}`,
    callId: undefined,
    argumentsHash: undefined,
  });
}
