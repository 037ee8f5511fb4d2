/** Modes, selection, narrowing and rights: list, index and calls always agree. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ManifestTool } from "../../src/catalog/manifest.ts";
import type { McpServerOptions } from "../../src/mcp/server.ts";
import type { Scope } from "../../src/principal.ts";
import { fakeExecution, principal, TWO_LOCATIONS } from "../support/fake-execution.ts";
import { inputOf, MANIFEST_FIXTURE, manifestTool } from "../support/manifest-fixture.ts";
import { type Endpoint, mcpEndpoint, modernRequest } from "../support/mcp-endpoint.ts";

const META = [
  "unifi_tool_index",
  "unifi_execute",
  "unifi_batch",
  "unifi_batch_status",
  "unifi_load_tools",
  "unifi_list_locations",
];
const DOMAIN = MANIFEST_FIXTURE.tools.map(({ name }) => name);
const READS = ["unifi_list_clients", "unifi_list_dns_records", "unifi_api_call"];

interface Listed {
  readonly name: string;
  readonly annotations: object;
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, object>>;
    readonly required?: readonly string[];
  };
  readonly outputSchema?: object;
}

async function result(endpoint: Endpoint, method: string, params: Readonly<Record<string, unknown>>, query = "") {
  const { body, headers } = modernRequest(method, params);
  const answer = await endpoint.post(body, headers, query);
  return (await answer.json()) as {
    error?: { code: number; message: string };
    result: { tools: Listed[]; isError?: boolean; content: { text: string }[]; structuredContent?: object };
  };
}

async function called(endpoint: Endpoint, name: string, args: object = {}, query = "") {
  const answer = await result(endpoint, "tools/call", { name, arguments: args }, query);
  return { ...answer, json: answer.error === undefined ? JSON.parse(answer.result.content[0]?.text ?? "") : undefined };
}

const listed = async (endpoint: Endpoint, query = "") => (await result(endpoint, "tools/list", {}, query)).result.tools;
const namesOf = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);

for (const { told, query, options, list, index } of [
  { told: "lazy lists the meta-tools", query: "", options: {}, list: META, index: DOMAIN },
  {
    told: "eager adds the catalogue",
    query: "?mode=eager",
    options: {},
    list: [...META.filter((name) => !name.endsWith("load_tools")), ...DOMAIN],
    index: DOMAIN,
  },
  {
    told: "meta_only has no load_tools",
    query: "?mode=meta_only",
    options: {},
    list: META.filter((name) => !name.endsWith("load_tools")),
    index: DOMAIN,
  },
  {
    told: "the operator's mode is the default",
    query: "",
    options: { defaultMode: "meta_only" },
    list: META.filter((name) => !name.endsWith("load_tools")),
    index: DOMAIN,
  },
  { told: "readonly leaves the reads", query: "?readonly=true", options: {}, list: META, index: READS },
  {
    told: "enabled categories select",
    query: "?mode=eager",
    options: { selection: { categories: ["dns"], tools: [] } },
    list: [...META.filter((name) => !name.endsWith("load_tools")), ...DOMAIN.filter((name) => name.includes("dns"))],
    index: DOMAIN.filter((name) => name.includes("dns")),
  },
  {
    told: "enabled tools select",
    query: "",
    options: { selection: { categories: [], tools: ["unifi_list_clients"] } },
    list: META,
    index: ["unifi_list_clients"],
  },
  { told: "local has no locations", query: "", options: { flavour: "local" }, list: META.slice(0, 5), index: DOMAIN },
] satisfies { told: string; query: string; options: Partial<McpServerOptions>; list: string[]; index: string[] }[]) {
  test(`${told}, and the index shows the whole selection`, async (t) => {
    const endpoint = await mcpEndpoint(t, options);

    const tools = await listed(endpoint, query);
    const { json } = await called(endpoint, "unifi_tool_index", {}, query);

    assert.deepEqual(namesOf(tools), list);
    assert.deepEqual(namesOf(json.tools), index);
    assert.equal(json.count, index.length);
  });
}

test("a narrowed app takes its meta-tools along", async (t) => {
  const endpoint = await mcpEndpoint(t);

  assert.deepEqual(namesOf(await listed(endpoint, "?apps=protect")), ["unifi_list_locations"]);
  assert.deepEqual(namesOf(await listed(endpoint, "?apps=network,access")), META);
});

for (const query of ["?mode=greedy", "?apps=netwrk", "?apps=", "?readonly=1"]) {
  test(`${query} is refused and the valid values are named`, async (t) => {
    const endpoint = await mcpEndpoint(t);
    const { body, headers } = modernRequest("tools/list");

    const answer = await endpoint.post(body, headers, query);

    assert.equal(answer.status, 400);
    assert.match(((await answer.json()) as { error: { message: string } }).error.message, /takes /);
  });
}

for (const query of ["?READONLY=true", "?readonly[]=true", "?read_only=true", "?Apps=network", "?apps[0]=network"]) {
  test(`${query} resembles a name of ours, so it is refused and the valid names are told`, async (t) => {
    const endpoint = await mcpEndpoint(t);
    const { body, headers } = modernRequest("tools/list");

    const near = await endpoint.post(body, headers, query);
    const stranger = await endpoint.post(body, headers, "?utm_source=x");

    assert.equal(near.status, 400);
    const { error } = (await near.json()) as { error: { message: string } };
    assert.match(error.message, /valid names are mode, apps, readonly/);
    assert.equal(stranger.status, 200);
  });
}

test("hints follow what the connection may do", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const hintsOf = async (query: string) =>
    (await listed(endpoint, query)).find(({ name }) => name === "unifi_execute")?.annotations;

  const writing = await hintsOf("");
  const reading = await hintsOf("?readonly=true");

  assert.deepEqual(writing, {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  });
  assert.deepEqual(reading, { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false });
});

for (const { told, flavour, places, name, has, required } of [
  {
    told: "a read takes location and site",
    flavour: "gateway",
    places: 2,
    name: "unifi_list_clients",
    has: ["location", "site"],
    required: [],
  },
  {
    told: "a write must name its location where several are visible",
    flavour: "gateway",
    places: 2,
    name: "unifi_block_client",
    has: ["location", "site"],
    required: ["mac", "location"],
  },
  {
    told: "a write need not name the only one",
    flavour: "gateway",
    places: 1,
    name: "unifi_block_client",
    has: ["location", "site"],
    required: ["mac"],
  },
  {
    told: "local adds the site only",
    flavour: "local",
    places: 1,
    name: "unifi_block_client",
    has: ["site"],
    required: ["mac"],
  },
] as const) {
  test(told, async (t) => {
    const execution = fakeExecution({ ...TWO_LOCATIONS, locations: TWO_LOCATIONS.locations.slice(0, places) });
    const endpoint = await mcpEndpoint(t, { execution, flavour });

    const tool = (await listed(endpoint, "?mode=eager")).find((candidate) => candidate.name === name);

    const properties = Object.keys(tool?.inputSchema.properties ?? {});
    assert.deepEqual(
      properties.filter((property) => ["location", "site"].includes(property)),
      has,
    );
    assert.deepEqual(tool?.inputSchema.required, required);
    assert.ok(tool?.outputSchema);
  });
}

test("a tool's own site argument is its own", async (t) => {
  const own = manifestTool({ name: "unifi_move", summary: "Moves", input: inputOf({ site: { type: "integer" } }) });
  const endpoint = await mcpEndpoint(t, { manifest: { ...MANIFEST_FIXTURE, tools: [own] } });

  await called(endpoint, "unifi_move", { site: 3, location: "hq" });

  assert.deepEqual(endpoint.execution.asked, [{ tool: "unifi_move", arguments: { site: 3 }, location: "hq" }]);
});

for (const { told, query, who, tool, args, code } of [
  {
    told: "a write under ?readonly=true",
    query: "?readonly=true",
    who: {},
    tool: "unifi_block_client",
    args: { mac: "aabbccddeeff" },
    code: "PERMISSION_DENIED",
  },
  {
    told: "a raw write under ?readonly=true",
    query: "?readonly=true",
    who: {},
    tool: "unifi_api_call",
    args: { endpoint: "/x", method: "PUT" },
    code: "PERMISSION_DENIED",
  },
  {
    told: "a tool of another app",
    query: "?apps=protect",
    who: {},
    tool: "unifi_list_clients",
    args: {},
    code: "TOOL_UNAVAILABLE",
  },
  {
    told: "a write by a viewer",
    query: "",
    who: { role: "viewer" },
    tool: "unifi_block_client",
    args: { mac: "aabbccddeeff" },
    code: "PERMISSION_DENIED",
  },
  {
    told: "a delete by an operator",
    query: "",
    who: { role: "operator" },
    tool: "unifi_delete_dns_record",
    args: { record_id: "x" },
    code: "PERMISSION_DENIED",
  },
  {
    told: "a write without its scope",
    query: "",
    who: { scopes: new Set<Scope>(["unifi:read"]) },
    tool: "unifi_block_client",
    args: { mac: "aabbccddeeff" },
    code: "INSUFFICIENT_SCOPE",
  },
  {
    told: "a raw write without admin",
    query: "",
    who: { scopes: new Set<Scope>(["unifi:write"]) },
    tool: "unifi_api_call",
    args: { endpoint: "/x", method: "POST" },
    code: "INSUFFICIENT_SCOPE",
  },
] as const) {
  test(`${told} is refused on every path, and nothing leaves`, async (t) => {
    const endpoint = await mcpEndpoint(t, { who: () => principal(who) });

    const direct = await called(endpoint, tool, args, query);
    const executed = query.includes("apps")
      ? direct
      : await called(endpoint, "unifi_execute", { tool, arguments: args }, query);
    const batched = query.includes("apps")
      ? undefined
      : await called(endpoint, "unifi_batch", { operations: [{ tool, arguments: args }] }, query);

    assert.deepEqual([direct.json.code, executed.json.code], [code, code]);
    assert.equal(direct.result.isError, true);
    if (batched !== undefined) assert.equal(batched.json.errors[0].code, code);
    assert.deepEqual([endpoint.execution.asked, endpoint.execution.batches], [[], []]);
  });
}

test("a tool that the operator did not enable says so", async (t) => {
  const endpoint = await mcpEndpoint(t, { selection: { categories: ["dns"], tools: [] } });

  const { json } = await called(endpoint, "unifi_execute", { tool: "unifi_list_clients" });

  assert.equal(json.code, "TOOL_UNAVAILABLE");
  assert.match(json.error, /UNIFI_ENABLED_CATEGORIES/);
});

test("a tool that no location has is neither shown nor run", async (t) => {
  const execution = fakeExecution({ ...TWO_LOCATIONS, lacking: new Set(["unifi_list_clients"]) });
  const endpoint = await mcpEndpoint(t, { execution });

  const index = await called(endpoint, "unifi_tool_index");
  const run = await called(endpoint, "unifi_execute", { tool: "unifi_list_clients" });

  assert.ok(!namesOf(index.json.tools).includes("unifi_list_clients"));
  assert.equal(run.json.code, "TOOL_UNAVAILABLE");
});

const FOREIGN: ManifestTool = manifestTool({
  name: "unifi_foreign_thing",
  summary: "Does something",
  category: "foreign",
  permission_action: "delete",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  confirm: "token",
  input: inputOf({ n: { type: "integer" } }),
});

test("a location's own tool is shown with its place, checked, and counts as a destructive write", async (t) => {
  const execution = fakeExecution({ ...TWO_LOCATIONS, foreign: [{ tool: FOREIGN, locations: ["shop"] }] });
  const endpoint = await mcpEndpoint(t, { execution });

  const everywhere = await called(endpoint, "unifi_tool_index", { category: "foreign" });
  const atHq = await called(endpoint, "unifi_tool_index", { category: "foreign", location: "HQ" });
  const wrong = await called(endpoint, "unifi_execute", { tool: FOREIGN.name, arguments: { n: "1" } });
  const run = await called(endpoint, "unifi_execute", { tool: FOREIGN.name, arguments: { n: 1 }, location: "shop" });
  const readonly = await called(endpoint, "unifi_execute", { tool: FOREIGN.name }, "?readonly=true");

  assert.deepEqual(everywhere.json.tools, [{ name: FOREIGN.name, description: "Does something", locations: ["shop"] }]);
  assert.equal(atHq.json.count, 0);
  assert.equal(wrong.json.code, "ARGUMENTS_INVALID");
  assert.equal(run.json.success, true);
  assert.equal(readonly.json.code, "PERMISSION_DENIED");
});

test("the index of an unknown location names the valid ones", async (t) => {
  const endpoint = await mcpEndpoint(t);

  const { json } = await called(endpoint, "unifi_tool_index", { location: "moon" });

  assert.equal(json.code, "LOCATION_UNKNOWN");
  assert.deepEqual(json.valid_locations, ["hq", "shop"]);
});

test("what becomes visible is seen at the next request", async (t) => {
  const execution = fakeExecution({ ...TWO_LOCATIONS, revision: "none", locations: [], lacking: new Set(DOMAIN) });
  const endpoint = await mcpEndpoint(t, { execution });
  const before = await called(endpoint, "unifi_tool_index");

  execution.view = TWO_LOCATIONS;
  const after = await called(endpoint, "unifi_tool_index");

  assert.deepEqual([before.json.count, after.json.count], [0, DOMAIN.length]);
});

for (const { told, args, asked } of [
  { told: "tool_name for tool", args: { tool_name: "unifi_list_clients" }, asked: { arguments: {} } },
  {
    told: "__location for location",
    args: { tool: "unifi_list_clients", __location: "hq" },
    asked: { arguments: {}, location: "hq" },
  },
  {
    told: "arguments as JSON text",
    args: { tool: "unifi_list_clients", arguments: '{"limit":2}' },
    asked: { arguments: { limit: 2 } },
  },
  {
    told: "a list of locations",
    args: { tool: "unifi_list_clients", location: ["hq", "shop"] },
    asked: { arguments: {}, location: ["hq", "shop"] },
  },
  { told: "repeat", args: { tool: "unifi_list_clients", repeat: true }, asked: { arguments: {}, repeat: true } },
]) {
  test(`execute understands ${told}`, async (t) => {
    const endpoint = await mcpEndpoint(t);

    await called(endpoint, "unifi_execute", args);

    assert.deepEqual(endpoint.execution.asked, [{ tool: "unifi_list_clients", ...asked }]);
  });
}

for (const { told, name, args, text } of [
  {
    told: "an unknown tool names the three nearest",
    name: "unifi_execute",
    args: { tool: "unifi_list_client" },
    text: /Nearest: unifi_list_clients, \w+, \w+\./,
  },
  { told: "a missing tool is said", name: "unifi_execute", args: {}, text: /"tool" is missing/ },
  {
    told: "an unknown argument names the valid ones",
    name: "unifi_execute",
    args: { tool: "x", argumnts: {} },
    text: /unknown argument "argumnts".*tool, arguments/,
  },
  {
    told: "a meta-tool is not run through another",
    name: "unifi_execute",
    args: { tool: "unifi_batch" },
    text: /called directly/,
  },
  {
    told: "a location of a wrong type is refused",
    name: "unifi_list_clients",
    args: { location: 7 },
    text: /"location" must be/,
  },
  {
    told: "a site of a wrong type is refused",
    name: "unifi_list_clients",
    args: { site: ["a"] },
    text: /"site" must be/,
  },
  { told: "an empty batch is refused", name: "unifi_batch", args: { operations: [] }, text: /1 to 500/ },
  {
    told: "a status question without an id is refused",
    name: "unifi_batch_status",
    args: {},
    text: /jobId, jobIds and batchId/,
  },
  {
    told: "a wait of 26 seconds is refused",
    name: "unifi_batch_status",
    args: { jobId: "a", wait_seconds: 26 },
    text: /"wait_seconds" must be <= 25/,
  },
]) {
  test(told, async (t) => {
    const endpoint = await mcpEndpoint(t);

    const { json, result: answer } = await called(endpoint, name, args);

    assert.equal(answer.isError, true);
    assert.match(json.error, text);
    assert.equal(json.executed, "no");
    assert.deepEqual(endpoint.execution.asked, []);
  });
}

test("a batch of 501 is refused", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const operations = Array.from({ length: 501 }, () => ({ tool: "unifi_list_clients" }));

  const { json } = await called(endpoint, "unifi_batch", { operations });

  assert.equal(json.code, "ARGUMENTS_INVALID");
  assert.match(json.error, /501.*1 to 500/);
  assert.deepEqual(endpoint.execution.batches, []);
});

test("every wrong operation of a batch is told by its index, and none starts", async (t) => {
  const endpoint = await mcpEndpoint(t);

  const { json } = await called(endpoint, "unifi_batch", {
    calls: [
      { tool_name: "unifi_list_clients" },
      { tool: "unifi_list_client" },
      { arguments: {} },
      { tool: "unifi_list_clients", arguments: { limit: "x" } },
      { tool: "unifi_list_clients", after: [4] },
      7,
    ],
  });

  assert.deepEqual(
    json.errors.map(({ index, code }: { index: number; code: string }) => [index, code]),
    [
      [1, "TOOL_NOT_FOUND"],
      [2, "ARGUMENTS_INVALID"],
      [3, "ARGUMENTS_INVALID"],
      [4, "ARGUMENTS_INVALID"],
      [5, "ARGUMENTS_INVALID"],
    ],
  );
  assert.deepEqual([json.executed, json.jobs, endpoint.execution.batches], ["no", [], []]);
});

test("a batch can be stopped", async (t) => {
  const endpoint = await mcpEndpoint(t);

  await called(endpoint, "unifi_batch", { cancel: "batch-1" });

  assert.deepEqual(endpoint.execution.cancelledBatches, ["batch-1"]);
});

test("adaptive content sends a short text beside structuredContent", async (t) => {
  const endpoint = await mcpEndpoint(t, { contentMode: "adaptive" });

  const { result: answer } = await result(endpoint, "tools/call", {
    name: "unifi_list_clients",
    arguments: { location: "hq" },
  });

  assert.deepEqual(answer.structuredContent, { location: "hq", success: true, tool: "unifi_list_clients" });
  assert.match(answer.content[0]?.text ?? "", /^The answer \(\d+ bytes\) is in structuredContent\.$/);
});

test("load_tools takes 40 at most and says which did not fit", async (t) => {
  const tools = Array.from({ length: 42 }, (_, n) =>
    manifestTool({ name: `unifi_list_thing_${n}`, summary: `Thing ${n}` }),
  );
  const endpoint = await mcpEndpoint(t, { manifest: { ...MANIFEST_FIXTURE, tools } });
  const names = tools.map(({ name }) => name);

  await called(endpoint, "unifi_load_tools", { tools: names.slice(0, 39) });
  const { json } = await called(endpoint, "unifi_load_tools", { tools: names.slice(39) });

  assert.deepEqual(json.loaded, [names[39]]);
  assert.equal(json.errors.length, 2);
  assert.equal((await listed(endpoint)).length, META.length + 40);
});

test("a loaded tool that is no longer selected leaves the list", async (t) => {
  const endpoint = await mcpEndpoint(t);
  await called(endpoint, "unifi_load_tools", { tools: ["unifi_block_client"] });

  assert.equal((await listed(endpoint)).length, META.length + 1);
  assert.deepEqual(namesOf(await listed(endpoint, "?readonly=true")), META);
});
