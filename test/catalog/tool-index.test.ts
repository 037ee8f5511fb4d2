/** The tool index: filters, ranking, pages, schemas. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadManifest } from "../../src/catalog/load.ts";
import type { ManifestTool } from "../../src/catalog/manifest.ts";
import { createSearch } from "../../src/catalog/search/search.ts";
import { createToolIndex, type IndexQuery } from "../../src/catalog/tool-index.ts";
import { EdgeError } from "../../src/errors.ts";
import { inputOf, MANIFEST_FIXTURE, manifestTool } from "../support/manifest-fixture.ts";

interface Answer {
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly schema?: ManifestTool["schema"];
  }[];
  readonly count: number;
  readonly categories: readonly string[];
  readonly filtered?: boolean;
  readonly next_cursor?: string;
}

const indexOf = (tools: readonly ManifestTool[]) => {
  const index = createToolIndex(
    tools.map((tool) => ({ tool })),
    createSearch(tools),
  );
  return (query: IndexQuery = {}): Answer => JSON.parse(index.query(query));
};
const ask = indexOf(MANIFEST_FIXTURE.tools);
const packaged = indexOf(loadManifest(new URL("../../tools_manifest.json", import.meta.url)).tools);
const TEXT = { type: "string", description: "Some words about it" };
const names = ({ tools }: Answer) => tools.map(({ name }) => name);

test("without a question it shows everything in the manifest's order", () => {
  const answer = ask();

  assert.deepEqual(
    names(answer),
    MANIFEST_FIXTURE.tools.map(({ name }) => name),
  );
  assert.deepEqual(Object.keys(answer.tools[0] ?? {}), ["name", "description"]);
  assert.deepEqual([answer.count, answer.filtered, answer.next_cursor], [7, undefined, undefined]);
  assert.deepEqual(answer.categories, ["clients", "devices", "dns", "system"]);
});

test("a category is matched exactly, in any case", () => {
  assert.deepEqual(names(ask({ category: "DNS" })).length, 3);
  assert.equal(ask({ category: "dn" }).count, 0);
  assert.equal(ask({ category: "dns" }).filtered, true);
});

test("an empty filter filters nothing", () => {
  assert.equal(ask({ search: " ", category: "" }).count, 7);
  assert.equal(ask({ search: "" }).filtered, undefined);
});

test("words that say nothing find nothing", () => {
  assert.equal(ask({ search: "how do I" }).count, 0);
});

for (const [search, first] of [
  ["block client", "unifi_block_client"],
  ["blok a client please", "unifi_block_client"],
  ["create dns", "unifi_create_dns_record"],
  ["unifi_delete_dns_record", "unifi_delete_dns_record"],
  ["restart", "unifi_reboot_device"],
  ["REBOOT", "unifi_reboot_device"],
] as const) {
  test(`"${search}" finds ${first} first`, () => {
    assert.equal(names(ask({ search }))[0], first);
  });
}

for (const [search, first] of [
  ["list clients", "unifi_list_clients"],
  ["list devices", "unifi_list_devices"],
  ["network health", "unifi_get_network_health"],
  ["add wifi", "unifi_create_wlan"],
  ["port forward create", "unifi_create_port_forward"],
] as const) {
  test(`among the packaged tools "${search}" finds ${first} first`, () => {
    assert.equal(names(packaged({ search }))[0], first);
  });
}

test("category and search narrow together", () => {
  assert.deepEqual(names(ask({ search: "list", category: "dns" })), ["unifi_list_dns_records"]);
});

test("the same question has the same answer, and equal ranks keep the list's order", () => {
  const twins = indexOf(
    Array.from({ length: 20 }, (_, n) => manifestTool({ name: `unifi_twin_${n}`, summary: "Same words" })),
  );

  const answer = twins({ search: "same words" });

  assert.deepEqual(
    names(answer),
    Array.from({ length: 20 }, (_, n) => `unifi_twin_${n}`),
  );
  assert.deepEqual(twins({ search: "same words" }), answer);
});

test("pages follow each other without gap or repetition", () => {
  const first = ask({ limit: 3 });
  const second = ask({ limit: 3, ...cursorOf(first) });
  const third = ask({ limit: 3, ...cursorOf(second) });

  assert.deepEqual([...names(first), ...names(second), ...names(third)], names(ask()));
  assert.equal(third.next_cursor, undefined);
  assert.deepEqual([first.count, third.count], [7, 7]);
});

const cursorOf = ({ next_cursor: cursor }: Answer) => (cursor === undefined ? {} : { cursor });

for (const [told, cursor] of [
  ["made-up", "abc"],
  ["empty", ""],
  ["another question's", ask({ search: "dns", limit: 1 }).next_cursor ?? assert.fail()],
  ["negative", Buffer.from("-1.abcdefgh").toString("base64url")],
] as const) {
  test(`a cursor that is ${told} is refused`, () => {
    assert.throws(
      () => ask({ limit: 1, cursor }),
      (error) => error instanceof EdgeError && error.code === "ARGUMENTS_INVALID",
    );
  });
}

test("schemas come with hints and permission", () => {
  const [entry] = ask({ search: "create dns", include_schemas: true, limit: 1 }).tools;

  const tool = MANIFEST_FIXTURE.tools.find(({ name }) => name === "unifi_create_dns_record");
  assert.deepEqual(entry, {
    name: tool?.name,
    title: tool?.title,
    description: tool?.description,
    schema: tool?.schema,
    annotations: tool?.annotations,
    permission_category: "dns",
    permission_action: "create",
  });
});

test("a search of a megabyte is answered", () => {
  assert.equal(typeof ask({ search: "dns ".repeat(250_000) }).count, "number");
});

/** The answer with every `$ref` put back in place. */
function resolved(value: unknown, defs: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((item) => resolved(item, defs));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...own } = value as Readonly<Record<string, unknown>>;
  const fields = Object.fromEntries(Object.entries(own).map(([name, field]) => [name, resolved(field, defs)]));
  if (typeof $ref !== "string") return fields;
  const shared = resolved(defs[$ref.replace("#/$defs/", "")], defs) as Readonly<Record<string, object>>;
  return { ...shared, ...fields, ...mergedProperties(shared, fields) };
}

function mergedProperties(...schemas: readonly Readonly<Record<string, unknown>>[]): object {
  const properties = Object.assign({}, ...schemas.map(({ properties }) => properties)) as object;
  return Object.keys(properties).length === 0 ? {} : { properties };
}

test("what several tools share stands once, and put back in place it is each tool's own schema", () => {
  const [tool] = MANIFEST_FIXTURE.tools;
  assert.ok(tool);
  const body = { type: "object", properties: Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, TEXT])) };
  const input = (required: string[]) =>
    inputOf({ body: { ...body, required, description: required.join() } }, ["body"]);
  const output = {
    type: "object",
    properties: Object.fromEntries(["success", "location", "message", "error", "code", "own"].map((n) => [n, TEXT])),
  };
  const tools = [["a"], ["b"]].map((required, at) => ({
    ...tool,
    name: `unifi_shared_${at}`,
    schema: { input: input(required), output },
  }));

  const answer = JSON.parse(
    createToolIndex(
      tools.map((one) => ({ tool: one })),
      createSearch(tools),
    ).query({ include_schemas: true }),
  );

  assert.deepEqual(Object.keys(answer.$defs).sort(), ["answer", "body"]);
  assert.deepEqual(
    answer.tools.map(({ schema }: { readonly schema: object }) => resolved(schema, answer.$defs)),
    tools.map(({ schema }) => schema),
  );
});

const KB = 1024;

test("the packaged index stays small: all in 20 KB, with schemas in 250 KB, a category with schemas in 25 KB", (t) => {
  const categories = packaged().categories;
  const bytes = (query: IndexQuery) => Buffer.byteLength(JSON.stringify(packaged(query)));
  const sizes = categories.map((category) => [category, bytes({ category, include_schemas: true })] as const);
  t.diagnostic(`compact ${bytes({})}, with schemas ${bytes({ include_schemas: true })} bytes; ${sizes.join("; ")}`);

  assert.ok(bytes({}) <= 20 * KB);
  assert.ok(bytes({ include_schemas: true }) <= 250 * KB);
  assert.deepEqual(
    sizes.filter(([, size]) => size > 25 * KB),
    [],
  );
});
