/** Firewall: which engine is in force, the shapes that the console demands, and the order of policies. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../../src/controller/controller.ts";
import { EdgeError } from "../../src/errors.ts";
import { toolsThatWrite } from "../../src/tools/writes.ts";
import { type FakeOptions, fakeNetwork } from "../support/fake-network.ts";
import { planOf, problemsOf, read, withCode } from "./support.ts";

const ZONES: readonly Row[] = [
  { _id: "in", name: "Internal", zone_key: "internal", network_ids: ["lan"] },
  { _id: "out", name: "External", zone_key: "external", network_ids: [] },
];

const POLICY: Row = {
  _id: "p1",
  site_id: "site",
  name: "Mail",
  action: "ALLOW",
  enabled: true,
  index: 10000,
  predefined: false,
  description: "old",
  protocol: "tcp",
  ip_version: "BOTH",
  logging: false,
  connection_state_type: "ALL",
  connection_states: [],
  create_allow_respond: true,
  match_ip_sec: false,
  match_opposite_protocol: false,
  icmp_typename: "ANY",
  icmp_v6_typename: "ANY",
  schedule: { mode: "ALWAYS" },
  source: { zone_id: "in", matching_target: "IP", matching_target_type: "SPECIFIC", ips: ["192.168.1.9"] },
  destination: { zone_id: "out", matching_target: "ANY", port_matching_type: "SPECIFIC", port: "25" },
};

const OWN: Row = { ...POLICY, _id: "p0", name: "Allow all", predefined: true };
const LEGACY: Row = { _id: "r1", name: "Drop", ruleset: "LAN_IN", rule_index: 2000, attr_no_delete: true };
const GROUP: Row = {
  _id: "g1",
  site_id: "site",
  name: "Web",
  group_type: "port-group",
  group_members: ["80"],
};

const ROWS = {
  "/firewall-policies": [POLICY, OWN],
  "/firewall/zone": ZONES,
  "/rest/firewallrule": [],
  "/rest/firewallgroup": [GROUP],
};

const site = (options: FakeOptions = {}) => fakeNetwork({ rows: ROWS, ...options });

/** A site before the migration: v2 answers with nothing, the older rules are in force. */
const unmigrated = () =>
  fakeNetwork({ rows: { ...ROWS, "/firewall-policies": [], "/firewall/zone": [], "/rest/firewallrule": [LEGACY] } });

const ANY = { zone_id: "in" };
const NEW: Row = { name: "x", action: "BLOCK", source: ANY, destination: { zone_id: "out" } };

const create = (change: Row) => ["unifi_create_firewall_policy", { policy_data: { ...NEW, ...change } }] as const;
const update = (change: Row) => ["unifi_update_firewall_policy", { policy_id: "p1", update_data: change }] as const;

test("an empty policy list on a site before the migration says that the older rules are in force", async () => {
  const { context } = unmigrated();

  const { policies, note } = await read(context, "unifi_list_firewall_policies");
  const zones = await read(context, "unifi_list_firewall_zones");
  const { rules, engine, note: silent } = await read(context, "unifi_list_legacy_firewall_rules");

  assert.deepEqual(policies, []);
  assert.match(String(note), /unifi_list_legacy_firewall_rules/);
  assert.match(String(zones.note), /no zones/);
  assert.partialDeepStrictEqual(rules, [{ id: "r1", ruleset: "LAN_IN", no_delete: true, no_edit: false }]);
  assert.deepEqual([engine, silent], ["legacy", undefined]);
});

test("which firewall is in force is asked anew at every call", async () => {
  const zones: Row[] = [];
  const { context } = fakeNetwork({
    rows: { ...ROWS, "/firewall-policies": [] },
    answers: { "GET /firewall/zone": () => zones },
  });

  const before = await read(context, "unifi_list_firewall_policies");
  zones.push(...ZONES);
  const after = await read(context, "unifi_list_firewall_policies");

  assert.ok("note" in before);
  assert.ok(!("note" in after));
});

test("a console older than zones answers lists with a note and refuses writes in words", async () => {
  const { context, writes } = fakeNetwork({ rows: { "/rest/firewallrule": [LEGACY] } });

  const { policies, note } = await read(context, "unifi_list_firewall_policies");
  await assert.rejects(planOf(context, ...create({})), withCode("CONTROLLER_UNSUPPORTED", /zone/));
  await assert.rejects(planOf(context, "unifi_toggle_firewall_policy", { policy_id: "p1" }), (thrown: unknown) => {
    assert.match(String((thrown as EdgeError).message), /no zone-based firewall/);
    return withCode("CONTROLLER_UNSUPPORTED")(thrown);
  });

  assert.deepEqual([policies, writes()], [[], []]);
  assert.match(String(note), /older rules/);
});

test("zones are found under each of the names that versions give them", async () => {
  for (const path of ["/firewall/zone", "/firewall/zones", "/firewall/zone-matrix"]) {
    const { context } = fakeNetwork({ rows: { [path]: ZONES } });

    const { zones } = await read(context, "unifi_list_firewall_zones", { fields: "id,networks" });

    assert.deepEqual(zones, [
      { id: "in", networks: ["lan"] },
      { id: "out", networks: [] },
    ]);
  }
});

test("the console's own policies are listed when asked for, ports are in the summary, description in both forms", async () => {
  const { context } = site();

  const short = await read(context, "unifi_list_firewall_policies", { search: null, action: null });
  const whole = await read(context, "unifi_list_firewall_policies", { summary: false, include_predefined: true });

  assert.partialDeepStrictEqual(short.policies, [
    { id: "p1", rule_index: 10000, description: "old", destination: { port: "25" } },
  ]);
  assert.deepEqual([short.total_count, whole.total_count], [1, 2]);
  assert.partialDeepStrictEqual((whole.policies as readonly Row[])[1], { predefined: true, protocol: "tcp" });
});

/** Refused before anything is sent: why, the call, and the path that the error names. */
const REFUSED: readonly (readonly [why: string, call: readonly [string, Row], path: RegExp])[] = [
  [
    "a source address without its type",
    create({ source: { ...ANY, matching_target: "IP", ips: ["10.0.0.1"] } }),
    /policy_data\.source\.matching_target_type/,
  ],
  [
    "addresses that are missing",
    create({ source: { ...ANY, matching_target: "IP", matching_target_type: "SPECIFIC" } }),
    /policy_data\.source\.ips/,
  ],
  [
    "an address group that is missing",
    create({ destination: { zone_id: "out", matching_target: "IP", matching_target_type: "OBJECT", ips: [] } }),
    /policy_data\.destination\.ip_group_id/,
  ],
  [
    "networks that are missing",
    create({ source: { ...ANY, matching_target: "NETWORK", matching_target_type: "SPECIFIC" } }),
    /policy_data\.source\.network_ids/,
  ],
  [
    "addresses with target ANY, which would match everything",
    create({ source: { ...ANY, ips: ["10.0.0.1"] } }),
    /policy_data\.source\.ips does not go with matching_target ANY/,
  ],
  [
    "words for an address",
    create({ source: { ...ANY, matching_target: "IP", matching_target_type: "SPECIFIC", ips: ["10.0.0.1", "nas"] } }),
    /policy_data\.source\.ips\[1\]/,
  ],
  [
    "an IPv6 address in an IPv4 policy",
    create({
      ip_version: "IPV4",
      source: { ...ANY, matching_target: "IP", matching_target_type: "SPECIFIC", ips: ["fd00::1"] },
    }),
    /policy_data\.source\.ips\[0\]/,
  ],
  [
    "a port without its kind",
    create({ destination: { zone_id: "out", port: "443" } }),
    /policy_data\.destination\.port needs port_matching_type SPECIFIC/,
  ],
  [
    "a kind without a port",
    create({ destination: { zone_id: "out", port_matching_type: "SPECIFIC" } }),
    /policy_data\.destination\.port is missing/,
  ],
  [
    "port 65536",
    create({ destination: { zone_id: "out", port_matching_type: "SPECIFIC", port: "65536" } }),
    /policy_data\.destination\.port/,
  ],
  ["answers of a block", create({ create_allow_respond: true }), /policy_data\.create_allow_respond/],
  ["CUSTOM without states", create({ connection_state_type: "CUSTOM" }), /policy_data\.connection_states/],
  [
    "a weekly schedule without days",
    create({ schedule: { mode: "EVERY_WEEK" } }),
    /policy_data\.schedule\.repeat_on_days/,
  ],
  [
    "half a time range",
    create({ schedule: { mode: "EVERY_DAY", time_range_start: "09:00" } }),
    /policy_data\.schedule\.time_range_start/,
  ],
  ["a zone of nowhere", create({ source: { zone_id: "moon" } }), /policy_data\.source\.zone_id/],
  [
    "a change to another zone of nowhere",
    update({ destination: { zone_id: "moon" } }),
    /update_data\.destination\.zone_id/,
  ],
  ["a change to ports that are none", update({ destination: { port: "90-80" } }), /update_data\.destination\.port/],
  [
    "a change to clients without any",
    update({ source: { matching_target: "CLIENT" } }),
    /update_data\.source\.client_macs/,
  ],
  ["deleting a policy of the console's own", ["unifi_delete_firewall_policy", { policy_id: "p0" }], /own policies/],
  [
    "a group of another type",
    ["unifi_update_firewall_group", { group_id: "g1", group_data: { group_type: "address-group" } }],
    /group_data\.group_type/,
  ],
  [
    "a port list as one member",
    ["unifi_update_firewall_group", { group_id: "g1", group_data: { group_members: ["80", "81,82"] } }],
    /group_data\.group_members\[1\]/,
  ],
  [
    "a group of words",
    ["unifi_create_firewall_group", { name: "x", group_type: "address-group", group_members: ["nas"] }],
    /^group_members\[0\]/,
  ],
  [
    "IPv4 in an IPv6 group",
    ["unifi_create_firewall_group", { name: "x", group_type: "ipv6-address-group", group_members: ["10.0.0.0/8"] }],
    /^group_members\[0\]/,
  ],
];

for (const [why, [tool, args], path] of REFUSED) {
  test(`refused: ${why}`, async () => {
    const { context, writes } = site();

    await assert.rejects(planOf(context, tool, args), withCode("ARGUMENTS_INVALID", path));

    assert.deepEqual(writes(), []);
  });
}

test("shapes of another API are refused by name: ports as a list or number, legacy keys and actions", () => {
  const problems = (change: Row) => problemsOf(...create(change)).join("; ");

  assert.match(problems({ destination: { zone_id: "out", ports: [443] } }), /\/policy_data\/destination/);
  assert.match(
    problems({ destination: { zone_id: "out", port: 443 } }),
    /\/policy_data\/destination\/port must be string/,
  );
  assert.match(problems({ ruleset: "LAN_IN" }), /\/policy_data/);
  assert.match(problems({ action: "drop" }), /\/policy_data\/action/);
  assert.match(problems({ source: { matching_target: "ANY" } }), /\/policy_data\/source.*zone_id/);
});

test("a client that is no MAC address is refused without repeating it", async () => {
  const { context } = site();
  const source = { ...ANY, matching_target: "CLIENT", client_macs: ["02:00:5e:10:01:01", "02:00:5e:secret"] };

  await assert.rejects(planOf(context, ...create({ source })), (thrown: unknown) => {
    assert.doesNotMatch(String((thrown as EdgeError).message), /5e/);
    return withCode("ARGUMENTS_INVALID", /^policy_data\.source\.client_macs\[1\]/)(thrown);
  });
});

test("an update sends the whole policy, without what the console does not take back", async () => {
  const { context, writes } = site();

  const plan = await planOf(context, ...update({ logging: true, description: "new" }));
  await plan.apply();

  const { site_id: _, ...whole } = POLICY;
  assert.deepEqual(writes(), [
    {
      method: "PUT",
      path: "/v2/api/site/default/firewall-policies/p1",
      body: { ...whole, logging: true, description: "new" },
    },
  ]);
  assert.deepEqual(
    [plan.current, plan.proposed],
    [
      { logging: false, description: "old" },
      { logging: true, description: "new" },
    ],
  );
});

test("an ALLOW that becomes a BLOCK loses its answers, which the console would refuse", async () => {
  const { context } = site();

  const plan = await planOf(context, ...update({ action: "BLOCK" }));

  assert.deepEqual(plan.proposed, { action: "BLOCK", create_allow_respond: false });
});

test("another target takes away what the old one matched, and only that", async () => {
  const { context, writes } = site();

  const plan = await planOf(context, ...update({ source: { matching_target: "ANY" } }));
  await plan.apply();

  const body = writes()[0]?.body as Row;
  assert.deepEqual(body.source, { zone_id: "in", matching_target: "ANY" });
  assert.deepEqual(body.destination, POLICY.destination);
});

test("a policy of an older version gets the fields without which the console refuses a change", async () => {
  const { connection_state_type: _, icmp_typename: __, icmp_v6_typename: ___, ...old } = POLICY;
  const { context, writes } = site({ rows: { ...ROWS, "/firewall-policies": [old] } });

  const plan = await planOf(context, ...update({ enabled: false }));
  await plan.apply();

  assert.partialDeepStrictEqual(writes()[0]?.body, {
    connection_state_type: "ALL",
    icmp_typename: "ANY",
    icmp_v6_typename: "ANY",
  });
  assert.deepEqual(plan.proposed, { enabled: false });
});

test("a toggle sends the whole policy and not its switch alone", async () => {
  const { context, writes } = site();

  const plan = await planOf(context, "unifi_toggle_firewall_policy", { policy_id: "p1" });
  await plan.apply();

  const { site_id: _, ...whole } = POLICY;
  assert.deepEqual(writes()[0]?.body, { ...whole, enabled: false });
});

test("an index in a change is sent with the warning that order is set elsewhere", async () => {
  const { context } = site();

  const { warnings } = await planOf(context, ...update({ index: 5 }));

  assert.match(String(warnings), /unifi_reorder_firewall_policies/);
});

test("a group's change keeps what it does not name", async () => {
  const { context, writes } = site();

  const plan = await planOf(context, "unifi_update_firewall_group", { group_id: "g1", group_data: { name: "Sites" } });
  await plan.apply();

  assert.deepEqual(writes()[0]?.body, { _id: "g1", name: "Sites", group_type: "port-group", group_members: ["80"] });
});

test("a group that policies and older rules use says so before it is deleted", async () => {
  const used = { ...POLICY, destination: { zone_id: "out", port_group_id: "g1" } };
  const rule = { ...LEGACY, dst_firewallgroup_ids: ["g1"] };
  const { context } = site({ rows: { ...ROWS, "/firewall-policies": [used], "/rest/firewallrule": [rule] } });

  const { warnings } = await planOf(context, "unifi_delete_firewall_group", { group_id: "g1" });

  assert.deepEqual(warnings, ["2 firewall policies or rules use this group."]);
});

const BASE = "/sites/c9a9131e-6e2e-4221-aaa7-ff7f604964a2/firewall";
const ORDERING = `${BASE}/policies/ordering?sourceFirewallZoneId=u-in&destinationFirewallZoneId=u-out`;
const UUIDS = [
  { id: "u-in", name: "INTERNAL" },
  { id: "u-out", name: "External" },
];

function orderedSite() {
  let order: Row = { beforeSystemDefined: ["a", "b"], afterSystemDefined: ["c"] };
  return site({
    answers: {
      [`GET ${BASE}/zones?limit=200&offset=0`]: () => ({ totalCount: 2, data: UUIDS }),
      [`GET ${BASE}/policies?limit=200&offset=0`]: () => ({ totalCount: 1, data: [{ id: "a", name: "First" }] }),
      [`GET ${ORDERING}`]: () => ({ orderedFirewallPolicyIds: order }),
      [`PUT ${ORDERING}`]: (body) => {
        order = (body as { orderedFirewallPolicyIds: Row }).orderedFirewallPolicyIds;
        return body;
      },
    },
  });
}

const LOCAL = { source_firewall_zone_id: "in", destination_firewall_zone_id: "u-out" };
const reorder = (before: readonly string[], after: readonly string[]) =>
  [
    "unifi_reorder_firewall_policies",
    { ...LOCAL, ordered_firewall_policy_ids: { beforeSystemDefined: before, afterSystemDefined: after } },
  ] as const;

test("the order is read with zone ids of either API", async () => {
  const { context } = orderedSite();

  const { ordering, policies } = await read(context, "unifi_get_firewall_policy_ordering", LOCAL);

  assert.deepEqual(ordering, { beforeSystemDefined: ["a", "b"], afterSystemDefined: ["c"] });
  assert.deepEqual(policies, [{ id: "a", name: "First" }, { id: "b" }, { id: "c" }]);
});

test("a whole new order is sent and read back", async () => {
  const { context, writes } = orderedSite();

  const plan = await planOf(context, ...reorder(["b", "a"], ["c"]));
  await plan.apply();

  assert.deepEqual(plan.proposed, { beforeSystemDefined: ["b", "a"] });
  assert.deepEqual(writes(), [
    {
      method: "PUT",
      path: `/integration/v1${ORDERING}`,
      body: { orderedFirewallPolicyIds: { beforeSystemDefined: ["b", "a"], afterSystemDefined: ["c"] } },
    },
  ]);
  assert.deepEqual(await plan.readBack?.({}), { beforeSystemDefined: ["b", "a"] });
});

test("an order that misses, repeats or invents a policy is refused with the present one", async () => {
  const { context, writes } = orderedSite();

  await assert.rejects(planOf(context, ...reorder(["b", "b"], ["z"])), (thrown: unknown) => {
    assert.ok(thrown instanceof EdgeError);
    assert.deepEqual(thrown.details, {
      missing: ["a", "c"],
      unknown: ["z"],
      duplicate: ["b"],
      current_ordering: { beforeSystemDefined: ["a", "b"], afterSystemDefined: ["c"] },
    });
    return withCode("ARGUMENTS_INVALID", /ordered_firewall_policy_ids/)(thrown);
  });

  assert.deepEqual(writes(), []);
});

test("the order that stands is not sent again", async () => {
  const { context } = orderedSite();

  const { unchanged } = await planOf(context, ...reorder(["a", "b"], ["c"]));

  assert.equal(unchanged, true);
});

test("a zone that neither API knows is named by its argument", async () => {
  const { context } = orderedSite();
  const args = { ...LOCAL, source_firewall_zone_id: "moon" };

  await assert.rejects(
    read(context, "unifi_get_firewall_policy_ordering", args),
    withCode("ARGUMENTS_INVALID", /^source_firewall_zone_id/),
  );
});

test("a console without the integration API says that it does not tell the order", async () => {
  const { context } = site();

  await assert.rejects(
    read(context, "unifi_get_firewall_policy_ordering", LOCAL),
    withCode("CONTROLLER_UNSUPPORTED", /does not tell the order/),
  );
});

test("a raw call to another door of the firewall passes the policies' gates", () => {
  const gates = (method: "PUT" | "POST" | "DELETE", path: string) =>
    new Set(toolsThatWrite(method, path).map(({ permission }) => `${permission.category} ${permission.action}`));
  const all = new Set(["create", "update", "delete"].map((action) => `firewall_policies ${action}`));

  assert.deepEqual(gates("POST", "/integration/v1/sites/{siteId}/firewall/policies"), all);
  assert.deepEqual(gates("PUT", "/v2/api/site/{site}/firewall/zone/1"), all);
  assert.deepEqual(gates("DELETE", "/api/s/{site}/rest/firewallrule/1"), all);
  assert.deepEqual(
    gates("PUT", "/v2/api/site/{site}/object-oriented-network-configs/1").has("oon_policies update"),
    true,
  );
});
