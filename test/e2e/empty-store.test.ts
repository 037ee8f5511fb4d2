/** A gateway on its first day: nothing in the store but the first account, and no agent was ever seen. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { IssuedTokenAnswer } from "../../src/admin/answers.ts";
import type { Manifest } from "../../src/catalog/manifest.ts";
import { openAdmin, pathOf } from "../../src/cli/admin-client.ts";
import { createPerson } from "../../src/cli/demo/person.ts";
import { SCOPES } from "../../src/principal.ts";
import { until } from "../support/until.ts";
import { type Answer, callTool, createProgram, freePort, ORG, PERSON, postMcp } from "../support/world.ts";

test("an empty store and no agent ever: the index is whole, and running a tool says what is missing", async (t) => {
  const manifest = JSON.parse(
    await readFile(new URL("../../tools_manifest.json", import.meta.url), "utf8"),
  ) as Manifest;
  const names = manifest.tools.filter(({ app }) => app === "network").map(({ name }) => name);
  const folder = await mkdtemp(join(tmpdir(), "unifi-edge-empty-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const listen = `127.0.0.1:${await freePort()}`;
  const gateway = createProgram(t, ["gateway"], "the gateway is listening", {
    UNIFI_EDGE_PUBLIC_URL: `http://${listen}`,
    UNIFI_EDGE_LISTEN: listen,
    UNIFI_EDGE_STATE_DIR: folder,
  });
  await gateway.start();
  const link = /http\S+\/setup\?token=\S+/.exec(gateway.output())?.[0] ?? "";
  await createPerson().setUp(link, { ...PERSON, organisation: "Home", location: "House" });
  const admin = openAdmin(join(folder, "admin.sock"));
  t.after(() => admin.close());
  const { token } = await admin.ask("POST", pathOf("organisations", ORG, "access-tokens"), IssuedTokenAnswer, {
    owner: PERSON.name,
    label: "first day",
    scopes: SCOPES,
    locations: "all",
    ttl_seconds: 3600,
  });
  const url = new URL(`http://${listen}/mcp`);
  const call = (name: string, args: Record<string, unknown>) => callTool(url, token, name, args);

  await until("the place of the set-up page is seen", async () => (await call("unifi_list_locations", {})).count === 1);
  const index = await call("unifi_tool_index", {});
  const full = await call("unifi_tool_index", { include_schemas: true });
  const eager = await postMcp(new URL(`${url}?mode=eager`), token, "tools/list");
  const lazy = await postMcp(url, token, "tools/list");
  const places = await call("unifi_list_locations", {});
  const anywhere = await call("unifi_execute", { tool: "unifi_list_clients" });
  const there = await call("unifi_execute", { tool: "unifi_list_clients", location: "house" });
  const nowhere = await call("unifi_execute", { tool: "unifi_list_clients", location: "office" });

  const named = (tools: readonly { name: string }[]) => tools.map(({ name }) => name).sort();
  assert.equal(index.count, names.length);
  assert.deepEqual(named(index.tools), [...names].sort());
  assert.deepEqual(named(full.tools), [...names].sort());
  assert.ok(full.tools.every((tool: Answer) => tool.schema.input.type === "object" && tool.schema.output));
  assert.ok(names.every((name) => eager.json.result.tools.some((tool: Answer) => tool.name === name)));
  assert.ok(lazy.json.result.tools.some((tool: Answer) => tool.name === "unifi_execute"));
  assert.deepEqual(places.locations, [
    { id: "house", name: "House", organisation: "Home", status: "offline", apps: [] },
  ]);
  for (const answer of [anywhere, there]) {
    assert.equal(answer.code, "AGENT_OFFLINE");
    assert.equal(answer.executed, "no");
    assert.match(answer.error, /No agent is connected for "house"/);
  }
  assert.equal(nowhere.code, "LOCATION_UNKNOWN");
  assert.deepEqual(nowhere.valid_locations, ["house (House)"]);
});
