/** `unifi-edge local` over HTTP: who is let in, what `/health` says, and how the program starts and ends. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type SimulatorOptions, startSimulator } from "../../src/simulator/simulator.ts";
import { temporaryFolder } from "../agent/agent-under-test.ts";
import { createHold } from "../support/hold.ts";
import {
  CLIENTS,
  type Environment,
  type HttpServer,
  runToEnd,
  settingsFor,
  startHttpServer,
} from "../support/local-clients.ts";
import { freePort, postMcp } from "../support/world.ts";

const TOKEN = "a-token-of-the-person-2718";
const PROGRAM = fileURLToPath(new URL("../../bin/unifi-edge.js", import.meta.url));

async function house(t: TestContext, options: Partial<SimulatorOptions> = {}) {
  const simulator = await startSimulator({ persona: "unifi-os", ...options });
  t.after(() => simulator.close());
  const folder = temporaryFolder(t);
  return { simulator, folder, settings: settingsFor(simulator, folder) };
}

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** By hand, since fetch sets Host and Origin itself. */
async function ask(
  { origin }: Pick<HttpServer, "origin">,
  { method = "GET", path = "/health", headers, body }: Asked = {},
) {
  const sent = request(new URL(path, origin), { method, headers: { ...headers }, agent: false });
  sent.end(body);
  const [response] = await once(sent, "response");
  return { status: Number(response.statusCode), headers: response.headers, json: JSON.parse(await text(response)) };
}

const logins = (requests: readonly { readonly path: string }[]) =>
  requests.filter(({ path }) => path.includes("/auth/login")).length;

test("health of a console that answers names it, its site and whether writes are on, and is asked once in ten seconds", async (t) => {
  const { simulator, settings } = await house(t);
  const server = await startHttpServer(t, { ...settings, UNIFI_ALLOW_WRITES: "" });

  const first = await ask(server);
  const asked = simulator.requests.length;
  const second = await ask(server);

  const controller = `${simulator.host}:${simulator.port}`;
  assert.deepEqual(
    [first.status, first.json],
    [200, { status: "ok", controller, site: "default", write_enabled: false }],
  );
  assert.deepEqual([second.status, second.json], [200, first.json]);
  assert.equal(simulator.requests.length, asked);
});

test("health says unreachable, and the index and the API reference answer all the same", async (t) => {
  const { simulator, settings } = await house(t);
  await simulator.close();
  const server = await startHttpServer(t, settings);
  const [kind] = CLIENTS;
  assert.ok(kind);

  const health = await ask(server);
  const client = await kind.connect({ url: server.mcpUrl });
  t.after(() => client.close());
  const index = await client.call("unifi_tool_index", { search: "reboot" });
  const read = await client.call("unifi_execute", { tool: "unifi_list_clients" });

  assert.equal(health.status, 503);
  assert.deepEqual(Object.keys(health.json), ["status", "error"]);
  assert.equal(health.json.status, "error");
  assert.match(health.json.error, /^controller unreachable: /);
  assert.match(await client.read("unifi://api-reference"), /stat\/sta/);
  assert.equal(Number(index.count) > 0, true);
  assert.deepEqual([read.code, read.executed], ["CONTROLLER_UNREACHABLE", "no"]);
});

test("health says bad credentials, and nothing signs in again while that is waited out", async (t) => {
  const { simulator, settings } = await house(t);
  const server = await startHttpServer(t, { ...settings, UNIFI_PASSWORD: "not the password" });
  const [kind] = CLIENTS;
  assert.ok(kind);

  const health = await ask(server);
  const refused = logins(simulator.requests);
  const client = await kind.connect({ url: server.mcpUrl });
  t.after(() => client.close());
  const read = await client.call("unifi_execute", { tool: "unifi_list_clients" });

  assert.equal(health.status, 503);
  assert.match(health.json.error, /^bad credentials: /);
  assert.equal(refused, 1);
  assert.equal(read.code, "CONTROLLER_AUTH_FAILED");
  assert.equal(logins(simulator.requests), 1);
});

for (const { trouble, faults = {}, settings: own = {}, words } of [
  { trouble: "throttled sign-ins", faults: { loginRateLimited: {} }, words: /^sign-in is backing off: / },
  { trouble: "a console that is starting", faults: { loginBooting: {} }, words: /^controller unreachable: / },
  { trouble: "a site that is not there", settings: { UNIFI_SITE: "nowhere" }, words: /^not connected: .*no site/ },
]) {
  test(`health with ${trouble} is 503 in words`, async (t) => {
    const { simulator, settings } = await house(t);
    Object.assign(simulator.faults, faults);
    const server = await startHttpServer(t, { ...settings, ...own });

    const health = await ask(server);

    assert.deepEqual([health.status, health.json.status], [503, "error"]);
    assert.match(health.json.error, words);
  });
}

test("an answered write that is repeated runs twice; one whose answer was lost runs once", async (t) => {
  const hold = createHold();
  const { simulator, settings } = await house(t, { wait: hold.wait });
  const { mcpUrl } = await startHttpServer(t, settings);
  const call = async (name: string, args: object, signal?: AbortSignal) => {
    const { json } = await postMcp(mcpUrl, undefined, "tools/call", { name, arguments: args }, signal);
    return JSON.parse(json.result.content[0].text);
  };
  const { clients } = await call("unifi_list_clients", { limit: 1 });
  const client = { mac_address: clients[0].mac };
  const confirmed = async () => {
    const { confirm_token } = await call("unifi_force_reconnect_client", client);
    return { ...client, ...(confirm_token === undefined ? { confirm: true } : { confirm_token }) };
  };
  const effects = () =>
    [...simulator.effects].flatMap(([what, times]) => (what.includes(`kick-sta ${client.mac_address}`) ? [times] : []));

  const first = await call("unifi_force_reconnect_client", await confirmed());
  const second = await call("unifi_force_reconnect_client", await confirmed());
  const afterTwo = effects();
  simulator.faults.slow = { method: "POST", path: "stamgr", hits: 1 };
  const leaving = new AbortController();
  const left = assert.rejects(call("unifi_force_reconnect_client", await confirmed(), leaving.signal), {
    name: "AbortError",
  });
  await hold.held();
  leaving.abort();
  await left;
  const again = call("unifi_force_reconnect_client", await confirmed());
  hold.release();
  const twin = await again;

  assert.deepEqual([first.success, second.success, second.repeated_of, afterTwo], [true, true, undefined, [2]]);
  assert.equal(twin.success, true);
  assert.match(twin.repeated_of, /^(ct_)?[0-9a-f-]{36}$/);
  assert.deepEqual(effects(), [3]);
});

test("a foreign Host or Origin gets 403 everywhere, and nothing is asked of the console", async (t) => {
  const { simulator, settings } = await house(t);
  const server = await startHttpServer(t, settings);
  const { host } = new URL(server.origin);
  const post = {
    method: "POST",
    path: "/mcp",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  };
  const json = { "content-type": "application/json" };

  const refusals = await Promise.all([
    ask(server, { headers: { host: "evil.example" } }),
    ask(server, { headers: { host: `127.0.0.1.evil.example:${host.split(":")[1]}` } }),
    ask(server, { headers: { host: "192.0.2.1" } }),
    ask(server, { ...post, headers: { ...json, host: "evil.example" } }),
    ask(server, { ...post, headers: { ...json, origin: "https://evil.example" } }),
    ask(server, { ...post, headers: { ...json, origin: "http://localhost:8080" } }),
    ask(server, { ...post, headers: { ...json, origin: "null" } }),
  ]);
  const own = await ask(server, { headers: { origin: server.origin } });
  const byName = await ask(server, { headers: { host: "localhost" } });

  assert.deepEqual(
    refusals.map(({ status, json: { error } }) => [status, error.data.code]),
    refusals.map(() => [403, "PERMISSION_DENIED"]),
  );
  assert.deepEqual([own.status, byName.status], [200, 200]);
  assert.equal(logins(simulator.requests), 1);
});

test("what is not JSON, too large or elsewhere is refused in JSON-RPC's shape", async (t) => {
  const { settings } = await house(t);
  const server = await startHttpServer(t, settings);
  const post = { method: "POST", path: "/mcp", headers: { "content-type": "application/json" } };

  const broken = await ask(server, { ...post, body: "{" });
  const large = await ask(server, {
    ...post,
    headers: { ...post.headers, "content-length": String(12 * 1024 * 1024) },
  });
  const elsewhere = await ask(server, { path: "/admin" });

  assert.deepEqual([broken.status, broken.json.error.code], [400, -32_700]);
  assert.deepEqual([large.status, large.json.error.data.code], [413, "TOO_LARGE"]);
  assert.deepEqual([elsewhere.status, elsewhere.json.error.data.code], [404, "NOT_FOUND"]);
});

test("another address than loopback needs a token, which every request must then bring", async (t) => {
  const { settings, folder } = await house(t);
  const tokenFile = join(folder, "token");
  writeFileSync(tokenFile, `${TOKEN}\n`);
  const [kind] = CLIENTS;
  assert.ok(kind);

  const open = await runToEnd(["local", "--http", "0.0.0.0:0"], settings);
  const weak = await runToEnd(["local", "--http", "0.0.0.0:0"], { ...settings, UNIFI_EDGE_LOCAL_TOKEN: "short" });
  const guarded = { ...settings, UNIFI_EDGE_LOCAL_TOKEN_FILE: tokenFile, UNIFI_EDGE_LOCAL_HOSTS: "nas.example" };
  const server = await startHttpServer(t, guarded, `0.0.0.0:${await freePort()}`);
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const none = await ask(server);
  const wrong = await ask(server, { headers: bearer(TOKEN.replace("2718", "2719")) });
  const right = await ask(server, { headers: bearer(TOKEN) });
  const named = await ask(server, { headers: { ...bearer(TOKEN), host: "nas.example:3000" } });
  const foreign = await ask(server, { headers: { ...bearer(TOKEN), host: "evil.example" } });
  const client = await kind.connect({ url: server.mcpUrl, token: TOKEN });
  t.after(() => client.close());

  assert.deepEqual([open.status, open.stdout], [2, ""]);
  assert.match(open.stderr, /listens on loopback only, not on 0\.0\.0\.0/);
  assert.match(open.stderr, /UNIFI_EDGE_LOCAL_TOKEN/);
  assert.equal(weak.status, 2);
  assert.doesNotMatch(weak.stderr, /short"/);
  assert.deepEqual([none.status, none.headers["www-authenticate"]], [401, "Bearer"]);
  assert.deepEqual([wrong.status, right.status, named.status, foreign.status], [401, 200, 200, 403]);
  assert.equal((await client.call("unifi_list_sites")).success, true);
  assert.equal(server.program.output().includes(TOKEN), false);
});

test("missing settings are named all at once, and a taken port is told in words", async (t) => {
  const { settings } = await house(t);
  const { origin } = await startHttpServer(t, settings);

  const bare = await runToEnd(["local", "--stdio"], { UNIFI_TOOL_REGISTRATION_MODE: "everything" });
  const taken = await runToEnd(["local", "--http", new URL(origin).host], settings);
  const both = await runToEnd(["local", "--http", "--stdio"], settings);

  assert.deepEqual([bare.status, bare.stdout], [2, ""]);
  assert.match(bare.stderr, /UNIFI_HOST is not set/);
  assert.match(bare.stderr, /UNIFI_PASSWORD/);
  assert.match(bare.stderr, /UNIFI_TOOL_REGISTRATION_MODE is "everything": must be one of lazy/);
  assert.equal(taken.status, 2);
  assert.match(taken.stderr, /cannot be listened on.*EADDRINUSE/);
  assert.equal(both.status, 2);
  for (const { stderr } of [bare, taken, both]) assert.doesNotMatch(stderr, /\n {4}at /);
});

for (const [ending, end] of [
  ["its input ends", (child: ReturnType<typeof start>) => void child.stdin.end()],
  ["it is told to stop", (child: ReturnType<typeof start>) => void child.kill("SIGTERM")],
] as const) {
  test(`over stdio only messages stand on standard output, and it ends with 0 when ${ending}`, async (t) => {
    const { settings } = await house(t);
    const child = start(settings);
    t.after(() => child.kill("SIGKILL"));
    const logged = text(child.stderr);
    const ended = once(child, "exit");
    const lines: string[] = [];
    const answered = new Promise<void>((resolve) => {
      child.stdout.on("data", (chunk: Buffer) => {
        lines.push(...chunk.toString("utf8").split("\n").filter(Boolean));
        if (lines.length === 2) resolve();
      });
    });
    const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

    const clientInfo = { name: "by hand", version: "1" };
    say({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
    say({ id: 2, method: "tools/call", params: { name: "unifi_list_sites", arguments: {} } });
    await answered;
    end(child);
    const [status] = await ended;

    assert.equal(status, 0);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).id),
      [1, 2],
    );
    assert.match(await logged, /running on standard input and output/);
  });
}

function start(settings: Environment) {
  return spawn(process.execPath, [PROGRAM, "local"], { env: { PATH: process.env.PATH, ...settings } });
}
