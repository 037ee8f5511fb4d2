/** Answers of agents that mean harm, or are too large: they stay their own place's, and take nobody's room. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeConnection, jsonResult, principal } from "../support/fake-agents.ts";
import { block, setUp } from "./rig.ts";

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

test("a long list of places has one answer's size too, and names each place that found no room", async () => {
  const ids = Array.from({ length: 60 }, (_, at) => `place-${at}`);
  const large = async () => jsonResult({ success: true, text: "x".repeat(2_900) });
  const { execute } = await setUp(ids.map((location) => fakeConnection({ location, call: large })));

  const { json, body } = await execute({ location: ids });

  const codes = json.locations.map((entry: { error?: { code: string } }) => entry.error?.code ?? "ok");
  assert.ok(body.length <= 64 * 1024, `${body.length} bytes`);
  assert.deepEqual([codes.length, new Set(codes), json.partial], [60, new Set(["ok", "TOO_LARGE"]), true]);
});
