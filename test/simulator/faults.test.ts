/** Every fault does what it says, and no more often than it should. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { FAULTS, type FaultSwitch, parseFault, strike } from "../../src/simulator/faults.ts";
import type { SimulatorOptions } from "../../src/simulator/simulator.ts";
import { at, clientOf, rowsOf, simulator } from "./client.ts";

const V1 = "/proxy/network/api/s/default";

async function signedIn(t: TestContext, options: Partial<SimulatorOptions> = {}) {
  const console_ = await simulator(t, { persona: "unifi-os", ...options });
  const client = clientOf(t, console_);
  await client.login();
  const [station] = rowsOf(await client.send("GET", `${V1}/stat/sta`));
  const mac = String(station?.mac);
  const block = () => client.send("POST", `${V1}/cmd/stamgr`, { cmd: "block-sta", mac });
  const blocks = () => console_.effects.get(`POST cmd/stamgr block-sta ${mac}`) ?? 0;
  return { console_, client, block, blocks, mac };
}

test("sessionExpired: one 401, and a new sign-in works again", async (t) => {
  const { console_, client } = await signedIn(t);
  console_.faults.sessionExpired = { hits: 1 };

  const expired = await client.send("GET", `${V1}/stat/sta`);
  const still = await client.send("GET", `${V1}/stat/sta`);
  await client.login();
  const again = await client.send("GET", `${V1}/stat/sta`);

  assert.deepEqual([expired.status, still.status, again.status], [401, 401, 200]);
});

test("csrfRotated: the write is refused unapplied, the refusal carries the new token", async (t) => {
  const { console_, block, blocks } = await signedIn(t);
  console_.faults.csrfRotated = { hits: 1 };

  const stale = await block();
  const between = blocks();
  const fresh = await block();

  assert.deepEqual([stale.status, at(stale.json, "error", "message")], [403, "Invalid CSRF Token"]);
  assert.deepEqual([between, fresh.status, blocks()], [0, 200, 1]);
});

test("loginRateLimited: 429 with the recorded body and no Retry-After", async (t) => {
  const { console_, client } = await signedIn(t);
  console_.faults.loginRateLimited = { hits: 1 };

  const answer = await client.login();

  assert.deepEqual([answer.status, at(answer.json, "code")], [429, "AUTHENTICATION_FAILED_LIMIT_REACHED"]);
  assert.equal(answer.headers["retry-after"], undefined);
  assert.equal((await client.login()).status, 200);
});

test("loginBooting: 200 with a page instead of an account", async (t) => {
  const { console_, client } = await signedIn(t);
  console_.faults.loginBooting = { hits: 1 };

  const answer = await client.login();

  assert.equal(answer.status, 200);
  assert.match(String(answer.headers["content-type"]), /text\/html/);
  assert.equal(answer.headers["set-cookie"], undefined);
});

test("mfaRequired on UniFi OS: 499 with a cookie that, with the code, signs in", async (t) => {
  const { console_, client } = await signedIn(t);
  console_.faults.mfaRequired = { token: "777777" };

  const asked = await client.login();
  const cookie = String(at(asked.json, "data", "mfaCookie"));
  const body = { username: "admin", password: "simulated", token: "777777" };
  const wrong = await client.send("POST", "/api/auth/login", { ...body, token: "1" }, { cookie });
  const right = await client.send("POST", "/api/auth/login", body, { cookie });

  assert.match(cookie, /^UBIC_2FA=/);
  assert.deepEqual([asked.status, wrong.status, right.status], [499, 499, 200]);
});

test("mfaRequired on a standalone console: api.err.Ubic2faTokenRequired names the authenticators", async (t) => {
  const { console_, client } = await signedIn(t, { persona: "unifi-os" });
  const standalone = await simulator(t, { persona: "standalone" });
  standalone.faults.mfaRequired = {};

  const answer = await clientOf(t, standalone).login();

  assert.deepEqual([answer.status, at(answer.json, "meta", "msg")], [400, "api.err.Ubic2faTokenRequired"]);
  assert.equal(at(answer.json, "data", 0, "authenticators", 0, "type"), "totp");
  assert.equal((await client.login()).status, 200, "faults belong to one console");
  assert.deepEqual(console_.faults, {});
});

test("serverErrorJson and serverErrorHtml: before, nothing is applied; after, it is", async (t) => {
  const { console_, block, blocks } = await signedIn(t);

  console_.faults.serverErrorJson = { hits: 1, status: 503 };
  const before = await block();
  const unapplied = blocks();
  console_.faults.serverErrorHtml = { hits: 1, after: true };
  const after = await block();

  assert.deepEqual([before.status, at(before.json, "meta", "rc"), unapplied], [503, "error", 0]);
  assert.deepEqual([after.status, after.json, blocks()], [502, undefined, 1]);
});

test("slow: waits as long as it is told, before or after the write", async (t) => {
  const waits: [number, number][] = [];
  const made = await signedIn(t, { wait: async (delayMs) => void waits.push([delayMs, made.blocks()]) });
  const { console_, block } = made;

  console_.faults.slow = { hits: 1, delayMs: 60_000 };
  await block();
  console_.faults.slow = { hits: 1, delayMs: 5000, after: true };
  await block();

  assert.deepEqual(waits, [
    [60_000, 0],
    [5000, 2],
  ]);
});

test("connectionReset: no answer, and whether the write was applied is as told", async (t) => {
  const { console_, block, blocks } = await signedIn(t);

  console_.faults.connectionReset = { hits: 1 };
  await assert.rejects(block());
  const before = blocks();
  console_.faults.connectionReset = { hits: 1, after: true };
  await assert.rejects(block());

  assert.deepEqual([before, blocks()], [0, 1]);
  assert.deepEqual(
    console_.requests.slice(-2).map((request) => request.status),
    [0, 0],
  );
});

test("notSaved: the answer shows the change, a read-back does not, nothing is counted", async (t) => {
  const { console_, client } = await signedIn(t);
  const [wlan] = rowsOf(await client.send("GET", `${V1}/rest/wlanconf`));
  console_.faults.notSaved = { hits: 1 };

  const answer = await client.send("PUT", `${V1}/rest/wlanconf/${String(wlan?._id)}`, { name: "Lost" });
  const [readBack] = rowsOf(await client.send("GET", `${V1}/rest/wlanconf`));

  assert.deepEqual([answer.status, rowsOf(answer)[0]?.name], [200, "Lost"]);
  assert.deepEqual(readBack, wlan);
  assert.equal(console_.effects.size, 0);
});

test("metaError: HTTP 200 with an error inside", async (t) => {
  const { console_, block, blocks } = await signedIn(t);
  console_.faults.metaError = { hits: 1, code: "InvalidValue" };

  const answer = await block();

  assert.deepEqual(
    [answer.status, answer.json],
    [200, { meta: { rc: "error", msg: "api.err.InvalidValue" }, data: [] }],
  );
  assert.equal(blocks(), 0);
});

test("noPermission: writes are 403, reads pass", async (t) => {
  const { console_, client, block } = await signedIn(t);
  console_.faults.noPermission = {};

  const write = await block();
  const read = await client.send("GET", `${V1}/stat/sta`);

  assert.deepEqual([write.status, at(write.json, "meta", "msg"), read.status], [403, "api.err.NoPermission", 200]);
});

test("wrongContentType: JSON that calls itself a page", async (t) => {
  const { console_, client } = await signedIn(t);
  console_.faults.wrongContentType = { hits: 1 };

  const answer = await client.send("GET", `${V1}/stat/sta`);

  assert.match(String(answer.headers["content-type"]), /text\/html/);
  assert.equal(rowsOf(answer).length, 8);
});

test("a switch strikes only its path and method, and goes out after its hits", () => {
  const fault: FaultSwitch = { path: "stat/sta", method: "GET", hits: 2 };
  const faults = { slow: fault };
  const other = { method: "GET", path: "/api/s/default/stat/device" };
  const post = { method: "POST", path: "/api/s/default/stat/sta" };
  const target = { method: "GET", path: "/api/s/default/stat/sta" };

  const struck = [other, post, target, target, target].map((request) => strike(faults, "slow", request) !== undefined);

  assert.deepEqual(struck, [false, false, true, true, false]);
  assert.deepEqual(faults, {});
});

test("fault texts of the command line are read, unknown names and keys are not", () => {
  assert.deepEqual(parseFault("slow:delayMs=5,path=stat/sta,hits=2,after=true"), {
    name: "slow",
    fault: { delayMs: 5, path: "stat/sta", hits: 2, after: true },
  });
  assert.deepEqual(
    Object.keys(FAULTS).map((name) => parseFault(name)?.name),
    Object.keys(FAULTS),
  );
  assert.equal(parseFault("slow:colour=red"), undefined);
  assert.equal(parseFault("toString"), undefined);
});
