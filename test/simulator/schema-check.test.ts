/** The field checker, word by word of its vocabulary. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkFields, type Field } from "../../src/simulator/schema-check.ts";

/** Field, values that are kept (as what), values that are refused. */
const CASES: readonly (readonly [string, Field, readonly (readonly [unknown, unknown])[], readonly unknown[]])[] = [
  [
    "range",
    { type: "integer", min: 2, max: 9, alsoAllows: [-1] },
    [
      [2, 2],
      ["9", 9],
      [-1, -1],
    ],
    [1, 10, 2.5, "x", ""],
  ],
  ["closed numbers", { type: "integer", values: [20, 40] }, [[40, 40]], [30]],
  ["number or nothing", { type: "integer", min: 1, allowEmpty: true }, [["", ""]], [0]],
  [
    "boolean",
    { type: "boolean" },
    [
      [true, true],
      ["false", false],
    ],
    [1, "yes"],
  ],
  ["enum", { type: "string", enum: ["tcp", "udp"] }, [["tcp", "tcp"]], ["icmp", "", 5]],
  [
    "length",
    { type: "string", minLength: 1, maxLength: 3 },
    [
      ["abc", "abc"],
      [12, "12"],
    ],
    ["", "abcd", true],
  ],
  [
    "mac",
    { type: "string", format: "mac" },
    [["02:00:5e:10:00:0A", "02:00:5e:10:00:0A"]],
    ["02:00", "02-00-5e-10-00-01"],
  ],
  ["address", { type: "string", format: "ipv4" }, [["10.0.0.1", "10.0.0.1"]], ["10.0.0.256", "10.0.0", ""]],
  ["network", { type: "string", format: "ipv4-cidr" }, [["10.0.0.0/8", "10.0.0.0/8"]], ["10.0.0.0", "10.0.0.0/33"]],
  [
    "ports",
    { type: "string", format: "port-or-port-list" },
    [["80,443,1000-2000", "80,443,1000-2000"]],
    ["http", "80;81"],
  ],
  [
    "either format",
    { type: "string", format: "ipv4-cidr|ipv4", negatable: true, alsoAllows: ["any"] },
    [
      ["!10.0.0.1", "!10.0.0.1"],
      ["any", "any"],
    ],
    ["all"],
  ],
  ["pattern", { type: "string", regex: "[a-f0-9]{4}" }, [["00ff", "00ff"]], ["00ff0", "x00ff"]],
  [
    "text or number",
    { type: "string", enum: ["auto"], orInteger: { min: 0 } },
    [
      ["auto", "auto"],
      [20, 20],
    ],
    ["loud"],
  ],
  [
    "list",
    { type: "array", items: { type: "string", enum: ["2g", "5g"] } },
    [
      [["2g"], ["2g"]],
      [[], []],
    ],
    [["7g"], "2g"],
  ],
  [
    "object",
    { type: "object", fields: { on: { type: "boolean" } } },
    [[{ on: true, more: 1 }, { on: true }]],
    [{ on: "maybe" }, []],
  ],
];

for (const [name, field, kept, refused] of CASES) {
  test(`${name}: fitting values are kept, others refused`, () => {
    for (const [value, stored] of kept)
      assert.deepEqual(checkFields({ f: field }, { f: value }), { row: { f: stored } });
    for (const value of refused) {
      const checked = checkFields({ f: field }, { f: value });
      assert.ok("refusal" in checked, `${JSON.stringify(value)} passed`);
      assert.match(checked.refusal.field, /^f/);
    }
  });
}

test("unknown, read-only and null fields are dropped", () => {
  const fields = { name: { type: "string" }, id: { type: "string", readOnly: true } };

  assert.deepEqual(checkFields(fields, { name: null, id: "1", colour: "red" }), { row: {} });
});

test("a refusal names the path into lists and objects, and the pattern", () => {
  const radio: Field = { type: "object", fields: { ht: { type: "integer", values: [20, 40] } } };

  const checked = checkFields(
    { radio_table: { type: "array", items: radio } },
    { radio_table: [{ ht: 20 }, { ht: 30 }] },
  );

  assert.deepEqual(checked, { refusal: { field: "radio_table[1].ht", pattern: "20|40" } });
});
