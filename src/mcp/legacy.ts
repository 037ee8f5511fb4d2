/**
 * The 2025 era over HTTP: a session id minted at `initialize`, one notification stream a session, answers as JSON, or as
 * events when a notification must ride along. Nothing of a session is kept but what is under way.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../principal.ts";
import type { BytesCache } from "./bytes-cache.ts";
import type { Caller } from "./caller.ts";
import { openEventStream, sendEmpty, sendJson, whenTaken } from "./http.ts";
import {
  isNotification,
  isRecord,
  isRequest,
  isResponse,
  type RequestId,
  RPC_CODES,
  RpcError,
  type RpcRequest,
  rpcErrorBody,
} from "./json-rpc.ts";
import { createLegacyMethods, type LegacyCall, type LegacyResult } from "./legacy-methods.ts";
import { CAPABILITIES, increasing, type SdkServerParts } from "./sdk-server.ts";
import { LEGACY_VERSIONS, type LegacyVersion, type Session, type SessionIds } from "./session-id.ts";
import type { Streams } from "./streams.ts";
import type { Timers } from "./timers.ts";
import type { Log } from "./tool-calls.ts";

export interface LegacyParts extends SdkServerParts {
  readonly cache: BytesCache;
  readonly streams: Streams;
  readonly sessions: SessionIds;
  readonly timers: Pick<Timers, "every">;
  readonly log: Log;
}

export interface LegacyExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly body: unknown;
  readonly principal: Principal;
  /** Made only where a list or a call needs it. */
  readonly caller: () => Caller;
}

export interface Legacy {
  serve(exchange: LegacyExchange): Promise<void>;
}

/** Messages of one posted array; only versions before 2025-06-18 have arrays. */
const MAX_POSTED = 50;
const VERSIONS_WITH_ARRAYS: readonly LegacyVersion[] = ["2025-03-26", "2024-11-05"];
/** Ended sessions that this replica remembers, so that a deleted id answers 404. */
const MAX_ENDED = 10_000;

const LIST_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

export function createLegacy(parts: LegacyParts): Legacy {
  const { identity, instructions, streams, sessions, timers, log } = parts;
  const answer = createLegacyMethods(parts);
  /** Under way, by session and request id: what `notifications/cancelled` stops. */
  const running = new Map<string, AbortController>();
  /** The session's GET stream. A newer one replaces it: the older is a lost connection's. */
  const listening = new Map<string, { readonly grant: string; readonly end: () => void }>();
  const ended = new Set<string>();

  function initialize({ res, principal }: LegacyExchange, request: RpcRequest): void {
    const params = request.params ?? {};
    const version = LEGACY_VERSIONS.find((known) => known === params.protocolVersion) ?? LEGACY_VERSIONS[0];
    const capabilities = isRecord(params.capabilities) ? Object.keys(params.capabilities) : [];
    const id = sessions.mint(principal, { version, capabilities });
    const result = { protocolVersion: version, capabilities: CAPABILITIES, serverInfo: identity, instructions };
    sendJson(res, 200, JSON.stringify({ jsonrpc: "2.0", id: request.id, result }), { "Mcp-Session-Id": id });
  }

  function listen({ res, principal }: LegacyExchange, session: Session): void {
    listening.get(session.id)?.end();
    const end = openEventStreamOf(res, principal, session);
    if (end !== undefined) listening.set(session.id, { grant: principal.grant, end });
  }

  function openEventStreamOf(res: ServerResponse, principal: Principal, session: Session): (() => void) | undefined {
    let events: ReturnType<typeof openEventStream> | undefined;
    const end = () => events?.end();
    const remove = streams.add(principal, { toolsChanged: () => events?.send(LIST_CHANGED), end });
    if (remove === undefined) {
      refuse(res, 429, RPC_CODES.internal, "Too many streams are open for this grant.");
      return undefined;
    }
    events = openEventStream(res, timers.every);
    res.once("close", () => {
      remove();
      if (listening.get(session.id)?.end === end) listening.delete(session.id);
    });
    return end;
  }

  async function post(exchange: LegacyExchange, session: Session): Promise<void> {
    const { res, body } = exchange;
    if (Array.isArray(body)) return postArray(exchange, session, body);
    if (isRequest(body)) return postRequest(exchange, session, body);
    if (isNotification(body)) cancelled(session, body.method, body.params);
    else if (!isResponse(body)) return refuse(res, 400, RPC_CODES.invalidRequest, "The body is no JSON-RPC message.");
    sendEmpty(res, 202);
  }

  async function postRequest(exchange: LegacyExchange, session: Session, request: RpcRequest): Promise<void> {
    const { req, res } = exchange;
    const events =
      ridesAlong(request, session) && req.headers.accept?.includes("text/event-stream") === true
        ? openEventStream(res, timers.every)
        : undefined;
    const { text, delivered } = await answered(
      exchange,
      session,
      request,
      events && ((message) => events.send(message)),
    );
    // a client that left is not answered; its call went on (2025 era: a lost connection is no cancel)
    if (res.destroyed) return;
    whenTaken(res, delivered);
    if (events === undefined) return sendJson(res, 200, text);
    events.send(text.toString());
    events.end();
  }

  async function postArray(exchange: LegacyExchange, session: Session, messages: readonly unknown[]): Promise<void> {
    const { res } = exchange;
    if (!VERSIONS_WITH_ARRAYS.includes(session.version) || messages.length === 0 || messages.length > MAX_POSTED) {
      return refuse(res, 400, RPC_CODES.invalidRequest, `Version ${session.version} takes one message a request.`);
    }
    for (const message of messages) if (isNotification(message)) cancelled(session, message.method, message.params);
    const requests = messages.filter(isRequest);
    if (requests.length === 0) return sendEmpty(res, 202);
    const answers = await Promise.all(requests.map((request) => answered(exchange, session, request)));
    if (res.destroyed) return;
    for (const { delivered } of answers) whenTaken(res, delivered);
    sendJson(res, 200, `[${answers.map(({ text }) => text.toString()).join(",")}]`);
  }

  async function answered(
    { caller }: LegacyExchange,
    session: Session,
    request: RpcRequest,
    notify?: (message: string) => void,
  ): Promise<{ readonly text: Buffer | string; readonly delivered: (() => void) | undefined }> {
    const key = runningKey(session, request.id);
    const controller = new AbortController();
    running.set(key, controller);
    try {
      const result = await answer(callOf(caller(), controller.signal, request, session, notify), request);
      return { text: resultText(result, request.id), delivered: result.delivered };
    } catch (thrown) {
      if (!(thrown instanceof RpcError))
        log.error({ err: thrown, method: request.method }, "a request failed for a reason of our own");
      const { code, message, data } =
        thrown instanceof RpcError ? thrown : new RpcError(RPC_CODES.internal, "Internal error");
      return { text: rpcErrorBody(code, message, request.id, data), delivered: undefined };
    } finally {
      if (running.get(key) === controller) running.delete(key);
    }
  }

  function callOf(
    caller: Caller,
    signal: AbortSignal,
    request: RpcRequest,
    session: Session,
    notify?: (message: string) => void,
  ): LegacyCall {
    if (notify === undefined) return { caller, signal };
    const progressToken = tokenOf(request);
    return {
      caller,
      signal,
      // where the session has a stream of its own, the change reaches it there
      ...(listening.has(session.id) ? {} : { listChanged: () => notify(LIST_CHANGED) }),
      ...(progressToken === undefined
        ? {}
        : {
            progress: increasing((progress, total, message) =>
              notify(
                JSON.stringify({
                  jsonrpc: "2.0",
                  method: "notifications/progress",
                  params: { progressToken, progress, total, message },
                }),
              ),
            ),
          }),
    };
  }

  /** A notification must be sent on some stream: progress on its request's, a changed list where no other is open. */
  function ridesAlong(request: RpcRequest, session: Session): boolean {
    if (request.method !== "tools/call") return false;
    const loads = String(request.params?.name).endsWith("_load_tools");
    return tokenOf(request) !== undefined || (loads && !listening.has(session.id));
  }

  function cancelled(session: Session, method: string, params: Readonly<Record<string, unknown>> | undefined): void {
    const id = params?.requestId;
    if (method !== "notifications/cancelled" || (typeof id !== "string" && typeof id !== "number")) return;
    running.get(runningKey(session, id))?.abort();
  }

  /** The client got more rights: its stream would tell it of the old grant's list; it opens another. */
  function endStreamOfOtherGrant(session: Session, grant: string): void {
    const stream = listening.get(session.id);
    if (stream === undefined || stream.grant === grant) return;
    listening.delete(session.id);
    stream.end();
  }

  function close(res: ServerResponse, session: Session): void {
    listening.get(session.id)?.end();
    ended.add(session.id);
    const [oldest] = ended;
    if (ended.size > MAX_ENDED && oldest !== undefined) ended.delete(oldest);
    sendEmpty(res, 204);
  }

  return {
    async serve(exchange) {
      const { req, res, body, principal } = exchange;
      if (req.method === "POST" && isRequest(body) && body.method === "initialize") return initialize(exchange, body);
      const id = req.headers["mcp-session-id"];
      if (typeof id !== "string") return sessionMissing(res, req.method);
      const session = ended.has(id) ? undefined : sessions.open(id, principal);
      if (session === undefined)
        return refuse(res, 404, RPC_CODES.invalidRequest, "Unknown session: initialize again.");
      endStreamOfOtherGrant(session, principal.grant);
      const version = req.headers["mcp-protocol-version"];
      if (version !== undefined && !LEGACY_VERSIONS.some((known) => known === version)) {
        return refuse(
          res,
          400,
          RPC_CODES.invalidRequest,
          `Unsupported MCP-Protocol-Version; known: ${LEGACY_VERSIONS.join(", ")}.`,
        );
      }
      if (req.method === "POST") return post(exchange, session);
      if (req.method === "GET") return listen(exchange, session);
      return close(res, session);
    },
  };
}

function sessionMissing(res: ServerResponse, method: string | undefined): void {
  const posts = method === "POST";
  const message = posts
    ? "Mcp-Session-Id is missing: send initialize first, or the 2026-07-28 envelope in params._meta."
    : "Without a session this endpoint takes POST.";
  refuse(res, posts ? 400 : 405, RPC_CODES.invalidRequest, message, posts ? {} : { Allow: "POST" });
}

function refuse(
  res: ServerResponse,
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendJson(res, status, rpcErrorBody(code, message), headers);
}

function tokenOf({ params }: RpcRequest): string | number | undefined {
  const token = isRecord(params?._meta) ? params._meta.progressToken : undefined;
  return typeof token === "string" || typeof token === "number" ? token : undefined;
}

function resultText({ json }: LegacyResult, id: RequestId): Buffer {
  return Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","result":'),
    Buffer.from(json),
    Buffer.from(`,"id":${JSON.stringify(id)}}`),
  ]);
}

const runningKey = (session: Session, id: RequestId) => `${JSON.stringify(id)} ${session.id}`;
