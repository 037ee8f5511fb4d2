/** The catalogue: look-up, nearest names, classification, and every rule of the argument check. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createCatalog } from "../../src/catalog/catalog.ts";
import { EdgeError } from "../../src/errors.ts";
import { MANIFEST_FIXTURE } from "../support/manifest-fixture.ts";

const catalog = createCatalog(MANIFEST_FIXTURE);

function refusal(act: () => unknown): EdgeError {
  try {
    act();
  } catch (error) {
    if (error instanceof EdgeError) return error;
    throw error;
  }
  assert.fail("was not refused");
}

test("the digest is the SHA-256 of the bytes that an agent shows", () => {
  assert.equal(catalog.digest, createHash("sha256").update(catalog.bytes).digest("hex"));
  assert.deepEqual(JSON.parse(catalog.bytes.toString("utf8")), MANIFEST_FIXTURE);
});

for (const [wrong, right] of [
  ["list_clients", "unifi_list_clients"],
  ["unifi_listClients", "unifi_list_clients"],
  ["UNIFI-LIST-CLIENT", "unifi_list_clients"],
  ["unifi_lst_cleints", "unifi_list_clients"],
  ["create_dns", "unifi_create_dns_record"],
  ["access_reboot_devices", "unifi_reboot_device"],
] as const) {
  test(`the nearest name to ${wrong} is ${right}`, () => {
    const names = catalog.nearest(wrong);

    assert.equal(names.length, 3);
    assert.equal(names[0], right);
  });
}

test("a very long wrong name is answered at once and not repeated in full", () => {
  const error = refusal(() => catalog.checkArguments(`unifi_${"x".repeat(1_000_000)}`, {}));

  assert.equal(error.code, "TOOL_NOT_FOUND");
  assert.ok(error.message.length < 400);
});

for (const [name, args, action, kind, scope] of [
  ["unifi_list_clients", {}, "read", "read", "unifi:read"],
  ["unifi_create_dns_record", {}, "create", "write", "unifi:write"],
  ["unifi_block_client", {}, "update", "write", "unifi:write"],
  ["unifi_delete_dns_record", {}, "delete", "write", "unifi:admin"],
  ["unifi_reboot_device", {}, "delete", "write", "unifi:admin"],
  ["unifi_api_call", {}, "read", "read", "unifi:read"],
  ["unifi_api_call", { method: "get" }, "read", "read", "unifi:read"],
  ["unifi_api_call", { method: "POST" }, "delete", "write", "unifi:admin"],
  ["unifi_api_call", { method: ["GET"] }, "delete", "write", "unifi:admin"],
  ["unifi_unheard_of", {}, "delete", "write", "unifi:admin"],
] as const) {
  test(`${name} ${JSON.stringify(args)} counts as ${action}`, () => {
    const classed = [catalog.actionOf(name, args), catalog.kindOf(name, args), catalog.scopeOf(name, args)];

    assert.deepEqual(classed, [action, kind, scope]);
  });
}

for (const [told, name, given, checked] of [
  ["absent arguments are an empty object", "unifi_list_clients", undefined, {}],
  ["arguments may be JSON text", "unifi_list_clients", '{"limit":5}', { limit: 5 }],
  ["an alias becomes the declared name", "unifi_list_clients", { max: 5 }, { limit: 5 }],
  ["an array may be JSON text", "unifi_list_clients", { fields: '["mac","ip"]' }, { fields: ["mac", "ip"] }],
  ["text where text is declared stays text", "unifi_list_dns_records", { key: '{"a":1}' }, { key: '{"a":1}' }],
  ["no default is invented", "unifi_api_call", { endpoint: "/x" }, { endpoint: "/x" }],
  [
    "an object may be JSON text",
    "unifi_create_dns_record",
    { key: "nas", value: "10.0.0.2", options: '{"ttl":60}' },
    { key: "nas", value: "10.0.0.2", options: { ttl: 60 } },
  ],
  [
    "a listed value takes its case",
    "unifi_create_dns_record",
    { key: "nas", value: "10.0.0.2", record_type: "aaaa" },
    { key: "nas", value: "10.0.0.2", record_type: "AAAA" },
  ],
  ["MACs take one form", "unifi_block_client", { mac: "AA-BB-CC-dd-ee-ff" }, { mac: "aa:bb:cc:dd:ee:ff" }],
  ["Cisco's dots are a MAC too", "unifi_block_client", { mac: "aabb.ccdd.eeff" }, { mac: "aa:bb:cc:dd:ee:ff" }],
  [
    "a list of MACs takes one form",
    "unifi_reboot_device",
    { macs: '["AABBCCDDEEFF","00 11 22 33 44 55"]' },
    { macs: ["aa:bb:cc:dd:ee:ff", "00:11:22:33:44:55"] },
  ],
] as const) {
  test(told, () => {
    assert.deepEqual(catalog.checkArguments(name, given), checked);
  });
}

const deep = JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`);

for (const [told, name, given, text] of [
  [
    "an unknown name is refused with the valid ones",
    "unifi_list_clients",
    { lmit: 1 },
    /unknown argument "lmit".*limit, fields/,
  ],
  ["a wrong type is refused", "unifi_list_clients", { limit: "5" }, /"limit" must be integer/],
  ["a bound is kept", "unifi_list_clients", { limit: 5000 }, /"limit" must be <= 1000/],
  ["a missing argument is named", "unifi_block_client", {}, /"mac" is missing/],
  [
    "an enum's values are told",
    "unifi_create_dns_record",
    { key: "a", value: "b", record_type: "MX" },
    /A, AAAA, CNAME/,
  ],
  [
    "the path of a nested fault is told, with the names that are valid there",
    "unifi_create_dns_record",
    { key: "a", value: "b", options: { tll: 1 } },
    /unknown argument "options\.tll" \(options takes ttl\)/,
  ],
  ["an item's index is told", "unifi_list_clients", { fields: ["mac", 3] }, /"fields\.1" must be string/],
  ["an alias beside its name is refused", "unifi_list_clients", { max: 1, limit: 2 }, /unknown argument "max"/],
  ["a list is no object", "unifi_list_clients", [1], /must be an object/],
  ["JSON text of a list is no object", "unifi_list_clients", "[1]", /must be an object/],
  ["text that is no JSON is refused", "unifi_list_clients", "limit=5", /not JSON/],
  ["a MAC that is none is refused", "unifi_block_client", { mac: "router" }, /not a MAC address/],
  ["depth is bounded", "unifi_api_call", { endpoint: "/x", params: deep }, /nested deeper/],
  [
    "depth inside JSON text is bounded",
    "unifi_api_call",
    { endpoint: "/x", params: JSON.stringify(deep) },
    /nested deeper/,
  ],
  [
    "a prototype's name is an unknown argument",
    "unifi_list_clients",
    '{"__proto__":{"limit":1}}',
    /unknown argument "__proto__"/,
  ],
  ["a prototype's method is no alias", "unifi_list_clients", { toString: 1 }, /unknown argument "toString"/],
] as const) {
  test(told, () => {
    const error = refusal(() => catalog.checkArguments(name, given));

    assert.equal(error.code, "ARGUMENTS_INVALID");
    assert.match(error.message, text);
  });
}

test("size is bounded, as an object and as text", () => {
  const large = { endpoint: "x".repeat(300_000) };

  assert.equal(refusal(() => catalog.checkArguments("unifi_api_call", large)).code, "TOO_LARGE");
  assert.equal(refusal(() => catalog.checkArguments("unifi_api_call", JSON.stringify(large))).code, "TOO_LARGE");
});

test("control characters of a wrong name do not reach the message", () => {
  const error = refusal(() => catalog.checkArguments("unifi_list_clients", { "a\u001b[31m\u202eb": 1 }));

  assert.doesNotMatch(error.message, /[\p{Cc}\p{Cf}]/u);
});
