/** A console whose answers a test writes down: HTTPS on port 0 with a self-signed certificate, every request kept. */
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { TestContext } from "node:test";
import { generate } from "selfsigned";
import { createNetworkConsole, type NetworkConsoleOptions } from "../../src/controller/network/console.ts";

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

export interface Scripted {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** JSON body. */
  readonly json?: unknown;
  readonly text?: string;
  /** Ends the connection instead of answering. */
  readonly reset?: boolean;
}

/** Answers one request; a promise that never resolves is a console that hangs. */
export type Script = (seen: Seen) => Scripted | undefined | Promise<Scripted | undefined>;

export interface ScriptedConsole {
  readonly port: number;
  readonly fingerprint256: string;
  readonly requests: readonly Seen[];
  /** Method and path of every request so far. */
  lines(): string[];
}

let certificate: ReturnType<typeof generate> | undefined;

export async function startScripted(t: TestContext, script: Script): Promise<ScriptedConsole> {
  certificate ??= generate([{ name: "commonName", value: "unifi.local" }], { keyType: "ec" });
  const { private: key, cert } = await certificate;
  const requests: Seen[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    void answer(request, response, requests, script);
  });
  // a client that refuses the certificate ends the handshake
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => close(server));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    fingerprint256: new X509Certificate(cert).fingerprint256,
    requests,
    lines: () => requests.map(({ method, path }) => `${method} ${path}`),
  };
}

async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}

async function answer(request: IncomingMessage, response: ServerResponse, requests: Seen[], script: Script) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  const seen = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
  requests.push(seen);
  const scripted = (await script(seen)) ?? { status: 404, json: { error: { code: 404, message: "Not found" } } };
  if (scripted.reset) return request.socket.destroy();
  const type = scripted.json === undefined ? {} : { "content-type": "application/json; charset=utf-8" };
  response.writeHead(scripted.status ?? 200, { ...type, ...scripted.headers } as Record<string, string | string[]>);
  return response.end(scripted.json === undefined ? (scripted.text ?? "") : JSON.stringify(scripted.json));
}

export const HTML = { headers: { "content-type": "text/html" }, text: "<html>starting</html>" };

/** A v1 success. */
export function ok(...data: readonly unknown[]): Scripted {
  return { json: { meta: { rc: "ok" }, data } };
}

/** A v1 failure. */
export function rcError(status: number, msg: string): Scripted {
  return { status, json: { meta: { rc: "error", msg }, data: [] } };
}

const SITES = ok(
  { _id: "65c0ffee0000000000000001", name: "default", desc: "Default", role: "admin" },
  { _id: "65c0ffee0000000000000002", name: "k2v9x8ab", desc: "Branch office", role: "readonly" },
);

export interface UnifiOs {
  /** Valid session tokens; clear it to end every session. */
  readonly sessions: Set<string>;
  /** The token that a write must carry. */
  csrf: string;
  readonly script: Script;
}

/** UniFi OS as the facts describe it: guarded paths, TOKEN cookie, CSRF on writes. `own` answers first. */
export function unifiOs(own: Script = () => undefined): UnifiOs {
  let count = 0;
  const os: UnifiOs = {
    sessions: new Set(),
    csrf: "csrf-0",
    script: async (seen) => {
      if (seen.path === "/") return HTML;
      if (seen.path === "/api/auth/login") {
        const special = await own(seen);
        if (special !== undefined) return special;
        count += 1;
        os.sessions.add(`token-${count}`);
        os.csrf = `csrf-${count}`;
        return {
          json: { unique_id: "u" },
          headers: {
            "set-cookie": [`TOKEN=token-${count}; path=/; samesite=none; secure; httponly; partitioned`],
            "x-csrf-token": os.csrf,
          },
        };
      }
      const token = /TOKEN=([^;]+)/.exec(seen.headers.cookie ?? "")?.[1] ?? "";
      const keyed = seen.headers["x-api-key"] !== undefined;
      if (!os.sessions.has(token) && !keyed) return { status: 401, json: { code: 401, message: "Unauthorized" } };
      if (seen.method !== "GET" && !keyed && seen.headers["x-csrf-token"] !== os.csrf) {
        return { status: 403, json: { error: { code: 403, message: "Invalid CSRF Token" } } };
      }
      const special = await own(seen);
      if (special !== undefined) return special;
      if (seen.path === "/proxy/network/api/self/sites") return SITES;
      if (seen.path === "/proxy/network/api/s/default/stat/sysinfo") return ok({ version: "10.0.162" });
      return undefined;
    },
  };
  return os;
}

/** Standalone: redirect at the root, `unifises` and `csrf_token` cookies. */
export function standalone(own: Script = () => undefined): Script {
  return async (seen) => {
    if (seen.path === "/") return { status: 302, headers: { location: "/manage" } };
    if (seen.path.startsWith("/proxy/")) return { status: 404, ...HTML };
    if (seen.path === "/api/login") {
      return { ...ok(), headers: { "set-cookie": ["unifises=s1; Path=/; Secure", "csrf_token=c1; Path=/"] } };
    }
    if (!seen.headers.cookie?.includes("unifises=s1")) return rcError(401, "api.err.LoginRequired");
    const special = await own(seen);
    return special ?? (seen.path === "/api/self/sites" ? SITES : undefined);
  };
}

export interface Logged {
  readonly level: string;
  readonly facts: object;
  readonly message: string;
}

/** Options for a scripted console: pinned, with a clock that a test moves and timers that never fire by themselves. */
export function optionsFor(
  console: ScriptedConsole,
  overrides: Partial<NetworkConsoleOptions> = {},
): NetworkConsoleOptions & { readonly clock: { ms: number }; readonly logged: Logged[] } {
  const clock = { ms: 1_000_000 };
  const logged: Logged[] = [];
  const level = (name: string) => (facts: object, message: string) => {
    logged.push({ level: name, facts, message });
  };
  return {
    host: "127.0.0.1",
    port: console.port,
    username: "agent",
    password: "correct horse",
    pinSha256: console.fingerprint256,
    now: () => clock.ms,
    wait: (_ms, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("over")), { once: true });
      }),
    random: () => 0,
    log: { info: level("info"), warn: level("warn"), error: level("error") },
    clock,
    logged,
    ...overrides,
  };
}

/** A console session under test that is closed after it. */
export function openConsole(t: TestContext, options: NetworkConsoleOptions) {
  const network = createNetworkConsole(options);
  t.after(() => network.close());
  return network;
}
