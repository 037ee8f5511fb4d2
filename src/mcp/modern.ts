/**
 * The 2026-07-28 era. Well-formed lists, discovery and calls are answered from bytes; whatever is unusual, and every
 * refusal of the protocol's own, is the SDK's, so both paths judge alike (design 7).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, InMemoryServerEventBus, SERVER_INFO_META_KEY } from "@modelcontextprotocol/server";
import type { BytesCache } from "./bytes-cache.ts";
import type { Caller } from "./caller.ts";
import { abortOnClose, sendJson, sendJsonPieces, whenTaken } from "./http.ts";
import { isRecord, type RequestId, RPC_CODES, type RpcRequest, rpcErrorBody } from "./json-rpc.ts";
import { MODERN_VERSION } from "./plain-request.ts";
import type { ToolAnswer } from "./result.ts";
import { CAPABILITIES, createSdkServer, LIST_TTL_MS, type SdkServerParts } from "./sdk-server.ts";
import type { Streams } from "./streams.ts";
import type { Log } from "./tool-calls.ts";

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

export interface Modern {
  /** Answers from bytes a request that isPlainRequest accepted; the SDK answers a name that this caller does not know. */
  servePlain(exchange: Exchange, request: RpcRequest): Promise<void>;
  serveBySdk(exchange: Exchange): Promise<void>;
}

export function createModern(parts: ModernParts): Modern {
  const tail = Buffer.from(
    `,"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: parts.identity })}}}`,
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

  function callHead({ res, caller }: Exchange, { params }: RpcRequest): Buffer | Promise<Buffer> {
    const call = new ClosingCall(caller, res);
    const taken = ({ head, delivered }: ToolAnswer) => {
      whenTaken(res, delivered);
      return head;
    };
    // isPlainRequest has seen that the name is text
    const answer = parts.callTool(call, params?.name as string, params?.arguments);
    return answer instanceof Promise ? answer.then(taken) : taken(answer);
  }

  async function servePlain(exchange: Exchange, request: RpcRequest): Promise<void> {
    const { res, caller } = exchange;
    const name = request.params?.name;
    if (
      typeof name === "string" &&
      caller.listing.meta(name) === undefined &&
      caller.listing.tool(name) === undefined
    ) {
      return serveBySdk(parts, exchange);
    }
    const answer = (heads[request.method] ?? callHead)(exchange, request);
    const head = answer instanceof Promise ? await answer : answer;
    if (!res.destroyed) sendJsonPieces(res, [startOf(request.id), head, tail]);
  }

  const heads: Readonly<Record<string, (exchange: Exchange, request: RpcRequest) => Buffer | Promise<Buffer>>> = {
    "server/discover": () => discovery,
    "tools/list": ({ caller }) => listHead(caller),
    "tools/call": callHead,
  };

  return { servePlain, serveBySdk: (exchange) => serveBySdk(parts, exchange) };
}

const startOf = (id: RequestId) => Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`);

/**
 * A call that ends with its response. The signal is made when somebody waits for something: the index and the locations
 * are there at once. A class, since an accessor in an object literal is defined anew at every request, which costs.
 */
class ClosingCall {
  readonly caller: Caller;
  readonly #res: ServerResponse;
  #signal: AbortSignal | undefined;

  constructor(caller: Caller, res: ServerResponse) {
    this.caller = caller;
    this.#res = res;
  }

  get signal(): AbortSignal {
    this.#signal ??= abortOnClose(this.#res);
    return this.#signal;
  }
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
