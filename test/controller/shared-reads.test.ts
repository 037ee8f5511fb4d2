/** Reads under way are shared; never across a write, never after their answer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedReads } from "../../src/controller/network/shared-reads.ts";
import { EdgeError } from "../../src/errors.ts";

/** Requests that the test answers one by one. */
function console_() {
  const sent: PromiseWithResolvers<unknown>[] = [];
  const send = () => {
    const request = Promise.withResolvers<unknown>();
    sent.push(request);
    return request.promise;
  };
  return { sent, send };
}

test("the same path asked for meanwhile is one request, another path another", async () => {
  const reads = new SharedReads();
  const { sent, send } = console_();

  const answers = [reads.read("/a", send, undefined), reads.read("/a", send, undefined)];
  const other = reads.read("/b", send, undefined);
  for (const [at, request] of sent.entries()) request.resolve(at);

  assert.equal(sent.length, 2);
  assert.deepEqual(await Promise.all(answers), [0, 0]);
  assert.equal(await other, 1);
});

test("an answer is not remembered", async () => {
  const reads = new SharedReads();
  const { sent, send } = console_();
  const first = reads.read("/a", send, undefined);
  sent[0]?.resolve("old");
  await first;

  const second = reads.read("/a", send, undefined);
  sent[1]?.resolve("new");

  assert.equal(await second, "new");
});

for (const [name, between] of [
  ["began", (reads: SharedReads) => void reads.write(() => new Promise(() => undefined))],
  ["ended", (_reads: SharedReads, end: () => void) => end()],
] as const) {
  test(`a read does not join one from before a write ${name}`, async () => {
    const reads = new SharedReads();
    const { sent, send } = console_();
    const writing = Promise.withResolvers<void>();
    const write = name === "ended" ? reads.write(() => writing.promise) : Promise.resolve();
    const early = reads.read("/a", send, undefined);

    between(reads, writing.resolve);
    if (name === "ended") await write;
    const late = reads.read("/a", send, undefined);
    sent[0]?.resolve("before");
    sent[1]?.resolve("after");

    assert.deepEqual([await early, await late], ["before", "after"]);
  });
}

test("a failure reaches all who wait and is not remembered", async () => {
  const reads = new SharedReads();
  const { sent, send } = console_();
  const both = [reads.read("/a", send, undefined), reads.read("/a", send, undefined)];

  sent[0]?.reject(new Error("cut"));
  const outcomes = await Promise.allSettled(both);
  const again = reads.read("/a", send, undefined);
  sent[1]?.resolve("well");

  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.equal(await again, "well");
});

test("one who gives up leaves the others their answer; one who is late sends nothing", async () => {
  const reads = new SharedReads();
  const { sent, send } = console_();
  const giving = new AbortController();
  const quitter = reads.read("/a", send, giving.signal);
  const patient = reads.read("/a", send, undefined);

  giving.abort();
  await assert.rejects(quitter, (error) => error instanceof EdgeError && error.code === "CANCELLED");
  await assert.rejects(reads.read("/b", send, giving.signal), /cancelled/);
  sent[0]?.resolve("answer");

  assert.equal(await patient, "answer");
  assert.equal(sent.length, 1);
});
