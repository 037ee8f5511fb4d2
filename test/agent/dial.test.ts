/** How an agent comes, stays and comes back. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { dial } from "../../src/agent/dial.ts";
import { fakePort, request } from "../tunnel/fake-port.ts";
import { type FakeTiming, fakeTiming } from "../tunnel/fake-timing.ts";
import { Inbox, newKey, quiet, startRig } from "../tunnel/rig.ts";

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
  assert.match(message, /This agent's key is revoked\..*enrol again/i);
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

  assert.match(await warned.take(), /revoked this agent's key/);
  assert.equal(dialer.state().phase, "revoked");
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
