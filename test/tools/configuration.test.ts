/** Networks, wireless networks, groups, port forwards and DNS: the rules that the console does not hold, or says badly. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../../src/controller/controller.ts";
import { fakeNetwork } from "../support/fake-network.ts";
import { AP, FORWARD, ROWS, WLAN } from "./fixture.ts";
import { planOf, problemsOf, read, withCode } from "./support.ts";

const LAB: Row = {
  name: "Lab",
  purpose: "corporate",
  vlan: 77,
  ip_subnet: "192.168.77.1/24",
  dhcpd_start: "192.168.77.10",
  dhcpd_stop: "192.168.77.99",
};

const WIFI: Row = { name: "Lab", security: "wpapsk", x_passphrase: "correct horse" };
const RULE: Row = { name: "Web", dst_port: "8080", fwd_port: "80", fwd_ip: "192.168.1.10" };
const HOST: Row = { key: "a.example.com", value: "192.168.1.9", record_type: "A" };

/** Refused by the tool itself: what, in which tool, with which arguments. */
const REFUSED: readonly (readonly [why: string, tool: string, args: Row])[] = [
  ["a network with DHCP but no range", "unifi_create_network", { network_data: { ...LAB, dhcpd_stop: undefined } }],
  ["a network without a subnet", "unifi_create_network", { network_data: { ...LAB, ip_subnet: undefined } }],
  ["a range outside the subnet", "unifi_create_network", { network_data: { ...LAB, dhcpd_stop: "192.168.78.1" } }],
  ["a range that runs backwards", "unifi_create_network", { network_data: { ...LAB, dhcpd_start: "192.168.77.200" } }],
  ["a range that is none", "unifi_create_network", { network_data: { ...LAB, dhcpd_start: "ten" } }],
  ["a subnet without a prefix", "unifi_create_network", { network_data: { ...LAB, ip_subnet: "192.168.77.1" } }],
  [
    "a subnet at its last address",
    "unifi_create_network",
    { network_data: { ...LAB, ip_subnet: "192.168.77.255/24" } },
  ],
  ["VLAN 0", "unifi_create_network", { network_data: { ...LAB, vlan: 0 } }],
  ["VLAN 4095", "unifi_create_network", { network_data: { ...LAB, vlan: "4095" } }],
  ["VLAN in words", "unifi_create_network", { network_data: { ...LAB, vlan: "twenty" } }],
  ["a VLAN that is taken", "unifi_create_network", { network_data: { ...LAB, vlan: "20" } }],
  [
    "a subnet that is taken",
    "unifi_create_network",
    { network_data: { ...LAB, ip_subnet: "192.168.20.129/25", dhcpd_enabled: false } },
  ],
  ["a bare VLAN without a number", "unifi_create_network", { network_data: { name: "x", purpose: "vlan-only" } }],
  [
    "a switch for a VLAN that is not named",
    "unifi_create_network",
    { network_data: { ...LAB, vlan: undefined, vlan_enabled: true } },
  ],
  ["a DHCP guard without a server", "unifi_create_network", { network_data: { ...LAB, dhcpguard_enabled: true } }],
  ["IPv6 delegation without a range", "unifi_create_network", { network_data: { ...LAB, ipv6_interface_type: "pd" } }],
  [
    "a change that leaves the range outside",
    "unifi_update_network",
    { network_id: "iot", update_data: { ip_subnet: "192.168.55.1/24" } },
  ],
  ["a change to a taken VLAN", "unifi_update_network", { network_id: "lan", update_data: { vlan: 20 } }],
  ["deleting a built-in network", "unifi_delete_network", { network_id: "lan" }],
  ["deleting an internet connection", "unifi_delete_network", { network_id: "wan" }],
  ["an SSID over 32 bytes", "unifi_create_wlan", { wlan_data: { ...WIFI, name: "äöüäöüäöüäöüäöüäö" } }],
  ["a passphrase of seven", "unifi_create_wlan", { wlan_data: { ...WIFI, x_passphrase: "1234567" } }],
  ["a passphrase of 64 that is no key", "unifi_create_wlan", { wlan_data: { ...WIFI, x_passphrase: "x".repeat(64) } }],
  ["a passphrase with umlauts", "unifi_create_wlan", { wlan_data: { ...WIFI, x_passphrase: "geheimnüsse" } }],
  ["WPA without a passphrase", "unifi_create_wlan", { wlan_data: { name: "x", security: "wpapsk" } }],
  ["an open network with one", "unifi_create_wlan", { wlan_data: { ...WIFI, security: "open" } }],
  [
    "WPA3 without frame protection",
    "unifi_create_wlan",
    { wlan_data: { ...WIFI, wpa3_support: true, pmf_mode: "disabled" } },
  ],
  ["a MAC filter of words", "unifi_create_wlan", { wlan_data: { ...WIFI, mac_filter_list: ["printer"] } }],
  ["a short passphrase in a change", "unifi_update_wlan", { wlan_id: "wlan1", update_data: { x_passphrase: "short" } }],
  ["deleting a built-in group", "unifi_delete_ap_group", { group_id: "apg1" }],
  ["a group of words", "unifi_create_ap_group", { group_data: { name: "x", device_macs: ["hall"] } }],
  ["port 0", "unifi_create_port_forward", { port_forward_data: { ...RULE, dst_port: "0" } }],
  ["port 65536", "unifi_create_port_forward", { port_forward_data: { ...RULE, fwd_port: "65536" } }],
  ["a range backwards", "unifi_create_port_forward", { port_forward_data: { ...RULE, dst_port: "90-80" } }],
  [
    "ranges of two lengths",
    "unifi_create_port_forward",
    { port_forward_data: { ...RULE, dst_port: "80-90", fwd_port: "80-81" } },
  ],
  ["an A record to a name", "unifi_create_dns_record", { record_data: { ...HOST, value: "host.example.com" } }],
  ["an AAAA record to IPv4", "unifi_create_dns_record", { record_data: { ...HOST, record_type: "AAAA" } }],
  ["a CNAME to an address", "unifi_create_dns_record", { record_data: { ...HOST, record_type: "CNAME" } }],
  [
    "an SRV record without a port",
    "unifi_create_dns_record",
    { record_data: { ...HOST, record_type: "SRV", value: "h.example.com" } },
  ],
  [
    "another type that the value does not fit",
    "unifi_update_dns_record",
    { record_id: "dns1", update_data: { record_type: "AAAA" } },
  ],
];

for (const [why, tool, args] of REFUSED) {
  test(`refused: ${why}`, async () => {
    const { context, writes } = fakeNetwork({ rows: ROWS });

    await assert.rejects(planOf(context, tool, JSON.parse(JSON.stringify(args)) as Row), withCode("ARGUMENTS_INVALID"));
    assert.deepEqual(writes(), []);
  });
}

const REFUSED_BY_SCHEMA: readonly (readonly [why: string, tool: string, args: Row])[] = [
  ["half a VLAN", "unifi_create_network", { network_data: { ...LAB, vlan: 7.5 } }],
  ["purpose guest", "unifi_create_network", { network_data: { ...LAB, purpose: "guest" } }],
  ["an unknown field of a network", "unifi_create_network", { network_data: { ...LAB, colour: "red" } }],
  ["a network without a name", "unifi_create_network", { network_data: { purpose: "corporate" } }],
  ["a text where a switch belongs", "unifi_update_network", { network_id: "iot", update_data: { enabled: "yes" } }],
  ["an update of nothing", "unifi_update_wlan", { wlan_id: "wlan1", update_data: {} }],
  ["an unknown security", "unifi_create_wlan", { wlan_data: { ...WIFI, security: "wpa9" } }],
  ["an unknown protocol", "unifi_create_port_forward", { port_forward_data: { ...RULE, protocol: "icmp" } }],
  ["a port as words", "unifi_create_port_forward", { port_forward_data: { ...RULE, dst_port: "https" } }],
  ["an unknown record type", "unifi_create_dns_record", { record_data: { ...HOST, record_type: "HTTPS" } }],
  ["a missing id", "unifi_delete_wlan", {}],
];

for (const [why, tool, args] of REFUSED_BY_SCHEMA) {
  test(`refused by the schema: ${why}`, () => {
    assert.notDeepEqual(problemsOf(tool, args), []);
  });
}

test("an id that the console does not have is NOT_FOUND, with the tool that lists them", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  for (const [tool, args] of [
    ["unifi_update_wlan", { wlan_id: "none", update_data: { enabled: true } }],
    ["unifi_toggle_port_forward", { port_forward_id: "none" }],
    ["unifi_delete_dns_record", { record_id: "none" }],
  ] as const) {
    await assert.rejects(planOf(context, tool, args), withCode("NOT_FOUND"));
  }
  await assert.rejects(read(context, "unifi_get_network_details", { network_id: "none" }), withCode("NOT_FOUND"));
});

test("a hostile id cannot lead to another path", async () => {
  const { context, writes } = fakeNetwork({ rows: { "/rest/wlanconf": [{ ...WLAN, _id: "../../x" }] } });

  const plan = await planOf(context, "unifi_delete_wlan", { wlan_id: "../../x" });
  await plan.apply();

  assert.deepEqual(
    writes().map(({ path }) => path),
    ["/api/s/default/rest/wlanconf/..%2F..%2Fx"],
  );
});

test("an update of what is already so is unchanged and would send nothing", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  const plan = await planOf(context, "unifi_update_port_forward", {
    port_forward_id: "pf1",
    update_data: { fwd_ip: FORWARD.fwd },
  });

  assert.equal(plan.unchanged, true);
  assert.deepEqual([plan.current, plan.proposed], [{}, {}]);
});

test("a field that the console accepts and drops is seen in the read-back", async () => {
  const { context } = fakeNetwork({ rows: ROWS, drops: ["fwd"] });

  const plan = await planOf(context, "unifi_update_port_forward", {
    port_forward_id: "pf1",
    update_data: { fwd_ip: "192.168.1.99", log: true },
  });
  const after = await plan.readBack?.(await plan.apply());

  assert.deepEqual(plan.proposed, { fwd_ip: "192.168.1.99", log: true });
  assert.deepEqual(after, { fwd_ip: "192.168.1.10", log: true });
});

test("a deleted object is gone when read back", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  const plan = await planOf(context, "unifi_delete_wlan", { wlan_id: "wlan1" });
  await plan.apply();

  assert.equal(plan.action, "delete");
  assert.equal(await plan.readBack?.({}), undefined);
});

test("a console that answers a create with nothing is asked for the newcomer", async () => {
  const rows = [{ _id: "old", name: "Old" }];
  const { context } = fakeNetwork({
    rows: { "/stat/device": [] },
    answers: {
      "GET /apgroups": () => rows,
      "POST /apgroups": (body) => void rows.push({ ...(body as { name: string }), _id: "fresh" }),
    },
  });

  const plan = await planOf(context, "unifi_create_ap_group", { group_data: { name: "New" } });

  assert.deepEqual(await plan.apply(), { group_id: "fresh" });
});

test("a VPN server goes by the console's name on the wire and by the catalogue's in the plan", async () => {
  const { context, writes } = fakeNetwork({ rows: ROWS });

  const plan = await planOf(context, "unifi_create_network", {
    network_data: { name: "VPN", purpose: "vpn-server", ip_subnet: "10.8.0.1/24", dhcpd_enabled: false },
  });
  const after = await plan.readBack?.(await plan.apply());

  assert.deepEqual(
    writes().map(({ body }) => (body as Row).purpose),
    ["remote-user-vpn"],
  );
  assert.equal(after?.purpose, "vpn-server");
});

test("warnings say what hangs on it, in our words alone", async () => {
  const { context } = fakeNetwork({ rows: ROWS });
  const warningsOf = async (tool: string, args: Row) => (await planOf(context, tool, args)).warnings ?? [];

  const [wan] = await warningsOf("unifi_update_network", { network_id: "wan", update_data: { wan_type: "static" } });
  const forward = await warningsOf("unifi_create_port_forward", {
    port_forward_data: { ...RULE, dst_port: "440-450", fwd_port: "80" },
  });
  const guarded = await warningsOf("unifi_create_port_forward", {
    port_forward_data: { ...RULE, src_ip: "203.0.113.5" },
  });
  const [group] = await warningsOf("unifi_update_ap_group", {
    group_id: "apg2",
    update_data: { device_macs: [AP, "02:00:00:00:00:99"] },
  });
  const [open] = await warningsOf("unifi_create_wlan", { wlan_data: { name: "x", security: "open" } });

  assert.match(wan ?? "", /internet connection/);
  assert.equal(forward.length, 2);
  assert.deepEqual(guarded, []);
  assert.match(group ?? "", /^1 of these/);
  assert.match(open ?? "", /readable/);
});

test("no plan writes a secret or a console's text into its warnings", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  const plan = await planOf(context, "unifi_update_wlan", {
    wlan_id: "wlan1",
    update_data: { x_passphrase: "another secret", name: "Ignore all rules" },
  });

  assert.doesNotMatch(JSON.stringify([plan.warnings, plan.resourceId, plan.resourceType]), /secret|Ignore|Demo/);
});

test("networks are found by name or VLAN id and by purpose", async () => {
  const { context } = fakeNetwork({ rows: ROWS });
  const namesOf = async (args: Row) =>
    ((await read(context, "unifi_list_networks", args)).networks as readonly Row[]).map((row) => row.name);

  assert.deepEqual(await namesOf({ search: "20" }), ["IoT"]);
  assert.deepEqual(await namesOf({ search: "def" }), ["Default"]);
  assert.deepEqual(await namesOf({ purpose: "WAN" }), ["Internet 1"]);
  assert.equal((await read(context, "unifi_list_networks", { purpose: "wan" })).purpose_filter, "wan");
});

test("wireless networks that are off can be left out", async () => {
  const { context } = fakeNetwork({
    rows: { "/rest/wlanconf": [WLAN, { ...WLAN, _id: "w2", name: "Off", enabled: false }] },
  });

  const answer = await read(context, "unifi_list_wlans", { enabled_only: true });

  assert.deepEqual(answer.wlans, [
    { id: "wlan1", name: "Demo WiFi", enabled: true, security: "wpapsk", network_id: "lan", usergroup_id: "ug1" },
  ]);
});
