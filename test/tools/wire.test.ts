/** Every write, as the console gets it: the exact requests, once each, after a plan that sent none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../../src/controller/controller.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { type FakeRequest, fakeNetwork } from "../support/fake-network.ts";
import { AP, FORWARD, IOT, LAPTOP, RECORD, ROWS, TABLET, VISITOR, WLAN } from "./fixture.ts";
import { STORIES } from "./stories/index.ts";
import { planOf, read } from "./support.ts";

const V1 = "/api/s/default";
const V2 = "/v2/api/site/default";

const command = (manager: string, body: Row): FakeRequest => ({ method: "POST", path: `${V1}/cmd/${manager}`, body });

interface Case {
  readonly tool: string;
  readonly args: Row;
  readonly sent: FakeRequest;
  readonly current?: Row;
  readonly proposed?: Row;
}

const CASES: readonly Case[] = [
  {
    tool: "unifi_block_client",
    args: { mac_address: LAPTOP },
    current: { blocked: false },
    proposed: { blocked: true },
    sent: command("stamgr", { cmd: "block-sta", mac: LAPTOP }),
  },
  {
    tool: "unifi_unblock_client",
    args: { mac_address: TABLET },
    current: { blocked: true },
    proposed: { blocked: false },
    sent: command("stamgr", { cmd: "unblock-sta", mac: TABLET }),
  },
  {
    tool: "unifi_force_reconnect_client",
    args: { mac_address: LAPTOP },
    sent: command("stamgr", { cmd: "kick-sta", mac: LAPTOP }),
  },
  {
    tool: "unifi_forget_client",
    args: { mac_address: TABLET },
    sent: command("stamgr", { cmd: "forget-sta", macs: [TABLET] }),
  },
  {
    tool: "unifi_authorize_guest",
    args: { mac_address: VISITOR, minutes: 60, up_kbps: 500, down_kbps: 2000, bytes_quota: 1_500_000 },
    current: { authorized: false },
    proposed: { authorized: true, minutes: 60, up_kbps: 500, down_kbps: 2000, megabytes_quota: 2 },
    sent: command("stamgr", { cmd: "authorize-guest", mac: VISITOR, minutes: 60, up: 500, down: 2000, bytes: 2 }),
  },
  {
    tool: "unifi_rename_client",
    args: { mac_address: LAPTOP, name: "Work laptop" },
    current: {},
    proposed: { name: "Work laptop" },
    sent: { method: "PUT", path: `${V1}/rest/user/1`, body: { name: "Work laptop" } },
  },
  {
    tool: "unifi_set_client_ip_settings",
    args: { mac_address: LAPTOP, fixed_ip: "192.168.1.40", local_dns_record: "work.example.com" },
    current: {},
    proposed: {
      use_fixedip: true,
      fixed_ip: "192.168.1.40",
      local_dns_record_enabled: true,
      local_dns_record: "work.example.com",
    },
    sent: {
      method: "PUT",
      path: `${V1}/rest/user/1`,
      body: {
        noted: true,
        network_id: "lan",
        use_fixedip: true,
        fixed_ip: "192.168.1.40",
        local_dns_record_enabled: true,
        local_dns_record: "work.example.com",
      },
    },
  },
  {
    tool: "unifi_create_dns_record",
    args: { record_data: { key: "tv.example.com", value: "192.168.1.50", record_type: "A" } },
    proposed: { enabled: true, key: "tv.example.com", value: "192.168.1.50", record_type: "A" },
    sent: {
      method: "POST",
      path: `${V2}/static-dns`,
      body: { enabled: true, key: "tv.example.com", value: "192.168.1.50", record_type: "A" },
    },
  },
  {
    tool: "unifi_update_dns_record",
    args: { record_id: "dns1", update_data: { value: "192.168.1.11" } },
    current: { value: "192.168.1.10" },
    proposed: { value: "192.168.1.11" },
    sent: { method: "PUT", path: `${V2}/static-dns/dns1`, body: { ...RECORD, value: "192.168.1.11" } },
  },
  {
    tool: "unifi_delete_dns_record",
    args: { record_id: "dns1" },
    sent: { method: "DELETE", path: `${V2}/static-dns/dns1` },
  },
  {
    tool: "unifi_create_port_forward",
    args: { port_forward_data: { name: "SSH", dst_port: "2222", fwd_port: "22", fwd_ip: "192.168.1.12", src_ip: "" } },
    proposed: {
      protocol: "tcp_udp",
      enabled: true,
      src_ip: "any",
      log: false,
      name: "SSH",
      dst_port: "2222",
      fwd_port: "22",
      fwd_ip: "192.168.1.12",
    },
    sent: {
      method: "POST",
      path: `${V1}/rest/portforward`,
      body: {
        pfwd_interface: "wan",
        proto: "tcp_udp",
        enabled: true,
        src: "any",
        log: false,
        name: "SSH",
        dst_port: "2222",
        fwd_port: "22",
        fwd: "192.168.1.12",
      },
    },
  },
  {
    tool: "unifi_create_simple_port_forward",
    args: { rule: { name: "Game", ext_port: "27015-27016", to_ip: "192.168.1.13", protocol: "udp" } },
    sent: {
      method: "POST",
      path: `${V1}/rest/portforward`,
      body: {
        pfwd_interface: "wan",
        proto: "udp",
        enabled: true,
        src: "any",
        log: false,
        name: "Game",
        dst_port: "27015-27016",
        fwd_port: "27015-27016",
        fwd: "192.168.1.13",
      },
    },
  },
  {
    tool: "unifi_update_port_forward",
    args: { port_forward_id: "pf1", update_data: { fwd_ip: "192.168.1.14", protocol: "tcp_udp" } },
    current: { fwd_ip: "192.168.1.10", protocol: "tcp" },
    proposed: { fwd_ip: "192.168.1.14", protocol: "tcp_udp" },
    sent: {
      method: "PUT",
      path: `${V1}/rest/portforward/pf1`,
      body: { ...FORWARD, fwd: "192.168.1.14", proto: "tcp_udp" },
    },
  },
  {
    tool: "unifi_toggle_port_forward",
    args: { port_forward_id: "pf1" },
    current: { enabled: true },
    proposed: { enabled: false },
    sent: { method: "PUT", path: `${V1}/rest/portforward/pf1`, body: { ...FORWARD, enabled: false } },
  },
  {
    tool: "unifi_delete_port_forward",
    args: { port_forward_id: "pf1" },
    sent: { method: "DELETE", path: `${V1}/rest/portforward/pf1` },
  },
  {
    tool: "unifi_create_network",
    args: {
      network_data: {
        name: "Lab",
        purpose: "corporate",
        vlan: "77",
        ip_subnet: "192.168.77.0/24",
        dhcpd_start: "192.168.77.10",
        dhcpd_stop: "192.168.77.99",
      },
    },
    sent: {
      method: "POST",
      path: `${V1}/rest/networkconf`,
      body: {
        networkgroup: "LAN",
        enabled: true,
        dhcpd_enabled: true,
        name: "Lab",
        purpose: "corporate",
        vlan: 77,
        ip_subnet: "192.168.77.1/24",
        dhcpd_start: "192.168.77.10",
        dhcpd_stop: "192.168.77.99",
        vlan_enabled: true,
      },
    },
  },
  {
    tool: "unifi_update_network",
    args: { network_id: "iot", update_data: { vlan: 21, igmp_snooping: true } },
    current: { vlan: 20 },
    proposed: { vlan: 21, igmp_snooping: true },
    sent: { method: "PUT", path: `${V1}/rest/networkconf/iot`, body: { ...IOT, vlan: 21, igmp_snooping: true } },
  },
  {
    tool: "unifi_delete_network",
    args: { network_id: "iot" },
    sent: { method: "DELETE", path: `${V1}/rest/networkconf/iot` },
  },
  {
    tool: "unifi_create_wlan",
    args: { wlan_data: { name: "Lab WiFi", security: "wpapsk", x_passphrase: "correct horse" } },
    sent: {
      method: "POST",
      path: `${V1}/rest/wlanconf`,
      body: {
        wpa_mode: "wpa2",
        wpa_enc: "ccmp",
        wlan_bands: ["2g", "5g"],
        ap_group_ids: ["apg1"],
        usergroup_id: "ug1",
        networkconf_id: "lan",
        enabled: true,
        name: "Lab WiFi",
        security: "wpapsk",
        x_passphrase: "correct horse",
        ap_group_mode: "all",
      },
    },
  },
  {
    tool: "unifi_update_wlan",
    args: { wlan_id: "wlan1", update_data: { minrate_ng_data_rate_kbps: 6000, guest_policy: true } },
    current: {},
    proposed: {
      minrate_ng_data_rate_kbps: 6000,
      guest_policy: true,
      minrate_setting_preference: "manual",
      minrate_ng_enabled: true,
    },
    sent: {
      method: "PUT",
      path: `${V1}/rest/wlanconf/wlan1`,
      body: {
        ...WLAN,
        minrate_ng_data_rate_kbps: 6000,
        is_guest: true,
        minrate_setting_preference: "manual",
        minrate_ng_enabled: true,
      },
    },
  },
  {
    tool: "unifi_toggle_wlan",
    args: { wlan_id: "wlan1" },
    current: { enabled: true },
    proposed: { enabled: false },
    sent: { method: "PUT", path: `${V1}/rest/wlanconf/wlan1`, body: { ...WLAN, enabled: false } },
  },
  {
    tool: "unifi_delete_wlan",
    args: { wlan_id: "wlan1" },
    sent: { method: "DELETE", path: `${V1}/rest/wlanconf/wlan1` },
  },
  {
    tool: "unifi_create_ap_group",
    args: { group_data: { name: "Upstairs", device_macs: [AP.toUpperCase().replaceAll(":", "-"), AP] } },
    proposed: { device_macs: [AP], name: "Upstairs" },
    sent: { method: "POST", path: `${V2}/apgroups`, body: { device_macs: [AP], name: "Upstairs" } },
  },
  {
    tool: "unifi_update_ap_group",
    args: { group_id: "apg2", update_data: { device_macs: [] } },
    current: { device_macs: [AP] },
    proposed: { device_macs: [] },
    sent: { method: "PUT", path: `${V2}/apgroups/apg2`, body: { _id: "apg2", name: "Hall", device_macs: [] } },
  },
  {
    tool: "unifi_delete_ap_group",
    args: { group_id: "apg2" },
    sent: { method: "DELETE", path: `${V2}/apgroups/apg2` },
  },
  {
    tool: "unifi_rename_device",
    args: { mac_address: AP, name: "AP north" },
    current: { name: "AP Hall" },
    proposed: { name: "AP north" },
    sent: { method: "PUT", path: `${V1}/rest/device/d2`, body: { name: "AP north" } },
  },
  {
    tool: "unifi_locate_device",
    args: { device_mac: AP, enabled: true },
    sent: command("devmgr", { cmd: "set-locate", mac: AP }),
  },
  {
    tool: "unifi_reboot_device",
    args: { mac_address: AP },
    sent: command("devmgr", { cmd: "restart", mac: AP }),
  },
];

for (const { tool, args, sent, current, proposed } of CASES) {
  test(`${tool} sends one request, and the plan none`, async () => {
    const { context, writes } = fakeNetwork({ rows: ROWS });

    const plan = await planOf(context, tool, args);
    const sentByPlan = writes();
    await plan.apply();

    assert.deepEqual(sentByPlan, []);
    assert.deepEqual(writes(), [sent]);
    if (current !== undefined) assert.deepEqual(plan.current, current);
    if (proposed !== undefined) assert.deepEqual(plan.proposed, proposed);
  });
}

test("unifi_unauthorize_guest sends one request, and none for a guest without access", async () => {
  const guests = ROWS["/stat/sta"]?.map((row) => (row.mac === VISITOR ? { ...row, authorized: true } : row)) ?? [];
  const { context, writes } = fakeNetwork({ rows: { ...ROWS, "/stat/sta": guests } });

  const plan = await planOf(context, "unifi_unauthorize_guest", { mac_address: VISITOR });
  await plan.apply();

  assert.deepEqual(writes(), [command("stamgr", { cmd: "unauthorize-guest", mac: VISITOR })]);
  const { context: other } = fakeNetwork({ rows: ROWS });
  assert.equal((await planOf(other, "unifi_unauthorize_guest", { mac_address: VISITOR })).unchanged, true);
});

/** Tools whose requests a story tells (test/tools/stories). */
const TOLD = new Set(STORIES.flatMap(({ steps }) => steps.map(({ tool }) => tool)));

test("every write but the guest's and the plain call stands in the table", () => {
  const elsewhere = ["unifi_unauthorize_guest", "unifi_api_call"];
  const writers = TOOLS.filter((tool) => tool.plan !== undefined && !TOLD.has(tool.name)).map((tool) => tool.name);

  assert.deepEqual(
    writers.filter((name) => !elsewhere.includes(name)).toSorted(),
    CASES.map(({ tool }) => tool)
      .filter((name) => !TOLD.has(name))
      .toSorted(),
  );
});

/** Questions that the console takes as POST. */
const READING_POSTS = /\/(stat\/report|stat\/event|system-log)/;

const READ_ARGUMENTS: Readonly<Record<string, Row>> = {
  unifi_get_client_details: { mac_address: LAPTOP },
  unifi_lookup_by_ip: { ip_address: "192.168.1.31" },
  unifi_get_device_details: { mac_address: AP },
  unifi_get_network_details: { network_id: "iot" },
  unifi_get_wlan_details: { wlan_id: "wlan1" },
  unifi_get_ap_group_details: { group_id: "apg1" },
  unifi_get_port_forward: { port_forward_id: "pf1" },
  unifi_get_dns_record_details: { record_id: "dns1" },
};

for (const { name } of TOOLS.filter(
  (tool) => tool.run !== undefined && tool.classedBy === undefined && !TOLD.has(tool.name),
)) {
  test(`${name} reads, answers by its schema, and changes nothing`, async () => {
    const { context, requests } = fakeNetwork({ rows: ROWS });

    const answer = await read(context, name, READ_ARGUMENTS[name] ?? {});

    assert.equal(answer.site, "default");
    assert.deepEqual(
      requests.filter(({ method, path }) => method !== "GET" && !READING_POSTS.test(path)),
      [],
    );
  });
}
