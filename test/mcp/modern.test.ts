/** The 2026-07-28 era on the wire: the fast path equals the SDK's, and what is malformed is refused as specified. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { jsonOutcome, principal } from "../support/fake-execution.ts";
import { fakeTimers } from "../support/fake-timers.ts";
import { type Endpoint, mcpEndpoint, modernRequest } from "../support/mcp-endpoint.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

const call = (name: string, args?: object) =>
  ["tools/call", { name, ...(args === undefined ? {} : { arguments: args }) }] as const;

const ALIKE: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["server/discover", {}],
  ["tools/list", {}],
  call("unifi_tool_index"),
  call("unifi_tool_index", { search: "dns", limit: 1 }),
  call("unifi_tool_index", { include_schemas: true }),
  call("unifi_tool_index", { cursor: "bad" }),
  call("unifi_tool_index", { serch: "dns" }),
  call("unifi_execute", { tool: "unifi_list_clients" }),
  call("unifi_execute", { tool: "unifi_nothing" }),
  call("unifi_execute", {}),
  call("unifi_list_clients", { location: "hq" }),
  call("unifi_list_clients", { location: 7 }),
  call("unifi_block_client", { mac: "nonsense" }),
  call("unifi_list_locations"),
  call("unifi_batch", { operations: [{ tool: "unifi_list_clients" }, { tool: "nothing" }] }),
  call("unifi_batch_status", { jobIds: ["a", "b"] }),
  call("unifi_load_tools", { tools: ["unifi_list_clients"] }),
];

for (const query of ["", "?mode=eager", "?mode=meta_only", "?readonly=true"]) {
  for (const [method, params] of ALIKE) {
    test(`the fast path answers as the SDK does: ${method} ${JSON.stringify(params)} ${query}`, async (t) => {
      const fast = await mcpEndpoint(t);
      const slow = await mcpEndpoint(t);
      const plain = modernRequest(method, params);
      // a progress token sends the request through the SDK; nothing else differs
      const viaSdk = modernRequest(method, { ...params, _meta: { progressToken: "p" } });

      const a = await fast.post(plain.body, plain.headers, query);
      const b = await slow.post(viaSdk.body, viaSdk.headers, query);

      assert.equal(a.status, b.status);
      assert.equal(a.headers.get("content-type"), b.headers.get("content-type"));
      assert.deepEqual(await a.json(), await b.json());
      assert.deepEqual(fast.execution.asked, slow.execution.asked);
    });
  }
}

test("an image's bytes reach the client as an image block on both paths", async (t) => {
  const endpoint = await mcpEndpoint(t);
  endpoint.execution.answer = async () => ({ isError: false, type: "image/jpeg", body: Buffer.from([255, 216, 255]) });
  const params = { name: "unifi_execute", arguments: { tool: "unifi_list_clients" } };
  const plain = modernRequest("tools/call", params);
  const viaSdk = modernRequest("tools/call", { ...params, _meta: { progressToken: 1 } });

  const answers = [await endpoint.post(plain.body, plain.headers), await endpoint.post(viaSdk.body, viaSdk.headers)];

  for (const answer of answers) {
    const { result } = (await answer.json()) as { result: { content: unknown } };
    assert.deepEqual(result.content, [{ type: "image", data: "/9j/", mimeType: "image/jpeg" }]);
  }
});

interface Refusal {
  readonly told: string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Changes a correct request. */
  readonly spoil: (request: ReturnType<typeof modernRequest>) => void;
  readonly status: number;
  readonly code: number;
}

const meta = (request: ReturnType<typeof modernRequest>) => request.body.params._meta as Record<string, unknown>;

const REFUSALS: readonly Refusal[] = [
  {
    told: "a missing MCP-Protocol-Version header is HeaderMismatch",
    spoil: ({ headers }) => delete headers["mcp-protocol-version"],
    status: 400,
    code: -32020,
  },
  {
    told: "a version header that differs from the body is HeaderMismatch",
    spoil: (request) => Object.assign(request.headers, { "mcp-protocol-version": "2025-11-25" }),
    status: 400,
    code: -32020,
  },
  {
    told: "a missing Mcp-Method header is HeaderMismatch",
    spoil: ({ headers }) => delete headers["mcp-method"],
    status: 400,
    code: -32020,
  },
  {
    told: "a wrong Mcp-Method header is HeaderMismatch",
    spoil: ({ headers }) => Object.assign(headers, { "mcp-method": "tools/call" }),
    status: 400,
    code: -32020,
  },
  {
    told: "a missing Mcp-Name header is HeaderMismatch",
    method: "tools/call",
    params: { name: "unifi_tool_index" },
    spoil: ({ headers }) => delete headers["mcp-name"],
    status: 400,
    code: -32020,
  },
  {
    told: "a wrong Mcp-Name header is HeaderMismatch",
    method: "tools/call",
    params: { name: "unifi_tool_index" },
    spoil: ({ headers }) => Object.assign(headers, { "mcp-name": "unifi_execute" }),
    status: 400,
    code: -32020,
  },
  {
    told: "a Mcp-Name header in broken Base64 is HeaderMismatch",
    method: "tools/call",
    params: { name: "unifi_tool_index" },
    spoil: ({ headers }) => Object.assign(headers, { "mcp-name": "=?base64?***?=" }),
    status: 400,
    code: -32020,
  },
  {
    told: "an unknown version is told which are known",
    spoil: (request) => {
      request.headers["mcp-protocol-version"] = "2031-01-01";
      meta(request)[VERSION] = "2031-01-01";
    },
    status: 400,
    code: -32022,
  },
  {
    told: "missing clientCapabilities are invalid params",
    spoil: (request) => delete meta(request)[CAPABILITIES],
    status: 400,
    code: -32602,
  },
  {
    told: "clientCapabilities of a wrong type are invalid params",
    spoil: (request) => Object.assign(meta(request), { [CAPABILITIES]: "all" }),
    status: 400,
    code: -32602,
  },
  {
    told: "a missing envelope under a modern header is invalid params",
    spoil: (request) => delete (request.body.params as Record<string, unknown>)._meta,
    status: 400,
    code: -32602,
  },
  { told: "an unknown method is 404", method: "prompts/list", spoil: () => {}, status: 404, code: -32601 },
  { told: "ping is not of this era", method: "ping", spoil: () => {}, status: 404, code: -32601 },
  {
    told: "a cursor that we never gave is invalid params",
    params: { cursor: "x" },
    spoil: () => {},
    status: 200,
    code: -32602,
  },
  {
    told: "an unknown resource is invalid params",
    method: "resources/read",
    params: { uri: "unifi://x" },
    spoil: () => {},
    status: 200,
    code: -32602,
  },
  {
    told: "an unknown tool is invalid params",
    method: "tools/call",
    params: { name: "unifi_x" },
    spoil: () => {},
    status: 200,
    code: -32602,
  },
  {
    told: "arguments that are no object are invalid params",
    method: "tools/call",
    params: { name: "unifi_tool_index", arguments: [1] },
    spoil: () => {},
    status: 200,
    code: -32602,
  },
  {
    told: "an array of messages is an invalid request",
    spoil: (request) => Object.assign(request, { body: [request.body] }),
    status: 400,
    code: -32600,
  },
];

for (const { told, method = "tools/list", params = {}, spoil, status, code } of REFUSALS) {
  test(told, async (t) => {
    const endpoint = await mcpEndpoint(t);
    const request = modernRequest(method, params);
    spoil(request);

    const answer = await endpoint.post(request.body, request.headers);

    const { error } = (await answer.json()) as { error: { code: number } };
    assert.deepEqual([answer.status, error.code], [status, code]);
    assert.deepEqual(endpoint.errors, []);
  });
}

test("a Mcp-Name header in Base64 is understood", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const { body, headers } = modernRequest("tools/call", { name: "unifi_tool_index" });
  const encoded = `=?base64?${Buffer.from("unifi_tool_index").toString("base64")}?=`;

  const answer = await endpoint.post(body, { ...headers, "mcp-name": encoded });

  assert.equal(answer.status, 200);
});

test("clientInfo may be left out, a session id is neither needed nor given", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const { body, headers } = modernRequest("tools/list");

  const answer = await endpoint.post(body, { ...headers, "mcp-session-id": "of another era", "last-event-id": "7" });

  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("mcp-session-id"), null);
});

test("a notification is accepted without a body", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const { body, headers } = modernRequest("notifications/cancelled");
  const { id: _, ...notification } = body;

  const answer = await endpoint.post(notification, headers);

  assert.deepEqual([answer.status, await answer.text()], [202, ""]);
});

for (const method of ["GET", "DELETE", "PUT"]) {
  test(`${method} is not allowed`, async (t) => {
    const endpoint = await mcpEndpoint(t);

    const answer = await fetch(endpoint.url, { method, headers: { "mcp-protocol-version": "2026-07-28" } });

    assert.equal(answer.status, 405);
  });
}

test("another content type is refused", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const { body, headers } = modernRequest("tools/list");

  const answer = await endpoint.post(body, { ...headers, "content-type": "text/plain" });

  assert.equal(answer.status, 415);
});

test("a request nested too deep is refused before anything reads it", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const deep = `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`;
  const { body, headers } = modernRequest("tools/call", { name: "unifi_execute", arguments: "DEEP" });

  const answer = await endpoint.post(JSON.stringify(body).replace('"DEEP"', deep), headers);

  const { error } = (await answer.json()) as { error: { code: number; message: string } };
  assert.deepEqual([answer.status, error.code], [400, -32600]);
  assert.match(error.message, /nested deeper/);
});

test("a client that leaves in mid-call cancels it, and nothing counts as delivered", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const begun = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  let deliveries = 0;
  endpoint.execution.answer = async (_request, { signal }) => {
    begun.resolve();
    await once(signal, "abort");
    aborted.resolve();
    return jsonOutcome({ success: true }, { delivered: () => deliveries++ });
  };
  const { body, headers } = modernRequest("tools/call", {
    name: "unifi_execute",
    arguments: { tool: "unifi_list_clients" },
  });
  const text = JSON.stringify(body);
  const socket = connect(Number(endpoint.url.port), "127.0.0.1");
  await once(socket, "connect");

  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n${Object.entries(
      headers,
    )
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")}\r\n${text}`,
  );
  await begun.promise;
  socket.destroy();
  await aborted.promise;

  assert.equal(deliveries, 0);
});

for (const { told, extra } of [
  { told: "an answer is delivered once the socket has all of it", extra: {} },
  { told: "an answer through the SDK is delivered too", extra: { _meta: { progressToken: 1 } } },
]) {
  test(told, async (t) => {
    const endpoint = await mcpEndpoint(t);
    const delivered = Promise.withResolvers<void>();
    endpoint.execution.answer = async () => jsonOutcome({ success: true }, { delivered: delivered.resolve });
    const { body, headers } = modernRequest("tools/call", {
      name: "unifi_execute",
      arguments: { tool: "unifi_list_clients" },
      ...extra,
    });

    const answer = await endpoint.post(body, headers);
    await answer.text();

    await delivered.promise;
    assert.equal(answer.status, 200);
  });
}

test("a defect of ours tells the client nothing and the log everything", async (t) => {
  const endpoint = await mcpEndpoint(t);
  endpoint.execution.answer = async () => {
    throw new TypeError("secret detail");
  };
  const { body, headers } = modernRequest("tools/call", {
    name: "unifi_execute",
    arguments: { tool: "unifi_list_clients" },
  });

  const text = await (await endpoint.post(body, headers)).text();

  assert.doesNotMatch(text, /secret detail/);
  assert.match(text, /INTERNAL/);
  assert.equal(endpoint.errors.length, 1);
});

const LISTEN = modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } }, "sub");

/** Opens a listen stream that ends with the test. */
async function listen(endpoint: Endpoint, t: TestContext): Promise<Response> {
  const leave = new AbortController();
  t.after(() => leave.abort());
  return fetch(endpoint.url, {
    method: "POST",
    headers: { "content-type": "application/json", ...LISTEN.headers },
    body: JSON.stringify(LISTEN.body),
    signal: leave.signal,
  });
}

test("revoking a grant ends its listen streams with a result", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const stream = await listen(endpoint, t);

  await endpoint.loaded.add(principal(), ["unifi_list_clients"]);
  endpoint.mcp.endGrant("grant-1");

  const messages = (await stream.text())
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)));
  assert.deepEqual(
    messages.map(({ method, id }) => method ?? id),
    ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed", "sub"],
  );
  for (const { params } of messages.slice(0, 2))
    assert.equal(params._meta["io.modelcontextprotocol/subscriptionId"], "sub");
});

test("a listen stream ends with the token it was opened under", async (t) => {
  const timers = fakeTimers();
  const endpoint = await mcpEndpoint(t, {
    timers,
    who: () => principal({ expiresAtSeconds: timers.now() / 1000 + 60 }),
  });
  const stream = await listen(endpoint, t);

  timers.advance(60_000);

  assert.match(await stream.text(), /"id":"sub"/);
});

test("a grant may not listen without end", async (t) => {
  const endpoint = await mcpEndpoint(t);
  await Promise.all(Array.from({ length: 32 }, () => listen(endpoint, t)));

  const refused = await listen(endpoint, t);

  assert.deepEqual(await refused.json(), {
    jsonrpc: "2.0",
    id: "sub",
    error: { code: -32603, message: "Subscription limit reached" },
  });
});

test("an unknown resource's error names the resource in its data", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const { body, headers } = modernRequest("resources/read", { uri: "unifi://x" });

  const { error } = (await (await endpoint.post(body, headers)).json()) as { error: object };

  assert.deepEqual(error, { code: -32602, message: "There is no resource unifi://x.", data: { uri: "unifi://x" } });
});

test("an answer that becomes structuredContent is asked for as one whole object, and one that becomes text is not", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const asked: (boolean | undefined)[] = [];
  endpoint.execution.answer = async (_request, { whole }) => {
    asked.push(whole);
    return jsonOutcome({ success: true });
  };

  for (const params of [
    { name: "unifi_list_clients", arguments: { location: "hq" } },
    { name: "unifi_execute", arguments: { tool: "unifi_list_clients", location: "hq" } },
  ]) {
    const { body, headers } = modernRequest("tools/call", params);
    await endpoint.post(body, headers);
  }

  assert.deepEqual(asked, [true, undefined]);
});
