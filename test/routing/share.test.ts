/** A fan-out's bound on its answer, from the router to agents that keep it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRouter } from "../../src/routing/router.ts";
import { agentUnderTest } from "../agent/agent-under-test.ts";
import { fakeConnection, fakeDirectory, fakeIntents, place, principal } from "../support/fake-agents.ts";

const PLACES = Array.from({ length: 12 }, (_, at) => `place-${at}`);

test("twelve places with large lists answer within 64 KiB together, each saying what it cut", async (t) => {
  const connections = PLACES.map((location) => {
    const { agent, console } = agentUnderTest(t);
    for (let at = 2; at < 400; at++) console.notes.set(String(at), { id: String(at), text: "x".repeat(50) });
    return fakeConnection({ location, call: (request, events) => agent.call(request, events) });
  });
  const { directory } = await fakeDirectory(
    PLACES.map((id) => place(id)),
    connections,
  );
  const router = createRouter({
    directory,
    intents: fakeIntents(),
    actionOf: () => "read",
    audit: {
      record: () => undefined,
      ended: () => undefined,
      flush: async () => undefined,
      close: async () => undefined,
    },
    requireLocation: false,
    callTimeoutMs: 30_000,
    reconnectWaitMs: 50,
    secret: Buffer.from("a secret"),
    newId: () => "w1",
    readId: () => "r1",
    now: () => 0,
    log: { warn: () => undefined, error: () => undefined },
  });

  const request = { tool: "unifi_list_notes", arguments: {} };
  const { body } = await router.execute(request, { principal: principal(), signal: new AbortController().signal });

  const { locations } = JSON.parse(body.toString());
  assert.ok(body.length <= 64 * 1024, `${body.length} bytes`);
  assert.deepEqual(
    locations.map(({ data }: { data: { cut: { lists: { notes: { total: number } } } } }) => data.cut.lists.notes.total),
    PLACES.map(() => 399),
  );
});
