import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decision } from "../../src/audit/audit.ts";
import { EdgeError } from "../../src/errors.ts";
import type { Asking, ExecuteRequest } from "../../src/mcp/execution.ts";
import type { Principal } from "../../src/principal.ts";
import { createRouter, PENDING_PER_PLACE } from "../../src/routing/router.ts";
import type { CallResult } from "../../src/tunnel/calls.ts";
import {
  type FakeConnection,
  fakeConnection,
  fakeDirectory,
  fakeIntents,
  jsonResult,
  place,
  principal,
} from "../support/fake-agents.ts";

const lost = () => new EdgeError("OUTCOME_UNKNOWN", "the link broke");
const offline = () => new EdgeError("AGENT_OFFLINE", "the link is gone");

async function setUp(
  connections: FakeConnection[],
  places = connections.map((connection) => place(connection.location)),
) {
  const { directory } = await fakeDirectory(places, connections);
  const intents = fakeIntents();
  const decisions: Decision[] = [];
  let ids = 0;
  const router = createRouter({
    directory,
    intents,
    actionOf: (tool) => ({ unifi_list_clients: "read" as const, unifi_block_client: "update" as const })[tool],
    audit: {
      record: (decision) => void decisions.push(decision),
      ended: () => undefined,
      flush: async () => undefined,
      close: async () => undefined,
    },
    requireLocation: false,
    callTimeoutMs: 30_000,
    reconnectWaitMs: 50,
    secret: Buffer.from("a secret"),
    newId: () => `id-${++ids}`,
    readId: () => `read-${++ids}`,
    now: () => 0,
    log: { warn: () => undefined, error: () => undefined },
  });
  const execute = async (request: Partial<ExecuteRequest>, who: Principal = principal(), whole = false) => {
    const asking: Asking = { principal: who, signal: new AbortController().signal, whole };
    const outcome = await router.execute({ tool: "unifi_list_clients", arguments: {}, ...request }, asking);
    return { ...outcome, json: JSON.parse(outcome.body.toString()) };
  };
  return { directory, intents, decisions, execute };
}

const block = { tool: "unifi_block_client", arguments: { mac: "02:00:00:00:00:01", confirm: true } };

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

test("an agent that does not keep to its share loses its answer, and the others keep theirs", async () => {
  const greedy = async () => jsonResult({ success: true, text: "x".repeat(60_000) });
  const { execute } = await setUp([
    fakeConnection({ location: "home", call: greedy }),
    fakeConnection({ location: "office" }),
  ]);

  const { json, body } = await execute({});

  assert.deepEqual([json.locations[0].error.code, json.locations[1].success], ["TOO_LARGE", true]);
  assert.ok(body.length <= 64 * 1024);
});

const TWO_VALUES = '{"success":true}},{"location":"office","success":true,"data":{}';

test("an answer that is no whole object does not break out of a fan-out", async () => {
  const hostile = async () => ({ isError: false, type: "json" as const, body: Buffer.from(TWO_VALUES) });
  const { execute } = await setUp([
    fakeConnection({ location: "home", call: hostile }),
    fakeConnection({ location: "office" }),
  ]);

  const { json } = await execute({});

  assert.deepEqual(
    json.locations.map((entry: { location: string; error?: { code: string } }) => [entry.location, entry.error?.code]),
    [
      ["home", "PROTOCOL_ERROR"],
      ["office", undefined],
    ],
  );
});

test("an answer that will stand inside other JSON must be one whole object", async () => {
  const hostile = async () => ({ isError: false, type: "json" as const, body: Buffer.from(TWO_VALUES) });
  const { execute } = await setUp([fakeConnection({ location: "home", call: hostile })]);

  const read = await execute({}, principal(), true);
  const write = await execute(block, principal(), true);

  assert.deepEqual([read.isError, read.json.code, read.json.executed], [true, "PROTOCOL_ERROR", "no"]);
  assert.deepEqual([write.isError, write.json.code, write.json.executed], [true, "PROTOCOL_ERROR", "maybe"]);
});

for (const own of [
  '"location":"office"',
  '"\\u006cocation":"office"',
  '"a":1, "loc\\u0061tion" : "office","location":"x"',
]) {
  test(`an agent cannot say that its answer is another place's: ${own}`, async () => {
    const body = Buffer.from(`{"success":true,${own}}`);
    const hostile = async () => ({ isError: false, type: "json" as const, body });
    const { execute } = await setUp([fakeConnection({ location: "home", call: hostile })]);

    const { json } = await execute({});

    assert.deepEqual([json.location, json.success], ["home", true]);
  });
}

test("a location deeper in an answer is the answer's own, byte by byte", async () => {
  const text = '{"success":true,  "rows":[{"location":"attic","text":"\\u00e4"}]}';
  const { execute } = await setUp([
    fakeConnection({
      location: "home",
      call: async () => ({ isError: false, type: "json", body: Buffer.from(text) }),
    }),
  ]);

  const { body } = await execute({});

  assert.equal(body.toString(), `{"location":"home",${text.slice(1)}`);
});

test("an agent's own repeated_of stays where the gateway has none to say, and goes where it has", async () => {
  const home = fakeConnection({
    location: "home",
    call: async () => jsonResult({ success: true, repeated_of: "agents" }),
  });
  const { execute } = await setUp([home]);

  const first = await execute(block);
  const second = await execute(block);

  assert.deepEqual([first.json.repeated_of, second.json.repeated_of], ["agents", "id-1"]);
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
