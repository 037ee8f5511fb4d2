/** The MCP server: both eras behind one door, over node's own HTTP types or stdio. Everything it needs is handed in. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable, Writable } from "node:stream";
import { classifyInboundRequest } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { assertBounds } from "../catalog/bounds.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Selection } from "../catalog/selection.ts";
import { asEdgeError } from "../errors.ts";
import type { Principal, Scope } from "../principal.ts";
import { createBytesCache } from "./bytes-cache.ts";
import type { Caller } from "./caller.ts";
import type { Execution, LoadedTools } from "./execution.ts";
import { sendJson } from "./http.ts";
import { instructionsFor } from "./instructions.ts";
import { isRequest, RPC_CODES, rpcErrorBody, rpcErrorOf } from "./json-rpc.ts";
import { createLegacy } from "./legacy.ts";
import { createListings } from "./listings.ts";
import { createModern } from "./modern.ts";
import { isPlainRequest, MODERN_VERSION } from "./plain-request.ts";
import { requiredScope } from "./required-scope.ts";
import { createResources } from "./resources.ts";
import type { ContentMode } from "./result.ts";
import { createSdkServer, type SdkServerParts } from "./sdk-server.ts";
import { createSessionIds } from "./session-id.ts";
import { createStreams } from "./streams.ts";
import type { Timers } from "./timers.ts";
import { createToolCalls, type Log } from "./tool-calls.ts";
import { type Mode, parseView, type View, type ViewQuery } from "./view.ts";

export interface McpServerOptions {
  readonly catalog: Catalog;
  readonly execution: Execution;
  readonly loaded: LoadedTools;
  readonly selection: Selection;
  readonly defaultMode: Mode;
  readonly contentMode: ContentMode;
  /** `gateway`: tools take a location. `local`: one place, tools take a site only. */
  readonly flavour: "gateway" | "local";
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** At least 32 bytes, the same on every replica: signs the 2025 era's session ids. */
  readonly sessionSecret: Buffer;
  readonly random: (bytes: number) => Buffer;
  readonly timers: Timers;
  readonly log: Log;
}

export interface McpExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Already parsed JSON; undefined for GET and DELETE. */
  readonly body: unknown;
  /** Verified by the caller; Origin, Host and body size are the caller's too. */
  readonly principal: Principal;
  readonly query: ViewQuery;
}

export interface McpServer {
  /** Answers on `res`, whatever happens; resolves when the answer is written or the stream is open. */
  handle(exchange: McpExchange): Promise<void>;
  /** One client on a pair of streams, both eras. Returns what ends it. */
  stdio(
    streams: { readonly input: Readable; readonly output: Writable },
    principal: Principal,
    query?: ViewQuery,
  ): () => Promise<void>;
  /** The scope that a request needs beyond reading, so that the HTTP layer can answer 403 before anything is opened. */
  requiredScope(body: unknown, role?: Principal["role"]): Scope | undefined;
  /** What a grant (or everybody, when visible places change) should be told. */
  toolsChanged(org: string, grant: string): void;
  /** Ends the grant's streams: it was revoked. */
  endGrant(grant: string): void;
  close(): void;
}

const CACHE_BYTES = 32 * 1024 * 1024;
/** Of a whole request; a tool's own arguments have narrower ones. */
const MAX_BODY_DEPTH = 64;
const MAX_BODY_SIZE = 16 * 1024 * 1024;

const NOT_JSON = rpcErrorBody(RPC_CODES.invalidRequest, "Content-Type must be application/json.");

export function createMcpServer(options: McpServerOptions): McpServer {
  const { catalog, execution, loaded, timers, log } = options;
  const located = options.flavour === "gateway";
  const cache = createBytesCache(CACHE_BYTES);
  const streams = createStreams(timers);
  const listings = createListings({ catalog, selection: options.selection, located });
  const parts = {
    identity: { name: options.name, title: options.title, version: options.version },
    instructions: instructionsFor(located),
    loaded,
    callTool: createToolCalls({ execution, loaded, cache, contentMode: options.contentMode, log }),
    resources: createResources(catalog.manifest, execution, located),
    cache,
    streams,
    log,
  } satisfies SdkServerParts & Record<string, unknown>;
  const modern = createModern(parts);
  const plainView = parseView({}, options.defaultMode);
  const legacy = createLegacy({ ...parts, timers, sessions: createSessionIds(options.sessionSecret, options.random) });
  const unsubscribe = loaded.changed((org, grant) => streams.toolsChanged(org, grant));

  function callerOf(principal: Principal, view: View): Caller {
    return { principal, view, listing: listings.of(principal, view, execution.visible(principal)) };
  }

  async function serve({ req, res, body, principal, query }: McpExchange): Promise<void> {
    const view = Object.keys(query).length === 0 ? plainView : parseView(query, options.defaultMode);
    if (body !== undefined) assertBounds(body, "The request", MAX_BODY_DEPTH, MAX_BODY_SIZE);
    const modernExchange = () => ({ req, res, body, caller: callerOf(principal, view) });
    if (isPlainRequest(req, body)) return modern.servePlain(modernExchange(), body);
    const { kind } = classifyInboundRequest({ httpMethod: req.method ?? "", body, ...headersOf(req) });
    if (kind === "legacy" && !claimsModern(req)) {
      return legacy.serve({ req, res, body, principal, caller: () => callerOf(principal, view) });
    }
    return modern.serveBySdk(modernExchange());
  }

  return {
    async handle(exchange) {
      const { req, res, body } = exchange;
      try {
        if (req.method === "POST" && !isJson(req)) return sendJson(res, 415, NOT_JSON);
        await serve(exchange);
      } catch (thrown) {
        const error = asEdgeError(thrown);
        if (error.code === "INTERNAL") log.error({ err: thrown }, "a request could not be served");
        if (res.headersSent) res.destroy();
        else sendJson(res, error.status, rpcErrorOf(error, isRequest(body) ? body.id : null));
      }
    },
    stdio({ input, output }, principal, query = {}) {
      const view = parseView(query, options.defaultMode);
      const stops: (() => void)[] = [];
      const handle = serveStdio(
        ({ era }) => {
          const server = createSdkServer(parts, () => callerOf(principal, view), era, {
            answered: (delivered) => delivered?.(),
          });
          const remove = streams.add(principal, {
            toolsChanged: () =>
              void server
                .sendToolListChanged()
                .catch((error: unknown) => log.debug({ err: error }, "the client is gone")),
            end: () => void handle.close(),
          });
          if (remove !== undefined) stops.push(remove);
          return server;
        },
        {
          transport: new StdioServerTransport(input, output),
          onerror: (error) => log.debug({ err: error }, "a message was refused by the protocol"),
        },
      );
      return async () => {
        for (const stop of stops) stop();
        await handle.close();
      };
    },
    requiredScope: (body, role) => requiredScope(catalog, body, role),
    toolsChanged: (org, grant) => streams.toolsChanged(org, grant),
    endGrant: (grant) => streams.endGrant(grant),
    close() {
      unsubscribe();
      streams.endAll();
    },
  };
}

function headersOf(req: IncomingMessage) {
  const version = header(req, "mcp-protocol-version");
  const method = header(req, "mcp-method");
  const name = header(req, "mcp-name");
  return {
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
  };
}

function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** GET and DELETE have no body to tell the era by; the newer one refuses both (405). */
function claimsModern(req: IncomingMessage): boolean {
  return req.method !== "POST" && header(req, "mcp-protocol-version") === MODERN_VERSION;
}

function isJson(req: IncomingMessage): boolean {
  const type = header(req, "content-type");
  return type === "application/json" || type?.split(";")[0]?.trim().toLowerCase() === "application/json";
}
