/** Layer-2 rules and object-oriented policies: short forms, masks, and what the console would take amiss. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../../src/controller/controller.ts";
import type { EdgeError } from "../../src/errors.ts";
import { bitsOfMask, maskOfBits } from "../../src/tools/network/acl-rows.ts";
import { type FakeOptions, type FakeRequest, fakeNetwork } from "../support/fake-network.ts";
import { planOf, problemsOf, read, withCode } from "./support.ts";

const END = { type: "CLIENT_MAC", specific_mac_addresses: [], ips_or_subnets: [], network_ids: [], ports: [] };
const RULE: Row = {
  _id: "a1",
  site_id: "site",
  name: "Cameras",
  type: "MAC",
  action: "BLOCK",
  enabled: true,
  acl_index: 0,
  mac_acl_network_id: "lan",
  specific_enforcers: ["switch"],
  traffic_source: { ...END, specific_mac_addresses: ["02:00:5e:00:00:00"], mac_mask: "ff:ff:ff:00:00:00" },
  traffic_destination: END,
};
const POLICY: Row = {
  id: "o1",
  name: "Bedtime",
  enabled: true,
  target_type: "CLIENTS",
  targets: [{ type: "MAC", value: "02:00:5e:10:01:01" }],
  secure: { enabled: true, internet: { mode: "TURN_OFF_INTERNET", schedule: { mode: "EVERY_DAY" } } },
  qos: { enabled: false, download_limit_kbps: 500 },
};
const ROWS = {
  "/acl-rules": [RULE],
  "/rest/networkconf": [{ _id: "lan", name: "Default" }],
  "/object-oriented-network-configs": [POLICY],
};
const PUT_POLICY = "PUT /object-oriented-network-config/o1";

const site = (options: FakeOptions = {}) =>
  fakeNetwork({ rows: ROWS, answers: { [PUT_POLICY]: (body) => body }, ...options });

const NEW: Row = { name: "x", acl_index: 1, action: "BLOCK", network_id: "lan" };
const change = (data: Row, more: Row = {}) =>
  ["unifi_update_acl_rule", { rule_id: "a1", rule_data: data, ...more }] as const;
const policyChange = (data: Row) => ["unifi_update_oon_policy", { policy_id: "o1", policy_data: data }] as const;
const NEW_POLICY: Row = { name: "x", target_type: "CLIENTS", targets: ["02:00:5e:10:01:01"] };

/** The body of the only write. */
function bodyOf(writes: () => readonly FakeRequest[]): Row {
  const [only, ...others] = writes();
  assert.deepEqual(others, []);
  return (only?.body ?? {}) as Row;
}

test("a netmask is a number of leading bits; a mask with holes is none", () => {
  const bits = [0, 1, 24, 47, 48];

  const masks = bits.map(maskOfBits);

  assert.deepEqual(masks.slice(0, 3), ["00:00:00:00:00:00", "80:00:00:00:00:00", "ff:ff:ff:00:00:00"]);
  assert.deepEqual(masks.map(bitsOfMask), bits);
  assert.deepEqual([bitsOfMask("ff:00:ff:00:00:00"), bitsOfMask(undefined), bitsOfMask("")], [null, null, null]);
});

test("a rule is found in the list, since a single one cannot be asked for", async () => {
  const { context, requests } = site();

  const { details } = await read(context, "unifi_get_acl_rule_details", { rule_id: "a1" });

  assert.partialDeepStrictEqual(details, { network_id: "lan", source_netmask: 24, destination_macs: [] });
  assert.deepEqual(
    requests.map(({ path }) => path),
    ["/v2/api/site/default/acl-rules"],
  );
});

test("rules of one network alone are listed when it is named", async () => {
  const { context } = site();

  const here = await read(context, "unifi_list_acl_rules", { network_id: "lan" });
  const elsewhere = await read(context, "unifi_list_acl_rules", { network_id: "iot" });
  const all = await read(context, "unifi_list_acl_rules", { network_id: null });

  assert.deepEqual([here.total, elsewhere.total, all.total], [1, 0, 1]);
});

test("a rule that names no address on either side is told to match all traffic before it is sent", async () => {
  const { context } = site();

  const open = await planOf(context, "unifi_create_acl_rule", { ...NEW, source_macs: null });
  const narrow = await planOf(context, "unifi_create_acl_rule", { ...NEW, source_macs: ["02005e100101"] });

  assert.match(String(open.warnings), /matches all traffic/);
  assert.deepEqual(narrow.warnings, []);
  assert.deepEqual(narrow.proposed?.source_macs, ["02:00:5e:10:01:01"]);
});

test("a change of addresses keeps mask, enforcers and the other side", async () => {
  const { context, writes } = site();

  const plan = await planOf(context, ...change({ source_macs: ["02:00:5E:10:01:01"], source_netmask: null }));
  await plan.apply();

  const { site_id: _, ...whole } = RULE;
  assert.deepEqual(writes()[0]?.body, {
    ...whole,
    traffic_source: { ...END, specific_mac_addresses: ["02:00:5e:10:01:01"], mac_mask: "ff:ff:ff:00:00:00" },
  });
});

test("a netmask goes away with its clear argument, also against a given one", async () => {
  const { context, writes } = site();

  const plan = await planOf(context, ...change({}, { clear_source_netmask: true }));
  await plan.apply();

  assert.deepEqual([plan.current, plan.proposed], [{ source_netmask: 24 }, { source_netmask: null }]);
  assert.deepEqual(bodyOf(writes).traffic_source, {
    ...END,
    specific_mac_addresses: ["02:00:5e:00:00:00"],
  });
});

test("an address that is none is refused by its place and not repeated", async () => {
  const { context, writes } = site();
  const unnamed = (path: RegExp) => (thrown: unknown) => {
    assert.doesNotMatch(String((thrown as EdgeError).message), /5e/);
    return withCode("ARGUMENTS_INVALID", path)(thrown);
  };

  await assert.rejects(
    planOf(context, "unifi_create_acl_rule", { ...NEW, source_macs: ["02:00:5e:nobody"] }),
    unnamed(/^source_macs\[0\]/),
  );
  await assert.rejects(
    planOf(context, ...change({ destination_macs: ["02:00:5e:nobody"] })),
    unnamed(/^rule_data\.destination_macs\[0\]/),
  );
  await assert.rejects(
    planOf(context, ...policyChange({ targets: ["02:00:5e:nobody"] })),
    unnamed(/^policy_data\.targets\[0\]/),
  );

  assert.deepEqual(writes(), []);
});

test("unknown fields and networks, and netmasks over 48, are refused", async () => {
  const { context } = site();

  await assert.rejects(
    planOf(context, "unifi_create_acl_rule", { ...NEW, network_id: "moon" }),
    withCode("ARGUMENTS_INVALID", /^network_id/),
  );
  assert.notDeepEqual(problemsOf(...change({ macs: [] })), []);
  assert.notDeepEqual(problemsOf(...change({ source_netmask: 49 })), []);
});

test("a rule of another type keeps its shape: these fields do not fit it", async () => {
  const { context } = site({ rows: { ...ROWS, "/acl-rules": [{ ...RULE, type: "IPV4" }] } });

  await assert.rejects(planOf(context, ...change({ name: "y" })), withCode("ARGUMENTS_INVALID", /MAC/));
});

test("the preview of a new policy shows what will be sent, and the list's path is not the item's", async () => {
  const { context, writes } = site({ answers: { "POST /object-oriented-network-config": () => ({ id: "o2" }) } });

  const plan = await planOf(context, "unifi_create_oon_policy", {
    ...NEW_POLICY,
    target_type: "GROUPS",
    targets: ["group-1"],
    secure: { mode: "BLOCKLIST", apps: [262256] },
  });
  const applied = await plan.apply();

  const sent = {
    name: "x",
    enabled: true,
    target_type: "GROUPS",
    targets: [{ type: "NETWORK_GROUP_ID", value: "group-1" }],
    secure: { enabled: true, internet: { mode: "BLOCKLIST", apps: [262256] } },
  };
  assert.deepEqual(plan.proposed, sent);
  assert.deepEqual(writes(), [
    { method: "POST", path: "/v2/api/site/default/object-oriented-network-config", body: sent },
  ]);
  assert.equal(applied.policy_id, "o2");
});

test("a create that is answered with nothing finds its policy in the list", async () => {
  const rows = [POLICY];
  const { context } = site({
    answers: {
      "GET /object-oriented-network-configs": () => [...rows],
      "POST /object-oriented-network-config": (body) => {
        rows.push({ ...(body as Row), id: "o9" });
        return null;
      },
    },
  });

  const plan = await planOf(context, "unifi_create_oon_policy", { ...NEW_POLICY, qos: { enabled: true } });
  const { policy_id: id } = await plan.apply();

  assert.equal(id, "o9");
});

test("an update takes the same short forms as a create and keeps what it does not name", async () => {
  const { context, writes } = site();

  const plan = await planOf(
    context,
    ...policyChange({ applies_to: ["02-00-5E-10-01-02"], secure: { schedule: { mode: "ALWAYS" } }, qos_enabled: true }),
  );
  await plan.apply();

  assert.deepEqual(writes()[0]?.body, {
    ...POLICY,
    targets: [{ type: "MAC", value: "02:00:5e:10:01:02" }],
    secure: { enabled: true, internet: { mode: "TURN_OFF_INTERNET", schedule: { mode: "ALWAYS" } } },
    qos: { enabled: true, download_limit_kbps: 500 },
  });
  assert.deepEqual(plan.proposed?.qos_enabled, true);
});

test("a console that holds plain addresses gets plain addresses back", async () => {
  const plain = { ...POLICY, targets: ["02:00:5e:10:01:01"] };
  const { context, writes } = site({ rows: { ...ROWS, "/object-oriented-network-configs": [plain] } });

  const plan = await planOf(context, ...policyChange({ targets: ["02:00:5E:10:01:02"] }));
  await plan.apply();

  assert.deepEqual(bodyOf(writes).targets, ["02:00:5e:10:01:02"]);
});

/** Refused before anything is sent: why, the call, and what the error says. */
const REFUSED: readonly (readonly [why: string, call: readonly [string, Row], text: RegExp])[] = [
  ["a policy that does nothing", ["unifi_create_oon_policy", { ...NEW_POLICY, secure: null }], /secure, qos and route/],
  [
    "a blocklist of nothing",
    ["unifi_create_oon_policy", { ...NEW_POLICY, secure: { mode: "BLOCKLIST" } }],
    /^secure\.internet\.apps/,
  ],
  ["a mode of no kind", policyChange({ secure: { mode: "SLOW" } }), /^policy_data\.secure\.internet\.mode/],
  [
    "groups named as clients",
    policyChange({ targets: [{ type: "NETWORK_GROUP_ID", value: "g" }] }),
    /targets\[0\]\.type/,
  ],
  ["another kind of target without targets", policyChange({ target_type: "GROUPS" }), /^policy_data\.targets/],
  [
    "targets under two names",
    policyChange({ targets: ["02:00:5e:10:01:01"], applies_to: ["02:00:5e:10:01:01"] }),
    /applies_to/,
  ],
];

for (const [why, [tool, args], text] of REFUSED) {
  test(`refused: ${why}`, async () => {
    const { context, writes } = site();

    await assert.rejects(planOf(context, tool, args), withCode("ARGUMENTS_INVALID", text));

    assert.deepEqual(writes(), []);
  });
}

test("a console too old for these policies or rules is told to lack them, not to have none", async () => {
  const { context } = fakeNetwork();

  await assert.rejects(read(context, "unifi_list_oon_policies"), withCode("CONTROLLER_UNSUPPORTED", /object-oriented/));
  await assert.rejects(read(context, "unifi_list_acl_rules"), withCode("CONTROLLER_UNSUPPORTED", /ACL/));
});
