/** What a broken or hostile gateway can do to an agent: end the link, and nothing else. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { type WebSocket, WebSocketServer } from "ws";
import { dial } from "../../src/agent/dial.ts";
import { type FakePort, fakePort, json, OWNER, request } from "../tunnel/fake-port.ts";
import { fakeTiming } from "../tunnel/fake-timing.ts";
import { Inbox, newKey, quiet, type Received } from "../tunnel/rig.ts";

/** A gateway that admits anyone and says what a test wants; the agent dials it once. */
async function hostileGateway(t: TestContext, port: FakePort) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, handleProtocols: () => "unifi-agent.v2" });
  await once(server, "listening");
  const gatewayUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const timing = fakeTiming();
  const setBacks = new Inbox<string>();
  const connected = once(server, "connection");
  const dialer = dial({
    gatewayUrl,
    identity: { agent_id: "agent-1", org: "acme", location: "hq", gateway: gatewayUrl, jwk: await newKey() },
    port,
    lastEpoch: { read: () => 4, write: () => undefined },
    timing,
    random: () => 0,
    log: { ...quiet, warn: (_fields, message) => setBacks.put(message) },
  });
  t.after(() => {
    dialer.close();
    for (const client of server.clients) client.terminate();
    server.close();
  });
  timing.advance(0);
  const [socket] = (await connected) as [WebSocket];
  const inbox = new Inbox<Received>();
  socket.on("message", (data: Buffer, isBinary) => inbox.put(isBinary ? { chunk: data } : JSON.parse(String(data))));
  const hello = await inbox.take();
  const welcome = {
    t: "welcome",
    epoch: 5,
    session: "s",
    server_time: 0,
    limits: { arguments_bytes: 1, result_bytes: 1, streams: 1, calls: 1 },
    resend: [],
    forget: [],
  };
  const greet = async () => {
    socket.send(JSON.stringify(welcome));
    return await inbox.take();
  };
  return { socket, inbox, hello, welcome, greet, dialer, setBacks };
}

/** A `call` frame. */
function call(id: string, stream: number): string {
  const { tool, args, kind, ttlMs, owner } = request();
  return JSON.stringify({ t: "call", id, stream, tool, args, kind, ttl_ms: ttlMs, owner });
}

/** The one chunk of a short body. */
function chunk(stream: number, body: string): Buffer {
  const head = Buffer.from([1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(stream, 2);
  return Buffer.concat([head, Buffer.from(body)]);
}

test("hello carries the last epoch and ready the new one", async (t) => {
  const { hello, greet } = await hostileGateway(t, fakePort());

  const ready = await greet();

  assert.partialDeepStrictEqual(hello, { t: "hello", agent_id: "agent-1", last_epoch: 4, open: [] });
  assert.deepEqual(ready, { t: "ready", epoch: 5 });
});

test("malformed, misplaced and oversized messages end the link; the port is not asked and the agent waits to return", async (t) => {
  const wrong: readonly (string | Buffer)[] = [
    "{",
    '{"t":"call","id":"x"}',
    '{"t":"hello"}',
    `{"t":"call","x":${"[".repeat(1_000)}${"]".repeat(1_000)}}`,
    Buffer.from([1]),
    "x".repeat(1024 * 1024 + 1),
  ];

  const ends = await Promise.all(
    wrong.map(async (message) => {
      const port = fakePort();
      const { socket, greet, dialer, setBacks } = await hostileGateway(t, port);
      await greet();
      socket.send(message);
      const [[code]] = await Promise.all([once(socket, "close"), setBacks.take()]);
      return { code, asked: port.calls.length, phase: dialer.state().phase };
    }),
  );

  const ended = (code: number) => ({ code, asked: 0, phase: "waiting" });
  assert.deepEqual(ends, [ended(4400), ended(4400), ended(4400), ended(4400), ended(4400), ended(1009)]);
});

test("a call before ready and a second welcome end the link", async (t) => {
  const port = fakePort();
  const early = await hostileGateway(t, port);
  const twice = await hostileGateway(t, port);

  early.socket.send(call("c1", 1));
  const [first] = await once(early.socket, "close");
  await twice.greet();
  twice.socket.send(JSON.stringify(twice.welcome));
  const [second] = await once(twice.socket, "close");

  assert.deepEqual([first, second], [4400, 4400]);
  assert.deepEqual(port.calls, []);
});

test("the sixty-fifth call at once is refused as OVERLOADED without asking the port", async (t) => {
  const port = fakePort();
  port.onCall = () => new Promise(() => undefined);
  const { socket, inbox, greet } = await hostileGateway(t, port);
  await greet();

  for (let stream = 1; stream <= 65; stream += 1) socket.send(call(`c${stream}`, stream));

  assert.partialDeepStrictEqual(await inbox.take(), { t: "res", stream: 65, err: { code: "OVERLOADED" } });
  assert.equal(port.calls.length, 64);
});

test("a batch whose body is no list of operations is refused in words and the link stays", async (t) => {
  const port = fakePort();
  port.onCall = async () => json({ success: true });
  const { socket, inbox, greet } = await hostileGateway(t, port);
  await greet();
  const deep = `${"[".repeat(200)}${"]".repeat(200)}`;

  const refusals: Received[] = [];
  for (const [index, body] of ["{}", "[]", "no json", deep, '[{"index":0}]'].entries()) {
    const stream = index + 1;
    socket.send(
      JSON.stringify({ t: "batch", id: `b${stream}`, stream, size: body.length, ttl_ms: 1_000, owner: OWNER }),
    );
    socket.send(chunk(stream, body));
    refusals.push(await inbox.take());
  }
  socket.send(call("c1", 9));
  const answer = await inbox.take();

  for (const refusal of refusals)
    assert.partialDeepStrictEqual(refusal, { t: "res", err: { code: "ARGUMENTS_INVALID" } });
  assert.deepEqual(port.batches, []);
  assert.deepEqual(answer, { chunk: chunk(9, '{"success":true}') });
});

test("chunks that exceed a batch's announced size end the link", async (t) => {
  const { socket, greet } = await hostileGateway(t, fakePort());
  await greet();

  socket.send(JSON.stringify({ t: "batch", id: "b", stream: 1, size: 5, ttl_ms: 1_000, owner: OWNER }));
  const more = chunk(1, "123456");
  more[1] = 0;
  socket.send(more);
  const [code] = await once(socket, "close");

  assert.equal(code, 4400);
});
