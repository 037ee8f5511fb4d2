/** The 2025 era on the wire: sessions that any replica accepts, streams of one grant, cancels, arrays, refusals. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import type { Principal } from "../../src/principal.ts";
import { fakeExecution, fakeLoadedTools, jsonOutcome, principal } from "../support/fake-execution.ts";
import { fakeTimers } from "../support/fake-timers.ts";
import { type Endpoint, mcpEndpoint } from "../support/mcp-endpoint.ts";

const rpc = (method: string, params: object = {}, id: string | number = 1) => ({ jsonrpc: "2.0", id, method, params });
const execute = (id: string | number = 1, meta: object = {}) =>
  rpc("tools/call", { name: "unifi_execute", arguments: { tool: "unifi_list_clients" }, ...meta }, id);

async function initialize(endpoint: Endpoint, version = "2025-11-25", token?: string): Promise<Record<string, string>> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await endpoint.post(
    rpc("initialize", {
      protocolVersion: version,
      capabilities: { elicitation: {} },
      clientInfo: { name: "t", version: "1" },
    }),
    authorization,
  );
  return { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "", ...authorization };
}

/** Messages of an event stream, one a call. */
async function* messagesOf(answer: Response): AsyncGenerator<{ method?: string; result?: unknown; params?: unknown }> {
  let text = "";
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString("utf8");
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const data = event.split("\n").find((line) => line.startsWith("data: "));
      if (data !== undefined) yield JSON.parse(data.slice("data: ".length));
    }
  }
}

const people: Readonly<Record<string, Principal>> = {
  ann: principal(),
  bob: principal({ subject: "bob", grant: "grant-2" }),
  eve: principal({ org: "other" }),
  "ann-elsewhere": principal({ client: "another-app" }),
  "ann-widened": principal({ grant: "grant-3" }),
};
const who = (token: string | undefined) => people[token ?? "ann"] ?? principal();

function listen(endpoint: Endpoint, headers: Record<string, string>, t: TestContext): Promise<Response> {
  const leave = new AbortController();
  t.after(() => leave.abort());
  return fetch(endpoint.url, { headers: { accept: "text/event-stream", ...headers }, signal: leave.signal });
}

for (const [asked, agreed] of [
  ["2025-11-25", "2025-11-25"],
  ["2025-06-18", "2025-06-18"],
  ["2025-03-26", "2025-03-26"],
  ["2024-11-05", "2024-11-05"],
  ["2023-01-01", "2025-11-25"],
] as const) {
  test(`a client of ${asked} gets ${agreed}`, async (t) => {
    const endpoint = await mcpEndpoint(t);

    const answer = await endpoint.post(rpc("initialize", { protocolVersion: asked, capabilities: {} }));

    const { result } = (await answer.json()) as { result: { protocolVersion: string; capabilities: object } };
    assert.equal(result.protocolVersion, agreed);
    assert.deepEqual(result.capabilities, { tools: { listChanged: true }, resources: {} });
  });
}

test("another replica accepts the session, and so does a refreshed token of the same grant", async (t) => {
  const one = await mcpEndpoint(t, { who });
  const two = await mcpEndpoint(t, { who: () => principal({ expiresAtSeconds: 9_999_999_999 }) });
  const headers = await initialize(one);

  const answer = await two.post(rpc("ping"), headers);

  assert.deepEqual(await answer.json(), { jsonrpc: "2.0", result: {}, id: 1 });
});

test("a client that declares endless capabilities gets a session id that is accepted", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const names = ["elicitation", ...Array.from({ length: 20 }, (_, at) => `${at}${"x".repeat(500)}`)];
  const capabilities = Object.fromEntries(names.map((name) => [name, {}]));
  const opened = await endpoint.post(rpc("initialize", { protocolVersion: "2025-11-25", capabilities }));
  const id = opened.headers.get("mcp-session-id") ?? "";

  const answer = await endpoint.post(rpc("ping"), { "mcp-session-id": id });

  assert.deepEqual([answer.status, id.length < 512], [200, true]);
});

for (const { told, spoil } of [
  {
    told: "another person's",
    spoil: (headers: Record<string, string>) => ({ ...headers, authorization: "Bearer bob" }),
  },
  {
    told: "another organisation's",
    spoil: (headers: Record<string, string>) => ({ ...headers, authorization: "Bearer eve" }),
  },
  {
    told: "another app's",
    spoil: (headers: Record<string, string>) => ({ ...headers, authorization: "Bearer ann-elsewhere" }),
  },
  { told: "a made-up", spoil: () => ({ "mcp-session-id": "deadbeef" }) },
  {
    told: "an altered",
    spoil: (headers: Record<string, string>) => ({ "mcp-session-id": `x${headers["mcp-session-id"]}` }),
  },
  { told: "an endless", spoil: () => ({ "mcp-session-id": `${"x".repeat(4000)}.y` }) },
]) {
  test(`${told} session id is 404, so that the client initializes again`, async (t) => {
    const endpoint = await mcpEndpoint(t, { who });
    const headers = await initialize(endpoint);

    const answer = await endpoint.post(rpc("tools/list"), spoil(headers));

    assert.equal(answer.status, 404);
  });
}

test("a session outlives its grant where the person gave the same app more; the old grant's stream ends", async (t) => {
  const endpoint = await mcpEndpoint(t, { who });
  const headers = await initialize(endpoint);
  const stream = await listen(endpoint, headers, t);

  const answer = await endpoint.post(rpc("ping"), { ...headers, authorization: "Bearer ann-widened" });
  const rest = await stream.text();

  assert.equal(answer.status, 200);
  assert.doesNotMatch(rest, /data:/);
});

test("a deleted session is 404 afterwards, and its stream ends", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const headers = await initialize(endpoint);
  const stream = await listen(endpoint, headers, t);

  const deleted = await fetch(endpoint.url, { method: "DELETE", headers });

  assert.equal(deleted.status, 204);
  assert.equal(await stream.text(), "");
  assert.equal((await endpoint.post(rpc("ping"), headers)).status, 404);
});

for (const { told, method, body, headers, status } of [
  { told: "a request without a session", method: "POST", body: rpc("tools/list"), headers: {}, status: 400 },
  { told: "a GET without a session", method: "GET", body: undefined, headers: {}, status: 405 },
  {
    told: "a version of no era",
    method: "POST",
    body: rpc("tools/list"),
    headers: { "mcp-protocol-version": "1999-01-01" },
    status: 400,
  },
  { told: "a body that is no message", method: "POST", body: { hello: 1 }, headers: {}, status: 400 },
]) {
  test(`${told} is refused with ${status}`, async (t) => {
    const endpoint = await mcpEndpoint(t);
    const session = told.includes("without") ? {} : await initialize(endpoint);

    const answer = await fetch(endpoint.url, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...session, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

    assert.equal(answer.status, status);
  });
}

test("notifications and answers are accepted with 202 and no body", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const headers = await initialize(endpoint);

  const notification = await endpoint.post({ jsonrpc: "2.0", method: "notifications/initialized" }, headers);
  const response = await endpoint.post({ jsonrpc: "2.0", id: 5, result: {} }, headers);

  assert.deepEqual([notification.status, await notification.text()], [202, ""]);
  assert.equal(response.status, 202);
});

for (const { request, code } of [
  { request: rpc("prompts/list"), code: -32601 },
  { request: rpc("tools/list", { cursor: "x" }), code: -32602 },
  { request: rpc("tools/call", { name: "unifi_x" }), code: -32602 },
  { request: rpc("tools/call", { arguments: {} }), code: -32602 },
  { request: rpc("resources/read", { uri: "unifi://x" }), code: -32002 },
  { request: rpc("toString"), code: -32601 },
]) {
  test(`${request.method} ${JSON.stringify(request.params)} is the protocol's error ${code}`, async (t) => {
    const endpoint = await mcpEndpoint(t);
    const headers = await initialize(endpoint);

    const answer = await endpoint.post(request, headers);

    const { error, id } = (await answer.json()) as { error: { code: number }; id: number };
    assert.deepEqual([answer.status, error.code, id], [200, code, 1]);
  });
}

test("an array of messages is answered to versions that have arrays", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const headers = await initialize(endpoint, "2025-03-26");

  const answer = await endpoint.post(
    [rpc("ping", {}, "a"), { jsonrpc: "2.0", method: "notifications/x" }, rpc("ping", {}, "b")],
    headers,
  );

  assert.deepEqual(await answer.json(), [
    { jsonrpc: "2.0", result: {}, id: "a" },
    { jsonrpc: "2.0", result: {}, id: "b" },
  ]);
});

test("an array is refused to versions that have none", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const headers = await initialize(endpoint);

  const answer = await endpoint.post([rpc("ping")], headers);

  assert.equal(answer.status, 400);
});

test("load_tools announces the change on its own answer where no stream is open", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const headers = await initialize(endpoint);

  const answer = await endpoint.post(
    rpc("tools/call", { name: "unifi_load_tools", arguments: { tools: ["unifi_list_clients"] } }),
    headers,
  );
  const messages: { method?: string; result?: unknown }[] = [];
  for await (const message of messagesOf(answer)) messages.push(message);

  assert.equal(answer.headers.get("content-type"), "text/event-stream");
  assert.equal(messages[0]?.method, "notifications/tools/list_changed");
  assert.ok(messages[1]?.result);
});

test("load_tools answers as JSON and announces on the open stream otherwise, once", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const headers = await initialize(endpoint);
  const messages = messagesOf(await listen(endpoint, headers, t));

  const answer = await endpoint.post(
    rpc("tools/call", { name: "unifi_load_tools", arguments: { tools: ["unifi_list_clients"] } }),
    headers,
  );

  assert.equal(answer.headers.get("content-type"), "application/json");
  assert.deepEqual((await messages.next()).value, { jsonrpc: "2.0", method: "notifications/tools/list_changed" });
});

test("a change reaches its own grant's streams only, in both eras", async (t) => {
  const endpoint = await mcpEndpoint(t, { who });
  const ann = messagesOf(await listen(endpoint, await initialize(endpoint, "2025-11-25", "ann"), t));
  const bob = messagesOf(await listen(endpoint, await initialize(endpoint, "2025-11-25", "bob"), t));
  const eve = messagesOf(await listen(endpoint, await initialize(endpoint, "2025-11-25", "eve"), t));

  await endpoint.loaded.add(people.ann ?? principal(), ["unifi_list_clients"]);
  assert.equal((await ann.next()).value?.method, "notifications/tools/list_changed");
  endpoint.mcp.endGrant("grant-1");
  endpoint.mcp.endGrant("grant-2");

  assert.equal((await ann.next()).done, true);
  assert.equal((await bob.next()).done, true);
  assert.equal((await eve.next()).done, true);
});

test("a stream ends with the token it was opened under", async (t) => {
  const timers = fakeTimers();
  const endpoint = await mcpEndpoint(t, {
    timers,
    who: () => principal({ expiresAtSeconds: timers.now() / 1000 + 600 }),
  });
  const stream = await listen(endpoint, await initialize(endpoint), t);

  timers.advance(600_000);

  const text = await stream.text();
  assert.match(text, /^(: keep-alive\n\n){39,40}$/);
  assert.equal(timers.pending, 0);
});

test("a newer stream of a session replaces the older one", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const headers = await initialize(endpoint);
  const older = await listen(endpoint, headers, t);
  const newer = messagesOf(await listen(endpoint, headers, t));

  assert.equal(await older.text(), "");
  await endpoint.loaded.add(principal(), ["unifi_list_clients"]);

  assert.equal((await newer.next()).value?.method, "notifications/tools/list_changed");
});

test("a grant may not open streams without end", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const sessions = await Promise.all(Array.from({ length: 32 }, () => initialize(endpoint)));
  await Promise.all(sessions.map((headers) => listen(endpoint, headers, t)));

  const refused = await listen(endpoint, await initialize(endpoint), t);

  assert.equal(refused.status, 429);
});

test("a cancel stops the request of its own session only", async (t) => {
  const execution = fakeExecution();
  const endpoint = await mcpEndpoint(t, { execution, who });
  const signals: AbortSignal[] = [];
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  execution.answer = async (_request, { signal }) => {
    signals.push(signal);
    begun[signals.length - 1]?.resolve();
    await once(signal, "abort");
    return jsonOutcome({ success: false }, { isError: true });
  };
  const mine = await initialize(endpoint);
  const other = await initialize(endpoint);
  const leave = new AbortController();
  const first = endpoint.post(execute(7), mine);
  await begun[0]?.promise;
  const second = fetch(endpoint.url, {
    method: "POST",
    headers: { "content-type": "application/json", ...other },
    body: JSON.stringify(execute(7)),
    signal: leave.signal,
  });
  await begun[1]?.promise;

  await endpoint.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }, mine);
  const answer = await first;

  assert.equal(answer.status, 200);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  );
  leave.abort();
  await assert.rejects(second);
  await endpoint.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }, other);
});

test("a client that leaves does not cancel its call, and nothing counts as delivered", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const headers = await initialize(endpoint);
  const begun = Promise.withResolvers<AbortSignal>();
  const go = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let deliveries = 0;
  endpoint.execution.answer = async (_request, { signal }) => {
    begun.resolve(signal);
    await go.promise;
    ended.resolve();
    return jsonOutcome({ success: true }, { delivered: () => deliveries++ });
  };
  const leave = new AbortController();
  const call = fetch(endpoint.url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(execute()),
    signal: leave.signal,
  });
  const signal = await begun.promise;

  leave.abort();
  await assert.rejects(call);
  await endpoint.post(rpc("ping"), headers);
  go.resolve();
  await ended.promise;
  await endpoint.post(rpc("ping"), headers);

  assert.equal(signal.aborted, false);
  assert.equal(deliveries, 0);
});

test("a delivered answer is told so, as JSON and as events", async (t) => {
  const endpoint = await mcpEndpoint(t);
  const headers = await initialize(endpoint);
  for (const meta of [{}, { _meta: { progressToken: 3 } }]) {
    const delivered = Promise.withResolvers<void>();
    endpoint.execution.answer = async () => jsonOutcome({ success: true }, { delivered: delivered.resolve });

    const answer = await endpoint.post(execute(1, meta), headers);
    await answer.text();

    await delivered.promise;
    assert.equal(
      answer.headers.get("content-type"),
      meta._meta === undefined ? "application/json" : "text/event-stream",
    );
  }
});

test("two replicas with the same store announce to each other's streams", async (t) => {
  const loaded = fakeLoadedTools();
  const one = await mcpEndpoint(t, { loaded });
  const two = await mcpEndpoint(t, { loaded });
  const headers = await initialize(one);
  const messages = messagesOf(await listen(two, headers, t));

  await one.post(
    rpc("tools/call", { name: "unifi_load_tools", arguments: { tools: ["unifi_list_clients"] } }),
    headers,
  );

  assert.equal((await messages.next()).value?.method, "notifications/tools/list_changed");
});
