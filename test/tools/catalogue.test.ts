/** Rules that hold for every declared tool, and the names that a client of the reference catalogue relies on. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PREFIX_OF_APP } from "../../src/catalog/manifest.ts";
import type { Row } from "../../src/controller/controller.ts";
import { ACTIONS } from "../../src/principal.ts";
import { verdictOf } from "../../src/redaction/secret-names.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { ENDPOINTS } from "../../src/tools/network/endpoints.ts";
import { isRow } from "../../src/tools/rows.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { CATALOGUE } from "./catalogue-facts.ts";

const names = (list: string) => list.split(" ").filter((name) => name !== "");

/** Tools that break a rule, by name: an empty list is what every test wants. */
function offenders(breaks: (tool: Tool) => boolean): string[] {
  return TOOLS.filter(breaks).map((tool) => tool.name);
}

function properties(schema: unknown): Readonly<Record<string, Row>> {
  const found = isRow(schema) ? schema.properties : undefined;
  return isRow(found) ? (found as Readonly<Record<string, Row>>) : {};
}

test("names are unique, snake case, and carry their app's prefix", () => {
  const seen = new Set(TOOLS.map((tool) => tool.name));

  assert.equal(seen.size, TOOLS.length);
  assert.deepEqual(
    offenders((tool) => !new RegExp(`^${PREFIX_OF_APP[tool.app]}_[a-z0-9_]+$`).test(tool.name)),
    [],
  );
});

test("every tool file stands in the list", async () => {
  const directory = new URL("../../src/tools/network/", import.meta.url);
  const files = readdirSync(fileURLToPath(directory)).filter((file) => file.endsWith(".ts"));
  const modules = await Promise.all(
    files.map(async (file) => (await import(new URL(file, directory).href)) as { readonly default?: unknown }),
  );
  const declared = modules.flatMap((module) => (Array.isArray(module.default) ? (module.default as Tool[]) : []));

  assert.deepEqual(
    declared.filter((tool) => !TOOLS.includes(tool)).map((tool) => tool.name),
    [],
  );
  assert.equal(declared.length, TOOLS.length);
});

test("the compact index stays compact: 50 bytes a summary on average, 100 at most", () => {
  const sizes = TOOLS.map((tool) => Buffer.byteLength(tool.summary));

  assert.ok(sizes.reduce((sum, size) => sum + size, 0) / sizes.length <= 50);
  assert.ok(Math.max(...sizes) <= 100);
});

test("every tool tells a model what it does in one or more whole sentences", () => {
  assert.deepEqual(
    offenders((tool) => tool.description.length < 40 || !/[.)]$/.test(tool.description)),
    [],
  );
  assert.deepEqual(
    offenders((tool) => !tool.summary.endsWith(".") || tool.title.length > 40),
    [],
  );
});

test("every argument and every field of an object argument is described", () => {
  const silent = TOOLS.flatMap((tool) =>
    Object.entries(properties(tool.input)).flatMap(([name, schema]) => [
      ...(typeof schema.description === "string" ? [] : [`${tool.name}.${name}`]),
      ...Object.entries(properties(schema))
        .filter(([, field]) => typeof field.description !== "string")
        .map(([field]) => `${tool.name}.${name}.${field}`),
    ]),
  );

  assert.deepEqual(silent, []);
});

test("every text, number and list argument is bounded", () => {
  const unbounded = TOOLS.flatMap((tool) =>
    [properties(tool.input), ...Object.values(properties(tool.input)).map(properties)].flatMap((fields) =>
      Object.entries(fields)
        .filter(([, schema]) => !isBounded(schema))
        .map(([name]) => `${tool.name}.${name}`),
    ),
  );

  assert.deepEqual(unbounded, []);
});

function isBounded(schema: Row): boolean {
  if (Array.isArray(schema.enum)) return true;
  if (schema.type === "string") return "maxLength" in schema || "pattern" in schema || schema.format === "ipv4";
  if (schema.type === "integer" || schema.type === "number") return "minimum" in schema && "maximum" in schema;
  return schema.type !== "array" || "maxItems" in schema;
}

test("no input schema starts with a choice, and unknown names are refused at both levels", () => {
  assert.deepEqual(
    offenders((tool) => ["anyOf", "oneOf", "allOf"].some((keyword) => keyword in tool.input)),
    [],
  );
  assert.deepEqual(
    offenders((tool) => [tool.input, ...Object.values(properties(tool.input))].some(isOpen)),
    [],
  );
});

function isOpen(schema: unknown): boolean {
  return isRow(schema) && schema.type === "object" && schema.additionalProperties !== false;
}

test("defaults stand only where leaving an argument out means the same: never in an object that is saved", () => {
  const saved = TOOLS.flatMap((tool) =>
    Object.values(properties(tool.input)).flatMap((schema) =>
      Object.entries(properties(schema))
        .filter(([, field]) => "default" in field)
        .map(([name]) => `${tool.name}.${name}`),
    ),
  );

  assert.deepEqual(saved, []);
});

test("site and location are the gateway's to add", () => {
  assert.deepEqual(
    offenders((tool) => ["site", "location"].some((name) => name in properties(tool.input))),
    [],
  );
});

test("the action decides: reads run, writes plan, hints follow", () => {
  assert.deepEqual(
    offenders((tool) => !ACTIONS.includes(tool.permission.action)),
    [],
  );
  assert.deepEqual(
    offenders((tool) => {
      const reads = tool.permission.action === "read";
      const classed = tool.classedBy !== undefined;
      return (tool.run !== undefined) !== (reads || classed) || (tool.plan !== undefined) !== !reads;
    }),
    [],
  );
  assert.deepEqual(
    offenders((tool) => tool.annotations.readOnlyHint !== (tool.permission.action === "read")),
    [],
  );
  assert.deepEqual(
    offenders((tool) => (tool.confirm === "token") !== tool.annotations.destructiveHint),
    [],
  );
  assert.deepEqual(
    offenders((tool) => "confirm" in properties(tool.input) !== (tool.plan !== undefined)),
    [],
  );
});

test("a write says which endpoints it writes, and every endpoint has its note", () => {
  assert.deepEqual(
    offenders((tool) => tool.plan !== undefined && tool.classedBy === undefined && (tool.writes ?? []).length === 0),
    [],
  );
  assert.deepEqual(
    offenders((tool) => tool.plan === undefined && tool.writes !== undefined),
    [],
  );
  const used = new Set(TOOLS.flatMap((tool) => [...tool.reads, ...(tool.writes ?? [])]));
  assert.deepEqual(
    [...used].filter((endpoint) => ENDPOINTS[endpoint] === undefined),
    [],
  );
  assert.deepEqual(
    Object.keys(ENDPOINTS).filter((endpoint) => !used.has(endpoint as keyof typeof ENDPOINTS)),
    [],
  );
});

test("aliases lead to declared arguments and hide none; MAC arguments exist", () => {
  assert.deepEqual(
    offenders((tool) =>
      Object.entries(tool.aliases ?? {}).some(
        ([alias, name]) => !(name in properties(tool.input)) || alias in properties(tool.input),
      ),
    ),
    [],
  );
  assert.deepEqual(
    offenders((tool) => (tool.macs ?? []).some((name) => !(name in properties(tool.input)))),
    [],
  );
});

test("no answer has a field that redaction would hide by its name", () => {
  const hidden = TOOLS.flatMap((tool) =>
    Object.entries(tool.output).flatMap(([name, schema]) =>
      [name, ...Object.keys(rowFieldsOf(schema))]
        .filter((field) => verdictOf(field) !== "open")
        .map((field) => `${tool.name}.${field}`),
    ),
  );

  assert.deepEqual(hidden, []);
});

/** The fields of a list's rows, or of an object. */
function rowFieldsOf(schema: unknown): Readonly<Record<string, Row>> {
  return properties(isRow(schema) && isRow(schema.items) ? schema.items : schema);
}

test("lists can be narrowed, cut and paged", () => {
  const lists = TOOLS.filter((tool) => tool.name.includes("_list_"));
  const missing = lists.filter((tool) =>
    // The event log counts in `start`, as the reference does; `offset` is an alias of it
    ["limit", "offset", "fields", "filter"].some((name) => !(name in { ...properties(tool.input), ...tool.aliases })),
  );

  assert.ok(lists.length >= 9);
  assert.deepEqual(
    missing.map((tool) => tool.name),
    [],
  );
});

for (const [name, facts] of Object.entries(CATALOGUE)) {
  test(`${name} keeps the reference's names`, () => {
    const tool = TOOLS.find((candidate) => candidate.name === name);
    assert.ok(tool);
    const input = properties(tool.input);
    const required = tool.input.required ?? [];

    assert.equal(tool.category, facts.category);
    assert.equal(tool.permission.action, facts.action);
    if (facts.gate !== undefined) assert.equal(tool.permission.category, facts.gate);
    assert.equal(tool.annotations.destructiveHint, facts.flags.includes("!"));
    assert.equal(tool.annotations.idempotentHint, !facts.flags.includes("*"));
    for (const parameter of names(facts.parameters)) {
      assert.ok(parameter.replace("?", "") in input, parameter);
      assert.equal(required.includes(parameter), !parameter.endsWith("?"), parameter);
    }
    const fields =
      Object.values(input)
        .map(properties)
        .find((inner) => Object.keys(inner).length > 0) ?? {};
    for (const field of names(facts.fields ?? "")) assert.ok(field.replace("?", "") in fields, field);
  });

  if (facts.action !== "read") continue;
  test(`${name} answers under the reference's names`, () => {
    const tool = TOOLS.find((candidate) => candidate.name === name);
    const output: Readonly<Record<string, unknown>> = tool?.output ?? {};
    const rowFields = Object.values(output).map(rowFieldsOf);

    assert.deepEqual(
      names(facts.result).filter((part) => !(part in output)),
      [],
    );
    const rows = rowFields.find((fields) => Object.keys(fields).length > 0) ?? {};
    // Details hold the console's own object, whose fields no schema names
    if (Object.keys(rows).length > 0)
      assert.deepEqual(
        names(facts.rows ?? "").filter((field) => !(field in rows)),
        [],
      );
  });
}
