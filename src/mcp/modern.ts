/**
 * The 2026-07-28 era. Well-formed lists, discovery and calls are answered from bytes; whatever is unusual, and every
 * refusal of the protocol's own, is the SDK's, so both paths judge alike (design 7).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  type InboundClassificationOutcome,
  InMemoryServerEventBus,
  SERVER_INFO_META_KEY,
} from "@modelcontextprotocol/server";
import type { BytesCache } from "./bytes-cache.ts";
import type { Caller } from "./caller.ts";
import { abortOnClose, sendJson, whenTaken } from "./http.ts";
import { isRecord, type RequestId, RPC_CODES, type RpcRequest, rpcErrorBody } from "./json-rpc.ts";
import { CAPABILITIES, createSdkServer, LIST_TTL_MS, type SdkServerParts } from "./sdk-server.ts";
import type { Streams } from "./streams.ts";
import type { Log } from "./tool-calls.ts";

export const MODERN_VERSION = "2026-07-28";

export interface ModernParts extends SdkServerParts {
  readonly cache: BytesCache;
  readonly streams: Streams;
  readonly log: Log;
}

export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly body: unknown;
  readonly caller: Caller;
}

export type ServeModern = (exchange: Exchange, classified: InboundClassificationOutcome) => Promise<void>;

export function createModern(parts: ModernParts): ServeModern {
  const tail = Buffer.from(
    `,"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: parts.identity })}}`,
  );
  const hint = `"ttlMs":${LIST_TTL_MS},"cacheScope":"private"`;
  const discovery = Buffer.from(
    `{"supportedVersions":["${MODERN_VERSION}"],"capabilities":${JSON.stringify(CAPABILITIES)},"instructions":${JSON.stringify(parts.instructions)},${hint}`,
  );

  function listHead({ listing, principal }: Caller): Buffer {
    const loaded = parts.loaded.of(principal);
    const key = `list ${listing.key} ${loaded.join(" ")}`;
    return (
      parts.cache.get(key) ??
      parts.cache.set(key, Buffer.from(`{"tools":${JSON.stringify(listing.list(loaded))},${hint}`))
    );
  }

  async function callHead({ res, caller }: Exchange, { params }: RpcRequest): Promise<Buffer> {
    // `isPlain` has seen that the name is text
    const { head, delivered } = await parts.callTool(
      { caller, signal: abortOnClose(res) },
      params?.name as string,
      params?.arguments,
    );
    whenTaken(res, delivered);
    return head;
  }

  return async (exchange, classified) => {
    const { req, res, body, caller } = exchange;
    const request = classified.kind === "modern" && isPlain(req, classified, caller) ? (body as RpcRequest) : undefined;
    if (request === undefined) return serveBySdk(parts, exchange);
    const head =
      request.method === "tools/list"
        ? listHead(caller)
        : request.method === "server/discover"
          ? discovery
          : await callHead(exchange, request);
    if (!res.destroyed) sendJson(res, 200, Buffer.concat([RESULT, head, tail, idTail(request.id)]));
  };
}

const RESULT = Buffer.from('{"jsonrpc":"2.0","result":');
const idTail = (id: RequestId) => Buffer.from(`,"id":${JSON.stringify(id)}}`);

/** What each fast method may carry in params beside `_meta`; anything more goes to the SDK. */
const PLAIN_PARAMS: Readonly<Record<string, readonly string[]>> = {
  "tools/list": [],
  "server/discover": [],
  "tools/call": ["name", "arguments"],
};

/** Said in full and in one way: the envelope is valid, and the headers equal the body to the letter. */
function isPlain(
  req: IncomingMessage,
  route: Extract<InboundClassificationOutcome, { kind: "modern" }>,
  { listing }: Caller,
): boolean {
  if (route.messageKind !== "request" || route.classification.revision !== MODERN_VERSION) return false;
  const { method, params } = route.message;
  const plain = Object.hasOwn(PLAIN_PARAMS, method) ? PLAIN_PARAMS[method] : undefined;
  if (plain === undefined || !isRecord(params)) return false;
  if (req.headers["mcp-protocol-version"] !== MODERN_VERSION || req.headers["mcp-method"] !== method) return false;
  if (req.headers["content-type"]?.startsWith("application/json") !== true) return false;
  if (Object.keys(params).some((name) => name !== "_meta" && !plain.includes(name))) return false;
  if (isRecord(params._meta) && params._meta.progressToken !== undefined) return false;
  if (method !== "tools/call") return true;
  const { name, arguments: args } = params;
  if (typeof name !== "string" || req.headers["mcp-name"] !== name) return false;
  return (
    (args === undefined || isRecord(args)) && (listing.meta(name) !== undefined || listing.tool(name) !== undefined)
  );
}

/** One handler a request: its bus belongs to this exchange, so nobody else's events can reach it. */
async function serveBySdk(parts: ModernParts, { req, res, body, caller }: Exchange): Promise<void> {
  const bus = new InMemoryServerEventBus();
  const handler = createMcpHandler(
    ({ era }) => createSdkServer(parts, () => caller, era, { answered: (delivered) => whenTaken(res, delivered) }),
    {
      legacy: "reject",
      bus,
      onerror: (error) => parts.log.debug({ err: error }, "a request was refused by the protocol"),
    },
  );
  if (isRecord(body) && body.method === "subscriptions/listen") {
    const remove = parts.streams.add(caller.principal, {
      toolsChanged: () => handler.notify.toolsChanged(),
      end: () => void handler.close(),
    });
    if (remove === undefined) {
      const id = typeof body.id === "string" || typeof body.id === "number" ? body.id : null;
      sendJson(res, 200, rpcErrorBody(RPC_CODES.internal, "Subscription limit reached", id));
      return;
    }
    res.once("close", remove);
  }
  const serve = toNodeHandler(handler, {
    onerror: (error) => parts.log.error({ err: error }, "a request could not be served"),
  });
  // node's own request; the SDK's structural type leaves out `undefined` of exactOptionalPropertyTypes
  await serve(req as NodeIncomingMessageLike, res, body);
}
