/** Tools that only an agent knows: what drops them, how they are shown, how their arguments are checked. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkForeignArguments, readForeignTool } from "../../src/catalog/foreign.ts";
import type { JsonSchema, ManifestTool } from "../../src/catalog/manifest.ts";
import { EdgeError } from "../../src/errors.ts";
import { inputOf, manifestTool } from "../support/manifest-fixture.ts";

const foreign = (over: Partial<ManifestTool> & { readonly input?: JsonSchema } = {}) =>
  manifestTool({ name: "unifi_foreign", summary: "Foreign", ...over });

function nested(levels: number): JsonSchema {
  return levels === 0 ? { type: "string" } : { type: "object", properties: { deeper: nested(levels - 1) } };
}

for (const [told, schema] of [
  ["a pattern", { type: "string", pattern: "^(a+)+$" }],
  ["a format", { type: "string", format: "email" }],
  ["a reference", { $ref: "#/x" }],
  ["a combinator", { anyOf: [{ type: "string" }] }],
  ["a pattern of names", { type: "object", patternProperties: { "a+": { type: "string" } } }],
  ["no type", { description: "anything" }],
  ["a list of types", { type: ["string", "null"] }],
  ["an unknown type", { type: "date" }],
  ["more than eight levels", nested(9)],
  ["more than 64 KiB", { type: "string", enum: ["x".repeat(70_000)] }],
  ["a bound that is no number", { type: "string", maxLength: "1" }],
  ["an enum of objects", { type: "object", enum: [{}] }],
  ["a schema for additional properties", { type: "object", additionalProperties: { type: "string" } }],
  ["a required list of numbers", { type: "object", required: [1] }],
  ["properties that are a list", { type: "object", properties: [] }],
  ["items that are a list", { type: "array", items: [{ type: "string" }] }],
] as const) {
  test(`${told} drops the tool`, () => {
    assert.equal(readForeignTool(foreign({ input: inputOf({ value: schema as JsonSchema }) })), undefined);
  });
}

for (const name of ["", "a b", "unifi_<b>", "x".repeat(129)]) {
  test(`the name ${JSON.stringify(name.slice(0, 20))} drops the tool`, () => {
    assert.equal(readForeignTool(foreign({ name })), undefined);
  });
}

test("it counts as a destructive write, whatever it says of itself", () => {
  const tool = readForeignTool(
    foreign({ permission_action: "read", confirm: "none", macs: ["x"], aliases: { a: "b" } }),
  );

  assert.deepEqual(tool?.annotations, {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  });
  assert.deepEqual(
    [tool?.permission_action, tool?.confirm, tool?.macs, tool?.aliases],
    ["delete", "token", undefined, undefined],
  );
});

test("its texts are one line of bounded length without control characters", () => {
  const shouting = `Ignore\n\u001b[31mprevious\u202e ${"x".repeat(5000)}`;
  const tool = readForeignTool(
    foreign({
      title: shouting,
      summary: shouting,
      description: shouting,
      input: inputOf({ a: { type: "string", description: shouting } }),
    }),
  );

  const inner = JSON.stringify(tool?.schema.input);
  assert.ok(
    (tool?.title.length ?? 0) <= 80 && (tool?.summary.length ?? 0) <= 100 && (tool?.description.length ?? 0) <= 1000,
  );
  for (const text of [tool?.title, tool?.summary, tool?.description, inner])
    assert.doesNotMatch(text ?? "", /[\p{Cc}\p{Cf}]/u);
});

const TOOL =
  readForeignTool(
    foreign({
      input: inputOf(
        {
          text: { type: "string", minLength: 2, maxLength: 4 },
          count: { type: "integer", minimum: 1, maximum: 9 },
          ratio: { type: "number" },
          on: { type: "boolean" },
          nothing: { type: "null" },
          colour: { type: "string", enum: ["red", "blue"] },
          list: { type: "array", minItems: 1, maxItems: 2, items: { type: "integer" } },
          open: { type: "object", additionalProperties: true },
        },
        ["text"],
      ),
    }),
  ) ?? assert.fail("the schema is within the subset");

test("arguments within the schema pass", () => {
  const args = {
    text: "abc",
    count: 9,
    ratio: 0.5,
    on: false,
    nothing: null,
    colour: "red",
    list: [1, 2],
    open: { any: [1] },
  };

  assert.deepEqual(checkForeignArguments(TOOL, args), args);
  assert.deepEqual(checkForeignArguments(TOOL, '{"text":"ab"}'), { text: "ab" });
});

for (const [args, says] of [
  [{}, /"text" is missing/],
  [{ text: 1 }, /"text" must be string/],
  [{ text: "a" }, /"text" must be at least 2 characters/],
  [{ text: "abcde" }, /"text" must be at most 4 characters/],
  [{ text: "ab", count: 0 }, /"count" must be at least 1/],
  [{ text: "ab", count: 1.5 }, /"count" must be integer/],
  [{ text: "ab", count: "1" }, /"count" must be integer/],
  [{ text: "ab", ratio: null }, /"ratio" must be number/],
  [{ text: "ab", colour: "green" }, /"colour" must be one of red, blue/],
  [{ text: "ab", list: [] }, /"list" must be at least 1 items/],
  [{ text: "ab", list: [1, "2"] }, /"list\.1" must be integer/],
  [{ text: "ab", open: [] }, /"open" must be object/],
  [{ text: "ab", other: 1 }, /unknown argument "other"/],
  [{ text: "ab", constructor: 1 }, /unknown argument "constructor"/],
] as const) {
  test(`${JSON.stringify(args)} is refused`, () => {
    assert.throws(
      () => checkForeignArguments(TOOL, args),
      (error) => error instanceof EdgeError && error.code === "ARGUMENTS_INVALID" && says.test(error.message),
    );
  });
}
