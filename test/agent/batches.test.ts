/** Batches run from the journal: accepted once, one question, in order, within bounds, through restarts. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { BatchOperation, BatchRequest, OperationUpdate } from "../../src/tunnel/calls.ts";
import {
  type Answer,
  agentUnderTest,
  answerOf,
  failing,
  gate,
  manualClock,
  OWNER,
  temporaryFolder,
  type UnderTest,
} from "./agent-under-test.ts";
import { notesConsole } from "./notes-console.ts";

type Operation = Omit<BatchOperation, "index" | "args"> & { readonly args?: BatchOperation["args"] };

const READ: Operation = { tool: "unifi_list_notes" };
const create = (text: string): Operation => ({ tool: "unifi_create_note", args: { text, confirm: true } });
const ENDED = ["done", "error", "cancelled"];

function batchOf(id: string, operations: readonly Operation[], more: Partial<BatchRequest> = {}): BatchRequest {
  const numbered = operations.map((operation, index) => ({ args: {}, ...operation, index }));
  return { id, operations: numbered, ttlMs: 600_000, owner: OWNER, ...more };
}

/** Collects updates; `ended(n)` resolves once n operations have ended. */
function watch({ agent }: UnderTest) {
  const updates: OperationUpdate[] = [];
  const waiting = new Map<number, () => void>();
  const ends = () => updates.filter(({ state }) => ENDED.includes(state));
  const look = () => {
    for (const [count, resolve] of waiting) if (ends().length >= count) resolve();
  };
  agent.operations((update) => {
    updates.push(update);
    look();
  });
  return {
    updates,
    async ended(count: number): Promise<readonly (readonly [number, string])[]> {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(count, resolve);
      look();
      await promise;
      return ends()
        .map(({ index, state }) => [index, state] as const)
        .sort(([one], [other]) => one - other);
    },
    answer: (index: number): Answer => {
      const result = ends().find((update) => update.index === index)?.result;
      assert.ok(result);
      return answerOf(result);
    },
  };
}

test("a batch runs with nobody listening, and whoever listens later gets every end until it is acknowledged", async (t) => {
  const under = agentUnderTest(t);
  const id = under.id();
  const early = watch(under);

  const answer = await under.agent.batch(batchOf(id, [READ, create("eggs")]));
  await early.ended(2);
  const { startedAtMs, completedAtMs } = early.updates.at(-1) ?? {};
  under.agent.acknowledgeOperation(id, 0);
  const late = watch(under);

  assert.deepEqual(answer, { accepted: true });
  assert.deepEqual([startedAtMs, completedAtMs], [under.clock.nowMs, under.clock.nowMs]);
  assert.deepEqual(early.answer(1).persisted, ["text"]);
  assert.deepEqual(
    late.updates.map(({ batch, index, tool, state, owner }) => [batch, index, tool, state, owner]),
    [[id, 1, "unifi_create_note", "done", OWNER]],
  );
  assert.equal(late.answer(1).success, true);
});

test("the same batch id again is accepted again and runs nothing; with other operations it is refused", async (t) => {
  const under = agentUnderTest(t);
  const id = under.id();
  const { ended } = watch(under);
  const batch = batchOf(id, [create("eggs")]);
  await under.agent.batch(batch);
  await ended(1);

  const again = await under.agent.batch(batch);
  await assert.rejects(under.agent.batch(batchOf(id, [create("ham")])), failing("PROTOCOL_ERROR"));

  assert.deepEqual(again, { accepted: true });
  assert.deepEqual(under.console.writes(), ["POST /notes"]);
});

test("writes that need confirming get one question that lists each with its place, and its token starts them all", async (t) => {
  const under = agentUnderTest(t);
  const { ended } = watch(under);
  const operations: Operation[] = [
    READ,
    { tool: "unifi_delete_note", args: { id: "1" } },
    { tool: "unifi_create_note", args: { text: "eggs" }, site: "annex", after: [1] },
    create("ham"),
  ];

  const asked = await under.agent.batch(batchOf(under.id(), operations));
  const writesBefore = [...under.console.writes()];
  assert.equal(asked.accepted, false);
  const question = JSON.parse(String(!asked.accepted && asked.preview)) as Answer;
  const id = under.id();
  const started = await under.agent.batch(batchOf(id, operations, { confirmToken: String(question.confirm_token) }));

  assert.deepEqual(writesBefore, []);
  assert.deepEqual(question.preview, {
    operations: 4,
    writes: [
      {
        index: 1,
        tool: "unifi_delete_note",
        console: "main",
        site: "default",
        action: "delete",
        resource_type: "note",
        resource_id: "1",
        preview: { will_delete: { id: "1", text: "milk", x_password: "***REDACTED***" } },
      },
      {
        index: 2,
        tool: "unifi_create_note",
        console: "main",
        site: "annex",
        action: "create",
        resource_type: "note",
        preview: { will_create: { text: "eggs" } },
      },
    ],
  });
  assert.deepEqual(started, { accepted: true });
  assert.deepEqual(
    (await ended(4)).map(([, state]) => state),
    ["done", "done", "done", "done"],
  );
});

test("a batch's token holds for exactly these operations, once, and for the state that it showed", async (t) => {
  const under = agentUnderTest(t);
  const { ended, answer } = watch(under);
  const operations: Operation[] = [{ tool: "unifi_delete_note", args: { id: "1" } }];
  const asked = await under.agent.batch(batchOf(under.id(), operations));
  const confirmToken = String((JSON.parse(String(!asked.accepted && asked.preview)) as Answer).confirm_token);
  const others = batchOf(under.id(), [...operations, READ], { confirmToken });
  await assert.rejects(under.agent.batch(others), failing("CONFIRM_TOKEN_INVALID"));
  under.console.notes.set("1", { id: "1", text: "not milk" });

  await under.agent.batch(batchOf(under.id(), operations, { confirmToken }));
  await ended(1);
  const twice = under.agent.batch(batchOf(under.id(), operations, { confirmToken }));

  assert.equal(answer(0).code, "CONFIRM_TOKEN_INVALID");
  await assert.rejects(twice, failing("CONFIRM_TOKEN_INVALID"));
  assert.deepEqual(under.console.writes(), []);
});

test("an operation runs after those that it waits for, and is cancelled when one fails", async (t) => {
  const under = agentUnderTest(t);
  const { ended, answer } = watch(under);

  await under.agent.batch(
    batchOf(under.id(), [
      { tool: "unifi_update_note", args: { id: "9", text: "x", confirm: true } },
      { ...create("never"), after: [0] },
      { ...create("nor"), after: [1] },
      { ...READ, after: [4] },
      create("first"),
    ]),
  );

  assert.deepEqual(await ended(5), [
    [0, "error"],
    [1, "cancelled"],
    [2, "cancelled"],
    [3, "done"],
    [4, "done"],
  ]);
  assert.equal(answer(0).code, "NOT_FOUND");
  assert.equal(answer(2).code, "CANCELLED");
  assert.deepEqual(
    (answer(3).notes as Answer[]).map(({ text }) => text),
    ["milk", "first"],
  );
});

const REFUSED = [
  ["more than 500 operations", Array.from({ length: 501 }, () => READ), "TOO_LARGE"],
  ["no operation", [], "ARGUMENTS_INVALID"],
  ["an operation that waits for one that is not there", [{ ...READ, after: [7] }], "ARGUMENTS_INVALID"],
  [
    "operations that wait for each other",
    [
      { ...READ, after: [1] },
      { ...READ, after: [0] },
    ],
    "ARGUMENTS_INVALID",
  ],
] as const;

for (const [what, operations, code] of REFUSED) {
  test(`a batch with ${what} is refused whole`, async (t) => {
    const under = agentUnderTest(t);

    await assert.rejects(under.agent.batch(batchOf(under.id(), operations)), failing(code));

    assert.deepEqual(under.console.requests, []);
  });
}

test("a wrong operation fails alone", async (t) => {
  const under = agentUnderTest(t);
  const { ended, answer } = watch(under);

  await under.agent.batch(batchOf(under.id(), [{ tool: "unifi_nothing" }, { ...READ, args: { limt: 1 } }, READ]));

  assert.deepEqual(await ended(3), [
    [0, "error"],
    [1, "error"],
    [2, "done"],
  ]);
  assert.deepEqual([answer(0).code, answer(1).code], ["TOOL_NOT_FOUND", "ARGUMENTS_INVALID"]);
});

test("operations run at most so many at once, writes fewer, and batches take turns", async (t) => {
  const under = agentUnderTest(t, { limits: { batchOperations: 3, batchWrites: 1 } });
  const { ended, updates } = watch(under);
  const { enter, reached, open } = gate();
  under.console.before = enter;
  const [first, second] = [under.id(), under.id()];

  await under.agent.batch(batchOf(first, [create("a"), create("b"), READ, READ]));
  await under.agent.batch(batchOf(second, [READ, READ]));
  await reached;
  const running = updates.filter(({ state }) => state === "running").map(({ batch, index }) => [batch, index]);
  open();
  await ended(6);

  assert.deepEqual(running, [
    [first, 0],
    [first, 2],
    [first, 3],
  ]);
  const order = updates.filter(({ state }) => state === "running").map(({ batch }) => batch);
  assert.ok(order.indexOf(second) < order.lastIndexOf(first), "the second batch need not wait for the whole first");
});

test("a cancelled batch runs no further operation; a write under way ends", async (t) => {
  const under = agentUnderTest(t, { limits: { batchWrites: 1 } });
  const { ended } = watch(under);
  const { enter, reached, open } = gate();
  under.console.after = enter;
  const id = under.id();

  await under.agent.batch(batchOf(id, [create("a"), create("b")]));
  await reached;
  under.agent.cancelBatch(id);
  open();

  assert.deepEqual(await ended(2), [
    [0, "done"],
    [1, "cancelled"],
  ]);
  assert.deepEqual(under.console.writes(), ["POST /notes"]);
});

test("an operation whose deadline passes in the queue certainly did not run", async (t) => {
  const under = agentUnderTest(t, { limits: { batchWrites: 1 } });
  const { ended, answer } = watch(under);
  const { enter, reached, open } = gate();
  under.console.after = enter;

  await under.agent.batch(batchOf(under.id(), [create("a"), { ...create("b"), deadlineMs: 1000 }]));
  await reached;
  under.clock.pass(1000);
  open();

  assert.deepEqual(await ended(2), [
    [0, "done"],
    [1, "error"],
  ]);
  assert.deepEqual([answer(1).code, answer(1).executed], ["DEADLINE_BEFORE_START", "no"]);
});

test("after a restart what was queued runs, and a write that was under way is unknown", async (t) => {
  const path = join(temporaryFolder(t), "journal.sqlite");
  const [clock, console] = [manualClock(), notesConsole()];
  const before = agentUnderTest(t, { path, clock, console, limits: { batchWrites: 1 } });
  const { enter, reached } = gate();
  console.after = enter;
  await before.agent.batch(batchOf(before.id(), [create("a"), create("b"), { ...READ, after: [0] }]));
  await reached;
  before.die();

  console.after = () => undefined;
  const { ended, answer } = watch(agentUnderTest(t, { path, clock, console }));

  assert.deepEqual(await ended(3), [
    [0, "error"],
    [1, "done"],
    [2, "cancelled"],
  ]);
  assert.deepEqual([answer(0).code, answer(0).executed], ["OUTCOME_UNKNOWN", "maybe"]);
  assert.deepEqual(console.writes(), ["POST /notes", "POST /notes"]);
});

for (const { what, after, told } of [
  { what: "after", after: true, told: [0, "done"] },
  { what: "before", after: false, told: [0, "error"] },
] as const) {
  test(`an update of a batch whose process died ${what} the console took it is settled by reading back`, async (t) => {
    const path = join(temporaryFolder(t), "journal.sqlite");
    const [clock, console] = [manualClock(), notesConsole()];
    const before = agentUnderTest(t, { path, clock, console });
    const { enter, reached } = gate();
    const hold = (request: string) => (request.startsWith("PUT") ? enter() : undefined);
    if (after) console.after = hold;
    else console.before = hold;
    const change = { index: 0, tool: "unifi_update_note", args: { id: "1", text: "bread", confirm: true } };
    await before.agent.batch(batchOf(before.id(), [change]));
    await reached;
    before.die();

    console.after = console.before = () => undefined;
    const { ended, answer } = watch(agentUnderTest(t, { path, clock, console }));

    assert.deepEqual(await ended(1), [told]);
    assert.equal(after ? answer(0).settled_by_reading : answer(0).code, after ? true : "OUTCOME_UNKNOWN");
    assert.equal(console.writes().length, 1);
  });
}

test("arguments are sealed while they wait and erased once the operation has ended", async (t) => {
  const under = agentUnderTest(t);
  const { ended } = watch(under);
  const sealed = () => under.journal.database.prepare("SELECT sealed FROM operations").all();
  const { enter, reached, open } = gate();
  under.console.before = enter;

  await under.agent.batch(batchOf(under.id(), [create("a telling text")]));
  await reached;
  const waiting = Buffer.from(sealed()[0]?.sealed as Uint8Array);
  open();
  await ended(1);

  assert.ok(waiting.length > 0);
  assert.equal(waiting.includes("telling"), false);
  assert.equal(sealed()[0]?.sealed, null);
});

test("a listener gets ends that nobody acknowledged a window at a time, the next as it acknowledges", async (t) => {
  const under = agentUnderTest(t);
  const id = under.id();
  const first = watch(under);
  await under.agent.batch(
    batchOf(
      id,
      Array.from({ length: 100 }, () => READ),
    ),
  );
  await first.ended(100);

  const late = watch(under);
  const atOnce = late.updates.length;
  for (let index = 0; index < 100; index++) under.agent.acknowledgeOperation(id, index);
  const after = watch(under);

  assert.equal(atOnce, 64);
  assert.deepEqual(
    late.updates.map(({ index }) => index),
    Array.from({ length: 100 }, (_, index) => index),
  );
  assert.deepEqual(after.updates, []);
});

test("operations that wait or run are told to a new listener, so an emptied index can be rebuilt", async (t) => {
  const under = agentUnderTest(t, { limits: { batchWrites: 1 } });
  const { enter, reached, open } = gate();
  under.console.before = enter;
  await under.agent.batch(batchOf(under.id(), [create("a"), create("b")]));
  await reached;

  const { updates, ended } = watch(under);
  const told = updates.map(({ index, state }) => [index, state]);
  open();
  await ended(2);

  assert.deepEqual(told, [
    [0, "running"],
    [1, "queued"],
  ]);
});

test("equal writes of one batch are all made; one that was acknowledged may be asked for again", async (t) => {
  const under = agentUnderTest(t);
  const { ended } = watch(under);
  const id = under.id();

  await under.agent.batch(batchOf(id, [create("eggs"), create("eggs")]));
  await ended(2);
  under.agent.acknowledgeOperation(id, 0);
  under.agent.acknowledgeOperation(id, 1);
  const again = await under.ask("unifi_create_note", { text: "eggs", confirm: true });

  assert.equal(again.repeated_of, undefined);
  assert.equal(under.console.writes().length, 3);
});

test("a batch sent again under a new id while the first is not acknowledged repeats no write", async (t) => {
  const under = agentUnderTest(t);
  const { ended, answer, updates } = watch(under);
  await under.agent.batch(batchOf(under.id(), [create("eggs")]));
  await ended(1);
  const first = `${updates.at(-1)?.batch}:0`;
  updates.length = 0;

  await under.agent.batch(batchOf(under.id(), [create("eggs")]));
  await ended(1);

  assert.equal(answer(0).repeated_of, first);
  assert.deepEqual(under.console.writes(), ["POST /notes"]);
});

test("a question that the console is too slow for is refused, and gives no token", async (t) => {
  const under = agentUnderTest(t);
  const { enter, reached, open } = gate();
  under.console.before = enter;

  const asked = under.agent.batch(batchOf(under.id(), [{ tool: "unifi_delete_note", args: { id: "1" } }]));
  await reached;
  under.clock.pass(12_000);
  await assert.rejects(asked, failing("TIMEOUT"));
  open();

  assert.equal(under.journal.database.prepare("SELECT count(*) AS given FROM tokens").get()?.given, 0);
});
