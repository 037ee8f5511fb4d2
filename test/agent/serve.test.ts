/** Reads, refusals and confirmed writes of the agent, as the result contract has them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentUnderTest, failing } from "./agent-under-test.ts";
import { notesConsole } from "./notes-console.ts";

test("a read answers its named list, the site, and no secrets", async (t) => {
  const { ask } = agentUnderTest(t);

  const answer = await ask("unifi_list_notes");

  assert.deepEqual(answer, {
    success: true,
    notes: [{ id: "1", text: "milk", x_password: "***REDACTED***" }],
    site: "default",
  });
});

test("a write without confirm asks the console and shows what would change, and changes nothing", async (t) => {
  const { ask, console } = agentUnderTest(t);

  const answer = await ask("unifi_update_note", { id: "1", text: "bread" });

  assert.deepEqual(answer, {
    success: true,
    requires_confirmation: true,
    action: "update",
    resource_type: "note",
    resource_id: "1",
    preview: { current: { text: "milk" }, proposed: { text: "bread" } },
    message:
      "Nothing has been changed yet. Call unifi_update_note again with the same arguments and confirm=true to do it.",
    site: "default",
  });
  assert.deepEqual(console.writes(), []);
});

test("a confirmed write is made once, read back, and told field by field", async (t) => {
  const { ask, console } = agentUnderTest(t);

  const answer = await ask("unifi_update_note", { id: "1", text: "bread", x_password: "new", confirm: true });

  assert.deepEqual(answer, {
    success: true,
    action: "update",
    resource_type: "note",
    resource_id: "1",
    id: "1",
    persisted: ["text", "x_password"],
    dropped: [],
    coerced: {},
    unverifiable: [],
    site: "default",
  });
  assert.deepEqual(console.writes(), ["PUT /notes/1"]);
});

test("a field that the console accepted and did not save is an error, and partly saved is told", async (t) => {
  const { ask, console } = agentUnderTest(t);
  console.ignored.add("text");

  const answer = await ask("unifi_update_note", { id: "1", text: "bread", x_password: "new", confirm: true });

  assert.equal(answer.code, "NOT_PERSISTED");
  assert.equal(answer.executed, "yes");
  assert.equal(answer.partial_success, true);
  assert.deepEqual(answer.dropped, ["text"]);
  assert.deepEqual(answer.persisted, ["x_password"]);
});

test("a secret that does not come back is unverifiable, never claimed as saved", async (t) => {
  const { ask, console } = agentUnderTest(t);
  console.ignored.add("x_password");
  console.notes.set("1", { id: "1", text: "milk" });

  const answer = await ask("unifi_update_note", { id: "1", text: "bread", x_password: "new", confirm: true });

  assert.equal(answer.success, true);
  assert.deepEqual(answer.unverifiable, ["x_password"]);
});

test("a write that would change nothing is not sent", async (t) => {
  const { ask, console } = agentUnderTest(t);

  const answer = await ask("unifi_update_note", { id: "1", text: "milk", confirm: true });

  assert.equal(answer.unchanged, true);
  assert.deepEqual(console.writes(), []);
});

test("a deletion that leaves the object standing is no success", async (t) => {
  const { ask, console } = agentUnderTest(t, { confirm: "off" });
  console.after = () => void console.notes.set("1", { id: "1", text: "milk" });

  const answer = await ask("unifi_delete_note", { id: "1" });

  assert.equal(answer.code, "NOT_PERSISTED");
});

test("an unknown tool is answered with the nearest names", async (t) => {
  const { ask } = agentUnderTest(t);

  const answer = await ask("unifi_lst_notes", {}, { kind: "read" });

  assert.equal(answer.code, "TOOL_NOT_FOUND");
  assert.match(String(answer.error), /unifi_list_notes/);
});

test("wrong arguments are refused before the console is asked", async (t) => {
  const { ask, console } = agentUnderTest(t);

  const answer = await ask("unifi_list_notes", { limt: 3 });

  assert.equal(answer.code, "ARGUMENTS_INVALID");
  assert.deepEqual(console.requests, []);
});

test("an argument that holds the redaction marker is refused, so no secret is overwritten with it", async (t) => {
  const { ask, console } = agentUnderTest(t);

  const answer = await ask("unifi_update_note", { id: "1", x_password: "***REDACTED***", confirm: true });

  assert.equal(answer.code, "ARGUMENTS_INVALID");
  assert.deepEqual(console.requests, []);
});

test("the kind comes from the tool's declaration, and a frame that says otherwise is refused", async (t) => {
  const { ask, console } = agentUnderTest(t);

  await assert.rejects(ask("unifi_delete_note", { id: "1" }, { kind: "read" }), failing("PROTOCOL_ERROR"));

  assert.deepEqual(console.requests, []);
});

test("site and console are looked up by name, and an unknown one answers with the valid names", async (t) => {
  const second = notesConsole();
  second.notes.clear();
  const { ask } = agentUnderTest(t, { more: new Map([["barn", second]]) });

  const annex = await ask("unifi_list_notes", {}, { site: "annex" });
  const barn = await ask("unifi_list_notes", {}, { console: "barn" });
  const prefixed = await ask("unifi_list_notes", {}, { site: "barn/annex" });
  const nowhere = await ask("unifi_list_notes", {}, { site: "moon" });
  const noConsole = await ask("unifi_list_notes", {}, { console: "moon" });

  assert.equal(annex.site, "annex");
  assert.deepEqual(barn.notes, []);
  assert.deepEqual([prefixed.notes, prefixed.site], [[], "annex"]);
  assert.equal(nowhere.code, "SITE_UNKNOWN");
  assert.deepEqual([noConsole.code, noConsole.valid_consoles], ["CONSOLE_UNKNOWN", ["main", "barn"]]);
});

test("an answer is cut to its size, and says what was cut, the total and the narrower question", async (t) => {
  const { ask, console } = agentUnderTest(t, { limits: { answerBytes: 4096 } });
  for (let at = 2; at < 200; at++) console.notes.set(String(at), { id: String(at), text: "x".repeat(50) });

  const answer = await ask("unifi_list_notes");

  const { lists, hint } = answer.cut as { lists: { notes: { shown: number; total: number } }; hint: string };
  assert.ok(Buffer.byteLength(JSON.stringify(answer)) <= 4096);
  assert.equal(lists.notes.total, 199);
  assert.equal(lists.notes.shown, (answer.notes as unknown[]).length);
  assert.match(hint, /limit/);
});

test("text of a console is stripped of control characters", async (t) => {
  const { ask, console } = agentUnderTest(t);
  console.notes.set("1", { id: "1", text: "a\u001b[31mb\u202e" });

  const answer = await ask("unifi_list_notes");

  assert.deepEqual(answer.notes, [{ id: "1", text: "a[31mb" }]);
});

test("every call is audited with its verdict and its end", async (t) => {
  const { ask, decisions, endings } = agentUnderTest(t);

  await ask("unifi_list_notes");
  await ask("unifi_update_note", { id: "1", text: "bread" });
  await ask("unifi_nothing");

  assert.deepEqual(
    decisions.map(({ tool, action, verdict }) => [tool, action, verdict]),
    [
      ["unifi_list_notes", "read", "allowed"],
      ["unifi_update_note", "update", "allowed"],
      ["unifi_nothing", "delete", "denied"],
    ],
  );
  assert.deepEqual(
    endings.map(({ outcome }) => outcome),
    ["ok", "preview"],
  );
});
