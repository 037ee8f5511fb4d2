/** The HTTPS side: reads a request within bounds, lets the faults strike, writes the answer, opens event sockets. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Request } from "./application.ts";
import type { Door } from "./door.ts";
import { type EventSockets, refuseUpgrade } from "./events.ts";
import type { Reply, Row } from "./exchange.ts";
import { type FaultName, type FaultSwitch, type Faults, strike } from "./faults.ts";
import { v1Error } from "./replies.ts";
import type { Sessions } from "./sessions.ts";
import { isRow, type World } from "./world.ts";

const MAX_BODY_BYTES = 1024 * 1024;
const DEFAULT_DELAY_MS = 1000;

export interface ServerOptions {
  readonly world: World;
  readonly door: Door;
  readonly faults: Faults;
  readonly sessions: Sessions;
  readonly sockets: EventSockets;
  readonly application: (request: Request) => Reply;
  /** Waits; ends early, rejecting, when the simulator closes. */
  readonly wait: (delayMs: number) => Promise<void>;
  /** Told once per request; status 0 where the connection was cut. */
  readonly onAnswered: (request: Request, target: string, status: number) => void;
}

export interface Listeners {
  request(message: IncomingMessage, response: ServerResponse): void;
  upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export function createListeners(options: ServerOptions): Listeners {
  const { faults, door, sessions, sockets, world } = options;

  return {
    request(message, response) {
      handle(message, response).catch(() => message.socket.destroy());
    },

    upgrade(message, socket, head) {
      socket.on("error", () => socket.destroy());
      const url = new URL(message.url ?? "/", "https://console");
      const siteName = /^\/wss\/s\/([^/]+)\/events\/?$/.exec(url.pathname.slice(door.prefix.length))?.[1];
      const refused = strike(faults, "eventsRefused", { method: "GET", path: url.pathname });
      const session = door.sessionOf(cookiesOf(message));
      if (refused !== undefined) refuseUpgrade(socket, refused.status ?? 502);
      else if (siteName === undefined || !url.pathname.startsWith(door.prefix)) refuseUpgrade(socket, 404);
      else if (session === undefined || !world.sites.has(siteName)) refuseUpgrade(socket, 401);
      else {
        const target = { method: "GET", path: url.pathname };
        sockets.accept(message, socket, head, siteName, session);
        if (strike(faults, "eventsEmptyFrame", target) !== undefined) sockets.sendRaw("");
        if (strike(faults, "eventsDropped", target) !== undefined) socket.end();
      }
    },
  };

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(message.url ?? "/", "https://console");
    const text = await readBody(message);
    if (text === undefined) {
      response.writeHead(413, { connection: "close" }).end();
      return;
    }
    const request = requestOf(message, url, text);
    const target = url.pathname + url.search;

    const reply = await answer(request);
    options.onAnswered(request, target, reply?.status ?? 0);
    if (reply === undefined) message.socket.destroy();
    else
      send(
        response,
        reply,
        door.headersFor(door.sessionOf(request.cookies)),
        strike(faults, "wrongContentType", request),
      );
  }

  /** Undefined where the connection is to be cut. */
  async function answer(request: Request): Promise<Reply | undefined> {
    const early = await disturb(request, false);
    if (early !== "none") return early;
    if (strike(faults, "sessionExpired", request) !== undefined) sessions.closeAll();
    const reply = options.application(request);
    const late = await disturb(request, true);
    return late === "none" ? reply : late;
  }

  /** Faults that replace the answer, before or after the request is carried out. */
  async function disturb(request: Request, after: boolean): Promise<Reply | undefined | "none"> {
    const slow = strike(faults, "slow", request, after);
    if (slow !== undefined) await options.wait(slow.delayMs ?? DEFAULT_DELAY_MS);
    if (strike(faults, "connectionReset", request, after) !== undefined) return undefined;
    for (const [name, make] of REPLACEMENTS) {
      const fault = strike(faults, name, request, after);
      if (fault !== undefined) return make(fault);
    }
    return "none";
  }
}

const REPLACEMENTS: readonly (readonly [FaultName, (fault: FaultSwitch) => Reply])[] = [
  [
    "serverErrorJson",
    ({ status = 500, code = "Internal" }) => ({
      status,
      body: {
        meta: { rc: "error", msg: `api.err.${code}` },
        errorCode: status,
        message: "Internal Server Error",
        data: [],
      },
    }),
  ],
  [
    "serverErrorHtml",
    ({ status = 502 }) => ({ status, html: `<html><body><h1>${status} Bad Gateway</h1></body></html>` }),
  ],
  ["metaError", ({ code = "Invalid" }) => ({ ...v1Error(code), status: 200 })],
];

async function readBody(message: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    const bytes = chunk as Buffer; // no encoding is set, so chunks are buffers
    size += bytes.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function requestOf(message: IncomingMessage, url: URL, text: string): Request {
  const parsed = parseBody(text);
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  return {
    method: message.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers,
    cookies: cookiesOf(message),
    body: parsed ?? {},
    malformed: parsed === undefined,
  };
}

/** No body is an empty one, whatever its content type; undefined when it is no JSON object. */
function parseBody(text: string): Row | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRow(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function cookiesOf(message: IncomingMessage): ReadonlyMap<string, string> {
  const pairs = (message.headers.cookie ?? "").split(";").map((pair) => pair.trim().split(/=(.*)/s));
  return new Map(pairs.flatMap(([name = "", value]) => (value === undefined ? [] : [[name, value] as const])));
}

function send(
  response: ServerResponse,
  reply: Reply,
  sessionHeaders: Readonly<Record<string, string>>,
  wrongType: FaultSwitch | undefined,
): void {
  const text = reply.html ?? (reply.body === undefined ? "" : JSON.stringify(reply.body));
  const type = reply.html === undefined ? "application/json; charset=utf-8" : "text/html; charset=utf-8";
  response.writeHead(reply.status, {
    ...(text === "" ? {} : { "content-type": wrongType === undefined ? type : "text/html; charset=utf-8" }),
    "content-length": Buffer.byteLength(text),
    ...sessionHeaders,
    ...reply.headers,
    ...(reply.cookies === undefined ? {} : { "set-cookie": [...reply.cookies] }),
  });
  response.end(text);
}
