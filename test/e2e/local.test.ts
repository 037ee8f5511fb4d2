/** `unifi-edge local`: both SDK clients, over stdio and loopback HTTP, in every mode, against a simulated console. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { temporaryFolder } from "../agent/agent-under-test.ts";
import {
  type Answer,
  CLIENTS,
  type ClientKind,
  type LocalClient,
  type Server,
  settingsFor,
  startHttpServer,
  stdioServer,
} from "../support/local-clients.ts";

const META = ["unifi_tool_index", "unifi_execute", "unifi_batch", "unifi_batch_status"];
const LISTED = {
  lazy: (names: readonly string[]) => assert.deepEqual(names, [...META, "unifi_load_tools"]),
  meta_only: (names: readonly string[]) => assert.deepEqual(names, META),
  eager: (names: readonly string[]) => {
    assert.deepEqual(names.slice(0, META.length), META);
    assert.equal(names.includes("unifi_list_clients"), true);
    assert.equal(names.includes("unifi_load_tools"), false);
  },
};
const MODES = ["lazy", "meta_only", "eager"] as const;
type Mode = (typeof MODES)[number];

async function house(t: TestContext) {
  const simulator = await startSimulator({ persona: "unifi-os" });
  t.after(() => simulator.close());
  return { simulator, settings: settingsFor(simulator, temporaryFolder(t)) };
}

/** All that a person does, in one connection; `key` is a DNS name that nobody else uses. */
async function wholeFlow(kind: ClientKind, server: Server, mode: Mode, key: string, simulator: Simulator) {
  const client = await kind.connect(server);
  try {
    assert.equal(client.version, kind.version);
    LISTED[mode](await client.names());
    await searches(client);
    await reads(client);
    await writes(client, key, simulator);
    await batches(client, key);
    if (mode === "lazy") await loads(client);
    assert.match(await client.read("unifi://api-reference"), /stat\/sta/);
  } finally {
    await client.close();
  }
}

async function searches(client: LocalClient) {
  const index = await client.call("unifi_tool_index", { search: "dns record" });
  const whole = await client.call("unifi_tool_index");

  assert.match(JSON.stringify(index.tools), /unifi_create_dns_record/);
  assert.equal(Number(whole.count) >= 40, true);
}

async function reads(client: LocalClient) {
  const clients = await client.call("unifi_execute", { tool: "unifi_list_clients" });
  const byName = await client.call("unifi_list_sites");

  assert.deepEqual([clients.success, clients.site, "location" in clients], [true, "default", false]);
  assert.deepEqual([byName.success, byName.count], [true, 1]);
}

async function writes(client: LocalClient, key: string, simulator: Simulator) {
  const record_data = { key, value: "192.0.2.7", record_type: "A" };
  const execute = (tool: string, args: Answer) => client.call("unifi_execute", { tool, arguments: args });
  const before = posts(simulator);

  const preview = await execute("unifi_create_dns_record", { record_data });
  const untouched = posts(simulator);
  const made = await execute("unifi_create_dns_record", { record_data, confirm: true });
  const record_id = await recordId(client, key);
  const question = await execute("unifi_delete_dns_record", { record_id });
  const gone = await execute("unifi_delete_dns_record", { record_id, confirm_token: question.confirm_token });

  assert.deepEqual([preview.requires_confirmation, untouched], [true, before]);
  assert.deepEqual([made.success, made.dropped, posts(simulator)], [true, [], before + 1]);
  assert.deepEqual([question.requires_confirmation, gone.success], [true, true]);
  assert.equal(await recordId(client, key), undefined);
}

async function batches(client: LocalClient, key: string) {
  const record_data = { key: `batch.${key}`, value: "192.0.2.8", record_type: "A" };
  const operations = [
    { tool: "unifi_list_clients", arguments: { limit: 1 } },
    { tool: "unifi_create_dns_record", arguments: { record_data } },
    { tool: "unifi_list_dns_records", after: [1] },
  ];

  const question = await client.call("unifi_batch", { operations });
  const started = await client.call("unifi_batch", { operations, confirm_token: question.confirm_token });
  const { jobs } = await client.call("unifi_batch_status", { batchId: started.batchId, wait_seconds: 20 });
  const one = await client.call("unifi_batch_status", { jobId: (jobs as Answer[])[2]?.jobId });

  assert.equal(question.requires_confirmation, true);
  assert.deepEqual(
    (jobs as Answer[]).map(({ status, error, location }) => [status, error, location]),
    [0, 1, 2].map(() => ["done", null, undefined]),
  );
  assert.match(JSON.stringify(one.result), new RegExp(`batch.${key}`));
  assert.doesNotMatch(JSON.stringify([question, started, jobs, one]), /"location":/);
}

async function loads(client: LocalClient) {
  const told = client.changed();
  const loading = await client.call("unifi_load_tools", { tools: ["unifi_list_devices"] });
  await told;

  assert.deepEqual(loading.loaded, ["unifi_list_devices"]);
  assert.equal((await client.names()).at(-1), "unifi_list_devices");
}

function posts({ effects }: Simulator): number {
  return [...effects].reduce((sum, [what, times]) => (/^POST .*static-dns/.test(what) ? sum + times : sum), 0);
}

async function recordId(client: LocalClient, key: string): Promise<unknown> {
  const { records } = await client.call("unifi_execute", { tool: "unifi_list_dns_records" });
  return (records as Answer[]).find((record) => record.key === key)?.id;
}

for (const mode of MODES) {
  test(`over stdio in ${mode} mode every client does the whole flow`, async (t) => {
    const { simulator, settings } = await house(t);

    for (const [index, kind] of CLIENTS.entries()) {
      const server = stdioServer({ ...settings, UNIFI_TOOL_REGISTRATION_MODE: mode });
      await wholeFlow(kind, server, mode, `stdio-${index}.example.com`, simulator);
    }
  });

  test(`over loopback HTTP in ${mode} mode every client does the whole flow`, async (t) => {
    const { simulator, settings } = await house(t);

    for (const [index, kind] of CLIENTS.entries()) {
      // what load_tools adds belongs to the server's one grant, so each client has a server of its own
      const { mcpUrl, program } = await startHttpServer(t, settings);
      await wholeFlow(kind, { url: new URL(`?mode=${mode}`, mcpUrl) }, mode, `http-${index}.example.com`, simulator);
      await program.kill("SIGTERM");
    }
  });
}

test("the URL narrows to apps and to reads, the environment to categories and tools", async (t) => {
  const { settings } = await house(t);
  const { mcpUrl } = await startHttpServer(t, { ...settings, UNIFI_ENABLED_CATEGORIES: "dns" });
  const [kind] = CLIENTS;
  assert.ok(kind);
  const namesAt = async (query: string) => {
    const client = await kind.connect({ url: new URL(query, mcpUrl) });
    t.after(() => client.close());
    return { client, names: await client.names() };
  };

  const all = await namesAt("?mode=eager");
  const reading = await namesAt("?mode=eager&readonly=true");
  const refused = await reading.client.call("unifi_execute", {
    tool: "unifi_delete_dns_record",
    arguments: { record_id: "x" },
  });
  const unselected = await all.client.call("unifi_execute", { tool: "unifi_list_clients" });

  assert.deepEqual(
    all.names.slice(META.length).every((name) => name.includes("dns")),
    true,
  );
  assert.equal(all.names.includes("unifi_create_dns_record"), true);
  assert.equal(reading.names.includes("unifi_create_dns_record"), false);
  assert.deepEqual([refused.success, refused.executed], [false, "no"]);
  assert.deepEqual([unselected.success, unselected.code], [false, "TOOL_NOT_FOUND"]);
  await assert.rejects(namesAt("?apps=protocol"));
});

test("two servers of one person run beside each other, each with a journal of its own", async (t) => {
  const { settings } = await house(t);
  const [kind] = CLIENTS;
  assert.ok(kind);

  const first = await kind.connect(stdioServer(settings));
  t.after(() => first.close());
  const second = await kind.connect(stdioServer(settings));
  t.after(() => second.close());

  assert.equal((await first.call("unifi_list_sites")).success, true);
  assert.equal((await second.call("unifi_list_sites")).success, true);
});
