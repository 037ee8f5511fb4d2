/** `unifi-edge local` as clients meet it: both SDK clients, over stdio and over HTTP, and the program itself. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { createProgram, type Program } from "./world.ts";

export type Environment = Readonly<Record<string, string>>;
export type Answer = Record<string, unknown>;

/** Where a client finds the server: a program that it starts, or a URL. */
export type Server =
  | { readonly command: string; readonly args: readonly string[]; readonly env: Environment }
  | { readonly url: URL; readonly token?: string };

export interface LocalClient {
  readonly version: string | undefined;
  names(): Promise<readonly string[]>;
  /** The tool's own answer, as the model reads it. */
  call(name: string, args?: Answer): Promise<Answer>;
  read(uri: string): Promise<string>;
  /** Resolves at the next list_changed. */
  changed(): Promise<void>;
  close(): Promise<void>;
}

/** What both SDKs' clients have; their types differ in what is not asked for here. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: Answer }): Promise<object>;
  readResource(params: { uri: string }): Promise<{ contents: object[] }>;
  close(): Promise<void>;
}

export interface ClientKind {
  readonly name: string;
  readonly version: string;
  connect(server: Server): Promise<LocalClient>;
}

export const CLIENTS: readonly ClientKind[] = [
  { name: "SDK 1.32", version: "2025-11-25", connect: connectV1 },
  { name: "SDK 2.4 auto", version: "2026-07-28", connect: connectV2("auto") },
  { name: "SDK 2.4 legacy", version: "2025-11-25", connect: connectV2("legacy") },
];

const PROGRAM = fileURLToPath(new URL("../../bin/unifi-edge.js", import.meta.url));

/** Half of a start is stripping types. */
const COMPILE_CACHE = join(tmpdir(), "unifi-edge-compile-cache");

/** The variables of a server whose console is this simulator; its journal is made in `folder`. */
export function settingsFor(simulator: Simulator, folder: string): Environment {
  return {
    UNIFI_HOST: simulator.host,
    UNIFI_PORT: String(simulator.port),
    UNIFI_USERNAME: simulator.username,
    UNIFI_PASSWORD: simulator.password,
    UNIFI_PIN_SHA256: simulator.fingerprint256,
    UNIFI_ALLOW_WRITES: "true",
    XDG_STATE_HOME: folder,
  };
}

export function stdioServer(env: Environment, program = PROGRAM): Server {
  return { command: process.execPath, args: [program, "local"], env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...env } };
}

export interface HttpServer {
  readonly program: Program;
  readonly origin: string;
  readonly mcpUrl: URL;
}

export async function startHttpServer(t: TestContext, env: Environment, address = "127.0.0.1:0"): Promise<HttpServer> {
  const program = createProgram(t, ["local", "--http", address], "the MCP server is listening", env);
  await program.start();
  const mcpUrl = new URL(/"url":"([^"]+)"/.exec(program.output())?.[1] ?? "");
  return { program, origin: mcpUrl.origin, mcpUrl };
}

/** Runs the program to its end, with nothing to read. */
export async function runToEnd(args: readonly string[], env: Environment, node = process.execPath, program = PROGRAM) {
  const child = spawn(node, [program, ...args], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await ended;
  return { status: child.exitCode, stdout, stderr };
}

function announcements() {
  const port = new PassThrough({ objectMode: true });
  return { announce: () => void port.emit("changed"), changed: async () => void (await once(port, "changed")) };
}

async function connectV1(server: Server): Promise<LocalClient> {
  const client = new ClientV1({ name: "v1", version: "1" });
  const { announce, changed } = announcements();
  client.setNotificationHandler(ToolListChangedNotificationSchema, announce);
  const transport =
    "url" in server
      ? new HttpV1(server.url, tokenOf(server))
      : new StdioV1({ command: server.command, args: [...server.args], env: { ...server.env }, stderr: "pipe" });
  // exactOptionalPropertyTypes: the SDK's own transports lack `| undefined`
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const version = transport instanceof HttpV1 ? transport.protocolVersion : "2025-11-25";
  return localClient(client as unknown as AnyClient, version, changed);
}

function connectV2(mode: "auto" | "legacy"): ClientKind["connect"] {
  return async (server) => {
    const { announce, changed } = announcements();
    const client = new ClientV2(
      { name: `v2-${mode}`, version: "1" },
      {
        versionNegotiation: { mode },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: announce } },
      },
    );
    await client.connect(
      "url" in server
        ? new HttpV2(server.url, tokenOf(server))
        : new StdioV2({ command: server.command, args: [...server.args], env: { ...server.env }, stderr: "pipe" }),
    );
    return localClient(client as unknown as AnyClient, client.getNegotiatedProtocolVersion(), changed);
  };
}

function tokenOf({ token }: { readonly token?: string }) {
  return token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}

function localClient(client: AnyClient, version: string | undefined, changed: () => Promise<void>): LocalClient {
  return {
    version,
    changed,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args = {}) {
      const { content } = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] };
      return JSON.parse(content[0]?.text ?? "") as Answer;
    },
    async read(uri) {
      const [entry] = (await client.readResource({ uri })).contents as { text: string }[];
      return entry?.text ?? "";
    },
    close: () => client.close(),
  };
}
