/** Calls over real sockets: answers, errors, cancels, deadlines, limits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { EdgeError } from "../../src/errors.ts";
import { fakePort, json, MANIFEST, OWNER, request } from "./fake-port.ts";
import { fakeTiming } from "./fake-timing.ts";
import { Inbox, rawAgent, startRig } from "./rig.ts";

test("a call reaches the agent's port and its answer comes back byte for byte", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  rig.dial(port);
  const connection = await rig.connections.take();
  const sent = request({ args: { limit: 5 }, site: "default", console: "main", trace: "00-ab-cd-01" });

  const result = await connection.call(sent, {});

  assert.deepEqual(result, json({ success: true, args: { limit: 5 } }));
  assert.deepEqual(port.calls, [sent]);
  assert.equal(connection.org, "acme");
  assert.equal(connection.location, "hq");
});

test("a picture of 3 MB arrives whole, and so does what is asked meanwhile", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  const picture = Buffer.alloc(3_000_000, "jpeg");
  port.onCall = async (call) =>
    call.id === "big" ? { isError: false, type: "image/jpeg", body: picture } : json({ success: true });
  rig.dial(port);
  const connection = await rig.connections.take();

  const [result, small] = await Promise.all([
    connection.call(request({ id: "big" }), {}),
    connection.call(request({ id: "small" }), {}),
  ]);

  assert.equal(result.type, "image/jpeg");
  assert.ok(result.body.equals(picture));
  assert.deepEqual(small, json({ success: true }));
});

test("a result that is an error of the tool stays a result, and an empty one stays empty", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  port.onCall = async () => ({ isError: true, type: "json", body: Buffer.from("{}") });
  rig.dial(port);
  const connection = await rig.connections.take();

  const result = await connection.call(request(), {});

  assert.deepEqual(result, { isError: true, type: "json", body: Buffer.from("{}") });
});

test("an error without outcome keeps code, words and facts through the tunnel", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  const thrown = new EdgeError("JOURNAL_UNAVAILABLE", "The disk is full.", {
    hint: "Free some space.",
    executed: "no",
    retryAfterSeconds: 60,
    details: { free_bytes: 0 },
  });
  port.onCall = () => Promise.reject(thrown);
  rig.dial(port);
  const connection = await rig.connections.take();

  const failed = await connection.call(request({ kind: "write" }), {}).catch((error: unknown) => error);

  assert.ok(failed instanceof EdgeError);
  assert.deepEqual(
    [failed.code, failed.message, failed.hint, failed.executed, failed.retryAfterSeconds, failed.details],
    [thrown.code, thrown.message, thrown.hint, thrown.executed, thrown.retryAfterSeconds, thrown.details],
  );
});

test("accepted and progress reach the caller before the answer", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  port.onCall = async (_call, events) => {
    events.accepted?.();
    events.progress?.({ done: 1, total: 2, note: "half way" });
    return json({ success: true });
  };
  rig.dial(port);
  const connection = await rig.connections.take();
  const seen: unknown[] = [];

  await connection.call(request({ kind: "write" }), {
    accepted: () => seen.push("accepted"),
    progress: (progress) => seen.push(progress),
  });

  assert.deepEqual(seen, ["accepted", { done: 1, total: 2, note: "half way" }]);
});

test("a cancelled read lets its caller go at once and tells the agent", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  const aborted = new Inbox<string>();
  port.onCall = (call, events) =>
    new Promise((_resolve, reject) => {
      events.signal?.addEventListener("abort", () => {
        aborted.put(call.id);
        reject(new EdgeError("CANCELLED", "stopped"));
      });
      controller.abort();
    });
  rig.dial(port);
  const connection = await rig.connections.take();
  const controller = new AbortController();

  await assert.rejects(connection.call(request(), { signal: controller.signal }), { code: "CANCELLED" });

  assert.equal(await aborted.take(), "c1");
  assert.deepEqual(port.cancelled, ["c1"]);
});

test("a cancelled write that had started ends with its outcome", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  const cancelled = new Inbox<string>();
  port.cancel = (id) => cancelled.put(id);
  const controller = new AbortController();
  port.onCall = async (_call, events) => {
    events.accepted?.();
    await cancelled.take();
    return json({ success: true });
  };
  rig.dial(port);
  const connection = await rig.connections.take();

  const result = await connection.call(request({ kind: "write" }), {
    accepted: () => controller.abort(),
    signal: controller.signal,
  });

  assert.deepEqual(result, json({ success: true }));
});

test("past its deadline a read is TIMEOUT and a write OUTCOME_UNKNOWN, whose late result is still told", async (t) => {
  const timing = fakeTiming();
  const rig = await startRig(t, { timing });
  const port = fakePort();
  const started = new Inbox<string>();
  const release = new Inbox<boolean>();
  port.onCall = async (call) => {
    started.put(call.id);
    await release.take();
    return json({ success: true, late: call.id });
  };
  rig.dial(port);
  const connection = await rig.connections.take();

  const read = assert.rejects(connection.call(request({ id: "r", ttlMs: 2_000 }), {}), {
    code: "TIMEOUT",
    executed: "no",
  });
  const write = assert.rejects(connection.call(request({ id: "w", kind: "write", ttlMs: 2_000 }), {}), {
    code: "OUTCOME_UNKNOWN",
    executed: "maybe",
    details: { call_id: "w" },
  });
  await started.take();
  await started.take();
  timing.advance(2_500);
  await Promise.all([read, write]);
  release.put(true);
  release.put(true);

  assert.deepEqual(await rig.lateResults.take(), { id: "w", result: json({ success: true, late: "w" }) });
  connection.acknowledge("w", false);
  while (port.acknowledged.length === 0) await setImmediate();
  assert.deepEqual(port.acknowledged, [{ id: "w", delivered: false }]);
  assert.equal(rig.lateResults.size, 0);
});

test("the thirty-third running call is OVERLOADED and is not sent", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  port.onCall = () => new Promise(() => undefined);
  rig.dial(port);
  const connection = await rig.connections.take();
  for (let index = 0; index < 32; index += 1) connection.call(request({ id: `c${index}` }), {}).catch(() => undefined);

  await assert.rejects(connection.call(request({ id: "one too many" }), {}), {
    code: "OVERLOADED",
    executed: "no",
    retryAfterSeconds: 1,
  });

  assert.ok(port.calls.every((call) => call.id !== "one too many"));
});

test("arguments that are too large or too deep do not leave the gateway", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  rig.dial(port);
  const connection = await rig.connections.take();
  const deep = JSON.parse(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`);

  await assert.rejects(connection.call(request({ args: { text: "x".repeat(300_000) } }), {}), { code: "TOO_LARGE" });
  await assert.rejects(connection.call(request({ args: deep }), {}), { code: "ARGUMENTS_INVALID" });

  assert.deepEqual(port.calls, []);
});

test("a result above 8 MiB is TOO_LARGE; after a write it says that it took effect", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  port.onCall = async () => ({ isError: false, type: "json", body: Buffer.alloc(8 * 1024 * 1024 + 1) });
  rig.dial(port);
  const connection = await rig.connections.take();

  await assert.rejects(connection.call(request({ id: "r" }), {}), { code: "TOO_LARGE", executed: "no" });
  await assert.rejects(connection.call(request({ id: "w", kind: "write" }), {}), {
    code: "TOO_LARGE",
    executed: "yes",
  });
});

test("a batch of 500 operations reaches the port whole; accepted or preview comes back", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  rig.dial(port);
  const connection = await rig.connections.take();
  const operations = Array.from({ length: 500 }, (_, index) => ({
    index,
    tool: "unifi_block_client",
    args: { mac: "aa:bb:cc:dd:ee:ff", note: "n".repeat(1_000) },
  }));
  const batch = { id: "b1", operations, ttlMs: 60_000, owner: OWNER, confirmToken: "t1" };

  const accepted = await connection.batch(batch);
  port.onBatch = async () => ({ accepted: false, preview: Buffer.from('{"requires_confirmation":true}') });
  const preview = await connection.batch({ ...batch, id: "b2" });

  assert.deepEqual(accepted, { accepted: true });
  assert.deepEqual(preview, { accepted: false, preview: Buffer.from('{"requires_confirmation":true}') });
  assert.deepEqual(port.batches[0], batch);
  await assert.rejects(connection.batch({ ...batch, operations: [...operations, ...operations] }), {
    code: "TOO_LARGE",
  });
});

test("the manifest is fetched once, and one with another digest ends the link with 4400", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  rig.dial(port);
  const honest = await rig.connections.take();

  const bytes = await honest.manifest();
  const again = await honest.manifest();
  port.digest = "f".repeat(64);
  honest.close(1012, "come again");
  const lying = await rig.connections.take();

  assert.ok(bytes.equals(MANIFEST));
  assert.equal(again, bytes);
  await assert.rejects(lying.manifest(), { code: "PROTOCOL_ERROR" });
  assert.equal(lying.closed.aborted, true);
  assert.equal((lying.closed.reason as { code: number }).code, 4400);
});

test("operations are replayed after every ready until they are acknowledged", async (t) => {
  const rig = await startRig(t);
  const port = fakePort();
  rig.dial(port);
  const first = await rig.connections.take();
  const update = {
    batch: "b1",
    index: 0,
    tool: "unifi_block_client",
    state: "done" as const,
    owner: OWNER,
    startedAtMs: 5,
    completedAtMs: 6,
    result: json({ success: true, text: "r".repeat(200_000) }),
  };
  port.push({ batch: "b1", index: 1, tool: "unifi_block_client", state: "queued", owner: OWNER });

  assert.deepEqual((await rig.operations.take()).index, 1);
  port.push(update);
  assert.deepEqual(await rig.operations.take(), update);
  first.acknowledgeOperation("b1", 1);
  await first.call(request(), {});
  first.close(1012, "come again");
  const second = await rig.connections.take();

  assert.deepEqual(await rig.operations.take(), update);
  second.acknowledgeOperation("b1", 0);
  await second.call(request(), {});
  second.close(1012, "come again");
  const third = await rig.connections.take();
  await third.call(request(), {});
  assert.equal(rig.operations.size, 0);
});

test("unknown frames and fields from a newer agent are ignored", async (t) => {
  const rig = await startRig(t);
  const { socket, inbox } = await rawAgent(rig);
  const connection = await rig.connections.take();

  socket.send(JSON.stringify({ t: "something.new", n: 1 }));
  socket.send(Buffer.from([9, 0, 0, 0, 0, 1, 0, 0, 0, 0]));
  const answer = connection.call(request(), {}).catch((error: unknown) => error);
  const call = await inbox.take();
  socket.send(
    JSON.stringify({ t: "res", stream: call.stream, err: { code: "NEWER_CODE", message: "words", extra: 1 } }),
  );

  const failed = await answer;
  assert.ok(failed instanceof EdgeError);
  assert.deepEqual([failed.code, failed.message], ["INTERNAL", "words"]);
});
