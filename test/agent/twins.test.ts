/** When an identical write is one more, and when it is the first one's repetition. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallRequest } from "../../src/tunnel/calls.ts";
import { agentUnderTest, answerOf, OWNER } from "./agent-under-test.ts";

const CREATE = { tool: "unifi_create_note", args: { text: "eggs", confirm: true }, kind: "write" } as const;

function request(id: string, more: Partial<CallRequest> = {}): CallRequest {
  return { ...CREATE, id, ttlMs: 30_000, owner: OWNER, ...more };
}

test("a client that took the first outcome under another id has it: the next identical write runs", async (t) => {
  const { agent, console, id } = agentUnderTest(t);
  const [first, second] = [id(), id()];
  await agent.call(request(first), {});
  const twin = answerOf(await agent.call(request(second), {}));
  agent.acknowledge(second, true);

  const next = answerOf(await agent.call(request(id()), {}));

  assert.equal(twin.repeated_of, first);
  assert.equal(next.repeated_of, undefined);
  assert.equal(console.writes().length, 2);
});

test("a first outcome that was only passed on, and not taken, is met again", async (t) => {
  const { agent, console, id } = agentUnderTest(t);
  const [first, second] = [id(), id()];
  await agent.call(request(first), {});
  await agent.call(request(second), {});
  agent.acknowledge(second, false);

  const next = answerOf(await agent.call(request(id()), {}));

  assert.equal(next.repeated_of, first);
  assert.equal(console.writes().length, 1);
});

test("repeat leaves the lost answer behind: once its own was delivered, the next identical write runs", async (t) => {
  const { agent, console, id } = agentUnderTest(t);
  const forced = id();
  await agent.call(request(id()), {});
  await agent.call(request(forced, { repeat: true }), {});
  const lost = answerOf(await agent.call(request(id()), {}));
  agent.acknowledge(forced, true);

  const next = answerOf(await agent.call(request(id()), {}));

  assert.equal(lost.repeated_of, forced);
  assert.equal(next.repeated_of, undefined);
  assert.equal(console.writes().length, 3);
});
