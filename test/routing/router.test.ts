import assert from "node:assert/strict";
import { test } from "node:test";
import { EdgeError } from "../../src/errors.ts";
import { PENDING_PER_PLACE } from "../../src/routing/router.ts";
import type { CallResult } from "../../src/tunnel/calls.ts";
import { type FakeConnection, fakeConnection, jsonResult, place, principal } from "../support/fake-agents.ts";
import { block, setUp } from "./rig.ts";

const lost = () => new EdgeError("OUTCOME_UNKNOWN", "the link broke");
const offline = () => new EdgeError("AGENT_OFFLINE", "the link is gone");

test("one place's answer carries its location first and is otherwise untouched", async () => {
  const { execute } = await setUp([
    fakeConnection({ location: "home", call: async () => jsonResult({ success: true, clients: [] }) }),
  ]);

  const { body } = await execute({});

  assert.equal(body.toString(), '{"location":"home","success":true,"clients":[]}');
});

test("a fan-out answers per place and says that it is partial", async () => {
  const { execute } = await setUp([fakeConnection({ location: "home" })], [place("home"), place("office")]);

  const { json, isError } = await execute({});

  assert.equal(isError, false);
  assert.equal(json.partial, true);
  assert.deepEqual(
    json.locations.map((entry: { location: string; success: boolean }) => [entry.location, entry.success]),
    [
      ["home", true],
      ["office", false],
    ],
  );
  assert.equal(json.locations[1].error.code, "AGENT_OFFLINE");
});

test("a fan-out shares the answer's size among the places", async () => {
  const home = fakeConnection({ location: "home" });
  const office = fakeConnection({ location: "office" });
  const { execute } = await setUp([home, office]);

  await execute({});

  const [share] = home.calls.map(({ maxBytes }) => maxBytes ?? 0);
  assert.equal(office.calls[0]?.maxBytes, share);
  assert.ok(share && share > 32_000 && share <= 32_768);
});

test("a read whose link breaks is asked again over the next link", async () => {
  const home: FakeConnection = fakeConnection({
    location: "home",
    call: async () => {
      home.disconnect();
      throw offline();
    },
  });
  const { directory, execute } = await setUp([home]);
  const pending = execute({});

  await directory.attach(
    fakeConnection({ location: "home", call: async () => jsonResult({ success: true, second: true }) }),
  );

  assert.equal((await pending).json.second, true);
});

test("a write whose link breaks goes again under the same id to the same journal", async () => {
  const home: FakeConnection = fakeConnection({
    location: "home",
    call: async () => {
      home.disconnect();
      throw lost();
    },
  });
  const { directory, execute } = await setUp([home]);
  const back = fakeConnection({ location: "home" });
  const pending = execute(block);

  await new Promise((resolve) => setImmediate(resolve));
  await directory.attach(back);

  assert.equal((await pending).isError, false);
  assert.deepEqual(
    back.calls.map((call) => call.id),
    home.calls.map((call) => call.id),
  );
});

test("a write is never sent to a second journal: the outcome is unknown", async () => {
  const home: FakeConnection = fakeConnection({
    location: "home",
    call: async () => {
      home.disconnect();
      throw lost();
    },
  });
  const { directory, execute } = await setUp([home]);
  const other = fakeConnection({ location: "home", journalId: "another" });
  const pending = execute(block);

  await new Promise((resolve) => setImmediate(resolve));
  await directory.attach(other);
  const { json } = await pending;

  assert.deepEqual([json.code, json.executed, json.call_id], ["OUTCOME_UNKNOWN", "maybe", "id-1"]);
  assert.deepEqual(other.calls, []);
});

test("a write that nobody can tell of answers OUTCOME_UNKNOWN with its call id", async () => {
  const home: FakeConnection = fakeConnection({
    location: "home",
    call: async () => {
      home.disconnect();
      throw lost();
    },
  });
  const { execute } = await setUp([home]);

  const { json, isError } = await execute(block);

  assert.equal(isError, true);
  assert.deepEqual([json.code, json.executed, json.call_id], ["OUTCOME_UNKNOWN", "maybe", "id-1"]);
});

test("an identical write whose answer was not delivered meets the first one's id", async () => {
  const home = fakeConnection({ location: "home" });
  const { execute } = await setUp([home]);

  await execute(block);
  const { json } = await execute(block);

  assert.deepEqual(
    home.calls.map((call) => call.id),
    ["id-1", "id-1"],
  );
  assert.equal(json.repeated_of, "id-1");
});

test("an identical write runs again once the first answer was delivered", async () => {
  const home = fakeConnection({ location: "home" });
  const { execute } = await setUp([home]);

  const first = await execute(block);
  first.delivered?.();
  const { json } = await execute(block);

  assert.deepEqual(
    home.calls.map((call) => call.id),
    ["id-1", "id-2"],
  );
  assert.equal(json.repeated_of, undefined);
  assert.deepEqual(home.acknowledged, [
    ["id-1", false],
    ["id-1", true],
    ["id-2", false],
  ]);
});

test("a preview is no twin of the write that it asks about, and does not hide it", async () => {
  const home = fakeConnection({ location: "home" });
  const { execute } = await setUp([home]);
  const { confirm: _confirm, ...unconfirmed } = block.arguments;

  await execute(block);
  const preview = await execute({ ...block, arguments: unconfirmed });
  preview.delivered?.();
  const { json } = await execute(block);

  assert.deepEqual(
    home.calls.map((call) => call.id),
    ["id-1", "id-2", "id-1"],
  );
  assert.deepEqual([preview.json.repeated_of, json.repeated_of], [undefined, "id-1"]);
});

test("repeat forces a new id, and another principal's identical write is no twin", async () => {
  const home = fakeConnection({ location: "home" });
  const { execute } = await setUp([home]);

  await execute(block);
  await execute({ ...block, repeat: true });
  await execute(block, principal({ grant: "grant-2" }));

  assert.deepEqual(
    home.calls.map((call) => call.id),
    ["id-1", "id-2", "id-3"],
  );
});

test("a confirm token is the call's id, and its re-issue meets the journal that got it", async () => {
  const home = fakeConnection({ location: "home" });
  const { execute, intents } = await setUp([home]);
  const request = { tool: "unifi_block_client", arguments: { mac: "02:00:00:00:00:01", confirm_token: "ct_1" } };

  await execute(request);
  await execute(request);

  assert.deepEqual(
    home.calls.map((call) => call.id),
    ["ct_1", "ct_1"],
  );
  assert.equal(intents.open_.get("ct_1")?.journalId, "journal-home");
});

test("a refusal that did nothing leaves no twin behind", async () => {
  const home = fakeConnection({
    location: "home",
    call: async () => {
      throw new EdgeError("JOURNAL_UNAVAILABLE", "the disk is full");
    },
  });
  const { execute, intents } = await setUp([home]);

  const { json } = await execute(block);

  assert.deepEqual([json.code, json.executed], ["JOURNAL_UNAVAILABLE", "no"]);
  assert.equal(intents.open_.size, 0);
});

test("role, scope and consent are each asked, and every decision is recorded", async () => {
  const { execute, decisions } = await setUp([fakeConnection({ location: "home" })]);

  const codes = [
    await execute(block, principal({ role: "viewer" })),
    await execute(block, principal({ scopes: new Set(["unifi:read"]) })),
    await execute({ location: "home" }, principal({ locations: ["office"] })),
    await execute({}),
  ].map(({ json }) => json.code ?? "ok");

  assert.deepEqual(codes, ["PERMISSION_DENIED", "INSUFFICIENT_SCOPE", "LOCATION_UNKNOWN", "ok"]);
  assert.deepEqual(
    decisions.map((decision) => decision.verdict),
    ["denied", "denied", "allowed"],
  );
});

test("an unknown tool of a location counts as a destructive write", async () => {
  const { execute } = await setUp([fakeConnection({ location: "home" })]);

  const { json } = await execute({ tool: "printer__erase" }, principal({ role: "operator" }));

  assert.equal(json.code, "PERMISSION_DENIED");
});

test("a ninth call that would wait at one place is refused", async () => {
  const { promise, resolve } = Promise.withResolvers<CallResult>();
  const { execute } = await setUp([fakeConnection({ location: "home", call: () => promise })]);
  const running = Array.from({ length: PENDING_PER_PLACE }, () => execute({}));
  await new Promise((done) => setImmediate(done));

  const { json } = await execute({});

  assert.deepEqual([json.code, json.executed, json.retry_after_seconds], ["OVERLOADED", "no", 1]);
  resolve(jsonResult({ success: true }));
  assert.equal(
    (await Promise.all(running)).every(({ isError }) => !isError),
    true,
  );
  assert.equal((await execute({})).isError, false);
});

test("an offline place says since when", async () => {
  const { execute } = await setUp(
    [],
    [
      {
        id: "home",
        name: "Home",
        lastSeen: { apps: ["network"], agentVersion: "0.1.0", manifestDigest: "own", offlineSinceMs: 0 },
      },
    ],
  );

  const { json } = await execute({});

  assert.match(json.error, /offline since 1970-01-01T00:00:00.000Z/);
});
