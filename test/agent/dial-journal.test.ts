/** The real agent behind a real link that breaks: each write takes effect once, and its outcome is found again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, Inbox, startRig } from "../tunnel/rig.ts";
import { agentUnderTest, OWNER } from "./agent-under-test.ts";

test("a write whose link breaks at the console runs once; asked again under its id it tells the first outcome", async (t) => {
  const rig = await startRig(t);
  const under = agentUnderTest(t);
  const reached = new Inbox<string>();
  const release = Promise.withResolvers<void>();
  under.console.before = async (request) => {
    if (request.startsWith("GET")) return;
    reached.put(request);
    await release.promise;
  };
  rig.dial(under.agent);
  const first = await rig.connections.take();
  const write = {
    id: under.id(),
    tool: "unifi_create_note",
    args: { text: "bread", confirm: true },
    kind: "write",
    ttlMs: 30_000,
    owner: OWNER,
  } as const;

  const lost = failureOf(first.call(write, {}));
  await reached.take();
  first.close(1012, "the gateway dies here");
  const second = await rig.connections.take();
  const again = second.call(write, {});
  release.resolve();
  const answer = JSON.parse((await again).body.toString());
  const third = JSON.parse((await second.call(write, {})).body.toString());

  assert.equal((await lost).code, "OUTCOME_UNKNOWN");
  assert.equal(answer.success, true);
  assert.deepEqual(third, answer);
  assert.equal(under.console.writes().length, 1);
});

test("a batch runs on while the link is down and reports every operation to the next one", async (t) => {
  const rig = await startRig(t);
  const under = agentUnderTest(t);
  const reached = new Inbox<string>();
  const release = Promise.withResolvers<void>();
  under.console.before = async (request) => {
    if (request.startsWith("GET")) return;
    reached.put(request);
    await release.promise;
  };
  rig.dial(under.agent);
  const first = await rig.connections.take();
  const operations = ["one", "two", "three"].map((text, index) => ({
    index,
    tool: "unifi_create_note",
    args: { text, confirm: true },
    ...(index === 0 ? {} : { after: [index - 1] }),
  }));

  const accepted = await first.batch({ id: under.id(), operations, ttlMs: 60_000, owner: OWNER });
  await reached.take();
  first.close(1012, "the gateway dies here");
  release.resolve();
  const second = await rig.connections.take();
  const done = new Set<number>();
  while (done.size < operations.length) {
    const update = await rig.operations.take();
    if (update.state !== "done") continue;
    assert.deepEqual(update.owner, OWNER);
    assert.equal(JSON.parse(String(update.result?.body)).success, true);
    done.add(update.index);
    second.acknowledgeOperation(update.batch, update.index);
  }

  assert.deepEqual(accepted, { accepted: true });
  assert.equal(under.console.writes().length, 3);
});
