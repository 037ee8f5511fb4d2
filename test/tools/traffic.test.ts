/** QoS rules, routes, traffic routes and flows: what consoles and other clients get wrong, by symptom. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCatalog } from "../../src/catalog/catalog.ts";
import type { Row } from "../../src/controller/controller.ts";
import { EdgeError } from "../../src/errors.ts";
import { manifestOf } from "../../src/tools/describe.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { isRow } from "../../src/tools/rows.ts";
import { FAKE_NOW_MS, fakeNetwork } from "../support/fake-network.ts";
import { planOf, problemsOf, read, withCode } from "./support.ts";

const LAN: Row = { _id: "lan", name: "LAN", purpose: "corporate", ip_subnet: "192.168.1.1/24" };
const CAP: Row = { name: "TV", interface: "WAN", direction: "download", bandwidth_limit_kbps: 5000 };
const OLDER: Row = { _id: "old", ...CAP, enabled: true };
const CURRENT: Row = { _id: "cur", name: "Both", enabled: true, download_limit_kbps: 9000, upload_limit_kbps: 900 };
const ROUTE: Row = {
  _id: "r1",
  name: "Lab",
  enabled: true,
  type: "static-route",
  "static-route_type": "nexthop-route",
  "static-route_network": "10.20.0.0/16",
  "static-route_nexthop": "192.168.1.2",
  "static-route_distance": 1,
};
const HOLE: Row = { ...ROUTE, _id: "r2", "static-route_type": "blackhole", "static-route_nexthop": "" };
const FILMS: Row = {
  _id: "t1",
  description: "Films",
  enabled: true,
  matching_target: "DOMAIN",
  network_id: "vpn",
  domains: [{ domain: "example.com", ports: [], port_ranges: [] }],
  ip_addresses: [],
  ip_ranges: [],
  regions: [],
  target_devices: [{ type: "ALL_CLIENTS" }],
};

function site(extra: Readonly<Record<string, readonly Row[]>> = {}) {
  return fakeNetwork({
    rows: {
      "/rest/networkconf": [LAN],
      "/rest/routing": [ROUTE, HOLE],
      "/qos-rules": [CURRENT],
      "/trafficroutes": [FILMS],
      ...extra,
    },
  });
}

const lab = { name: "Lab", network: "10.30.0.0/16", nexthop: "192.168.1.2" };

/** Refused by the tool itself: what, in which tool, with which arguments, naming what. */
const REFUSED: readonly (readonly [why: string, tool: string, args: Row, names: RegExp])[] = [
  ["a route without a prefix", "unifi_create_route", { ...lab, network: "10.30.0.0" }, /network/],
  ["the default route", "unifi_create_route", { ...lab, network: "0.0.0.0/0" }, /network/],
  ["a next hop in words", "unifi_create_route", { ...lab, nexthop: "router" }, /nexthop/],
  ["a next hop of the other IP version", "unifi_create_route", { ...lab, nexthop: "2001:db8::1" }, /one kind/],
  ["a next hop inside the destination", "unifi_create_route", { ...lab, nexthop: "10.30.0.1" }, /nexthop/],
  ["a next hop for a black hole", "unifi_update_route", { route_id: "r2", nexthop: "192.168.1.2" }, /next hop/],
  ["a change of nothing", "unifi_update_route", { route_id: "r1" }, /at least one/],
  [
    "a change of nothing but nulls",
    "unifi_update_route",
    { route_id: "r1", name: null, distance: null },
    /at least one/,
  ],
  [
    "both targets",
    "unifi_create_qos_rule",
    { qos_data: { ...CAP, target_ip_address: "192.168.1.9", target_subnet: "192.168.1.0/24" } },
    /not both/,
  ],
  [
    "a target that is no address",
    "unifi_create_qos_rule",
    { qos_data: { ...CAP, target_ip_address: "tv" } },
    /target_ip_address/,
  ],
  [
    "a subnet without a prefix",
    "unifi_create_qos_rule",
    { qos_data: { ...CAP, target_subnet: "192.168.1.0" } },
    /target_subnet/,
  ],
  ["a LAN limit where rules limit the WAN", "unifi_create_qos_rule", { qos_data: { ...CAP, interface: "LAN" } }, /WAN/],
  [
    "a DSCP mark where rules have none",
    "unifi_create_simple_qos_rule",
    { rule: { name: "x", interface: "WAN", direction: "upload", limit_kbps: 1, dscp_value: 46 } },
    /DSCP/,
  ],
  [
    "one limit for a rule with two",
    "unifi_update_qos_rule",
    { rule_id: "cur", update_data: { bandwidth_limit_kbps: 1 } },
    /both directions/,
  ],
  [
    "a direction without its limit",
    "unifi_update_qos_rule",
    { rule_id: "cur", update_data: { direction: "upload" } },
    /bandwidth_limit_kbps/,
  ],
  ["emptying what a route matches by", "unifi_update_traffic_route", { route_id: "t1", domains: [] }, /domains/],
  [
    "a client without its MAC",
    "unifi_update_traffic_route",
    { route_id: "t1", target_devices: [{ type: "CLIENT" }] },
    /target_devices\.0\.client_mac/,
  ],
  [
    "a network without its id",
    "unifi_update_traffic_route",
    { route_id: "t1", target_devices: [{ type: "NETWORK" }] },
    /target_devices\.0\.network_id/,
  ],
  [
    "a network that is not there",
    "unifi_update_traffic_route",
    { route_id: "t1", target_devices: [{ type: "NETWORK", network_id: "nope" }] },
    /target_devices\.0\.network_id/,
  ],
  [
    "an address that is none",
    "unifi_update_traffic_route",
    { route_id: "t1", ip_addresses: [{ ip_or_subnet: "tv" }] },
    /ip_addresses\.0\.ip_or_subnet/,
  ],
  [
    "a range over two IP versions",
    "unifi_update_traffic_route",
    { route_id: "t1", ip_ranges: [{ ip_start: "10.0.0.1", ip_stop: "2001:db8::1" }] },
    /ip_ranges\.0\.ip_stop/,
  ],
  [
    "ports that run backwards",
    "unifi_update_traffic_route",
    { route_id: "t1", domains: [{ domain: "a.example", port_ranges: [{ port_start: 9, port_stop: 8 }] }] },
    /domains\.0\.port_ranges\.0/,
  ],
  ["a next hop that is no address", "unifi_update_traffic_route", { route_id: "t1", next_hop: "router" }, /next_hop/],
];

for (const [why, tool, args, names] of REFUSED) {
  test(`${why} is refused before anything is sent`, async () => {
    const { context, writes } = site();

    await assert.rejects(planOf(context, tool, args), withCode("ARGUMENTS_INVALID", names));

    assert.deepEqual(writes(), []);
  });
}

test("arguments out of range fail the schema", () => {
  assert.notDeepEqual(problemsOf("unifi_create_route", { ...lab, distance: 256 }), []);
  assert.notDeepEqual(problemsOf("unifi_create_qos_rule", { qos_data: { ...CAP, dscp_value: 64 } }), []);
  assert.notDeepEqual(problemsOf("unifi_update_traffic_route", { route_id: "t1", regions: ["Sweden"] }), []);
  assert.notDeepEqual(problemsOf("unifi_get_traffic_flows", { risk: "huge" }), []);
  assert.deepEqual(problemsOf("unifi_get_traffic_flows", { risk: null, source_mac: null, time_from: null }), []);
});

test("what models send is read: JSON text of a list, null for what stays, other names of arguments", () => {
  const { checkArguments } = createCatalog(manifestOf(TOOLS, "test"));

  const route = checkArguments("unifi_update_traffic_route", {
    id: "t1",
    domains: '[{"domain":"a.example"}]',
    regions: null,
  });
  const fixed = checkArguments("unifi_create_route", {
    name: "Lab",
    destination: "10.30.0.0/16",
    gateway: "192.168.1.2",
  });

  assert.deepEqual(route, { route_id: "t1", domains: [{ domain: "a.example" }], regions: null });
  assert.deepEqual(fixed, lab);
});

test("a static route is one to the console: its type is static-route, by next hop", async () => {
  const { context, writes } = site();

  await (await planOf(context, "unifi_create_route", lab)).apply();

  const [sent] = writes();
  assert.partialDeepStrictEqual(sent?.body, { type: "static-route", "static-route_type": "nexthop-route" });
});

test("host bits of a destination are taken away, and the preview says so", async () => {
  const { context } = site();

  const plan = await planOf(context, "unifi_create_route", { ...lab, network: "10.30.7.9/16" });

  assert.equal(plan.proposed?.network, "10.30.0.0/16");
  assert.match(String(plan.warnings), /host bits/);
});

test("an IPv6 route is taken, although the catalogue's server refuses it", async () => {
  const { context } = site();

  const plan = await planOf(context, "unifi_create_route", {
    ...lab,
    network: "2001:db8:5::/48",
    nexthop: "2001:db8::2",
  });

  assert.equal(plan.proposed?.network, "2001:db8:5::/48");
});

test("a next hop outside the site's networks, and a second route to one network, are warned of", async () => {
  const { context } = site();

  const far = await planOf(context, "unifi_create_route", { ...lab, nexthop: "172.16.0.1" });
  const twice = await planOf(context, "unifi_create_route", { ...lab, network: "10.20.0.0/16" });

  assert.match(String(far.warnings), /none of the site's networks/);
  assert.match(String(twice.warnings), /same distance/);
});

test("the live table keeps every next hop, not the first alone", async () => {
  const rows = [
    {
      pfx: "0.0.0.0/0",
      nh: [
        { intf: "eth8", via: "203.0.113.1", metric: "5/0" },
        { intf: "eth9", via: "198.51.100.1" },
      ],
    },
  ];
  const { context } = site({ "/stat/routing": rows });

  const { active_routes: routes } = await read(context, "unifi_list_active_routes");

  assert.deepEqual(routes, [
    {
      target_subnet: "0.0.0.0/0",
      gateway: "203.0.113.1",
      interface: "eth8",
      distance: 5,
      next_hops: [
        { gateway: "203.0.113.1", interface: "eth8", distance: 5 },
        { gateway: "198.51.100.1", interface: "eth9", distance: undefined },
      ],
    },
  ]);
});

test("a console without a routing table says that it lacks one", async () => {
  const { context } = site();

  await assert.rejects(read(context, "unifi_list_active_routes"), withCode("CONTROLLER_UNSUPPORTED"));
});

test("a console whose QoS rules have the older form gets the older form", async () => {
  const { context, writes } = site({ "/qos-rules": [OLDER] });

  const plan = await planOf(context, "unifi_create_qos_rule", {
    qos_data: { ...CAP, name: "PC", interface: "LAN", dscp_value: 46 },
  });
  await plan.apply();
  const { qos_rules: rules } = await read(context, "unifi_list_qos_rules");

  assert.deepEqual(writes()[0]?.body, { enabled: true, ...CAP, name: "PC", interface: "LAN", dscp_value: 46 });
  assert.partialDeepStrictEqual(rules, [{ id: "old", direction: "download", bandwidth_limit_kbps: 5000 }]);
});

test("a QoS rule created without enabled is on", async () => {
  const { context } = site();

  const plan = await planOf(context, "unifi_create_qos_rule", { qos_data: CAP });

  assert.equal(plan.proposed?.enabled, true);
});

test("limits in both directions are two numbers, in the rule and in the list", async () => {
  const { context, writes } = site();
  const change = { rate_max_down: 4000, rate_max_up: 400 };

  await (await planOf(context, "unifi_update_qos_rule", { rule_id: "cur", update_data: change })).apply();
  const { qos_rules: rules } = await read(context, "unifi_list_qos_rules");

  assert.deepEqual(writes()[0]?.body, { ...CURRENT, download_limit_kbps: 4000, upload_limit_kbps: 400 });
  assert.deepEqual(rules, [{ id: "cur", name: "Both", enabled: true, interface: "WAN", ...change }]);
});

test("a QoS rule without enabled counts as on, in the preview and when it is toggled", async () => {
  const { enabled: _, ...silent } = CURRENT;
  const { context, writes } = site({ "/qos-rules": [silent] });

  const plan = await planOf(context, "unifi_toggle_qos_rule_enabled", { rule_id: "cur" });
  await plan.apply();

  assert.deepEqual([plan.current, plan.proposed], [{ enabled: true }, { enabled: false }]);
  assert.partialDeepStrictEqual(writes()[0]?.body, { enabled: false });
});

test("a traffic route keeps what is not named, and its items get what the console wants", async () => {
  const { context, writes } = site();
  const args = { route_id: "t1", domains: [{ domain: "a.example" }], kill_switch_enabled: true, regions: null };

  await (await planOf(context, "unifi_update_traffic_route", args)).apply();

  const domains = [{ domain: "a.example", ports: [], port_ranges: [] }];
  assert.deepEqual(writes()[0]?.body, { ...FILMS, domains, kill_switch_enabled: true });
});

test("a list that the traffic route does not match by is warned of", async () => {
  const { context } = site();

  const plan = await planOf(context, "unifi_update_traffic_route", { route_id: "t1", regions: ["se"] });

  assert.deepEqual(plan.proposed, { regions: ["SE"] });
  assert.match(String(plan.warnings), /regions/);
});

const FLOWS = {
  data: [],
  page_number: 0,
  total_element_count: 0,
  total_page_count: 0,
  has_next: false,
  or_more: false,
};

test("a flow search sends every filter of the console, the unused ones empty", async () => {
  const { context, requests } = fakeNetwork({ answers: { "POST /traffic-flows": () => FLOWS } });

  await read(context, "unifi_get_traffic_flows", { source_name: "TV", destination_region: "se", within_hours: 2 });

  const body = requests[0]?.body;
  assert.ok(isRow(body));
  const { source_host, destination_region, risk, ...rest } = body;
  assert.deepEqual([source_host, destination_region, risk], [["TV"], ["SE"], []]);
  assert.equal(Object.values(rest).filter((value) => Array.isArray(value)).length, 24);
  assert.equal(rest.timestampTo, FAKE_NOW_MS);
  assert.equal(rest.timestampFrom, FAKE_NOW_MS - 7_200_000);
});

test("half a window is completed, and one that runs backwards is refused", async () => {
  const { context, requests } = fakeNetwork({ answers: { "POST /traffic-flows": () => FLOWS } });

  await read(context, "unifi_get_traffic_flows", { time_from: FAKE_NOW_MS - 1000 });
  const backwards = read(context, "unifi_get_traffic_flows", { time_from: 2000, time_to: 1000 });

  await assert.rejects(backwards, withCode("ARGUMENTS_INVALID", /time_from/));
  assert.partialDeepStrictEqual(requests[0]?.body, { timestampFrom: FAKE_NOW_MS - 1000, timestampTo: FAKE_NOW_MS });
});

test("a flow's ends are named by client or host, and empty texts are left out", async () => {
  const data = [
    {
      id: "f1",
      time: 1_796_000_000_000,
      traffic_data: { bytes_total: 30, bytes_rx: 10, bytes_tx: 20 },
      source: { client_name: "", host_name: "tv", mac: "02:00:00:00:00:01", network_name: "" },
      destination: { domains: ["example.com"], ip: "203.0.113.2", port: 443 },
    },
  ];
  const { context } = fakeNetwork({ answers: { "POST /traffic-flows": () => ({ ...FLOWS, data, has_next: true }) } });

  const answer = await read(context, "unifi_get_traffic_flows");

  assert.equal(answer.has_next, true);
  assert.deepEqual(answer.flows, [
    {
      id: "f1",
      time: new Date(1_796_000_000_000).toISOString(),
      bytes_total: 30,
      bytes_rx: 10,
      bytes_tx: 20,
      source: { name: "tv", mac: "02:00:00:00:00:01" },
      destination: { ip: "203.0.113.2", port: 443, domains: ["example.com"] },
    },
  ]);
});

test("rankings are cut at top, and what a console leaves out is an empty ranking", async () => {
  const answer = { top_all_count_by_client: [{ count: 3 }, { count: 2 }, { count: 1 }], blocked_count_by_risk: null };
  const path = "GET /traffic-flow-latest-statistics?period=HOUR&top=2";
  const { context } = fakeNetwork({ answers: { [path]: () => answer } });

  const told = await read(context, "unifi_get_traffic_flow_statistics", { period: "HOUR", top: 2 });

  assert.deepEqual(told.top_clients, [{ count: 3 }, { count: 2 }]);
  assert.deepEqual(told.top_blocked_policies, []);
  assert.ok(!("blocked_count_by_risk" in told));
});

test("a console without QoS rules or traffic routes names what it lacks", async () => {
  const { context } = fakeNetwork();

  await assert.rejects(read(context, "unifi_list_qos_rules"), withCode("CONTROLLER_UNSUPPORTED", /QoS rules/));
  await assert.rejects(
    planOf(context, "unifi_toggle_traffic_route", { route_id: "t1" }),
    withCode("CONTROLLER_UNSUPPORTED", /traffic routes/),
  );
});

test("a console without flow logging says so instead of answering no flows", async () => {
  const refusal = () => {
    throw new EdgeError("CONTROLLER_UNSUPPORTED", "The console has no such path.");
  };
  const { context } = fakeNetwork({ answers: { "POST /traffic-flows": refusal } });

  await assert.rejects(read(context, "unifi_get_traffic_flows"), withCode("CONTROLLER_UNSUPPORTED"));
});
