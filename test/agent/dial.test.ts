/** How an agent comes, stays and comes back. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { BACKOFF, dial } from "../../src/agent/dial.ts";
import { LINK_TIMINGS } from "../../src/tunnel/limits.ts";
import { fakePort, request } from "../tunnel/fake-port.ts";
import { type FakeTiming, fakeTiming } from "../tunnel/fake-timing.ts";
import { Inbox, newKey, quiet, startRig } from "../tunnel/rig.ts";
import { startTlsServer } from "../tunnel/tls-server.ts";

type Wait = { readonly delayMs: unknown; readonly message: string };
type Refuse = { status: number; headers?: Record<string, string>; body?: string };

/** A gateway that refuses every upgrade, and an agent on a standing clock whose waits a test reads. */
async function refusedAgent(t: TestContext, refusals: readonly Refuse[], random = () => 0.5) {
  const left = [...refusals];
  const http = createServer();
  http.on("upgrade", (_request, socket) => {
    const { status, headers = {}, body = "{}" } = left.shift() ?? { status: 500 };
    const lines = Object.entries({ ...headers, "content-length": String(body.length), connection: "close" });
    socket.end(
      `HTTP/1.1 ${status} No\r\n${lines.map(([name, value]) => `${name}: ${value}`).join("\r\n")}\r\n\r\n${body}`,
    );
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const waits = new Inbox<Wait>();
  const timing = fakeTiming();
  const gatewayUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const dialer = dial({
    gatewayUrl,
    identity: { agent_id: "agent-1", org: "acme", location: "hq", gateway: gatewayUrl, jwk: await newKey() },
    port: fakePort(),
    lastEpoch: { read: () => 0, write: () => undefined },
    timing,
    random,
    log: { ...quiet, warn: ({ delayMs }, message) => waits.put({ delayMs, message }) },
  });
  t.after(() => {
    dialer.close();
    http.close();
  });
  return { dialer, timing, waits };
}

/** Lets `count` refused tries happen; returns the waits after each. */
async function tries(waits: Inbox<Wait>, timing: FakeTiming, count: number): Promise<unknown[]> {
  const delays = [];
  for (let index = 0; index < count; index += 1) {
    timing.advance(60_000);
    delays.push((await waits.take()).delayMs);
  }
  return delays;
}

test("the first try comes within 3 s, further ones at random up to a doubling bound of 60 s", async (t) => {
  const { timing, waits, dialer } = await refusedAgent(t, []);
  const first = timing.waiting();

  const delays = await tries(waits, timing, 9);

  assert.deepEqual(first, [1_500]);
  assert.deepEqual(delays, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  assert.equal(dialer.state().phase, "waiting");
});

test("jitter is full: the wait may be nothing at all", async (t) => {
  const { timing, waits } = await refusedAgent(t, [], () => 0);

  assert.deepEqual(await tries(waits, timing, 3), [0, 0, 0]);
});

test("Retry-After is obeyed, with jitter on top", async (t) => {
  const { timing, waits } = await refusedAgent(t, [{ status: 503, headers: { "retry-after": "7" } }]);

  assert.deepEqual(await tries(waits, timing, 1), [7_500]);
});

test("a revoked key is said in words and asked about hourly; the agent does not exit", async (t) => {
  const body = JSON.stringify({ error: "This agent's key is revoked.", hint: "Enrol again." });
  const { timing, waits, dialer } = await refusedAgent(t, [{ status: 403, body }]);
  timing.advance(3_000);

  const { delayMs, message } = await waits.take();

  assert.equal(delayMs, 3_600_000);
  assert.match(message, /This agent's key is revoked\. Enrol again\./);
  assert.equal(dialer.state().phase, "revoked");
});

test("a fresh nonce is used at once, and a second 401 is a refusal", async (t) => {
  const challenge = { status: 401, headers: { "dpop-nonce": "n1" }, body: '{"error":"No agent with this id."}' };
  const { timing, waits } = await refusedAgent(t, [challenge, challenge]);
  timing.advance(3_000);

  const { message } = await waits.take();

  assert.match(message, /HTTP 401.*No agent with this id\./);
});

test("no gateway at all, and a page of some proxy, are said in words", async (t) => {
  const { timing, waits } = await refusedAgent(t, [{ status: 502, body: "<html>Bad gateway</html>" }]);
  timing.advance(3_000);
  const proxy = await waits.take();
  const unreachable = new Inbox<string>();
  const otherTiming = fakeTiming();
  const dialer = dial({
    gatewayUrl: "http://127.0.0.1:1",
    identity: { agent_id: "a", org: "o", location: "l", gateway: "http://127.0.0.1:1", jwk: await newKey() },
    port: fakePort(),
    lastEpoch: { read: () => 0, write: () => undefined },
    timing: otherTiming,
    random: () => 0,
    log: { ...quiet, warn: (_fields, message) => unreachable.put(message) },
  });

  otherTiming.advance(0);
  const words = await unreachable.take();
  dialer.close();

  assert.match(proxy.message, /HTTP 502/);
  assert.match(words, /not reached: connect ECONNREFUSED/);
});

test("an authority file that cannot be read is named", async (t) => {
  const rig = await startRig(t);
  const warned = new Inbox<string>();
  rig.dial(fakePort(), {
    caFile: "/nowhere/ca.pem",
    log: { ...quiet, warn: (_fields, message) => warned.put(message) },
  });

  assert.match(await warned.take(), /\/nowhere\/ca\.pem cannot be read/);
});

test("ready is sent only after the epoch is on disk", async (t) => {
  const rig = await startRig(t);
  const written = Promise.withResolvers<number>();
  const onDisk = Promise.withResolvers<void>();
  rig.dial(fakePort(), {
    lastEpoch: {
      read: () => 6,
      write: (epoch) => {
        written.resolve(epoch);
        return onDisk.promise;
      },
    },
  });

  const epoch = await written.promise;
  const before = rig.server.connections().length;
  onDisk.resolve();
  const connection = await rig.connections.take();

  assert.equal(epoch, 7);
  assert.equal(before, 0);
  assert.equal(connection.epoch, 7);
});

test("a gateway that goes away and comes back has its agent back, with a higher epoch", async (t) => {
  const rig = await startRig(t);
  const dialer = rig.dial(fakePort());
  const first = await rig.connections.take();

  first.close(1012, "the gateway restarts");
  const second = await rig.connections.take();
  await second.call(request(), {});

  assert.ok(second.epoch > first.epoch);
  assert.equal(dialer.state().phase, "connected");
});

test("a link closed with 4403 counts as revoked", async (t) => {
  const rig = await startRig(t);
  const warned = new Inbox<string>();
  const dialer = rig.dial(fakePort(), { log: { ...quiet, warn: (_fields, message) => warned.put(message) } });
  const connection = await rig.connections.take();

  connection.close(4403, "the key is revoked");

  assert.match(await warned.take(), /revoked this agent's key; enrol again/);
  assert.equal(dialer.state().phase, "revoked");
});

test("an agent that hears nothing for 45 s gives its link up and dials anew", async (t) => {
  const rig = await startRig(t);
  const timing = fakeTiming();
  const warned = new Inbox<string>();
  const connected = new Inbox<unknown>();
  rig.dial(fakePort(), {
    timing,
    timings: { ...LINK_TIMINGS, stuckMs: 1e9 },
    log: { info: (fields) => connected.put(fields), warn: (_fields, message) => warned.put(message) },
  });
  timing.advance(0);
  await connected.take();

  timing.advance(44_000);
  const patient = warned.size === 0;
  timing.advance(1_000);
  const words = await warned.take();
  timing.advance(1);

  assert.equal(patient, true);
  assert.match(words, /nothing was heard for 45 s/);
  await connected.take();
});

test("a link that lived for a minute starts the back-off anew, a shorter one does not", async (t) => {
  const rig = await startRig(t);
  const timing = fakeTiming();
  const waits = new Inbox<Wait>();
  const connected = new Inbox<unknown>();
  rig.dial(fakePort(), {
    timing,
    backoff: BACKOFF,
    timings: { heartbeatMs: 1e9, deadMs: 1e9, stuckMs: 1e9, lookMs: 1e9 },
    log: { info: (fields) => connected.put(fields), warn: ({ delayMs }, message) => waits.put({ delayMs, message }) },
  });
  const delays: unknown[] = [];
  for (const livedMs of [10_000, 59_999, 60_000, 10_000]) {
    timing.advance(5_000);
    await connected.take();
    const connection = await rig.connections.take();
    timing.advance(livedMs - 5_000);
    timing.advance(5_000);
    connection.close(1012, "come again");
    delays.push((await waits.take()).delayMs);
  }

  assert.deepEqual(delays, [500, 1_000, 500, 1_000]);
});

test("over TLS the gateway's certificate is verified, by the given authority where one is given", async (t) => {
  const { https, gatewayUrl, caFile } = await startTlsServer(t);
  const rig = await startRig(t, { origin: gatewayUrl });
  https.on("upgrade", rig.server.handleUpgrade);
  const warned = new Inbox<string>();
  const distrustful = rig.dial(fakePort(), {
    gatewayUrl,
    backoff: { ...BACKOFF, firstMs: 0 },
    log: { ...quiet, warn: (_fields, message) => warned.put(message) },
  });

  const words = await warned.take();
  distrustful.close();
  rig.dial(fakePort(), { gatewayUrl, caFile });
  const connection = await rig.connections.take();

  assert.match(words, /not reached: .*certificate/);
  assert.equal((await connection.call(request(), {})).isError, false);
});

test("close() ends the link and dials no more", async (t) => {
  const rig = await startRig(t);
  const dialer = rig.dial(fakePort());
  const connection = await rig.connections.take();
  const gone = once(connection.closed, "abort");

  dialer.close();
  await gone;

  assert.equal(dialer.state().phase, "closed");
  assert.deepEqual(rig.server.connections(), []);
});
