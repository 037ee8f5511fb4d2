/** A gateway's end on a loopback port and agents that dial it, all closed with the test. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { exportJWK, generateKeyPair } from "jose";
import { WebSocket } from "ws";
import { BACKOFF, type DialOptions, dial } from "../../src/agent/dial.ts";
import type { AgentIdentity } from "../../src/agent/identity.ts";
import { EdgeError } from "../../src/errors.ts";
import type { AgentConnection, AgentPort, CallResult, OperationUpdate } from "../../src/tunnel/calls.ts";
import { keyThumbprint } from "../../src/tunnel/enrolment.ts";
import { makeNonce } from "../../src/tunnel/nonce.ts";
import { CONNECT_PATH, makeConnectProof, type PrivateKey, SUBPROTOCOLS } from "../../src/tunnel/proof.ts";
import { createTunnelServer, type TunnelServer, type TunnelServerOptions } from "../../src/tunnel/server.ts";
import { realTiming } from "../../src/tunnel/timing.ts";
import type { KnownAgent } from "../../src/tunnel/upgrade.ts";

export const NONCE_SECRET = "a secret of the tests";
export const quiet = { info: () => undefined, warn: () => undefined };

/** An endless queue that a test awaits: nothing is missed, nothing is polled. */
export class Inbox<T> {
  readonly #items: T[] = [];
  readonly #takers: ((item: T) => void)[] = [];

  put(item: T): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#items.push(item);
    else taker(item);
  }

  take(): Promise<T> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  get size(): number {
    return this.#items.length;
  }
}

/** How a promise failed, as plain fields; it must fail. */
export async function failureOf(promise: Promise<unknown>): Promise<Pick<EdgeError, "code" | "executed" | "details">> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof EdgeError) return { code: error.code, executed: error.executed, details: error.details };
    throw error;
  }
  throw new Error("the promise was kept");
}

export async function newKey(): Promise<PrivateKey> {
  const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const { x = "", d = "" } = await exportJWK(privateKey);
  return { kty: "OKP", crv: "Ed25519", x, d };
}

export interface Rig {
  readonly url: string;
  readonly server: TunnelServer;
  readonly identity: AgentIdentity;
  readonly register: Map<string, KnownAgent>;
  readonly connections: Inbox<AgentConnection>;
  readonly operations: Inbox<OperationUpdate>;
  readonly lateResults: Inbox<{ id: string; result: CallResult | EdgeError }>;
  /** Dials with no waits worth mentioning. */
  dial(port: AgentPort, options?: Partial<DialOptions>): ReturnType<typeof dial>;
  /** Upgrades by hand; resolves with the open socket or the refusal. */
  upgrade(options?: UpgradeParts): Promise<WebSocket | Refusal>;
}

export interface UpgradeParts {
  readonly key?: PrivateKey;
  readonly agentId?: string;
  readonly gatewayUrl?: string;
  readonly nonce?: string | undefined;
  readonly proof?: string;
  readonly authorization?: string | undefined;
  readonly subprotocols?: readonly string[];
  readonly path?: string;
}

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: { readonly code: string; readonly error: string };
}

export async function startRig(t: TestContext, options: Partial<TunnelServerOptions> = {}): Promise<Rig> {
  const http = createServer();
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const key = await newKey();
  const register = new Map<string, KnownAgent>();
  await enlist(register, key, "agent-1");
  const connections = new Inbox<AgentConnection>();
  const operations = new Inbox<OperationUpdate>();
  const lateResults = new Inbox<{ id: string; result: CallResult | EdgeError }>();
  const spent = new Set<string>();
  let epoch = 0;
  const server = createTunnelServer({
    findAgent: async (thumbprint) => register.get(thumbprint),
    nonceSecret: NONCE_SECRET,
    spendJti: async (jti) => spent.size < spent.add(jti).size,
    nextEpoch: async (_agent, lastEpoch) => {
      epoch = Math.max(epoch, lastEpoch) + 1;
      return epoch;
    },
    onConnection: (connection) => connections.put(connection),
    onOperation: (_connection, update) => operations.put(update),
    onLateResult: (_connection, id, result) => lateResults.put({ id, result }),
    origin: url,
    timing: realTiming,
    random: () => 0.5,
    log: quiet,
    ...options,
  });
  http.on("upgrade", server.handleUpgrade);
  const closers: (() => void)[] = [];
  t.after(async () => {
    for (const close of closers) close();
    await server.close();
    http.close();
    http.closeAllConnections();
  });
  const identity: AgentIdentity = { agent_id: "agent-1", org: "acme", location: "hq", gateway: url, jwk: key };

  return {
    url,
    server,
    identity,
    register,
    connections,
    operations,
    lateResults,
    dial(port, dialOptions = {}) {
      let lastEpoch = 0;
      const dialer = dial({
        gatewayUrl: url,
        identity,
        port,
        lastEpoch: {
          read: () => lastEpoch,
          write: (value) => {
            lastEpoch = value;
          },
        },
        timing: realTiming,
        random: () => 0.5,
        log: quiet,
        backoff: { ...BACKOFF, firstMs: 0, baseMs: 1, capMs: 1 },
        ...dialOptions,
      });
      closers.push(() => dialer.close());
      return dialer;
    },
    async upgrade(parts = {}) {
      const signer = parts.key ?? key;
      const nonce =
        "nonce" in parts ? parts.nonce : makeNonce(NONCE_SECRET, (options.timing ?? realTiming).wallClock());
      const proof =
        parts.proof ??
        (await makeConnectProof(
          {
            agentId: parts.agentId ?? "agent-1",
            thumbprint: await keyThumbprint(signer),
            gatewayUrl: parts.gatewayUrl ?? url,
            nowMs: Date.now(),
            ...(nonce === undefined ? {} : { nonce }),
          },
          signer,
        ));
      const authorization = "authorization" in parts ? parts.authorization : `DPoP ${proof}`;
      const socket = new WebSocket(
        `${url.replace("http", "ws")}${parts.path ?? CONNECT_PATH}`,
        [...(parts.subprotocols ?? SUBPROTOCOLS)],
        { headers: authorization === undefined ? {} : { authorization } },
      );
      closers.push(() => socket.terminate());
      socket.on("error", () => undefined);
      return new Promise((resolve) => {
        socket.once("open", () => resolve(socket));
        socket.once("unexpected-response", (_request, response) => {
          let text = "";
          response.on("data", (part) => {
            text += String(part);
          });
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) }),
          );
        });
      });
    },
  };
}

export async function enlist(
  register: Map<string, KnownAgent>,
  key: PrivateKey,
  agentId: string,
  state: KnownAgent["state"] = "active",
): Promise<void> {
  const { d: _secret, ...publicJwk } = key;
  register.set(await keyThumbprint(key), { agentId, org: "acme", location: "hq", publicJwk, state });
}

/** An agent driven by hand: greets up to `ready` and collects what the gateway sends. */
export async function rawAgent(rig: Rig, bootId = "boot-raw"): Promise<{ socket: WebSocket; inbox: Inbox<Received> }> {
  const socket = await rig.upgrade();
  if (!(socket instanceof WebSocket)) throw new Error(`refused: ${JSON.stringify(socket)}`);
  const inbox = new Inbox<Received>();
  socket.on("message", (data: Buffer, isBinary) => {
    if (!isBinary) inbox.put(JSON.parse(data.toString()));
  });
  socket.send(JSON.stringify(helloOf(bootId)));
  const welcome = await inbox.take();
  socket.send(JSON.stringify({ t: "ready", epoch: welcome.epoch }));
  return { socket, inbox };
}

export type Received = Readonly<Record<string, unknown>>;

export function helloOf(bootId: string): Record<string, unknown> {
  return {
    t: "hello",
    agent_id: "agent-1",
    journal_id: "journal-1",
    boot_id: bootId,
    last_epoch: 0,
    version: "0.1.0",
    features: [],
    manifest_digest: "0".repeat(64),
    apps: ["network"],
    consoles: [],
    open: [],
  };
}
