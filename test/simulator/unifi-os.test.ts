/** The UniFi OS persona: detection, sign-in, CSRF, API key. */
import assert from "node:assert/strict";
import { createHash, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { at, clientOf, rowsOf, simulator } from "./client.ts";

const STATIONS = "/proxy/network/api/s/default/stat/sta";
const STAMGR = "/proxy/network/api/s/default/cmd/stamgr";
const WRITE = { cmd: "block-sta", mac: "02:00:00:00:00:01" };

test("the root is a page and strangers get 401 below /proxy/network, known path or not", async (t) => {
  const console_ = await simulator(t, { persona: "unifi-os" });
  const client = clientOf(t, console_);

  const root = await client.send("GET", "/");
  const known = await client.send("GET", STATIONS);
  const unknown = await client.send("GET", "/proxy/network/nothing/here");
  const outside = await client.send("GET", "/api/nothing");

  assert.equal(root.status, 200);
  assert.match(String(root.headers["content-type"]), /text\/html/);
  assert.deepEqual([known.status, known.json], [401, { code: 401, message: "Unauthorized" }]);
  assert.equal(unknown.status, 401);
  assert.deepEqual([outside.status, outside.json], [404, { error: { code: 404, message: "Not found" } }]);
});

test("signing in sets TOKEN first, partitioned, with the CSRF token in header and claims", async (t) => {
  const console_ = await simulator(t, { persona: "unifi-os" });
  const client = clientOf(t, console_);

  const answer = await client.login();

  const [first = ""] = [answer.headers["set-cookie"] ?? []].flat();
  const claims: unknown = JSON.parse(Buffer.from(first.split(".")[1] ?? "", "base64url").toString());
  assert.equal(answer.status, 200);
  assert.equal(at(answer.json, "username"), "admin");
  assert.match(first, /^TOKEN=[^;]+;.*secure; httponly; partitioned$/);
  assert.equal(at(claims, "csrfToken"), answer.headers["x-csrf-token"]);
  assert.equal(answer.headers["x-updated-csrf-token"], answer.headers["x-csrf-token"]);
});

test("an older console shows a CSRF token on the root and refuses a wrong password with 401", async (t) => {
  const console_ = await simulator(t, { persona: "unifi-os", era: "older" });
  const client = clientOf(t, console_);

  const root = await client.send("GET", "/");
  const refused = await client.send("POST", "/api/auth/login", { username: "admin", password: "wrong" });
  const login = await client.login();

  assert.equal(typeof root.headers["x-csrf-token"], "string");
  assert.equal(refused.status, 401);
  assert.doesNotMatch(String(login.headers["set-cookie"]), /partitioned/);
});

test("a wrong password is refused with 403 and is not kept in the log", async (t) => {
  const console_ = await simulator(t, { persona: "unifi-os" });
  const client = clientOf(t, console_);

  const answer = await client.send("POST", "/api/auth/login", { username: "admin", password: "guess" });

  assert.equal(answer.status, 403);
  assert.deepEqual(console_.requests, [
    { method: "POST", path: "/api/auth/login", status: 403, body: { username: "admin", password: "***" } },
  ]);
});

test("a write without the session's CSRF token is refused with 403, a read is not", async (t) => {
  const console_ = await simulator(t, { persona: "unifi-os" });
  const client = clientOf(t, console_);
  await client.login();

  const missing = await client.send("POST", STAMGR, WRITE, { "x-csrf-token": "" });
  const read = await client.send("GET", STATIONS, undefined, { "x-csrf-token": "" });
  const right = await client.send("POST", STAMGR, WRITE);

  assert.deepEqual([missing.status, at(missing.json, "error", "message")], [403, "Invalid CSRF Token"]);
  assert.equal(read.status, 200);
  assert.deepEqual([right.status, at(right.json, "meta", "msg")], [400, "api.err.MacNotRegistered"]);
});

test("after signing out the cookie is worth nothing", async (t) => {
  const console_ = await simulator(t, { persona: "unifi-os" });
  const client = clientOf(t, console_);
  await client.login();
  const cookie = client.cookieHeader;
  const before = await client.send("GET", "/api/users/self");

  await client.send("POST", "/api/auth/logout", undefined, { "content-type": "application/x-www-form-urlencoded" });
  const after = await client.send("GET", "/api/users/self", undefined, { cookie });

  assert.deepEqual([before.status, after.status], [200, 401]);
});

test("a session ends two hours after signing in, or thirty days with rememberMe", async (t) => {
  let nowMs = Date.UTC(2026, 10, 30);
  const console_ = await simulator(t, { persona: "unifi-os", now: () => nowMs });
  const brief = clientOf(t, console_);
  const long = clientOf(t, console_);
  await brief.send("POST", "/api/auth/login", { username: "admin", password: "simulated" });
  await long.login();

  nowMs += 3 * 3_600_000;

  assert.equal((await brief.send("GET", STATIONS)).status, 401);
  assert.equal((await long.send("GET", STATIONS)).status, 200);
});

test("an API key opens every surface without cookie or CSRF, a wrong one none", async (t) => {
  const console_ = await simulator(t, { persona: "unifi-os", apiKey: "key-1" });
  const client = clientOf(t, console_);
  const mac = String(rowsOf(await client.send("GET", STATIONS, undefined, { "x-api-key": "key-1" }))[0]?.mac);

  const write = await client.send("POST", STAMGR, { cmd: "block-sta", mac }, { "x-api-key": "key-1" });
  const wrong = await client.send("GET", STATIONS, undefined, { "x-api-key": "key-2" });

  assert.equal(write.status, 200);
  assert.equal(wrong.status, 401);
});

test("an API key of integration scope opens nothing else", async (t) => {
  const console_ = await simulator(t, { persona: "unifi-os", apiKey: "key-1", apiKeyScope: "integration" });
  const client = clientOf(t, console_);

  const integration = await client.send("GET", "/proxy/network/integration/v1/info", undefined, {
    "x-api-key": "key-1",
  });
  const classic = await client.send("GET", STATIONS, undefined, { "x-api-key": "key-1" });

  assert.deepEqual([integration.status, classic.status], [200, 401]);
});

test("the certificate that is served has the fingerprint that is told", async (t) => {
  const console_ = await simulator(t, { persona: "unifi-os" });
  const client = clientOf(t, console_);

  // the client trusts console_.certificatePem only, so an answer proves that it is the one served
  const answer = await client.send("GET", "/");

  assert.equal(answer.status, 200);
  const { raw } = new X509Certificate(console_.certificatePem);
  assert.equal(console_.fingerprint256, createHash("sha256").update(raw).digest("hex"));
});
