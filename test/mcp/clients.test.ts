/** The three ways in which real clients come (SDK 1.32, SDK 2.4 in auto and legacy mode) do everything unaided. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { type TestContext, test } from "node:test";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { jsonOutcome, principal } from "../support/fake-execution.ts";
import { type Endpoint, mcpEndpoint } from "../support/mcp-endpoint.ts";

/** What the tests need of any client. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string; outputSchema?: unknown }[] }>;
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    options?: { onprogress?: (progress: { progress: number }) => void; signal?: AbortSignal },
  ): Promise<{ content: { type: string; text: string }[]; isError?: boolean; structuredContent?: unknown }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: unknown[] }>;
  readResource(params: { uri: string }): Promise<{ contents: { text: string }[] }>;
  close(): Promise<void>;
}

interface Connected {
  readonly client: AnyClient;
  readonly version: string | undefined;
  /** Resolves at the next list_changed. */
  changed(): Promise<void>;
  onChanged(listener: () => void): void;
}

type Connect = (url: URL, token?: string) => Promise<Connected>;

function changes() {
  const port = new PassThrough({ objectMode: true });
  return {
    announce: () => void port.emit("changed"),
    changed: async () => void (await once(port, "changed")),
    onChanged: (listener: () => void) => void port.on("changed", listener),
  };
}

const withToken = (token: string | undefined) =>
  token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } };

async function connectV1(url: URL, token?: string): Promise<Connected> {
  const client = new ClientV1({ name: "v1", version: "1" });
  const { announce, ...told } = changes();
  client.setNotificationHandler(ToolListChangedNotificationSchema, announce);
  const transport = new TransportV1(url, withToken(token));
  // exactOptionalPropertyTypes: the SDK's own transport lacks `| undefined` on its sessionId
  await client.connect(transport as unknown as Parameters<typeof client.connect>[0]);
  const likeV2: AnyClient = Object.assign(Object.create(client), {
    // the older one takes a result schema in between
    callTool: (params: { name: string }, options?: object) => client.callTool(params, undefined, options),
  });
  return { client: likeV2, version: transport.protocolVersion, ...told };
}

function connectV2(mode: "auto" | "legacy"): Connect {
  return async (url, token) => {
    const { announce, ...told } = changes();
    const client = new ClientV2(
      { name: `v2-${mode}`, version: "1" },
      {
        versionNegotiation: { mode },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: announce } },
      },
    );
    await client.connect(new TransportV2(url, withToken(token)));
    return { client: client as unknown as AnyClient, version: client.getNegotiatedProtocolVersion(), ...told };
  };
}

const CLIENTS: readonly { readonly name: string; readonly version: string; readonly connect: Connect }[] = [
  { name: "SDK 1.32", version: "2025-11-25", connect: connectV1 },
  { name: "SDK 2.4 auto", version: "2026-07-28", connect: connectV2("auto") },
  { name: "SDK 2.4 legacy", version: "2025-11-25", connect: connectV2("legacy") },
];

const META = [
  "unifi_tool_index",
  "unifi_execute",
  "unifi_batch",
  "unifi_batch_status",
  "unifi_load_tools",
  "unifi_list_locations",
];

async function joined(
  t: TestContext,
  connect: Connect,
  endpoint: Endpoint,
  query = "",
  token?: string,
): Promise<Connected> {
  const connected = await connect(new URL(`${endpoint.url.href}${query}`), token);
  t.after(() => connected.client.close());
  return connected;
}

const read = (result: { content: { text: string }[] }) => JSON.parse(result.content[0]?.text ?? "");

for (const { name, version, connect } of CLIENTS) {
  test(`${name} lists, searches and executes`, async (t) => {
    const endpoint = await mcpEndpoint(t);
    const { client, version: agreed } = await joined(t, connect, endpoint);

    const { tools } = await client.listTools();
    const index = await client.callTool({ name: "unifi_tool_index", arguments: { search: "block client" } });
    const result = await client.callTool({
      name: "unifi_execute",
      arguments: { tool: "unifi_list_clients", location: "hq" },
    });

    assert.equal(agreed, version);
    assert.deepEqual(
      tools.map((tool) => tool.name),
      META,
    );
    assert.equal(read(index).tools[0].name, "unifi_block_client");
    assert.deepEqual(read(result), { location: "hq", success: true, tool: "unifi_list_clients" });
    assert.equal(result.structuredContent, undefined);
    assert.deepEqual(endpoint.execution.asked, [{ tool: "unifi_list_clients", arguments: {}, location: "hq" }]);
  });

  test(`${name} loads tools, is told, and calls one by its name`, async (t) => {
    const endpoint = await mcpEndpoint(t);
    const { client, changed } = await joined(t, connect, endpoint);
    await client.listTools();

    const told = changed();
    const loaded = await client.callTool({
      name: "unifi_load_tools",
      arguments: { tools: ["unifi_list_clients", "unifi_list_client"] },
    });
    await told;
    const { tools } = await client.listTools();
    const result = await client.callTool({
      name: "unifi_list_clients",
      arguments: { limit: 1, location: "hq", site: "lab" },
    });

    assert.deepEqual(read(loaded).loaded, ["unifi_list_clients"]);
    assert.match(read(loaded).errors[0].error, /Nearest: unifi_list_clients/);
    assert.equal(read(loaded).definitions[0].name, "unifi_list_clients");
    assert.deepEqual(
      tools.map((tool) => tool.name),
      [...META, "unifi_list_clients"],
    );
    assert.deepEqual(result.structuredContent, read(result));
    assert.deepEqual(endpoint.execution.asked, [
      { tool: "unifi_list_clients", arguments: { limit: 1 }, location: "hq", site: "lab" },
    ]);
  });

  test(`${name} runs a batch and reads its status`, async (t) => {
    const endpoint = await mcpEndpoint(t);
    const { client } = await joined(t, connect, endpoint);

    const started = await client.callTool({
      name: "unifi_batch",
      arguments: {
        operations: [
          { tool: "unifi_list_clients", arguments: '{"limit":1}' },
          { tool: "unifi_list_dns_records", after: [0] },
        ],
      },
    });
    const status = await client.callTool({
      name: "unifi_batch_status",
      arguments: { jobId: read(started).jobs[0].jobId, wait_seconds: 2 },
    });

    assert.deepEqual(endpoint.execution.batches, [
      {
        app: "network",
        operations: [
          { tool: "unifi_list_clients", arguments: { limit: 1 } },
          { tool: "unifi_list_dns_records", arguments: {}, after: [0] },
        ],
      },
    ]);
    assert.equal(read(status).status, "done");
    assert.deepEqual(endpoint.execution.questions, [{ question: { jobId: "job-0" }, waitMs: 2000 }]);
  });

  test(`${name} reads the resources`, async (t) => {
    const endpoint = await mcpEndpoint(t);
    const { client } = await joined(t, connect, endpoint);

    const { resources } = await client.listResources();
    const reference = await client.readResource({ uri: "unifi://api-reference" });
    const locations = await client.readResource({ uri: "unifi://locations" });

    assert.deepEqual(
      resources.map(({ uri }) => uri),
      ["unifi://api-reference", "unifi://locations"],
    );
    assert.deepEqual((await client.listResourceTemplates()).resourceTemplates, []);
    assert.match(reference.contents[0]?.text ?? "", /static-dns.*unifi_list_dns_records/);
    assert.deepEqual(
      JSON.parse(locations.contents[0]?.text ?? "").locations.map(({ id }: { id: string }) => id),
      ["hq", "shop"],
    );
    await assert.rejects(client.readResource({ uri: "unifi://nowhere" }), /no resource/);
  });

  test(`${name} accepts a fan-out's answer of a listed tool`, async (t) => {
    const endpoint = await mcpEndpoint(t);
    const fanOut = {
      locations: [
        { location: "hq", success: true, data: { success: true } },
        { location: "shop", success: false, error: "offline" },
      ],
      partial: true,
    };
    endpoint.execution.answer = async () => jsonOutcome(fanOut);
    const { client } = await joined(t, connect, endpoint, "?mode=eager");

    const { tools } = await client.listTools();
    const result = await client.callTool({ name: "unifi_list_clients" });

    assert.equal(tools.length, META.length - 1 + 7);
    assert.deepEqual(result.structuredContent, fanOut);
  });

  test(`${name} sees progress`, async (t) => {
    const endpoint = await mcpEndpoint(t);
    endpoint.execution.answer = async (_request, { progress }) => {
      progress?.(1, 3);
      progress?.(1, 3);
      progress?.(2, 3, "two of three");
      return jsonOutcome({ success: true });
    };
    const { client } = await joined(t, connect, endpoint);
    const seen: number[] = [];

    const result = await client.callTool(
      { name: "unifi_execute", arguments: { tool: "unifi_list_clients" } },
      { onprogress: ({ progress }) => seen.push(progress) },
    );

    assert.deepEqual(seen, [1, 2]);
    assert.deepEqual(read(result), { success: true });
  });

  test(`${name} cancels a call, and the agent's side is told`, async (t) => {
    const endpoint = await mcpEndpoint(t);
    const stopped = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    endpoint.execution.answer = async (_request, { signal }) => {
      begun.resolve();
      await once(signal, "abort");
      stopped.resolve();
      return jsonOutcome({ success: false }, { isError: true });
    };
    const { client } = await joined(t, connect, endpoint);
    const user = new AbortController();

    const call = client.callTool(
      { name: "unifi_execute", arguments: { tool: "unifi_list_clients" } },
      { signal: user.signal },
    );
    const refused = assert.rejects(call);
    await begun.promise;
    user.abort();

    await refused;
    await stopped.promise;
  });

  test(`${name} is told of an unknown tool as the protocol says, and of a wrong argument as a result`, async (t) => {
    const endpoint = await mcpEndpoint(t);
    const { client } = await joined(t, connect, endpoint);

    const wrong = await client.callTool({
      name: "unifi_execute",
      arguments: { tool: "unifi_list_clients", arguments: { lmit: 1 } },
    });

    await assert.rejects(client.callTool({ name: "unifi_list_cliens" }), /-32602|Unknown tool/);
    assert.equal(wrong.isError, true);
    assert.equal(read(wrong).code, "ARGUMENTS_INVALID");
    assert.deepEqual(endpoint.execution.asked, []);
  });
}

test("a change reaches its own grant only, in the newer era too", async (t) => {
  const endpoint = await mcpEndpoint(t, {
    who: (token) => principal({ grant: token ?? "none", subject: token ?? "none" }),
  });
  const ann = await joined(t, connectV2("auto"), endpoint, "", "ann");
  const bob = await joined(t, connectV2("auto"), endpoint, "", "bob");
  const told = { ann: 0, bob: 0 };
  ann.onChanged(() => told.ann++);
  bob.onChanged(() => told.bob++);
  const load = (who: Connected, tool: string) =>
    who.client.callTool({ name: "unifi_load_tools", arguments: { tools: [tool] } });

  const annTold = ann.changed();
  await load(ann, "unifi_list_clients");
  await annTold;
  const bobTold = bob.changed();
  await load(bob, "unifi_list_dns_records");
  await bobTold;

  assert.deepEqual(told, { ann: 1, bob: 1 });
  assert.equal((await bob.client.listTools()).tools.at(-1)?.name, "unifi_list_dns_records");
});
