/** Writes of which nobody can say whether they ran: never called "not executed", never sent as a new one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EdgeError } from "../../src/errors.ts";
import { callWrite, type WriteCall } from "../../src/routing/call.ts";
import type { CallResult } from "../../src/tunnel/calls.ts";
import {
  type FakeConnection,
  fakeConnection,
  fakeDirectory,
  fakeIntents,
  jsonResult,
  place,
} from "../support/fake-agents.ts";

async function setUp(connections: FakeConnection[] = []) {
  const { directory } = await fakeDirectory([place("home")], connections);
  const intents = fakeIntents();
  let ids = 0;
  const parts = {
    directory,
    intents,
    now: () => 0,
    reconnectWaitMs: 20,
    tellWithinMs: 20,
    readId: () => "r",
    log: { warn: () => undefined },
  };
  const write = (more: Partial<WriteCall> = {}) =>
    callWrite(parts, {
      org: "home",
      location: "home",
      request: { tool: "unifi_block_client", args: {}, owner: { org: "home", subject: "ada", grant: "g" } },
      ttlMs: 30_000,
      events: { signal: new AbortController().signal },
      fingerprint: "block",
      token: undefined,
      newId: () => `id-${++ids}`,
      ...more,
    });
  return { directory, intents, write };
}

function failing(code: "OUTCOME_UNKNOWN" | "AGENT_OFFLINE" | "OVERLOADED", disconnects: boolean): FakeConnection {
  const connection: FakeConnection = fakeConnection({
    location: "home",
    call: async () => {
      if (disconnects) connection.disconnect();
      throw new EdgeError(code, "what the tunnel says");
    },
  });
  return connection;
}

const unknownWith = (id: string) => (error: unknown) =>
  error instanceof EdgeError &&
  error.code === "OUTCOME_UNKNOWN" &&
  error.executed === "maybe" &&
  error.details?.call_id === id;

const refused = (code: string) => (error: unknown) =>
  error instanceof EdgeError && error.code === code && error.executed === "no";

/** Runs once the link that broke has been noticed. */
const noticed = () => new Promise((resolve) => setImmediate(resolve));

test("a lost write that is sent again while the site is away is still unknown, and not 'not executed'", async () => {
  const { write } = await setUp([failing("OUTCOME_UNKNOWN", true)]);
  await assert.rejects(write(), unknownWith("id-1"));
  const again = write();

  await assert.rejects(again, unknownWith("id-1"));
  await assert.rejects(write({ fingerprint: "another write" }), refused("AGENT_OFFLINE"));
});

for (const [code, disconnects] of [
  ["OVERLOADED", false],
  ["AGENT_OFFLINE", true],
] as const) {
  test(`${code} at the second send of a write says nothing of the first: unknown, and its intent stays`, async () => {
    const { directory, intents, write } = await setUp([failing("OUTCOME_UNKNOWN", true)]);
    const pending = write();
    pending.catch(() => undefined);
    await noticed();

    await directory.attach(failing(code, disconnects));

    await assert.rejects(pending, unknownWith("id-1"));
    assert.deepEqual([...intents.open_.keys()], ["id-1"]);
  });
}

test("a write that never left is told as not executed and leaves no intent", async () => {
  const { intents, write } = await setUp([failing("AGENT_OFFLINE", true)]);

  await assert.rejects(write(), refused("AGENT_OFFLINE"));

  assert.equal(intents.open_.size, 0);
});

test("a twin whose caller left before it began has never run: the write runs under an id of its own", async () => {
  const home = fakeConnection({
    location: "home",
    call: async ({ id }) => {
      if (id === "id-1") throw new EdgeError("CANCELLED", "cancelled before it started");
      return jsonResult({ success: true });
    },
  });
  const { intents, write } = await setUp([home]);
  const twin = { id: "id-1", journalId: "journal-home", fingerprint: "block", sentAtMs: 0 };
  await intents.open("home", twin);

  const { id, repeatedOf } = await write({ newId: () => "id-2" });

  assert.deepEqual([id, repeatedOf], ["id-2", undefined]);
  assert.deepEqual(
    home.calls.map((call) => call.id),
    ["id-1", "id-2"],
  );
});

test("a site that is back and says nothing of a lost write is waited for no longer than promised", async () => {
  const { directory, write } = await setUp([failing("OUTCOME_UNKNOWN", true)]);
  const pending = write();
  pending.catch(() => undefined);
  await noticed();

  await directory.attach(fakeConnection({ location: "home", call: () => new Promise(() => undefined) }));

  await assert.rejects(pending, unknownWith("id-1"));
});

test("a site that says that the lost write is under way is waited for until its outcome", async () => {
  const outcome = Promise.withResolvers<CallResult>();
  const { directory, write } = await setUp([failing("OUTCOME_UNKNOWN", true)]);
  const pending = write();
  pending.catch(() => undefined);
  await noticed();
  const back = fakeConnection({
    location: "home",
    call: (_request, events) => {
      events.accepted?.();
      return outcome.promise;
    },
  });

  await directory.attach(back);
  await noticed();
  const silence = await Promise.race([pending, new Promise((resolve) => setTimeout(resolve, 60, "still waiting"))]);
  outcome.resolve(jsonResult({ success: true }));

  assert.equal(silence, "still waiting");
  assert.equal((await pending).result.isError, false);
});
