/** `/mcp`: origin, bearer and rate are judged before the body is read; then the MCP server answers on the raw response. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { asEdgeError, EdgeError } from "../../errors.ts";
import { hintForScope, holdsScope, type Principal, type Role, SCOPES, type Scope } from "../../principal.ts";
import type { MayChallenge } from "../step-up.ts";

/** A batch of 500 operations with their arguments fits; anything larger is refused with 413 before it is read. */
export const MCP_BODY_BYTES = 4 * 1024 * 1024;

export interface McpQuery {
  readonly mode?: string;
  readonly apps?: string;
  readonly readonly?: string;
}

export interface Challenge {
  readonly error: "invalid_token" | "insufficient_scope";
  readonly scopes?: readonly Scope[];
}

export interface McpRouteParts {
  readonly path: string;
  readonly verify: (bearer: string) => Promise<Principal>;
  /** Value of WWW-Authenticate; `search` is the request's query, since strict clients compare `resource` (design 3.2). */
  readonly challenge: (search: string, error?: Challenge) => string;
  /** The scope that this body needs beyond reading, for callers whose role would allow it. */
  readonly requiredScope: (body: unknown, role: Role) => Scope | undefined;
  /** False where asking for more scope is no help: the tool's own answer then says what to do. */
  readonly mayChallenge: MayChallenge;
  /** What must be read before the request can be served from memory; undefined = nothing. */
  readonly prepare: (principal: Principal) => Promise<void> | undefined;
  readonly checkOrigin: (origin: string | undefined) => void;
  /** Seconds to wait, 0 = go on. */
  readonly limitRate: (key: string) => number;
  readonly handle: (exchange: {
    req: FastifyRequest["raw"];
    res: FastifyReply["raw"];
    body: unknown;
    principal: Principal;
    query: McpQuery;
  }) => Promise<void>;
  readonly log: { error(facts: object, message: string): void };
}

const principalOf = Symbol("principal");

declare module "fastify" {
  interface FastifyRequest {
    [principalOf]: Principal | undefined;
  }
}

export async function mcpRoutes(app: FastifyInstance, parts: McpRouteParts): Promise<void> {
  app.decorateRequest(principalOf, undefined);
  app.setErrorHandler((error: FastifyError | EdgeError, request, reply) => answerError(parts, error, request, reply));

  const parseJson = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = String(body);
    // clients put their usual headers on a DELETE too
    if (text === "" && request.method !== "POST") return done(null, undefined);
    // it answers by the callback only; the type allows a promise that this parser never makes
    void parseJson(request, text, (error, value) => (error ? done(unreadable(text)) : done(null, value)));
  });

  const admit = async (request: FastifyRequest, reply: FastifyReply) => {
    parts.checkOrigin(request.headers.origin);
    const principal = await authenticate(parts, request);
    const waitSeconds = parts.limitRate(principal.grant);
    if (waitSeconds > 0) {
      reply.header("retry-after", waitSeconds);
      throw new EdgeError("RATE_LIMITED", `Too many requests; wait ${waitSeconds} s.`, {
        retryAfterSeconds: waitSeconds,
      });
    }
    request[principalOf] = principal;
  };

  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const principal = request[principalOf];
    if (!principal) throw new EdgeError("UNAUTHENTICATED", "No bearer token.");
    const needed = parts.requiredScope(request.body, principal.role);
    const lacksScope = needed !== undefined && !holdsScope(principal.scopes, needed);
    if (lacksScope && parts.mayChallenge(principal, request.headers.authorization ?? "")) {
      reply.header(
        "www-authenticate",
        parts.challenge(searchOf(request), { error: "insufficient_scope", scopes: upTo(needed) }),
      );
      throw new EdgeError(
        "INSUFFICIENT_SCOPE",
        `This needs the scope ${needed}, which the connection was not granted.`,
        { hint: hintForScope(needed) },
      );
    }
    const preparing = parts.prepare(principal);
    if (preparing) await preparing;
    reply.hijack();
    parts
      .handle({ req: request.raw, res: reply.raw, body: request.body, principal, query: request.query as McpQuery })
      .catch((error: unknown) => {
        parts.log.error({ err: error }, "an MCP request failed");
        reply.raw.destroy();
      });
  };

  for (const url of [parts.path, `${parts.path}/`]) {
    app.route({
      method: ["POST", "GET", "DELETE"],
      url,
      bodyLimit: MCP_BODY_BYTES,
      exposeHeadRoute: false,
      onRequest: admit,
      handler,
    });
  }
}

async function authenticate(parts: McpRouteParts, request: FastifyRequest): Promise<Principal> {
  const header = request.headers.authorization;
  if (header === undefined)
    throw new EdgeError("UNAUTHENTICATED", "A bearer token is needed: see the WWW-Authenticate header.");
  const [scheme = "", token = ""] = header.split(" ", 2);
  if (scheme.toLowerCase() !== "bearer" || token === "") {
    throw new EdgeError("UNAUTHENTICATED", "Authorization must be `Bearer <token>`.");
  }
  return parts.verify(token);
}

/** Errors before MCP has the floor, in JSON-RPC shape; codes outside the range that the specification reserves. */
const RPC_CODE_BASE = -31_000;

function answerError(
  parts: McpRouteParts,
  thrown: FastifyError | EdgeError,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (thrown instanceof EdgeError || thrown.statusCode === undefined || thrown.statusCode >= 500) {
    const error = asEdgeError(thrown);
    if (error.code === "INTERNAL") parts.log.error({ err: thrown }, "an MCP request failed");
    if (error.code === "UNAUTHENTICATED") {
      const failed = request.headers.authorization === undefined ? undefined : ({ error: "invalid_token" } as const);
      reply.header("www-authenticate", parts.challenge(searchOf(request), failed));
    }
    return reply.code(error.status).send(
      rpcError(idOf(request), RPC_CODE_BASE - error.status, error.message, {
        code: error.code,
        ...(error.hint === undefined ? {} : { hint: error.hint }),
      }),
    );
  }
  // not JSON (400), another content type (415), too large (413)
  const words =
    thrown.statusCode === 413 ? `The body is larger than ${MCP_BODY_BYTES} bytes; split it.` : thrown.message;
  const code = thrown.statusCode === 400 ? -32_700 : -32_600;
  return reply.code(thrown.statusCode).send(rpcError(null, code, words, undefined));
}

/** Fastify's parser says of each fault that the body is not JSON. */
function unreadable(text: string): Error {
  const words = text === "" ? "The body is empty: POST one JSON-RPC message." : isJson(text) ? HOSTILE_NAME : NOT_JSON;
  return Object.assign(new Error(words), { statusCode: 400 });
}

const NOT_JSON = "The body is not JSON.";
const HOSTILE_NAME = "The body has a member named __proto__ or constructor.prototype, which is not accepted.";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function rpcError(id: string | number | null, code: number, message: string, data: object | undefined) {
  return { jsonrpc: "2.0", error: { code, message, ...(data === undefined ? {} : { data }) }, id };
}

/** The request's id where its body was read already. */
function idOf({ body }: FastifyRequest): string | number | null {
  if (typeof body !== "object" || body === null || !("id" in body)) return null;
  return typeof body.id === "string" || typeof body.id === "number" ? body.id : null;
}

function searchOf(request: FastifyRequest): string {
  const at = request.url.indexOf("?");
  return at < 0 ? "" : request.url.slice(at);
}

/** All scopes that the operation needs at once (MCP authorization, scope challenge). */
function upTo(needed: Scope): readonly Scope[] {
  return SCOPES.slice(0, SCOPES.indexOf(needed) + 1);
}
