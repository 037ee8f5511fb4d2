/**
 * The product as it is deployed, for end-to-end tests: gateway and agents are processes of their own that a test may
 * kill, the consoles are simulators in the test's process, so that their effects and faults are at hand.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { IssuedTokenAnswer } from "../../src/admin/answers.ts";
import { type OpenAdmin, openAdmin, pathOf } from "../../src/cli/admin-client.ts";
import { createPerson, type Person } from "../../src/cli/demo/person.ts";
import type { Scope } from "../../src/principal.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator/simulator.ts";
import { type RedisServer, startRedis } from "./redis-server.ts";

/** Whoever ends what was started: a test, or a program of its own. */
export interface Owner {
  after(end: () => unknown): void;
}

const PROGRAM = new URL("../../bin/unifi-edge.js", import.meta.url);

export const PERSON = { name: "ada", password: "four plain words here" } as const;
export const ORG = "home";

export interface WorldOptions {
  readonly store?: "embedded" | "redis";
  /** Ids are the names in lower case; the first one is made on the set-up page. */
  readonly places?: readonly {
    readonly name: string;
    readonly console?: Partial<SimulatorOptions>;
    readonly agent?: Environment;
    /** Runs in place of `unifi-edge agent`, with the same environment. */
    readonly program?: URL;
  }[];
  readonly gateway?: Environment;
}

type Environment = Readonly<Record<string, string>>;

/** A process of ours that can be killed and started again as it was. */
export interface Program {
  readonly pid: number;
  /** Everything it has printed, both streams. */
  output(): string;
  /** Resolves when it is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again; resolves once it printed `ready`. */
  start(): Promise<void>;
}

export interface World {
  readonly mcpUrl: URL;
  readonly publicUrl: string;
  readonly gateway: Program;
  /** Keeps its data on disk, so that a restart finds them; undefined with the embedded store. */
  readonly redis: RedisServer | undefined;
  /** By location id. */
  readonly agents: ReadonlyMap<string, Program>;
  readonly consoles: ReadonlyMap<string, Simulator>;
  readonly stateDirs: ReadonlyMap<string, string>;
  readonly admin: OpenAdmin;
  readonly adminSocket: string;
  readonly person: Person;
  /** A personal access token of the person. */
  token(scopes?: readonly Scope[], locations?: "all" | readonly string[], ttlSeconds?: number): Promise<string>;
}

const ALL_SCOPES: readonly Scope[] = ["unifi:read", "unifi:write", "unifi:admin"];

/** Starts everything and waits until every place is online; `t.after` ends it all. */
export async function startWorld(test: Owner, options: WorldOptions = {}): Promise<World> {
  // hooks of a test run in the order they were set: the folder must go after the programs that write to it
  const ending = new AsyncDisposableStack();
  test.after(() => ending.disposeAsync());
  const t: Owner = {
    after: (end) =>
      ending.defer(async () => {
        await end();
      }),
  };
  const folder = await mkdtemp(join(tmpdir(), "unifi-edge-e2e-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const redis = options.store === "redis" ? await startRedis(["--appendonly", "yes"]) : undefined;
  if (redis) t.after(() => redis.stop());
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const gatewayDir = join(folder, "gateway");

  const gateway = createProgram(t, ["gateway"], "the gateway is listening", {
    UNIFI_EDGE_PUBLIC_URL: publicUrl,
    UNIFI_EDGE_LISTEN: `127.0.0.1:${port}`,
    UNIFI_EDGE_STATE_DIR: gatewayDir,
    ...(redis ? { UNIFI_EDGE_REDIS_URL: redis.url } : {}),
    ...options.gateway,
  });
  await gateway.start();

  const places = options.places ?? [{ name: "House" }];
  const person = createPerson();
  const link = /http\S+\/setup\?token=\S+/.exec(gateway.output())?.[0] ?? "";
  const command = await person.setUp(link, { ...PERSON, organisation: "Home", location: places[0]?.name ?? "House" });
  const adminSocket = join(gatewayDir, "admin.sock");
  const admin = openAdmin(adminSocket);
  t.after(() => admin.close());

  const agents = new Map<string, Program>();
  const consoles = new Map<string, Simulator>();
  const stateDirs = new Map<string, string>();
  for (const [index, place] of places.entries()) {
    const id = place.name.toLowerCase();
    const token =
      index === 0
        ? (/UNIFI_EDGE_TOKEN=(\S+)/.exec(command)?.[1] ?? "")
        : (await admin.addLocation(ORG, place.name)).token;
    const simulator = await startSimulator({ persona: "unifi-os", name: place.name, ...place.console });
    t.after(() => simulator.close());
    const stateDir = join(folder, id);
    const agent = createProgram(
      t,
      ["agent"],
      "the agent is running",
      {
        UNIFI_EDGE_GATEWAY: publicUrl,
        UNIFI_EDGE_TOKEN: token,
        UNIFI_EDGE_STATE_DIR: stateDir,
        UNIFI_HOST: simulator.host,
        UNIFI_PORT: String(simulator.port),
        UNIFI_USERNAME: simulator.username,
        UNIFI_PASSWORD: simulator.password,
        UNIFI_PIN_SHA256: simulator.fingerprint256,
        UNIFI_ALLOW_WRITES: "true",
        ...place.agent,
      },
      place.program,
    );
    consoles.set(id, simulator);
    stateDirs.set(id, stateDir);
    agents.set(id, agent);
    await agent.start();
  }
  await admin.untilOnline(ORG, places.length);

  return {
    mcpUrl: new URL("/mcp", publicUrl),
    publicUrl,
    gateway,
    redis,
    agents,
    consoles,
    stateDirs,
    admin,
    adminSocket,
    person,
    async token(scopes = ALL_SCOPES, locations = "all", ttlSeconds = 3600) {
      const body = { owner: PERSON.name, label: "end-to-end", scopes, locations, ttl_seconds: ttlSeconds };
      const { token } = await admin.ask("POST", pathOf("organisations", ORG, "access-tokens"), IssuedTokenAnswer, body);
      return token;
    },
  };
}

export function createProgram(
  t: Owner,
  args: readonly string[],
  ready: string,
  environment: Environment,
  program = PROGRAM,
): Program {
  let child: ChildProcess | undefined;
  let output = "";
  // The test's own settings must not leak into the product's
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("UNIFI_")));
  // Half of a start is stripping types; the cache spares every start but the first
  clean.NODE_COMPILE_CACHE ??= join(tmpdir(), "unifi-edge-compile-cache");

  async function kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }
  t.after(() => kill());

  return {
    get pid() {
      return child?.pid ?? 0;
    },
    output: () => output,
    kill,
    async start() {
      const started = spawn(process.execPath, [program.pathname, ...args], {
        env: { ...clean, ...environment },
        stdio: ["ignore", "pipe", "pipe"],
      });
      child = started;
      await new Promise<void>((resolve, reject) => {
        for (const stream of [started.stdout, started.stderr]) {
          createInterface({ input: stream }).on("line", (line) => {
            output += `${line}\n`;
            if (line.includes(ready)) resolve();
          });
        }
        started.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}:\n${output}`)));
      });
    },
  };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const bound = server.address();
      server.close(() => resolve(typeof bound === "object" && bound ? bound.port : 0));
    });
  });
}

/** JSON-RPC over the 2026-07-28 era's one POST, for tests that want the bytes rather than a client. */
export async function postMcp(
  url: URL,
  token: string | undefined,
  method: string,
  params: Record<string, unknown> = {},
  signal?: AbortSignal,
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string; readonly json: Answer }> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "e2e", version: "1" },
  };
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof params.name === "string" ? { "mcp-name": params.name } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
    ...(signal === undefined ? {} : { signal }),
  });
  const body = await response.text();
  return { status: response.status, headers: response.headers, text: body, json: JSON.parse(body) as Answer };
}

/** Loose on purpose: tests assert what they read. */
// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the test is about
export type Answer = any;

/** Runs a meta-tool and returns its JSON, failures included. */
export async function callTool(
  url: URL,
  token: string,
  name: string,
  args: Record<string, unknown>,
  signal?: AbortSignal,
): Promise<Answer> {
  const { json } = await postMcp(url, token, "tools/call", { name, arguments: args }, signal);
  if (json.error) return json;
  return JSON.parse(json.result.content[0].text);
}
