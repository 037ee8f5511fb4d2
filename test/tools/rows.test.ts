/** Rows brought to their schema, merging, and IPv4 arithmetic. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Compile } from "typebox/compile";
import { normalMac, sectionsOf } from "../../src/tools/arguments.ts";
import { ipv4Number, ipv4Text, isHostOf, overlaps, subnetOf } from "../../src/tools/ipv4.ts";
import { mergeDeep, pick, sameJson } from "../../src/tools/merge.ts";
import { isoTime, project, type RowTable, rowSchema, withIsoTimes } from "../../src/tools/rows.ts";

const TABLE = {
  text: "string",
  whole: "integer",
  part: "number",
  flag: "boolean",
  seen: "time",
  names: "strings",
  inner: "object",
  list: "objects",
  what: "any",
} as const satisfies RowTable;

test("a row holds what its table names, brought to the kind", () => {
  const row = project(
    {
      text: 20,
      whole: "7.9",
      part: "5.6",
      flag: true,
      seen: 1_796_025_600,
      names: ["a", 1],
      inner: { a: 1 },
      list: [{}, 2],
      what: 0,
      other: 1,
    },
    TABLE,
  );

  assert.deepEqual(row, {
    text: "20",
    whole: 7,
    part: 5.6,
    flag: true,
    seen: "2026-11-30T08:00:00.000Z",
    names: ["a"],
    inner: { a: 1 },
    list: [{}],
    what: 0,
  });
  assert.deepEqual([...Compile(rowSchema(TABLE)).Errors(row)], []);
});

test("what is absent or of another kind is left out, so a row never breaks its schema", () => {
  const hostile = [{}, null, [], "x", true, Number.NaN, undefined, -1, Infinity];

  for (const value of hostile) {
    const row = project(Object.fromEntries(Object.keys(TABLE).map((field) => [field, value])), TABLE);

    assert.deepEqual([...Compile(rowSchema(TABLE)).Errors(JSON.parse(JSON.stringify(row)))], [], JSON.stringify(value));
  }
});

test("seconds and milliseconds since 1970 become the same ISO 8601 time", () => {
  assert.equal(isoTime(1_796_025_600), "2026-11-30T08:00:00.000Z");
  assert.equal(isoTime(1_796_025_600_000), "2026-11-30T08:00:00.000Z");
  assert.equal(isoTime("1796025600"), "2026-11-30T08:00:00.000Z");
  for (const nothing of [0, -5, "", "soon", null, undefined, 1e300]) assert.equal(isoTime(nothing), undefined);
  assert.deepEqual(withIsoTimes({ seen: 1_796_025_600, left: 0 }, ["seen", "left"]), {
    seen: "2026-11-30T08:00:00.000Z",
    left: 0,
  });
});

test("merging goes deep into objects, replaces lists, and touches nothing else", () => {
  const base = { name: "a", inner: { one: 1, two: { x: 1, y: 2 } }, list: [1, 2, 3], gone: "kept" };

  const merged = mergeDeep(base, { inner: { two: { y: 3 } }, list: [9], fresh: true });

  assert.deepEqual(merged, { name: "a", inner: { one: 1, two: { x: 1, y: 3 } }, list: [9], gone: "kept", fresh: true });
  assert.deepEqual(base.inner.two, { x: 1, y: 2 });
});

test("equality of JSON ignores the order of keys, not of lists", () => {
  assert.ok(sameJson({ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }));
  assert.ok(!sameJson([1, 2], [2, 1]));
  assert.ok(!sameJson({ a: 1 }, { a: 1, b: undefined }));
  assert.ok(!sameJson({ a: undefined }, { b: undefined }));
  assert.ok(!sameJson([], {}));
  assert.deepEqual(pick({ a: 1, b: undefined, c: null }, ["c", "b", "a", "z"]), { c: null, a: 1 });
});

test("MAC addresses of any spelling become one form", () => {
  for (const text of ["AA:BB:CC:DD:EE:0F", "aa-bb-cc-dd-ee-0f", "aabb.ccdd.ee0f", "AABBCCDDEE0F"]) {
    assert.equal(normalMac(text), "aa:bb:cc:dd:ee:0f");
  }
  assert.equal(normalMac("Printer"), "printer");
});

test("sections are named in a comma list, all stands for every one, the rest is reported", () => {
  assert.deepEqual(sectionsOf("b, A,x", ["a", "b", "c"]), { sections: ["a", "b"], unknown: ["x"] });
  assert.deepEqual(sectionsOf("all", ["a", "b"]), { sections: ["a", "b"], unknown: [] });
});

test("subnets know their hosts and their neighbours", () => {
  const home = subnetOf("192.168.20.1/24");
  const half = subnetOf("192.168.20.129/25");
  const other = subnetOf("255.255.254.1/23");
  assert.ok(home && half && other);

  assert.equal(ipv4Text(home.network), "192.168.20.0");
  assert.equal(ipv4Text(home.broadcast), "192.168.20.255");
  assert.equal(ipv4Text(other.broadcast), "255.255.255.255");
  assert.ok(isHostOf(home, ipv4Number("192.168.20.254") ?? 0));
  assert.ok(!isHostOf(home, home.network) && !isHostOf(home, home.broadcast));
  assert.ok(overlaps(home, half) && !overlaps(home, other));
  for (const text of [
    "192.168.20.1",
    "192.168.20.1/",
    "192.168.20.1/31",
    "1.2.3/24",
    "1.2.3.4/2x",
    "1.2.3.4/24/1",
    "::1/64",
    "",
  ]) {
    assert.equal(subnetOf(text), undefined, text);
  }
});
