/** Links that break, go silent, are taken over or are attacked: who is told what, at once. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { FlappingWatch } from "../../src/tunnel/flapping.ts";
import { fakePort, json, request } from "./fake-port.ts";
import { fakeTiming } from "./fake-timing.ts";
import { failureOf, Inbox, rawAgent, startRig } from "./rig.ts";

test("a socket cut in mid-call: reads were not executed, a sent write is OUTCOME_UNKNOWN, without waiting for a deadline", async (t) => {
  const timing = fakeTiming(); // stands still, so no deadline can fire
  const rig = await startRig(t, { timing });
  const { socket, inbox } = await rawAgent(rig);
  const connection = await rig.connections.take();
  const read = failureOf(connection.call(request({ id: "r" }), {}));
  const write = failureOf(connection.call(request({ id: "w", kind: "write" }), {}));
  await inbox.take();
  await inbox.take();

  socket.terminate();

  assert.partialDeepStrictEqual(await read, { code: "AGENT_OFFLINE", executed: "no" });
  assert.partialDeepStrictEqual(await write, { code: "OUTCOME_UNKNOWN", executed: "maybe", details: { call_id: "w" } });
  assert.equal(connection.closed.aborted, true);
  assert.deepEqual(rig.server.connections(), []);
  await assert.rejects(connection.call(request({ id: "w2", kind: "write" }), {}), {
    code: "AGENT_OFFLINE",
    executed: "no",
  });
  assert.ok(
    timing.waiting().every((ms) => ms <= 5_000),
    "a timer of a call was left behind",
  );
});

test("a write whose link broke ends on the agent, and its outcome comes with the next link until it is acknowledged", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  const release = new Inbox<boolean>();
  port.onCall = async (call) => {
    if (call.kind === "write") await release.take();
    return json({ success: true, id: call.id });
  };
  rig.dial(port);
  const first = await rig.connections.take();
  const lost = failureOf(first.call(request({ id: "w", kind: "write" }), {}));
  await first.call(request({ id: "r" }), {});

  first.close(1012, "come again");
  release.put(true);

  assert.partialDeepStrictEqual(await lost, { code: "OUTCOME_UNKNOWN" });
  const second = await rig.connections.take();
  assert.deepEqual(await rig.lateResults.take(), { id: "w", result: json({ success: true, id: "w" }) });
  second.close(1012, "not stored yet, come again");
  const third = await rig.connections.take();
  assert.deepEqual(await rig.lateResults.take(), { id: "w", result: json({ success: true, id: "w" }) });
  third.acknowledge("w", true);
  await third.call(request({ id: "r2" }), {});
  assert.deepEqual(port.acknowledged, [{ id: "w", delivered: true }]);
  third.close(1012, "come again");
  const fourth = await rig.connections.take();
  await fourth.call(request({ id: "r3" }), {});
  assert.equal(rig.lateResults.size, 0);
});

test("a call sent again under its id on the next link is answered once, by the run that was lost", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  const outcome = Promise.withResolvers<void>();
  const asked = new Inbox<string>();
  port.onCall = async (call) => {
    asked.put(call.id);
    await outcome.promise;
    return json({ success: true });
  };
  rig.dial(port);
  const first = await rig.connections.take();
  const lost = failureOf(first.call(request({ id: "w", kind: "write" }), {}));
  await asked.take();
  first.close(1012, "come again");
  await lost;
  const second = await rig.connections.take();

  const again = second.call(request({ id: "w", kind: "write" }), {});
  await asked.take();
  outcome.resolve();

  assert.deepEqual(await again, json({ success: true }));
});

test("the newer epoch takes over, the older closes with 4409, and its late end does not unroute the new one", async (t) => {
  const rig = await startRig(t);
  const old = await rawAgent(rig, "boot-1");
  const first = await rig.connections.take();
  // as if the network held back whatever the old socket still says
  old.socket.pause();

  await rawAgent(rig, "boot-2");
  const second = await rig.connections.take();
  const closed = once(old.socket, "close");
  old.socket.resume();
  const [code] = await closed;

  assert.equal(code, 4409);
  assert.equal(first.closed.aborted, true);
  assert.ok(second.epoch > first.epoch);
  assert.deepEqual(rig.server.connections(), [second]);
  assert.equal(second.closed.aborted, false);
});

test("an older epoch that becomes ready late is turned away", async (t) => {
  const epochs = [9, 3];
  const rig = await startRig(t, { nextEpoch: async () => epochs.shift() ?? 0 });
  await rawAgent(rig, "boot-1");
  const first = await rig.connections.take();

  const late = await rawAgent(rig, "boot-2");
  const [code] = await once(late.socket, "close");

  assert.equal(code, 4409);
  assert.deepEqual(rig.server.connections(), [first]);
});

test("two processes with one key that replace each other in turn have their writes held, not their reads", async (t) => {
  const rig = await startRig(t);
  for (const boot of ["a", "b", "a"]) {
    await rawAgent(rig, boot);
    await rig.connections.take();
  }
  const { socket, inbox } = await rawAgent(rig, "b");
  const connection = await rig.connections.take();

  await assert.rejects(connection.call(request({ kind: "write" }), {}), { code: "AGENT_CONFLICT", executed: "no" });
  const read = connection.call(request(), {});
  const { stream } = await inbox.take();
  const head = Buffer.from([1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(Number(stream), 2);
  socket.send(Buffer.concat([head, Buffer.from("{}")]));

  assert.deepEqual(await read, { isError: false, type: "json", body: Buffer.from("{}") });
});

test("writes of an agent that no copy has disturbed for ten minutes are let go again", () => {
  const watch = new FlappingWatch();
  for (const [index, boot] of ["a", "b", "a", "b", "a"].entries()) watch.note("agent-1", boot, index * 1_000);
  watch.note("agent-2", "c", 4_000);

  const held = ["agent-1", "agent-2"].map((agent) => watch.isConflict(agent, 5_000));
  const later = watch.isConflict("agent-1", 5_000 + 600_000);

  assert.deepEqual(held, [true, false]);
  assert.equal(later, false);
});

test("an agent that restarts often is not held", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  for (const boot of ["1", "2", "3", "4"]) {
    await rawAgent(rig, boot);
    await rig.connections.take();
  }
  port.bootId = "5";
  rig.dial(port);

  const connection = await rig.connections.take();

  assert.deepEqual(await connection.call(request({ kind: "write" }), {}), json({ success: true, args: {} }));
});

test("heartbeats go out every 20 s and 45 s of silence end the link", async (t) => {
  const timing = fakeTiming();
  const rig = await startRig(t, { timing });
  const { inbox } = await rawAgent(rig);
  const connection = await rig.connections.take();

  timing.advance(20_000);
  const heartbeat = await inbox.take();
  const aliveAt44 = !connection.closed.aborted;
  timing.advance(24_000);
  const silent = connection.closed.aborted;
  timing.advance(6_000);

  assert.equal(heartbeat.t, "hb");
  assert.equal(aliveAt44, true);
  assert.equal(silent, false);
  assert.equal(connection.closed.aborted, true);
  assert.match((connection.closed.reason as { reason: string }).reason, /nothing was heard/);
});

test("any message counts as life, and a heartbeat is answered", async (t) => {
  const timing = fakeTiming();
  const rig = await startRig(t, { timing });
  const { socket, inbox } = await rawAgent(rig);
  const connection = await rig.connections.take();

  timing.advance(40_000);
  socket.send(JSON.stringify({ t: "hb", at: 7 }));
  const answers = [await inbox.take(), await inbox.take(), await inbox.take()];
  timing.advance(40_000);

  assert.deepEqual(answers.at(-1), { t: "hb.ack", at: 7 });
  assert.equal(connection.closed.aborted, false);
});

const MALFORMED: Readonly<Record<string, string | Buffer>> = {
  "no JSON": "{",
  "no object": "[1]",
  "no type": "{}",
  "a wrong field": '{"t":"progress","stream":"one","done":1}',
  "a frame of the gateway": '{"t":"welcome","epoch":1}',
  "deep nesting": `{"t":"progress","x":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
  "a second hello": JSON.stringify({ t: "ready", epoch: 1 }),
  "a short binary message": Buffer.from([1, 2, 3]),
  "unknown flags": Buffer.from([1, 255, 0, 0, 0, 1, 0, 0, 0, 0]),
  "a late result of nobody": '{"t":"res","stream":2147483649}',
  "an operation on a stream of the gateway":
    '{"t":"op","batch":"b","index":0,"tool":"t","state":"done","owner":{"org":"o","subject":"s","grant":"g"},"stream":5}',
};
for (const [what, message] of Object.entries(MALFORMED)) {
  test(`malformed from an agent: ${what} ends its link with 4400 and nothing else`, async (t) => {
    const rig = await startRig(t);
    const { socket } = await rawAgent(rig);
    const connection = await rig.connections.take();
    const write = failureOf(connection.call(request({ kind: "write" }), {}));

    socket.send(message);
    const [code] = await once(socket, "close");

    assert.equal(code, 4400);
    assert.partialDeepStrictEqual(await write, { code: "OUTCOME_UNKNOWN" });
    assert.deepEqual(rig.server.connections(), []);
  });
}

test("chunks out of order end the link with 4400", async (t) => {
  const rig = await startRig(t);
  const { socket, inbox } = await rawAgent(rig);
  const connection = await rig.connections.take();
  const read = failureOf(connection.call(request(), {}));
  const { stream } = await inbox.take();
  const chunk = Buffer.alloc(20);
  chunk[0] = 1;
  chunk.writeUInt32BE(Number(stream), 2);
  chunk.writeUInt32BE(3, 6);

  socket.send(chunk);
  const [code] = await once(socket, "close");

  assert.equal(code, 4400);
  assert.partialDeepStrictEqual(await read, { code: "AGENT_OFFLINE" });
});

test("a message above 1 MiB is closed with 1009, invalid UTF-8 with 1007", async (t) => {
  const rig = await startRig(t);
  const huge = await rawAgent(rig);
  await rig.connections.take();

  huge.socket.send("x".repeat(1024 * 1024 + 1));
  const [tooBig] = await once(huge.socket, "close");
  const wrong = await rawAgent(rig);
  await rig.connections.take();
  wrong.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
  const [notText] = await once(wrong.socket, "close");

  assert.deepEqual([tooBig, notText], [1009, 1007]);
});

test("results for streams that nobody asked for are dropped", async (t) => {
  const rig = await startRig(t);
  const { socket, inbox } = await rawAgent(rig);
  const connection = await rig.connections.take();
  const stray = Buffer.from([1, 1, 0, 0, 0x30, 0x39, 0, 0, 0, 0, 0x7b, 0x7d]);
  const read = connection.call(request(), {});
  const { stream } = await inbox.take();
  const answer = Buffer.from(stray);
  answer.writeUInt32BE(Number(stream), 2);

  socket.send(stray);
  socket.send(JSON.stringify({ t: "accepted", stream: 777 }));
  socket.send(JSON.stringify({ t: "res", stream: 777, err: { code: "INTERNAL", message: "x" } }));
  socket.send(answer);

  assert.equal((await read).body.toString(), "{}");
  assert.equal(rig.lateResults.size, 0);
});

test("more than 8 MiB for one call fails that call and leaves the link", async (t) => {
  const rig = await startRig(t);
  const { socket, inbox } = await rawAgent(rig);
  const connection = await rig.connections.take();
  const write = failureOf(connection.call(request({ kind: "write" }), {}));
  const { stream } = await inbox.take();

  for (let seq = 0; seq < 150; seq += 1) {
    const chunk = Buffer.alloc(10 + 64 * 1024);
    chunk[0] = 1;
    chunk.writeUInt32BE(Number(stream), 2);
    chunk.writeUInt32BE(seq, 6);
    socket.send(chunk);
  }

  assert.partialDeepStrictEqual(await write, { code: "TOO_LARGE", executed: "maybe" });
  assert.deepEqual(rig.server.connections(), [connection]);
});

test("close(code, reason) rejects what is pending at once, whatever the peer does", async (t) => {
  const rig = await startRig(t);
  const { socket } = await rawAgent(rig);
  const connection = await rig.connections.take();
  socket.pause();
  const write = failureOf(connection.call(request({ kind: "write" }), {}));

  connection.close(4403, `the key is revoked ${"ü".repeat(100)}`);

  assert.partialDeepStrictEqual(await write, { code: "OUTCOME_UNKNOWN" });
  assert.deepEqual(rig.server.connections(), []);
  socket.resume();
  const [code] = await once(socket, "close");
  assert.equal(code, 4403);
});
