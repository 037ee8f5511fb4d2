/** The agent's real parts against a simulated console: settings, TLS pin, sign-in, journal and audit on disk. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { v7 } from "uuid";
import { type MadeAgent, makeAgent } from "../../src/agent/main.ts";
import { readAgentConfig } from "../../src/config/agent.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { type Answer, answerOf, OWNER, temporaryFolder } from "./agent-under-test.ts";

const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

interface Place extends MadeAgent {
  readonly simulator: Simulator;
  readonly folder: string;
  ask(tool: string, args?: Readonly<Record<string, unknown>>, kind?: "read" | "write"): Promise<Answer>;
}

async function madeAgent(t: TestContext, more: Readonly<Record<string, string>> = {}): Promise<Place> {
  const simulator = await startSimulator({ persona: "unifi-os" });
  t.after(() => simulator.close());
  const folder = temporaryFolder(t);
  const config = readAgentConfig({
    UNIFI_HOST: simulator.host,
    UNIFI_PORT: String(simulator.port),
    UNIFI_USERNAME: simulator.username,
    UNIFI_PASSWORD: simulator.password,
    UNIFI_PIN_SHA256: simulator.fingerprint256,
    UNIFI_EDGE_STATE_DIR: folder,
    UNIFI_ALLOW_WRITES: "true",
    ...more,
  });
  const made = makeAgent(config, LOG);
  t.after(() => made.close());
  return {
    ...made,
    simulator,
    folder,
    ask: async (tool, args = {}, kind = "read") =>
      answerOf(await made.agent.call({ id: v7(), tool, args, kind, ttlMs: 20_000, owner: OWNER }, {})),
  };
}

test("a list is read, a record made, shown for deletion, and deleted with its token", async (t) => {
  const { ask, simulator } = await madeAgent(t);
  const record_data = { key: "nas.example.com", value: "192.0.2.9", record_type: "A" };

  const clients = await ask("unifi_list_clients");
  const made = await ask("unifi_create_dns_record", { record_data, confirm: true }, "write");
  const records = (await ask("unifi_list_dns_records")).records as Answer[];
  const record_id = String(records.find(({ key }) => key === record_data.key)?.id);
  const preview = await ask("unifi_delete_dns_record", { record_id }, "write");
  const gone = await ask("unifi_delete_dns_record", { record_id, confirm_token: preview.confirm_token }, "write");

  assert.equal(clients.success, true);
  assert.equal(clients.site, "default");
  assert.deepEqual([made.success, made.dropped], [true, []]);
  assert.equal(preview.requires_confirmation, true);
  assert.equal(gone.success, true);
  assert.deepEqual(
    [...simulator.effects].map(([effect, times]) => [effect.split(" ")[0], times]),
    [
      ["POST", 1],
      ["DELETE", 1],
    ],
  );
});

test("health asks the console, and the audit of what was done is on disk after the end", async (t) => {
  const { agent, ask, close, folder, simulator } = await madeAgent(t);
  await ask("unifi_list_clients");

  const health = await agent.health();
  await close();
  const audit = readFileSync(join(folder, "audit.jsonl"), "utf8").trim().split("\n");

  assert.deepEqual(health.body, {
    status: "ok",
    controller: `${simulator.host}:${simulator.port}`,
    site: "default",
    write_enabled: true,
  });
  assert.deepEqual(
    audit.map((line) => (JSON.parse(line) as Answer).kind),
    ["decision", "ending"],
  );
});

test("a selection narrows the manifest and what runs", async (t) => {
  const { ask, catalog, agent } = await madeAgent(t, { UNIFI_ENABLED_CATEGORIES: "dns" });

  const other = await ask("unifi_list_clients");

  assert.deepEqual([...new Set(catalog.tools.map(({ category }) => category))], ["dns"]);
  assert.equal(agent.describe().manifestDigest, catalog.digest);
  assert.equal(other.code, "TOOL_NOT_FOUND");
});

test("a selection that leaves nothing is refused with the categories that there are", () => {
  const config = readAgentConfig({ UNIFI_HOST: "a", UNIFI_API_KEY: "b", UNIFI_ENABLED_TOOLS: "unifi_nothing" });

  assert.throws(() => makeAgent(config, LOG), /select no tool/);
});

test("a free call passes the gate of the tool that writes its path, and is confirmed by a token", async (t) => {
  const gated = await madeAgent(t, { UNIFI_POLICY_NETWORK_DNS_CREATE: "false" });
  const open = await madeAgent(t);
  const args = {
    endpoint: "/v2/api/site/default/static-dns",
    method: "POST",
    params: { key: "nas.example.com", value: "192.0.2.9", record_type: "A", enabled: true },
  };

  const denied = await gated.ask("unifi_api_call", args, "write");
  const preview = await open.ask("unifi_api_call", args, "write");
  const done = await open.ask("unifi_api_call", { ...args, confirm_token: preview.confirm_token }, "write");
  const read = await gated.ask("unifi_api_call", { endpoint: "/v2/api/site/default/static-dns" });

  assert.deepEqual([denied.code, denied.variable], ["POLICY_DENIED", "UNIFI_POLICY_NETWORK_DNS_CREATE"]);
  assert.equal(done.success, true);
  assert.deepEqual([...gated.simulator.effects.keys()], []);
  assert.equal(open.simulator.effects.size, 1);
  assert.equal(read.success, true);
});

test("a console that is down is told in words, nothing is executed, and the agent stays up", async (t) => {
  const { ask, agent, simulator } = await madeAgent(t);
  await simulator.close();

  const answer = await ask("unifi_list_clients");
  const health = await agent.health();

  assert.deepEqual([answer.code, answer.executed], ["CONTROLLER_UNREACHABLE", "no"]);
  assert.equal(health.status, 503);
});
