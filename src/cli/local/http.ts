/** MCP at `/mcp` and `/health` on one port: builds, does not listen. */
import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import { asEdgeError, EdgeError, failureResult } from "../../errors.ts";
import { MCP_BODY_BYTES } from "../../gateway/routes/mcp.ts";
import type { McpServer } from "../../mcp/server.ts";
import type { ViewQuery } from "../../mcp/view.ts";
import type { Principal } from "../../principal.ts";
import { type AdmissionOptions, createAdmission } from "./admission.ts";

/** Slow headers or bodies hold a socket no longer than this. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Parse error and invalid request have codes of their own; the others' lie outside the range that JSON-RPC reserves. */
const RPC_CODE_OF_STATUS: Readonly<Record<number, number>> = { 400: -32_700, 413: -32_600, 415: -32_600 };
const RPC_CODE_BASE = -31_000;

export interface LocalHttpParts {
  readonly mcp: Pick<McpServer, "handle">;
  readonly principal: Principal;
  readonly health: () => Promise<{ readonly status: number; readonly body: object }>;
  readonly admission: AdmissionOptions;
  readonly log: { error(facts: object, message: string): void };
}

export function buildLocalHttp(parts: LocalHttpParts): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: MCP_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
  });
  const admit = createAdmission(parts.admission);
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({ "x-content-type-options": "nosniff", "cache-control": "no-store" });
    admit(request.headers);
  });
  app.setErrorHandler((thrown: FastifyError | EdgeError, _request, reply) => {
    const error = ownError(thrown);
    if (error.code === "INTERNAL") parts.log.error({ err: thrown }, "a request failed");
    if (error.code === "UNAUTHENTICATED") reply.header("www-authenticate", "Bearer");
    const status = statusOf(thrown) ?? error.status;
    return reply.code(status).send({
      jsonrpc: "2.0",
      error: {
        code: RPC_CODE_OF_STATUS[status] ?? RPC_CODE_BASE - status,
        message: error.message,
        data: failureResult(error),
      },
      id: null,
    });
  });
  app.setNotFoundHandler(() => {
    throw new EdgeError("NOT_FOUND", "Only /mcp and GET /health are served here.");
  });

  for (const url of ["/mcp", "/mcp/"]) {
    app.route({
      method: ["POST", "GET", "DELETE"],
      url,
      exposeHeadRoute: false,
      handler: async ({ raw: req, body, query }, reply) => {
        reply.hijack();
        await parts.mcp.handle({ req, res: reply.raw, body, principal: parts.principal, query: query as ViewQuery });
      },
    });
  }
  app.get("/health", async (_request, reply) => {
    const { status, body } = await parts.health();
    return reply.code(status).send(body);
  });
  return app;
}

/** Fastify's own refusals (not JSON, too large) say what they are; anything else is ours or a defect. */
function ownError(thrown: FastifyError | EdgeError): EdgeError {
  const status = statusOf(thrown);
  if (status === undefined) return asEdgeError(thrown);
  if (status !== 413) return new EdgeError("ARGUMENTS_INVALID", thrown.message);
  return new EdgeError("TOO_LARGE", `The body is larger than ${MCP_BODY_BYTES} bytes; split it.`);
}

function statusOf(thrown: FastifyError | EdgeError): number | undefined {
  if (thrown instanceof EdgeError || thrown.statusCode === undefined || thrown.statusCode >= 500) return undefined;
  return thrown.statusCode;
}
