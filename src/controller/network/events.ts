/** The Network application's event socket: `wss …/wss/s/{site}/events`, over the session that calls share. */
import type { TLSSocket } from "node:tls";
import WebSocket from "ws";
import { EdgeError } from "../../errors.ts";
import type { Row } from "../controller.ts";
import { EventFeed, type FeedConnection, type FeedHandlers } from "../event-feed.ts";
import { connectorFor } from "../tls.ts";
import { cookieHeader } from "./cookies.ts";
import type { ConsoleSettings, ControllerType } from "./options.ts";
import type { Sessions } from "./session.ts";

/** Rows that say what happened; `sta:sync` and its like only repeat what lists show. */
const EVENT_MESSAGES: ReadonlySet<unknown> = new Set(["events", "alert", "notification-toast"]);
const MAX_FRAME_BYTES = 4 * 1024 * 1024;
/** Refusals of an upgrade that a new sign-in may cure. */
const SESSION_LOST = new Set([401, 403]);

/** An account without rights is refused whatever its session: signing in for it at every attempt would lock it out. */
const RENEW_AGAIN_AFTER_MS = 900_000;

/** When the next sign-in for this feed's sake may be tried. */
interface Renewals {
  notBeforeMs: number;
}

interface Parts {
  readonly settings: ConsoleSettings;
  readonly sessions: Sessions;
  type(): Promise<ControllerType>;
}

/** A feed of one site; nothing is opened before it is asked. */
export function networkFeed(parts: Parts, site: string): EventFeed<Row> {
  const { now, wait, random, log } = parts.settings;
  const renewals: Renewals = { notBeforeMs: 0 };
  return new EventFeed<Row>({
    open: (handlers, signal) => openSocket(parts, site, renewals, handlers, signal),
    decode: eventRows,
    now: () => now(),
    wait: (ms, signal) => wait(ms, signal),
    random: () => random(),
    log,
  });
}

/** `{meta: {message}, data}`; empty frames occur (home-assistant/core#110146), and pongs are text. */
export function eventRows(text: string): readonly Row[] {
  if (!text.startsWith("{")) return [];
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return []; // a frame that is no JSON says nothing
  }
  const { meta, data } = message as { readonly meta?: { readonly message?: unknown }; readonly data?: unknown };
  if (!EVENT_MESSAGES.has(meta?.message) || !Array.isArray(data)) return [];
  return data.filter((row): row is Row => typeof row === "object" && row !== null && !Array.isArray(row));
}

async function openSocket(
  parts: Parts,
  site: string,
  renewals: Renewals,
  handlers: FeedHandlers,
  signal: AbortSignal,
): Promise<FeedConnection> {
  const { settings, sessions } = parts;
  const prefix = (await parts.type()) === "proxy" ? "/proxy/network" : "";
  const path = `${prefix}/wss/s/${encodeURIComponent(site)}/events`;
  if (settings.username === undefined && settings.apiKey !== undefined) {
    return upgrade(settings, path, { "x-api-key": settings.apiKey }, handlers, signal);
  }
  const session = await sessions.current(signal);
  try {
    return await upgrade(settings, path, { cookie: cookieHeader(session.cookies) }, handlers, signal);
  } catch (error) {
    if (!(error instanceof UpgradeRefused) || !SESSION_LOST.has(error.status)) throw error;
    if (settings.now() < renewals.notBeforeMs) throw error;
  }
  renewals.notBeforeMs = settings.now() + RENEW_AGAIN_AFTER_MS; // taken back when it helped
  const renewed = await sessions.renew(session.generation, signal);
  const connection = await upgrade(settings, path, { cookie: cookieHeader(renewed.cookies) }, handlers, signal);
  sessions.renewalHelped();
  renewals.notBeforeMs = 0;
  return connection;
}

class UpgradeRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the console refused the event socket with HTTP ${status}`);
    this.status = status;
  }
}

/** The TLS socket is opened as for every call, its certificate judged before a byte of the request is written. */
async function upgrade(
  settings: ConsoleSettings,
  path: string,
  headers: Readonly<Record<string, string>>,
  handlers: FeedHandlers,
  signal: AbortSignal,
): Promise<FeedConnection> {
  const tls = await trustedSocket(settings);
  if (signal.aborted) {
    tls.destroy();
    throw signal.reason;
  }
  const host = settings.host.includes(":") ? `[${settings.host}]` : settings.host;
  const socket = new WebSocket(`wss://${host}:${settings.port}${path}`, {
    createConnection: () => tls,
    headers,
    followRedirects: false,
    handshakeTimeout: settings.timeoutMs,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
  });
  const abort = () => socket.terminate();
  signal.addEventListener("abort", abort, { once: true });
  const opened = Promise.withResolvers<void>();
  socket.once("open", () => opened.resolve());
  socket.once("unexpected-response", (request, response) => {
    request.destroy();
    opened.reject(new UpgradeRefused(response.statusCode ?? 0));
  });
  // the first fault settles the opening; once open, the close that follows it is what counts
  socket.on("error", (error) => opened.reject(error));
  socket.on("message", (data) => handlers.message(String(data)));
  socket.on("pong", () => handlers.alive());
  socket.on("close", (code) => {
    signal.removeEventListener("abort", abort);
    opened.reject(new Error("the event socket was closed while it was opened"));
    handlers.closed(`the console closed the event socket (${code})`);
  });
  await opened.promise;
  return {
    ping: () => {
      if (socket.readyState === WebSocket.OPEN) socket.ping();
    },
    end: () => socket.terminate(),
  };
}

function trustedSocket(settings: ConsoleSettings): Promise<TLSSocket> {
  const connect = connectorFor(settings, settings.timeoutMs);
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  connect(
    { hostname: settings.host, host: settings.host, protocol: "https:", port: String(settings.port) },
    (error, socket) => {
      if (error === null)
        resolve(socket as TLSSocket); // https gives a TLS socket
      else reject(error instanceof EdgeError ? error : new Error("the console could not be reached", { cause: error }));
    },
  );
  return promise;
}
