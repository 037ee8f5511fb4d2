/** Starts a console that answers like a real one: HTTPS with a self-signed certificate, UniFi OS or standalone. */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { createApplication, type Request } from "./application.ts";
import { makeCertificate } from "./certificate.ts";
import type { DoorOptions } from "./door.ts";
import { unifiOsDoor } from "./door-os.ts";
import { standaloneDoor } from "./door-standalone.ts";
import { createEventSockets, type EventSockets } from "./events.ts";
import type { Row } from "./exchange.ts";
import type { Faults } from "./faults.ts";
import type { Scale } from "./scale.ts";
import { type SiteData, seedSite } from "./seed.ts";
import { createListeners } from "./server.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import { idOf, type Persona, uuidOf, type World } from "./world.ts";

export interface SiteOption {
  /** Short name in paths; the first should be `default`, as on a real console. */
  readonly name: string;
  readonly desc?: string;
  readonly data?: SiteData;
}

export interface SimulatorOptions {
  readonly persona: Persona;
  /** Address to listen on; loopback by default. */
  readonly host?: string;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly username?: string;
  readonly password?: string;
  /** Accepted in X-API-KEY by UniFi OS; without it no key is. */
  readonly apiKey?: string;
  readonly apiKeyScope?: DoorOptions["apiKeyScope"];
  readonly era?: DoorOptions["era"];
  readonly networkVersion?: string;
  readonly sites?: readonly SiteOption[];
  /** Paths below the prefix that answer 404, as on a version without them. */
  readonly lacks?: readonly RegExp[];
  /** Which firewall is in force; the other one's lists are empty. Both are filled without it. */
  readonly firewall?: "rules" | "zones";
  /** Name of the console, seen in stat/sysinfo; ids are made from it. */
  readonly name?: string;
  /** Grows the first site to at least so many clients and devices. */
  readonly scale?: Scale;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** For the fault `slow`; a timer by default. */
  readonly wait?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

export interface LoggedRequest {
  readonly method: string;
  /** As sent, with its query. */
  readonly path: string;
  /** 0 where the connection was cut without an answer. */
  readonly status: number;
  /** Passwords are masked. */
  readonly body?: Row;
}

export interface Simulator {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** SHA-256 of the DER certificate, 64 lower-case hex digits. */
  readonly fingerprint256: string;
  readonly certificatePem: string;
  readonly username: string;
  readonly password: string;
  /** The console's data, to look at and to set up. */
  readonly state: World;
  /** Mutable switches. */
  readonly faults: Faults;
  /** The last requests, oldest first. */
  readonly requests: readonly LoggedRequest[];
  /** How often a write was applied: `PUT rest/user/<id>`, `POST cmd/stamgr block-sta 02:…`. */
  readonly effects: ReadonlyMap<string, number>;
  readonly sessions: Sessions;
  readonly sockets: EventSockets;
  close(): Promise<void>;
}

const MAX_LOGGED_REQUESTS = 1000;
const KEEP_ALIVE_MS = 75_000;
const DEFAULT_VERSION: Readonly<Record<Persona, string>> = { "unifi-os": "10.4.57", standalone: "10.0.162" };

/** The lists of the firewall that is not in force (unifi-api.md 3.1). */
const EMPTY_TABLES = {
  both: [],
  rules: ["firewall-policies", "firewall-zones"],
  zones: ["firewallrule"],
} as const;

export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { persona, host = "127.0.0.1", username = "admin", password = "simulated", now = Date.now } = options;
  const certificate = await makeCertificate(host, new Date(now()));
  const world = createWorld(options, now);
  const faults: Faults = {};
  const sessions = createSessions(now);
  const sockets = createEventSockets();
  sessions.onEnd = (session) => sockets.endSession(session);
  const makeDoor = persona === "unifi-os" ? unifiOsDoor : standaloneDoor;
  const { apiKey, apiKeyScope = "all", era = "current" } = options;
  const door = makeDoor({ sessions, faults, username, password, apiKey, apiKeyScope, era });

  const effects = new Map<string, number>();
  const requests: LoggedRequest[] = [];
  const closing = new AbortController();
  const wait = options.wait ?? ((delayMs: number, signal: AbortSignal) => sleep(delayMs, undefined, { signal }));
  const listeners = createListeners({
    world,
    door,
    faults,
    sessions,
    sockets,
    application: createApplication({
      world,
      door,
      faults,
      onEffect: (key) => effects.set(key, (effects.get(key) ?? 0) + 1),
      publish: (siteName, key, rows) => sockets.publish(siteName, key, rows),
    }),
    wait: (delayMs) => wait(delayMs, closing.signal),
    onAnswered: (request, target, status) => {
      requests.push(logOf(request, target, status));
      if (requests.length > MAX_LOGGED_REQUESTS) requests.shift();
    },
  });

  const server = createServer({ key: certificate.keyPem, cert: certificate.certificatePem }, listeners.request);
  // as the proxy in front of a console does; Node's own 5 s would cut the pools of clients
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on("upgrade", listeners.upgrade);
  const open = new Set<Duplex>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, host, () => resolve());
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one

  return {
    url: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    host,
    port,
    fingerprint256: certificate.fingerprint256,
    certificatePem: certificate.certificatePem,
    username,
    password,
    state: world,
    faults,
    requests,
    effects,
    sessions,
    sockets,
    close: () => {
      closing.abort();
      sockets.dropAll();
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function createWorld(options: SimulatorOptions, now: () => number): World {
  const { persona, name = "UniFi Console", sites = [{ name: "default" }] } = options;
  let made = 0;
  const world: World = {
    name,
    persona,
    networkVersion: options.networkVersion ?? DEFAULT_VERSION[persona],
    uuid: uuidOf(name, "console"),
    lacks: options.lacks ?? [],
    sites: new Map(),
    startedAtMs: now() - 3_600_000,
    now,
    newId: () => {
      made += 1;
      return idOf(name, "made", made);
    },
  };
  for (const [index, site] of sites.entries()) {
    const { data = "home", desc } = site;
    const scale = index === 0 ? (options.scale ?? {}) : {};
    const described = desc === undefined ? {} : { desc };
    const seeded = seedSite({ consoleName: name, name: site.name, data, scale, nowMs: now(), ...described });
    for (const table of EMPTY_TABLES[options.firewall ?? "both"]) seeded.tables[table] = [];
    world.sites.set(site.name, seeded);
  }
  return world;
}

function logOf(request: Request, path: string, status: number): LoggedRequest {
  const { method, body } = request;
  if (Object.keys(body).length === 0) return { method, path, status };
  return { method, path, status, body: "password" in body ? { ...body, password: "***" } : body };
}
