/** At most once: the same id never runs twice, a lost answer is found again, and what is unknown is told as unknown. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { EdgeError } from "../../src/errors.ts";
import type { CallRequest } from "../../src/tunnel/calls.ts";
import { agentUnderTest, answerOf, failing, gate, manualClock, OWNER, temporaryFolder } from "./agent-under-test.ts";
import { notesConsole } from "./notes-console.ts";

const CREATE = { tool: "unifi_create_note", args: { text: "eggs", confirm: true }, kind: "write" } as const;

function request(id: string, more: Partial<CallRequest> = {}): CallRequest {
  return { ...CREATE, id, ttlMs: 30_000, owner: OWNER, ...more };
}

test("accepted is told once the row is durable and before the console is touched", async (t) => {
  const { agent, console, journal, id } = agentUnderTest(t);
  const callId = id();
  const order: string[] = [];
  console.before = (what) => void order.push(what);

  await agent.call(request(callId), {
    accepted: () => order.push(`accepted with ${journal.open(1)[0]?.state}`),
  });

  assert.deepEqual(order, ["accepted with started", "POST /notes", "GET /notes"]);
});

test("the same id again answers with the first outcome and runs nothing", async (t) => {
  const { agent, console, id } = agentUnderTest(t);
  const callId = id();

  const first = await agent.call(request(callId), {});
  const second = await agent.call(request(callId), {});

  assert.deepEqual(second, first);
  assert.deepEqual(console.writes(), ["POST /notes"]);
});

test("the same id while it runs attaches to it, and is told that the row is durable", async (t) => {
  const { agent, console, id } = agentUnderTest(t);
  const callId = id();
  const { enter, reached, open } = gate();
  console.after = enter;
  let accepted = 0;

  const first = agent.call(request(callId), {});
  await reached;
  const second = agent.call(request(callId), { accepted: () => (accepted += 1) });
  open();

  assert.deepEqual(await second, await first);
  assert.equal(accepted, 1);
  assert.deepEqual(console.writes(), ["POST /notes"]);
});

test("an id that belongs to another call hands out nothing", async (t) => {
  const { agent, id } = agentUnderTest(t);
  const callId = id();
  await agent.call(request(callId), {});

  const stolen = answerOf(await agent.call(request(callId, { owner: { ...OWNER, grant: "g2" } }), {}));

  assert.equal(stolen.code, "CONFIRM_TOKEN_INVALID");
});

test("a delivered write repeated under a new id runs twice", async (t) => {
  const { agent, console, id } = agentUnderTest(t);
  const first = id();
  await agent.call(request(first), {});
  agent.acknowledge(first, true);

  await agent.call(request(id()), {});

  assert.equal(console.writes().length, 2);
});

test("a write whose answer was never delivered, re-issued under a new id, runs once and says so", async (t) => {
  const { agent, console, id } = agentUnderTest(t);
  const first = id();
  await agent.call(request(first), {});
  agent.acknowledge(first, false);

  const again = answerOf(await agent.call(request(id()), {}));

  assert.equal(again.success, true);
  assert.equal(again.repeated_of, first);
  assert.deepEqual(console.writes(), ["POST /notes"]);
});

test("a twin that is still under way is waited for", async (t) => {
  const { agent, console, id } = agentUnderTest(t);
  const { enter, reached, open } = gate();
  console.after = enter;
  const firstId = id();

  const first = agent.call(request(firstId), {});
  await reached;
  const twin = agent.call(request(id()), {});
  open();

  assert.equal(answerOf(await twin).repeated_of, firstId);
  assert.equal(answerOf(await first).success, true);
  assert.deepEqual(console.writes(), ["POST /notes"]);
});

test("repeat forces a run, and after ten minutes a twin no longer counts", async (t) => {
  const { agent, console, clock, id } = agentUnderTest(t);
  await agent.call(request(id()), {});

  await agent.call(request(id(), { repeat: true }), {});
  clock.pass(600_001);
  await agent.call(request(id()), {});

  assert.equal(console.writes().length, 3);
});

test("other arguments, another site or another grant are no twin", async (t) => {
  const { agent, console, id } = agentUnderTest(t);
  await agent.call(request(id()), {});

  await agent.call(request(id(), { args: { text: "ham", confirm: true } }), {});
  await agent.call(request(id(), { site: "annex" }), {});
  await agent.call(request(id(), { owner: { ...OWNER, grant: "g2" } }), {});

  assert.equal(console.writes().length, 4);
});

test("a write of a dead process is unknown, is never run again by itself, and repeat decides", async (t) => {
  const path = join(temporaryFolder(t), "journal.sqlite");
  const [clock, console] = [manualClock(), notesConsole()];
  const before = agentUnderTest(t, { path, clock, console });
  const callId = before.id();
  const { enter, reached } = gate();
  console.after = enter;
  void before.agent.call(request(callId), {});
  await reached;
  before.die();

  console.after = () => undefined;
  const { agent, id } = agentUnderTest(t, { path, clock, console });
  await assert.rejects(agent.call(request(callId), {}), failing("OUTCOME_UNKNOWN"));
  await assert.rejects(agent.call(request(id()), {}), failing("OUTCOME_UNKNOWN"));
  const forced = answerOf(await agent.call(request(id(), { repeat: true }), {}));

  assert.equal(forced.success, true);
  assert.equal(console.writes().length, 2);
});

test("a finished write answers its id after a restart", async (t) => {
  const path = join(temporaryFolder(t), "journal.sqlite");
  const [clock, console] = [manualClock(), notesConsole()];
  const before = agentUnderTest(t, { path, clock, console });
  const callId = before.id();
  const first = await before.agent.call(request(callId), {});
  before.die();

  const { agent, journal } = agentUnderTest(t, { path, clock, console });
  const again = await agent.call(request(callId), {});

  assert.deepEqual(again, first);
  assert.equal(journal.journalId, before.journal.journalId);
  assert.notEqual(journal.bootId, before.journal.bootId);
});

test("an answer that never came is OUTCOME_UNKNOWN, and its twin waits for a decision", async (t) => {
  const { agent, console, id } = agentUnderTest(t);
  console.after = (what) => {
    if (what.startsWith("POST")) throw new EdgeError("OUTCOME_UNKNOWN", "The console's answer was lost.");
  };
  const first = id();

  const lost = answerOf(await agent.call(request(first), {}));
  agent.acknowledge(first, true);
  const twin = answerOf(await agent.call(request(id()), {}));

  assert.deepEqual([lost.code, lost.executed], ["OUTCOME_UNKNOWN", "maybe"]);
  assert.deepEqual([twin.code, twin.repeated_of], ["OUTCOME_UNKNOWN", first]);
  assert.deepEqual(console.writes(), ["POST /notes"]);
});

test("a lost answer of an update is settled by reading the object back", async (t) => {
  const { ask, console } = agentUnderTest(t);
  console.after = () => {
    throw new EdgeError("OUTCOME_UNKNOWN", "The console's answer was lost.");
  };

  const answer = await ask("unifi_update_note", { id: "1", text: "bread", confirm: true });

  assert.equal(answer.success, true);
  assert.match(String(answer.note), /took effect/);
});

test("a failure before the write leaves no row, so the id is still free", async (t) => {
  const { agent, console, journal, id } = agentUnderTest(t);
  const callId = id();
  const update = request(callId, { tool: "unifi_update_note", args: { id: "1", text: "bread", confirm: true } });
  console.before = () => {
    throw new EdgeError("CONTROLLER_FAILED", "The console answered with an error page.");
  };
  const failed = answerOf(await agent.call(update, {}));
  const rows = journal.open(10);
  console.before = () => undefined;

  const second = answerOf(await agent.call(update, {}));

  assert.deepEqual([failed.code, failed.executed], ["CONTROLLER_FAILED", "no"]);
  assert.deepEqual(rows, []);
  assert.equal(second.success, true);
});

test("an id that is older than the journal keeps, far ahead of the clock, or without a time is stale", async (t) => {
  const { agent, console, clock, id } = agentUnderTest(t);
  const old = id();
  clock.pass(72 * 3_600_000);
  const ahead = manualClock();
  ahead.nowMs = clock.nowMs + 2 * 3_600_000;
  const future = agentUnderTest(t, { clock: ahead }).id();

  for (const staleId of [old, future, "some-id"]) {
    await assert.rejects(agent.call(request(staleId), {}), failing("STALE_CALL"));
  }

  assert.deepEqual(console.writes(), []);
});

test("a write under way at its deadline is unknown to the caller, goes on, and is found under its id", async (t) => {
  const { agent, console, clock, id } = agentUnderTest(t);
  const callId = id();
  const { enter, reached, open } = gate();
  console.after = enter;

  const call = agent.call(request(callId, { ttlMs: 1000 }), {});
  await reached;
  clock.pass(1000);
  await assert.rejects(call, failing("OUTCOME_UNKNOWN"));
  const later = agent.call(request(callId), {});
  open();

  assert.equal(answerOf(await later).success, true);
  assert.deepEqual(console.writes(), ["POST /notes"]);
});

test("a write that is still being planned at its deadline certainly did not run", async (t) => {
  const { agent, console, clock, id } = agentUnderTest(t);
  const { enter, reached, open } = gate();
  console.before = enter;

  const args = { id: "1", text: "bread", confirm: true };
  const call = agent.call(request(id(), { tool: "unifi_update_note", args, ttlMs: 1000 }), {});
  await reached;
  clock.pass(1000);
  await assert.rejects(call, failing("DEADLINE_BEFORE_START"));
  open();
  await agent.close();

  assert.deepEqual(console.writes(), []);
});

test("a call whose time is over already does not start", async (t) => {
  const { agent, console, id } = agentUnderTest(t);

  await assert.rejects(agent.call(request(id(), { ttlMs: 0 }), {}), failing("DEADLINE_BEFORE_START"));

  assert.deepEqual(console.requests, []);
});

test("a read is given up at its deadline", async (t) => {
  const { ask, console, clock } = agentUnderTest(t);
  const { enter, reached, open } = gate();
  console.before = enter;

  const call = ask("unifi_list_notes", {}, { ttlMs: 1000 });
  await reached;
  clock.pass(1000);
  await assert.rejects(call, failing("TIMEOUT"));

  open();
});

test("cancelled before it started: final, also for a call that comes after its cancel", async (t) => {
  const { agent, console, id } = agentUnderTest(t);
  const early = id();
  const planning = id();
  agent.cancel(early);
  await assert.rejects(agent.call(request(early), {}), failing("CANCELLED"));

  const { enter, reached, open } = gate();
  console.before = enter;
  const update = request(planning, { tool: "unifi_update_note", args: { id: "1", text: "x", confirm: true } });
  const call = agent.call(update, {});
  await reached;
  agent.cancel(planning);
  await assert.rejects(call, failing("CANCELLED"));
  open();
  await assert.rejects(agent.call(update, {}), failing("CANCELLED"));

  assert.deepEqual(console.writes(), []);
});

test("cancelled after it started: it goes on, and its outcome decides", async (t) => {
  const { agent, console, id } = agentUnderTest(t);
  const callId = id();
  const { enter, reached, open } = gate();
  console.after = enter;

  const call = agent.call(request(callId), {});
  await reached;
  agent.cancel(callId);
  open();

  assert.equal(answerOf(await call).success, true);
});

test("a caller that leaves gives up a read, and leaves a write running", async (t) => {
  const { agent, ask, console, id } = agentUnderTest(t);
  const { enter, reached, open } = gate();
  console.after = enter;
  const leaving = new AbortController();
  const callId = id();

  const write = agent.call(request(callId), { signal: leaving.signal });
  await reached;
  leaving.abort();
  await assert.rejects(write, failing("OUTCOME_UNKNOWN"));
  open();
  const outcome = answerOf(await agent.call(request(callId), {}));
  const gone = ask("unifi_list_notes", {}, {}, { signal: AbortSignal.abort() });
  await assert.rejects(gone, failing("CANCELLED"));

  assert.equal(outcome.success, true);
});

test("progress of a tool reaches the caller", async (t) => {
  const { ask } = agentUnderTest(t);
  const seen: unknown[] = [];

  await ask("unifi_list_notes", {}, {}, { progress: (progress) => seen.push(progress) });

  assert.deepEqual(seen, [{ done: 1, total: 2, note: "asking" }]);
});

test("more calls than the agent takes at once are told to come later", async (t) => {
  const { ask, console } = agentUnderTest(t, { limits: { calls: 2, writes: 1 } });
  const { enter, reached, open } = gate();
  console.before = enter;

  const first = ask("unifi_create_note", { text: "a", confirm: true });
  await reached;
  await assert.rejects(ask("unifi_create_note", { text: "b", confirm: true }), failing("OVERLOADED"));
  const read = ask("unifi_list_notes");
  await assert.rejects(ask("unifi_list_notes"), failing("OVERLOADED"));
  open();

  assert.deepEqual([(await first).success, (await read).success], [true, true]);
});

test("a journal that cannot be written refuses writes, and reads go on", async (t) => {
  const { agent, ask, console, journal, id } = agentUnderTest(t);
  journal.database.exec("PRAGMA query_only = ON");

  await assert.rejects(agent.call(request(id()), {}), failing("JOURNAL_UNAVAILABLE"));
  const read = await ask("unifi_list_notes");

  assert.equal(read.success, true);
  assert.deepEqual(console.writes(), []);
});

test("an outcome that cannot be recorded is told, and its id is unknown afterwards", async (t) => {
  const { agent, console, journal, id } = agentUnderTest(t);
  const callId = id();
  console.after = () => journal.database.exec("PRAGMA query_only = ON");

  const told = answerOf(await agent.call(request(callId), {}));

  assert.equal(told.success, true);
  await assert.rejects(agent.call(request(callId), {}), failing("OUTCOME_UNKNOWN"));
  assert.deepEqual(console.writes(), ["POST /notes"]);
});

test("an agent that was made read-only answers for earlier writes from its journal, and makes no new ones", async (t) => {
  const path = join(temporaryFolder(t), "journal.sqlite");
  const [clock, console] = [manualClock(), notesConsole()];
  const before = agentUnderTest(t, { path, clock, console });
  const [done, lost] = [before.id(), before.id()];
  const update = { tool: "unifi_update_note", args: { id: "1", text: "bread", confirm: true } };
  const first = answerOf(await before.agent.call(request(done), {}));
  const { enter, reached } = gate();
  console.after = enter;
  void before.agent.call(request(lost, update), {});
  await reached;
  before.die();
  console.after = () => undefined;
  console.notes.set("1", { id: "1", text: "somebody else's" });

  const { agent, decisions, id } = agentUnderTest(t, { path, clock, console, allowWrites: false });
  const again = answerOf(await agent.call(request(done), {}));
  const twin = answerOf(await agent.call(request(id()), {}));
  const forced = answerOf(await agent.call(request(id(), { repeat: true }), {}));

  assert.deepEqual(again, first);
  assert.equal(twin.repeated_of, done);
  await assert.rejects(agent.call(request(lost, update), {}), failing("OUTCOME_UNKNOWN"));
  assert.deepEqual([forced.code, forced.executed], ["POLICY_DENIED", "no"]);
  assert.deepEqual(
    decisions.map(({ verdict }) => verdict),
    ["allowed", "allowed", "denied", "allowed"],
  );
  assert.equal(console.writes().length, 2);
});

const DYING = [
  ["an update", "unifi_update_note", { id: "1", text: "bread", confirm: true }],
  ["a delete", "unifi_delete_note", { id: "1" }],
] as const;

for (const [what, tool, args] of DYING) {
  test(`${what} of a dead process is settled where the console shows that it took effect`, async (t) => {
    const path = join(temporaryFolder(t), "journal.sqlite");
    const [clock, console] = [manualClock(), notesConsole()];
    const before = agentUnderTest(t, { path, clock, console, confirm: tool.includes("delete") ? "off" : "flag" });
    const callId = before.id();
    const { enter, reached } = gate();
    console.after = enter;
    void before.agent.call(request(callId, { tool, args }), {});
    await reached;
    before.die();

    console.after = () => undefined;
    const { agent } = agentUnderTest(t, { path, clock, console, confirm: "off" });
    const first = answerOf(await agent.call(request(callId, { tool, args }), {}));
    const second = answerOf(await agent.call(request(callId, { tool, args }), {}));

    assert.deepEqual([first.success, first.settled_by_reading], [true, true]);
    assert.deepEqual(second, first);
    assert.equal(console.writes().length, 1);
  });
}

test("a read that was given up may be asked again under its id before it has ended", async (t) => {
  const { agent, console, id } = agentUnderTest(t);
  const read = request(id(), { tool: "unifi_list_notes", args: {}, kind: "read" });
  const { enter, reached, open } = gate();
  console.before = enter;
  const leaving = new AbortController();
  const first = agent.call(read, { signal: leaving.signal });
  await reached;
  leaving.abort();
  await assert.rejects(first, failing("CANCELLED"));

  const second = agent.call(read, {});
  open();

  assert.equal(answerOf(await second).success, true);
});

test("a link that fails while it is told does not fail the write", async (t) => {
  const { agent, id } = agentUnderTest(t);

  const result = await agent.call(request(id()), {
    accepted: () => {
      throw new Error("the link is gone");
    },
  });

  assert.equal(answerOf(result).success, true);
});
