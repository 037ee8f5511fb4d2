/** The standalone persona: detection, sign-in, and what it answers to the paths of UniFi OS. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, clientOf, rowsOf, simulator } from "./client.ts";

test("the root leads to /manage and nothing lies below /proxy", async (t) => {
  const console_ = await simulator(t, { persona: "standalone" });
  const client = clientOf(t, console_);

  const root = await client.send("GET", "/");
  const proxied = await client.send("GET", "/proxy/network/api/s/default/stat/health");
  const osLogin = await client.send("POST", "/api/auth/login", { username: "admin", password: "simulated" });

  assert.deepEqual([root.status, root.headers.location], [302, "/manage"]);
  assert.equal(proxied.status, 404);
  assert.deepEqual([osLogin.status, at(osLogin.json, "meta", "msg")], [400, "api.err.InvalidObject"]);
});

test("signing in sets unifises and csrf_token, a refusal is 400 api.err.Invalid", async (t) => {
  const console_ = await simulator(t, { persona: "standalone" });
  const client = clientOf(t, console_);

  const refused = await client.send("POST", "/api/login", { username: "admin", password: "wrong" });
  const accepted = await client.login();

  assert.deepEqual([refused.status, at(refused.json, "meta", "msg")], [400, "api.err.Invalid"]);
  assert.deepEqual([accepted.status, accepted.json], [200, { meta: { rc: "ok" }, data: [] }]);
  assert.equal(typeof client.cookie("unifises"), "string");
  assert.equal(typeof client.cookie("csrf_token"), "string");
});

test("without a session a call is 401 api.err.LoginRequired, and /status needs none", async (t) => {
  const console_ = await simulator(t, { persona: "standalone" });
  const client = clientOf(t, console_);

  const call = await client.send("GET", "/api/s/default/stat/sta");
  const status = await client.send("GET", "/status");

  assert.deepEqual([call.status, at(call.json, "meta", "msg")], [401, "api.err.LoginRequired"]);
  assert.equal(at(status.json, "meta", "server_version"), "10.0.162");
});

test("writes need no CSRF token, and every way to sign out works", async (t) => {
  const console_ = await simulator(t, { persona: "standalone" });

  const after: number[] = [];
  for (const [method, path] of [
    ["GET", "/logout"],
    ["POST", "/logout"],
    ["POST", "/api/logout"],
  ] as const) {
    const client = clientOf(t, console_);
    await client.login();
    const [group] = rowsOf(
      await client.send("POST", "/api/s/default/rest/usergroup", { name: `by ${method} ${path}` }),
    );
    assert.equal(typeof group?._id, "string");
    await client.send(method, path);
    after.push((await client.send("GET", "/api/self")).status);
  }

  assert.deepEqual(after, [401, 401, 401]);
});
