/** The event socket against the simulated console: opened lazily, cut and come back, refused, signed in anew, closed. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Row } from "../../src/controller/controller.ts";
import { EventFeed, type FeedHandlers } from "../../src/controller/event-feed.ts";
import { createNetworkConsole } from "../../src/controller/network/console.ts";
import { eventRows, networkFeed } from "../../src/controller/network/events.ts";
import { settingsOf } from "../../src/controller/network/options.ts";
import { Sessions } from "../../src/controller/network/session.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { until } from "../support/until.ts";

const silent = { info() {}, warn() {}, error() {} };
const signal = new AbortController().signal;

async function connect(t: TestContext) {
  const simulator = await startSimulator({ persona: "unifi-os" });
  t.after(() => simulator.close());
  const told: string[] = [];
  const console_ = createNetworkConsole({
    host: simulator.host,
    port: simulator.port,
    username: simulator.username,
    password: simulator.password,
    pinSha256: simulator.fingerprint256,
    now: Date.now,
    // retries are short here; a wait of some seconds for the socket stays as it is
    wait: (ms, waitSignal) => delay(ms >= 30_000 ? ms : Math.min(ms, 500), undefined, { signal: waitSignal }),
    random: () => 0,
    log: { ...silent, info: (_facts, message) => void told.push(message) },
  });
  t.after(() => console_.close());
  return { simulator, told, console_, site: await console_.site(undefined) };
}

const restarted = (id: string) => ({ _id: id, key: "EVT_AP_Restarted", msg: "AP restarted", time: 1 });
const publish = (simulator: Simulator, id: string) => simulator.sockets.publish("default", "events", [restarted(id)]);

test("nothing is opened before it is asked for, and once asked for events come in", async (t) => {
  const { simulator, site } = await connect(t);
  await site.v1("GET", "/stat/sta");
  assert.equal(simulator.sockets.size, 0);

  const feed = site.events();
  const connected = await feed.ready(2000, signal);
  publish(simulator, "e1");
  await until("the event is there", () => feed.recent().length === 1);

  assert.equal(connected, true);
  assert.equal(simulator.sockets.size, 1);
  assert.equal(feed.recent()[0]?.event._id, "e1");
  assert.equal(typeof feed.state().listeningSinceMs, "number");
  assert.deepEqual(feed.state().gaps, []);
});

test("frames that are empty, no JSON, or only repeat lists are no events", () => {
  const frame = (message: string, data: unknown) => JSON.stringify({ meta: { rc: "ok", message }, data });

  assert.deepEqual(eventRows(""), []);
  assert.deepEqual(eventRows("pong"), []);
  assert.deepEqual(eventRows("{broken"), []);
  assert.deepEqual(eventRows("null"), []);
  assert.deepEqual(eventRows(frame("sta:sync", [{ mac: "x" }])), []);
  assert.deepEqual(eventRows(frame("events", "none")), []);
  assert.deepEqual(eventRows(frame("events", [{ key: "a" }, null, 7])), [{ key: "a" }]);
});

test("a cut socket is opened again, and the time without it is told as a gap", async (t) => {
  const { simulator, site } = await connect(t);
  const feed = site.events();
  await feed.ready(2000, signal);
  publish(simulator, "before");
  await until("the first event", () => feed.recent().length === 1);

  simulator.sockets.dropAll();
  await until("the feed notices", () => !feed.state().connected);
  const during = feed.state();
  await until("it is back", () => feed.state().connected);
  publish(simulator, "after");
  await until("the second event", () => feed.recent().length === 2);

  assert.equal(during.gaps[0]?.toMs, undefined);
  assert.match(String(during.problem), /closed the event socket/);
  const [gap] = feed.state().gaps;
  assert.ok(gap?.toMs !== undefined && gap.toMs >= gap.fromMs);
});

test("a refused upgrade is told with its status and tried again", async (t) => {
  const { simulator, site } = await connect(t);
  simulator.faults.eventsRefused = { status: 502 };
  const feed = site.events();

  const connected = await feed.ready(300, signal);
  await until("the refusal is known", () => feed.state().problem !== undefined);
  const refused = feed.state();
  delete simulator.faults.eventsRefused;
  await until("it is open at last", () => feed.state().connected);

  assert.equal(connected, false);
  assert.match(String(refused.problem), /HTTP 502/);
});

test("a socket that ends with its session comes back with a new sign-in", async (t) => {
  const { simulator, site } = await connect(t);
  const feed = site.events();
  await feed.ready(2000, signal);
  const logins = () => simulator.requests.filter(({ path }) => path.endsWith("/login")).length;
  const before = logins();

  simulator.faults.sessionExpired = { hits: 1 };
  await site.v1("GET", "/stat/sta");
  await until("the old socket is gone", () => feed.state().gaps.length > 0);
  await until("it is back", () => feed.state().connected);

  assert.equal(logins(), before + 1);
});

test("a lasting refusal costs one sign-in, not one at every attempt", async (t) => {
  const { simulator, told, site } = await connect(t);
  simulator.faults.eventsRefused = { status: 403 };

  await site.events().ready(100, signal);
  await until("three attempts were made", () => told.filter((message) => /opened again/.test(message)).length >= 3);

  assert.match(String(site.events().state().problem), /HTTP 403/);
  assert.equal(simulator.requests.filter(({ path }) => path.endsWith("/login")).length, 2);
});

test("a certificate that is not the pinned one gets no byte of the request", async (t) => {
  const simulator = await startSimulator({ persona: "unifi-os" });
  t.after(() => simulator.close());
  const settings = settingsOf({
    host: simulator.host,
    port: simulator.port,
    apiKey: "key",
    pinSha256: "ab".repeat(32),
    now: Date.now,
    wait: (ms, waitSignal) => delay(ms, undefined, { signal: waitSignal }),
    random: () => 0,
    log: silent,
  });
  const sessions = new Sessions({ ...settings, signIn: () => assert.fail("an API key needs no sign-in") });
  const feed = networkFeed({ settings, sessions, type: async () => "proxy" }, "default");
  t.after(() => feed.close());

  await feed.ready(100, signal);
  await until("the refusal is known", () => feed.state().problem !== undefined);

  assert.match(String(feed.state().problem), /another certificate than the pinned one/);
  assert.equal(simulator.sockets.size, 0);
  assert.deepEqual(simulator.requests, []);
});

test("closing the console ends the socket and everything that waits", async (t) => {
  const { simulator, console_, site } = await connect(t);
  await site.events().ready(2000, signal);

  await console_.close();
  await until("the console has no socket", () => simulator.sockets.size === 0);

  assert.equal(site.events().state().connected, false);
});

/** A feed whose sockets and clock the test turns. */
function feedByHand(capacity: number) {
  const handlers: FeedHandlers[] = [];
  const pings: number[] = [];
  let now = 0;
  const waits: { readonly ms: number; readonly done: () => void }[] = [];
  const feed = new EventFeed<Row>({
    capacity,
    open: async (given) => {
      handlers.push(given);
      return { ping: () => void pings.push(now), end: () => undefined };
    },
    decode: (text) => [{ text }],
    now: () => now,
    wait: (ms, waitSignal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waits.push({ ms, done: resolve });
      waitSignal.addEventListener("abort", () => reject(waitSignal.reason), { once: true });
      return promise;
    },
    random: () => 0,
    log: silent,
  });
  const pass = (ms: number) => {
    now += ms;
  };
  return { feed, handlers, waits, pings, pass };
}

const settled = () => delay(0);

test("only the newest events are kept", async (t) => {
  const { feed, handlers } = feedByHand(3);
  t.after(() => feed.close());
  await feed.ready(10, signal);

  for (const text of ["a", "b", "c", "d", "e"]) handlers[0]?.message(text);

  assert.deepEqual(
    feed.recent().map(({ event }) => event.text),
    ["c", "d", "e"],
  );
});

test("a socket without a sign of life is given up, one with a pong is not", async (t) => {
  const { feed, handlers, waits, pings, pass } = feedByHand(3);
  t.after(() => feed.close());
  await feed.ready(10, signal);
  const beat = async () => {
    waits.findLast(({ ms }) => ms === 15_000)?.done();
    await settled();
  };

  pass(5000);
  handlers[0]?.alive();
  pass(10_000);
  await beat();
  const alive = feed.state().connected;
  pass(15_000);
  await beat();

  assert.equal(alive, true);
  assert.equal(feed.state().connected, false);
  assert.match(String(feed.state().problem), /no sign of life/);
  assert.deepEqual(feed.state().gaps, [{ fromMs: 5000, toMs: undefined }], "the gap begins at the last sign");
  assert.ok(pings.length >= 2);
});

test("failed attempts wait twice as long each time, a connection that held starts anew", async (t) => {
  const { feed, handlers, waits, pass } = feedByHand(3);
  t.after(() => feed.close());
  await feed.ready(10, signal);
  const retry = async () => {
    handlers.at(-1)?.closed("cut");
    await settled();
    const { ms, done } = waits.at(-1) ?? assert.fail();
    done();
    await settled();
    return ms;
  };

  const short = [await retry(), await retry(), await retry()];
  pass(60_000);
  const anew = await retry();

  assert.deepEqual(short, [1000, 2000, 4000]);
  assert.equal(anew, 1000);
});
