/** Fidelity: the third-party client node-unifi works against the simulator unchanged, in both personas. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { type TestContext, test } from "node:test";
import { PERSONAS, type Persona } from "../../src/simulator/world.ts";
import { type Json, simulator } from "./client.ts";

/** The part of node-unifi 2.5.1 that is used here; the package ships no types. */
interface NodeUnifi {
  login(): Promise<boolean>;
  logout(): Promise<unknown>;
  listen(): Promise<boolean>;
  on(event: string, listener: (payload: Json) => void): void;
  once(event: string, listener: (payload: Json) => void): void;
  removeAllListeners(): void;
  getClientDevices(): Promise<Json[]>;
  getClientDevice(mac: string): Promise<Json[]>;
  getAllUsers(): Promise<Json[]>;
  getKnownClients?(): Promise<Json[]>;
  customApiRequest(path: string, method?: string | null, payload?: unknown): Promise<Json>;
  [method: string]: unknown;
}
type Call = (...values: unknown[]) => Promise<Json>;

const { Controller } = createRequire(import.meta.url)("node-unifi") as {
  Controller: new (options: Readonly<Record<string, unknown>>) => NodeUnifi;
};

async function connect(t: TestContext, persona: Persona) {
  const console_ = await simulator(t, { persona });
  const { host, port, username, password } = console_;
  const client = new Controller({ host, port, username, password, sslverify: false });
  t.after(() => client.removeAllListeners());
  const call = (name: string, ...values: unknown[]): Promise<Json> => {
    const method = client[name];
    assert.equal(typeof method, "function", `node-unifi has no ${name}`);
    return (method as Call).apply(client, values);
  };
  await client.login();
  return { console_, client, call };
}

/** Reading calls of node-unifi and the number of rows that the seed "home" gives. */
const READS: readonly (readonly [method: string, rows: number])[] = [
  ["getClientDevices", 8],
  ["getAllUsers", 10],
  ["getUsers", 10],
  ["getAccessDevices", 4],
  ["getAccessDevicesBasic", 4],
  ["getSites", 1],
  ["getSitesStats", 1],
  ["getSiteSysinfo", 1],
  ["getHealth", 5],
  ["getNetworkConf", 4],
  ["getWLanSettings", 3],
  ["getUserGroups", 2],
  ["getAPGroups", 1],
  ["getPortForwarding", 2],
  ["getPortForwardingStats", 2],
  ["getFirewallGroups", 1],
  ["getFirewallRules", 1],
  ["getRouting", 1],
  ["getDynamicDNS", 1],
  ["getPortConfig", 1],
  ["getVouchers", 1],
  ["getRogueAccessPoints", 1],
  ["getAlarms", 1],
  ["getSelf", 1],
];

for (const persona of PERSONAS) {
  test(`node-unifi reads every list of the ${persona} persona`, async (t) => {
    const { call } = await connect(t, persona);

    const counts: [string, number][] = [];
    for (const [method] of READS) counts.push([method, (await call(method)).length]);

    assert.deepEqual(counts, READS);
  });
}
