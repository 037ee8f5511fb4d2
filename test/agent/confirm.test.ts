/** Previews and their tokens: single use, ten minutes, for one call, one place, one sign-in and the state that was seen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentUnderTest, failing, OWNER, type UnderTest } from "./agent-under-test.ts";

const DELETE = "unifi_delete_note";

async function tokenFor({ ask }: UnderTest, args: Readonly<Record<string, unknown>> = { id: "1" }): Promise<string> {
  return String((await ask(DELETE, args)).confirm_token);
}

test("a delete shows what would go and gives a token; with it the delete runs, under the token as its id", async (t) => {
  const under = agentUnderTest(t);
  const preview = await under.ask(DELETE, { id: "1" });
  const token = String(preview.confirm_token);

  const done = await under.ask(DELETE, { id: "1", confirm_token: token }, { id: token });

  assert.deepEqual(preview.preview, { will_delete: { id: "1", text: "milk", x_password: "***REDACTED***" } });
  assert.equal(done.success, true);
  assert.deepEqual(under.console.writes(), ["DELETE /notes/1"]);
});

test("confirm=true alone does not do for a tool that wants a token", async (t) => {
  const { ask, console } = agentUnderTest(t);

  const answer = await ask(DELETE, { id: "1", confirm: true });

  assert.equal(answer.requires_confirmation, true);
  assert.deepEqual(console.writes(), []);
});

test("a token used again answers with the first outcome, under its own id and under another", async (t) => {
  const under = agentUnderTest(t);
  const token = await tokenFor(under);
  await under.ask(DELETE, { id: "1", confirm_token: token }, { id: token });

  const same = await under.ask(DELETE, { id: "1", confirm_token: token }, { id: token });
  const other = await under.ask(DELETE, { id: "1", confirm_token: token });

  assert.equal(same.success, true);
  assert.equal(other.repeated_of, token);
  assert.deepEqual(under.console.writes(), ["DELETE /notes/1"]);
});

const MISUSES = [
  ["other arguments", { args: { id: "2" } }],
  ["another site", { site: "annex" }],
  ["another grant", { owner: { ...OWNER, grant: "g2" } }],
  ["another tool", { tool: "unifi_update_note", args: { id: "1", text: "x" } }],
] as const;

for (const [what, misuse] of MISUSES) {
  test(`a token is refused for ${what}`, async (t) => {
    const under = agentUnderTest(t);
    under.console.notes.set("2", { id: "2", text: "tea" });
    const token = await tokenFor(under);
    const { tool, args, ...more } = { tool: DELETE, args: { id: "1" }, ...misuse };

    const answer = await under.ask(tool, { ...args, confirm_token: token }, more);

    assert.equal(answer.code, "CONFIRM_TOKEN_INVALID");
    assert.match(String(answer.hint), /fresh preview/);
    assert.deepEqual(under.console.writes(), []);
  });
}

test("a token is refused once the object has changed since its preview", async (t) => {
  const under = agentUnderTest(t);
  const token = await tokenFor(under);
  under.console.notes.set("1", { id: "1", text: "not milk" });

  const answer = await under.ask(DELETE, { id: "1", confirm_token: token }, { id: token });

  assert.equal(answer.code, "CONFIRM_TOKEN_INVALID");
  assert.match(String(answer.error), /changed since/);
  assert.deepEqual(under.console.writes(), []);
});

test("an expired token is told as expired, and an invented one as unknown", async (t) => {
  const under = agentUnderTest(t);
  const token = await tokenFor(under);
  const invented = `ct_${under.id()}`;
  under.clock.pass(600_001);

  const expired = await under.ask(DELETE, { id: "1", confirm_token: token }, { id: token });
  const unknown = await under.ask(DELETE, { id: "1", confirm_token: invented }, { id: invented });

  assert.match(String(expired.error), /expired/);
  assert.match(String(unknown.error), /not one that this agent gave/);
});

test("unused tokens do not pile up in the journal", async (t) => {
  const under = agentUnderTest(t);
  await tokenFor(under);
  await tokenFor(under);
  under.clock.pass(2 * 3_600_000);

  await tokenFor(under);

  assert.equal(under.journal.database.prepare("SELECT count(*) AS kept FROM tokens").get()?.kept, 1);
});

test("UNIFI_CONFIRM=token asks for a token everywhere, off asks nothing, flag takes confirm=true for a delete", async (t) => {
  const strict = await agentUnderTest(t, { confirm: "token" }).ask("unifi_create_note", { text: "a", confirm: true });
  const open = await agentUnderTest(t, { confirm: "off" }).ask(DELETE, { id: "1" });
  const flagged = await agentUnderTest(t, { confirm: "flag" }).ask(DELETE, { id: "1", confirm: true });

  assert.match(String(strict.confirm_token), /^ct_/);
  assert.equal(open.success, true);
  assert.equal(open.requires_confirmation, undefined);
  assert.equal(flagged.success, true);
});

test("UNIFI_CONFIRM=person refuses writes in words, since no client can be asked", async (t) => {
  const { ask, console } = agentUnderTest(t, { confirm: "person" });

  const answer = await ask("unifi_create_note", { text: "a", confirm: true });

  assert.equal(answer.code, "POLICY_DENIED");
  assert.match(String(answer.hint), /UNIFI_CONFIRM/);
  assert.deepEqual(console.requests, []);
});

test("no token without a journal: a preview that cannot be kept is not given", async (t) => {
  const { ask, journal } = agentUnderTest(t);
  journal.database.exec("PRAGMA query_only = ON");

  await assert.rejects(ask(DELETE, { id: "1" }), failing("JOURNAL_UNAVAILABLE"));
});
