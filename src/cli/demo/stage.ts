/** Everything that the demo shows, started on this machine alone: a gateway, two consoles, two agents. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { runAgent } from "../../agent/main.ts";
import { readAgentConfig } from "../../config/agent.ts";
import { readGatewayConfig } from "../../config/gateway.ts";
import { startGateway } from "../../gateway/main.ts";
import { type Simulator, startSimulator } from "../../simulator/simulator.ts";
import { openAdmin } from "../admin-client.ts";
import { createPerson } from "./person.ts";

export const PEOPLE = { name: "ada", password: "four plain words here" } as const;

export interface Stage {
  readonly mcpUrl: URL;
  readonly adminSocket: string;
  readonly consoles: readonly Simulator[];
  close(): Promise<void>;
}

/** `port` 0 = any; a port that is taken is replaced by any. `say` tells each step. */
export async function setStage(port: number, say: (line: string) => void): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "unifi-edge-demo-"));
  const stopping = new AbortController();
  const log = pino({ level: "error" }, pino.destination(2));

  const consoles = await Promise.all([
    startSimulator({ persona: "unifi-os", sites: [{ name: "default", data: "home" }], name: "House" }),
    startSimulator({ persona: "standalone", sites: [{ name: "default", data: "office" }], name: "Office" }),
  ]);
  say(`Two simulated consoles: ${consoles.map((console) => console.url).join(" (UniFi OS), ")} (standalone)`);

  const listen = `127.0.0.1:${await freePort(port)}`;
  const config = readGatewayConfig({
    UNIFI_EDGE_PUBLIC_URL: `http://${listen}`,
    UNIFI_EDGE_LISTEN: listen,
    UNIFI_EDGE_STATE_DIR: join(folder, "gateway"),
  });
  const gateway = await startGateway({ config, log });
  say(`A gateway with an embedded store: http://${listen}`);

  const first = await createPerson().setUp(gateway.setupLink ?? "", {
    ...PEOPLE,
    organisation: "Home",
    location: "House",
  });
  const admin = openAdmin(config.adminSocket);
  const second = await admin.addLocation("home", "Office");
  const tokens = [tokenIn(first), second.token];
  say("The set-up page made an account and the location House; `unifi-edge location add` made Office");

  const agents = consoles.map((console, index) => {
    const agentConfig = readAgentConfig({
      UNIFI_EDGE_GATEWAY: config.publicUrl,
      UNIFI_EDGE_TOKEN: tokens[index],
      UNIFI_EDGE_STATE_DIR: join(folder, `agent-${index}`),
      UNIFI_HOST: console.host,
      UNIFI_PORT: String(console.port),
      UNIFI_USERNAME: console.username,
      UNIFI_PASSWORD: console.password,
      UNIFI_PIN_SHA256: console.fingerprint256,
      UNIFI_ALLOW_WRITES: "true",
    });
    return runAgent(agentConfig, { log, signal: stopping.signal });
  });
  // An agent that cannot start must end the demo, not hang it
  const failed = Promise.race(agents.map((agent) => agent.then(() => new Promise<never>(() => undefined))));
  await Promise.race([failed, admin.untilOnline("home", consoles.length)]);
  say("Two agents enrolled, each with a key of its own, and dialled out to the gateway");

  return {
    mcpUrl: new URL("/mcp", config.publicUrl),
    adminSocket: config.adminSocket,
    consoles,
    async close() {
      stopping.abort();
      await Promise.allSettled(agents);
      await admin.close();
      await gateway.close();
      await Promise.all(consoles.map((console) => console.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function tokenIn(command: string): string {
  return /UNIFI_EDGE_TOKEN=(\S+)/.exec(command)?.[1] ?? "";
}

/** The wished port where it is free, else any. */
async function freePort(wished: number): Promise<number> {
  const probe = (port: number) =>
    new Promise<number>((resolve, reject) => {
      const server = createServer();
      server.once("error", reject);
      server.listen(port, "127.0.0.1", () => {
        const bound = server.address();
        server.close(() => resolve(typeof bound === "object" && bound ? bound.port : port));
      });
    });
  return probe(wished).catch(() => probe(0));
}
