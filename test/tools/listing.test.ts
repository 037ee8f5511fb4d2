/** Lists: filter, fields, limit and offset on redacted rows, and what is said of the cut. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../../src/controller/controller.ts";
import { listPayload } from "../../src/tools/listing.ts";
import type { RowTable } from "../../src/tools/rows.ts";
import { withCode } from "./support.ts";

const TABLE = {
  id: "string",
  name: "string",
  mac: "string",
  note: "string",
  x_passphrase: "string",
} as const satisfies RowTable;

const ROWS: readonly Row[] = [
  { id: "1", name: "Kitchen", mac: "aa:bb:cc:dd:ee:01", x_passphrase: "swordfish" },
  { id: "2", name: "Hall", mac: "aa:bb:cc:dd:ee:02", note: "near the kitchen" },
  { id: "3", name: "Garden", mac: "aa:bb:cc:dd:ee:03" },
];

function list(args: Row, rows = ROWS) {
  return listPayload({ site: "default", rowsName: "things", table: TABLE, rows, args, defaultLimit: 2 });
}

function ids(args: Row): unknown {
  return (list({ limit: 10, ...args }).things as readonly Row[]).map((row) => row.id);
}

test("a cut list says how much there is and how to go on", () => {
  const { things, ...said } = list({});

  assert.equal((things as readonly Row[]).length, 2);
  assert.deepEqual(said, {
    site: "default",
    count: 2,
    total: 3,
    returned: 2,
    truncated: true,
    hint: "Narrow with filter, drop columns with fields, or go on with offset=2.",
  });
});

test("the next page begins where the last one ended, and a whole list is not called cut", () => {
  assert.deepEqual((list({ offset: 2 }).things as readonly Row[])[0]?.id, "3");
  assert.equal(list({ limit: 3 }).truncated, undefined);
  assert.deepEqual(list({}, []), { site: "default", count: 0, total: 0, returned: 0, things: [] });
});

test("a plain filter looks into every field without regard to case", () => {
  assert.deepEqual(ids({ filter: "KITCHEN" }), ["1", "2"]);
  assert.deepEqual(ids({ filter: "nowhere" }), []);
});

test("field=value compares one field, a MAC address in any spelling", () => {
  assert.deepEqual(ids({ filter: "name=hall" }), ["2"]);
  assert.deepEqual(ids({ filter: "name = Hal" }), []);
  assert.deepEqual(ids({ filter: "mac=AA-BB-CC-DD-EE-03" }), ["3"]);
});

test("a filter on an unknown field is refused with the known ones", () => {
  assert.throws(() => list({ filter: "colour=red" }), withCode("ARGUMENTS_INVALID", /colour/));
});

test("no filter can find out a secret, guess by guess", () => {
  assert.deepEqual(ids({ filter: "swordfish" }), []);
  assert.deepEqual(ids({ filter: "sword" }), []);
  assert.deepEqual(ids({ filter: "x_passphrase=swordfish" }), []);
  assert.doesNotMatch(JSON.stringify(list({ limit: 10 })), /swordfish/);
});

test("fields keeps the named columns in their order and reports the unknown ones", () => {
  const answer = list({ fields: "name, id,colour", limit: 1 });

  assert.deepEqual(answer.things, [{ name: "Kitchen", id: "1" }]);
  assert.deepEqual(answer.unknown_fields, ["colour"]);
  assert.deepEqual(answer.valid_fields, Object.keys(TABLE));
});

test("the older names of filters and counts are given where a list has them", () => {
  const answer = listPayload({
    site: "default",
    rowsName: "things",
    table: TABLE,
    rows: ROWS,
    args: { search: "x", limit: 1 },
    select: (row) => row.id !== "3",
    defaultLimit: 2,
    echo: { search: "search", purpose: "purpose_filter" },
  });

  assert.equal(answer.search, "x");
  assert.equal("purpose_filter" in answer, false);
  assert.deepEqual([answer.total_count, answer.returned_count, answer.limit], [2, 1, 1]);
});
