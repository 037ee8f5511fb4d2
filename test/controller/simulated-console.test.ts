/** The session against the simulated console, both personas: every fault that it can be told to have. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createNetworkConsole, type NetworkConsoleOptions } from "../../src/controller/network/console.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator/simulator.ts";

const PERSONAS = ["unifi-os", "standalone"] as const;

interface Place {
  readonly simulator: Simulator;
  readonly open: (overrides?: Partial<NetworkConsoleOptions>) => ReturnType<typeof createNetworkConsole>;
  readonly clock: { ms: number };
  readonly signIns: () => number;
}

async function place(t: TestContext, options: SimulatorOptions): Promise<Place> {
  const simulator = await startSimulator(options);
  t.after(() => simulator.close());
  const clock = { ms: 1_000_000 };
  const ignore = () => undefined;
  const open = (overrides: Partial<NetworkConsoleOptions> = {}) => {
    const network = createNetworkConsole({
      host: simulator.host,
      port: simulator.port,
      username: simulator.username,
      password: simulator.password,
      pinSha256: simulator.fingerprint256,
      now: () => clock.ms,
      wait: (_ms, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("over")), { once: true });
        }),
      random: () => 0,
      log: { info: ignore, warn: ignore, error: ignore },
      ...overrides,
    });
    t.after(() => network.close());
    return network;
  };
  const signIns = () => simulator.requests.filter(({ path }) => path.endsWith("/login")).length;
  return { simulator, open, clock, signIns };
}

for (const persona of PERSONAS) {
  test(`${persona}: reads and writes, v1 and v2, after one sign-in`, async (t) => {
    const { simulator, open, signIns } = await place(t, { persona });
    const site = await open().site("default");

    const clients = await site.v1("GET", "/stat/sta");
    const created = await site.v2("POST", "/static-dns", {
      key: "nas.lan",
      value: "10.0.0.9",
      record_type: "A",
      enabled: true,
    });
    const records = await site.v2("GET", "/static-dns");

    assert.ok(clients.length > 0);
    assert.ok((records as { key: string }[]).some(({ key }) => key === "nas.lan"));
    assert.equal((created as { key: string }).key, "nas.lan");
    assert.equal(signIns(), 1);
    assert.equal(simulator.requests.filter(({ method }) => method === "POST").length, 2);
  });

  test(`${persona}: a session that ended is renewed once for ten calls`, async (t) => {
    const { simulator, open, signIns } = await place(t, { persona });
    const site = await open().site(undefined);

    simulator.sessions.closeAll();
    await Promise.all(Array.from({ length: 10 }, () => site.v1("GET", "/stat/health")));

    assert.equal(signIns(), 2);
  });

  test(`${persona}: a wrong password costs one sign-in`, async (t) => {
    const { open, signIns } = await place(t, { persona });
    const network = open({ password: "wrong" });

    for (let call = 0; call < 3; call += 1) await assert.rejects(network.sites(), { code: "CONTROLLER_AUTH_FAILED" });

    assert.equal(signIns(), 1);
  });

  test(`${persona}: too many sign-ins and a second factor are told, and not tried again`, async (t) => {
    const { simulator, open, signIns } = await place(t, { persona });
    const [limited, guarded] = [open(), open()];

    simulator.faults.loginRateLimited = {};
    for (let call = 0; call < 3; call += 1) await assert.rejects(limited.sites(), { code: "CONTROLLER_RATE_LIMITED" });
    delete simulator.faults.loginRateLimited;
    simulator.faults.mfaRequired = {};
    for (let call = 0; call < 3; call += 1) await assert.rejects(guarded.sites(), { code: "CONTROLLER_MFA_REQUIRED" });

    assert.equal(signIns(), 2);
  });

  test(`${persona}: a console that boots is unreachable, then works without a back-off`, async (t) => {
    const { simulator, open } = await place(t, { persona });
    const network = open();

    simulator.faults.loginBooting = { hits: 1 };
    await assert.rejects(network.sites(), { code: "CONTROLLER_UNREACHABLE" });
    const sites = await network.sites();

    assert.deepEqual(
      sites.map(({ name }) => name),
      ["default"],
    );
  });

  test(`${persona}: a write cut off before or after it took effect is attempted once`, async (t) => {
    const { simulator, open } = await place(t, { persona });
    const site = await open().site(undefined);
    const [user] = await site.v1("GET", "/rest/user");
    const attempts = () => simulator.requests.filter(({ method }) => method === "PUT").length;

    simulator.faults.connectionReset = { hits: 1, method: "PUT" };
    await assert.rejects(site.v1("PUT", `/rest/user/${String(user?._id)}`, { name: "a" }), { code: "OUTCOME_UNKNOWN" });
    const effectsBefore = simulator.effects.size;
    simulator.faults.connectionReset = { hits: 1, method: "PUT", after: true };
    await assert.rejects(site.v1("PUT", `/rest/user/${String(user?._id)}`, { name: "b" }), { code: "OUTCOME_UNKNOWN" });

    assert.deepEqual([attempts(), effectsBefore, simulator.effects.size], [2, 0, 1]);
  });

  for (const [fault, options, read, write] of [
    ["serverErrorHtml", { status: 502 }, "CONTROLLER_UNREACHABLE", "OUTCOME_UNKNOWN"],
    ["serverErrorHtml", { status: 500 }, "CONTROLLER_FAILED", "OUTCOME_UNKNOWN"],
    ["serverErrorJson", { status: 500 }, "CONTROLLER_FAILED", "CONTROLLER_FAILED"],
    ["serverErrorJson", { status: 429 }, "CONTROLLER_RATE_LIMITED", "CONTROLLER_RATE_LIMITED"],
    ["metaError", { code: "VlanUsed" }, "CONTROLLER_REJECTED", "CONTROLLER_REJECTED"],
    ["wrongContentType", {}, "CONTROLLER_FAILED", "OUTCOME_UNKNOWN"],
  ] as const) {
    test(`${persona}: ${fault} ${JSON.stringify(options)} is no success, for reads and writes`, async (t) => {
      const { simulator, open, clock } = await place(t, { persona });
      const site = await open().site(undefined);

      simulator.faults[fault] = { hits: 1, ...options };
      await assert.rejects(site.v1("GET", "/stat/health"), { code: read });
      clock.ms += 60_000;
      simulator.faults[fault] = { hits: 1, ...options };
      await assert.rejects(site.v1("POST", "/cmd/evtmgr", { cmd: "archive-all-alarms" }), {
        code: write,
      });

      assert.equal(simulator.requests.filter(({ path }) => path.endsWith("/cmd/evtmgr")).length, 1);
    });
  }

  test(`${persona}: a console that takes its time is given it`, async (t) => {
    const asked: number[] = [];
    const { simulator, open } = await place(t, {
      persona,
      wait: async (delayMs) => {
        asked.push(delayMs);
      },
    });
    const site = await open().site(undefined);

    simulator.faults.slow = { hits: 1, delayMs: 25_000 };
    const health = await site.v1("GET", "/stat/health");

    assert.ok(health.length > 0);
    assert.deepEqual(asked, [25_000]);
  });
}

test("unifi-os: a CSRF token that rotated behind our back is recovered, and the write takes effect once", async (t) => {
  const { simulator, open } = await place(t, { persona: "unifi-os" });
  const site = await open().site(undefined);
  const [user] = await site.v1("GET", "/rest/user");

  simulator.faults.csrfRotated = { hits: 1 };
  await site.v1("PUT", `/rest/user/${String(user?._id)}`, { name: "renamed" });

  assert.deepEqual([...simulator.effects.values()], [1]);
  assert.equal(simulator.requests.filter(({ method }) => method === "PUT").length, 2);
});

test("unifi-os of the older kind signs in and renews its session as well", async (t) => {
  const { simulator, open, signIns } = await place(t, { persona: "unifi-os", era: "older" });
  const network = open();

  await network.sites();
  simulator.sessions.closeAll();
  await network.sites();

  assert.equal(signIns(), 2);
});

test("unifi-os: a key for everything needs no sign-in; one for the integration API alone is joined by the password", async (t) => {
  const all = await place(t, { persona: "unifi-os", apiKey: "k" });
  const partly = await place(t, { persona: "unifi-os", apiKey: "k", apiKeyScope: "integration" });

  const site = await all.open({ apiKey: "k" }).site(undefined);
  await site.v1("GET", "/stat/health");
  const id = await site.integrationSiteId();
  const other = await partly.open({ apiKey: "k" }).site(undefined);
  await other.v1("GET", "/stat/health");
  const sameId = await other.integrationSiteId();

  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.equal(sameId, id);
  assert.deepEqual([all.signIns(), partly.signIns()], [0, 1]);
});

test("standalone: the integration API is told to be missing", async (t) => {
  const { open } = await place(t, { persona: "standalone" });
  const site = await open().site(undefined);

  await assert.rejects(site.integrationSiteId(), { code: "CONTROLLER_UNSUPPORTED" });
});

test("a wrong pin: the simulated console sees no request", async (t) => {
  const { simulator, open } = await place(t, { persona: "unifi-os" });

  await assert.rejects(open({ pinSha256: "0".repeat(64) }).sites(), { code: "CONTROLLER_TLS_UNTRUSTED" });

  assert.deepEqual(simulator.requests, []);
});

test("status tells the version and does not sign in again", async (t) => {
  const { simulator, open, signIns } = await place(t, { persona: "standalone" });
  const network = open();

  const statuses = [await network.status(), await network.status()];

  const expected = { state: "connected", version: simulator.state.networkVersion };
  assert.deepEqual(statuses, [expected, expected]);
  assert.equal(signIns(), 1);
});
