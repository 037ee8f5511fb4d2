/** The agent's gates: the last word on writes, whatever a gateway allowed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createPolicy } from "../../src/agent/policy.ts";
import { EdgeError } from "../../src/errors.ts";
import { agentUnderTest } from "./agent-under-test.ts";

const UPDATE = {
  name: "unifi_update_note",
  app: "network",
  permission: { category: "notes", action: "update" },
} as const;
const API_CALL = {
  name: "unifi_api_call",
  app: "network",
  permission: { category: "api", action: "delete" },
  classedBy: { argument: "method", read: ["GET"] },
} as const;

/** The variable that denied, or undefined. */
function deniedBy(
  gates: Readonly<Record<string, string>>,
  tool: typeof UPDATE | typeof API_CALL = UPDATE,
  args: Readonly<Record<string, unknown>> = {},
): unknown {
  const policy = createPolicy({ allowWrites: true, gates }, (_method, path) => (path === "/notes" ? [UPDATE] : []));
  try {
    policy.assertWrite(tool, args);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof EdgeError);
    assert.equal(error.code, "POLICY_DENIED");
    return error.details?.variable;
  }
}

test("without UNIFI_ALLOW_WRITES every write is refused, naming the variable, and reads go on", async (t) => {
  const { ask, console } = agentUnderTest(t, { allowWrites: false });

  const write = await ask("unifi_create_note", { text: "a", confirm: true });
  const preview = await ask("unifi_delete_note", { id: "1" });
  const read = await ask("unifi_list_notes");

  assert.deepEqual([write.code, write.executed, write.variable], ["POLICY_DENIED", "no", "UNIFI_ALLOW_WRITES"]);
  assert.match(String(write.hint), /UNIFI_ALLOW_WRITES=true/);
  assert.equal(preview.code, "POLICY_DENIED");
  assert.equal(read.success, true);
  assert.deepEqual(console.writes(), []);
});

test("unset and blank gates allow", () => {
  assert.equal(deniedBy({}), undefined);
  assert.equal(deniedBy({ UNIFI_POLICY_UPDATE: " " }), undefined);
});

test("the most specific gate that is set decides", () => {
  const all = { UNIFI_POLICY_UPDATE: "false" };
  const app = { ...all, UNIFI_POLICY_NETWORK_UPDATE: "true" };
  const category = { ...app, UNIFI_POLICY_NETWORK_NOTES_UPDATE: "off" };

  assert.equal(deniedBy(all), "UNIFI_POLICY_UPDATE");
  assert.equal(deniedBy(app), undefined);
  assert.equal(deniedBy(category), "UNIFI_POLICY_NETWORK_NOTES_UPDATE");
  assert.equal(deniedBy({ UNIFI_POLICY_DELETE: "false" }), undefined);
});

test("a value that is neither true nor false denies, in words", async (t) => {
  const { ask } = agentUnderTest(t, { gates: { UNIFI_POLICY_NETWORK_NOTES_CREATE: "sometimes" } });

  const answer = await ask("unifi_create_note", { text: "a", confirm: true });

  assert.equal(answer.variable, "UNIFI_POLICY_NETWORK_NOTES_CREATE");
  assert.match(String(answer.error), /neither true nor false/);
});

test("every spelling of true allows and every spelling of false denies", () => {
  for (const value of ["true", "1", "yes", "ON"]) assert.equal(deniedBy({ UNIFI_POLICY_UPDATE: value }), undefined);
  for (const value of ["false", "0", "no", "Off"]) {
    assert.equal(deniedBy({ UNIFI_POLICY_UPDATE: value }), "UNIFI_POLICY_UPDATE");
  }
});

test("an api call has a gate per method, then its general ones, then those of tools that write the path", () => {
  const post = { method: "post", endpoint: "/other" };
  const notes = { method: "PUT", endpoint: "/notes" };

  assert.equal(
    deniedBy({ UNIFI_POLICY_NETWORK_API_CALL_POST: "no" }, API_CALL, post),
    "UNIFI_POLICY_NETWORK_API_CALL_POST",
  );
  assert.equal(deniedBy({ UNIFI_POLICY_NETWORK_API_CALL_PUT: "no" }, API_CALL, post), undefined);
  assert.equal(deniedBy({ UNIFI_POLICY_DELETE: "no" }, API_CALL, post), "UNIFI_POLICY_DELETE");
  assert.equal(
    deniedBy({ UNIFI_POLICY_DELETE: "no", UNIFI_POLICY_NETWORK_API_CALL_POST: "yes" }, API_CALL, post),
    undefined,
  );
  assert.equal(
    deniedBy({ UNIFI_POLICY_NETWORK_NOTES_UPDATE: "no", UNIFI_POLICY_NETWORK_API_CALL_PUT: "yes" }, API_CALL, notes),
    "UNIFI_POLICY_NETWORK_NOTES_UPDATE",
  );
});
