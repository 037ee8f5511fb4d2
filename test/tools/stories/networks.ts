/** Networks, AP groups and WLANs that build on each other. */
import assert from "node:assert/strict";
import { isRow } from "../../../src/tools/rows.ts";
import type { Story } from "./story.ts";

const WLANS = "/api/s/default/rest/wlanconf";
const NETWORKS = "/api/s/default/rest/networkconf";
const GROUPS = "/v2/api/site/default/apgroups";

const networks: Story = {
  about: "networks and WLANs",
  steps: [
    { tool: "unifi_list_networks", holds: ({ count }) => assert.ok(Number(count) > 0) },
    {
      tool: "unifi_create_network",
      args: {
        network_data: {
          name: "Lab",
          purpose: "corporate",
          vlan: "77",
          ip_subnet: "192.168.77.0/24",
          dhcpd_start: "192.168.77.10",
          dhcpd_stop: "192.168.77.200",
        },
      },
      sent: [
        {
          method: "POST",
          path: NETWORKS,
          body: {
            networkgroup: "LAN",
            enabled: true,
            dhcpd_enabled: true,
            name: "Lab",
            purpose: "corporate",
            vlan: 77,
            vlan_enabled: true,
            ip_subnet: "192.168.77.1/24",
            dhcpd_start: "192.168.77.10",
            dhcpd_stop: "192.168.77.200",
          },
        },
      ],
      holds: ({ network_id: id }, { kept }) => {
        assert.equal(typeof id, "string");
        kept.network = id;
      },
    },
    {
      tool: "unifi_get_network_details",
      args: ({ kept }) => ({ network_id: kept.network }),
      holds: ({ details }) => assert.partialDeepStrictEqual(details, { name: "Lab", vlan: 77 }),
    },
    {
      tool: "unifi_update_network",
      args: ({ kept }) => ({ network_id: kept.network, update_data: { name: "Lab 2", dhcpd_stop: "192.168.77.99" } }),
      sent: ({ kept }) => [{ method: "PUT", path: `${NETWORKS}/${String(kept.network)}` }],
    },
    { tool: "unifi_list_ap_groups", holds: ({ ap_groups: groups }) => assert.ok(Array.isArray(groups)) },
    {
      tool: "unifi_create_ap_group",
      args: async (scene) => {
        const { mac } = await scene.first("unifi_list_devices", "devices", { device_type: "ap" });
        scene.kept.ap = mac;
        return { group_data: { name: "Hall", device_macs: [String(mac).toUpperCase().replaceAll(":", "-"), mac] } };
      },
      sent: ({ kept }) => [{ method: "POST", path: GROUPS, body: { name: "Hall", device_macs: [kept.ap] } }],
      holds: ({ group_id: id }, { kept }) => {
        kept.group = id;
      },
    },
    {
      tool: "unifi_get_ap_group_details",
      args: ({ kept }) => ({ group_id: kept.group }),
      holds: ({ details }) => assert.equal(isRow(details) && details.name, "Hall"),
    },
    {
      tool: "unifi_update_ap_group",
      args: ({ kept }) => ({ group_id: kept.group, update_data: { name: "Halls" } }),
      sent: ({ kept }) => [{ method: "PUT", path: `${GROUPS}/${String(kept.group)}` }],
    },
    { tool: "unifi_list_wlans", holds: ({ count }) => assert.ok(Number(count) > 0) },
    {
      tool: "unifi_create_wlan",
      args: ({ kept }) => ({
        wlan_data: { name: "Lab WiFi", security: "wpapsk", x_passphrase: "correct horse", network_id: kept.network },
      }),
      sent: [{ method: "POST", path: WLANS }],
      holds: ({ wlan_id: id }, { kept }) => {
        kept.wlan = id;
      },
    },
    {
      tool: "unifi_get_wlan_details",
      args: ({ kept }) => ({ wlan_id: kept.wlan }),
      holds: ({ details }, { kept }) => {
        assert.partialDeepStrictEqual(details, { name: "Lab WiFi", enabled: true });
        kept.before = details;
      },
    },
    {
      tool: "unifi_toggle_wlan",
      args: ({ kept }) => ({ wlan_id: kept.wlan }),
      sent: ({ kept }) => [{ method: "PUT", path: `${WLANS}/${String(kept.wlan)}` }],
      holds: async (_answer, { kept, read }) => {
        const { details } = await read("unifi_get_wlan_details", { wlan_id: kept.wlan });
        assert.partialDeepStrictEqual(details, { name: "Lab WiFi", enabled: false, security: "wpapsk" });
      },
    },
    {
      tool: "unifi_update_wlan",
      args: ({ kept }) => ({
        wlan_id: kept.wlan,
        update_data: { hide_ssid: true, minrate_na_data_rate_kbps: 12_000 },
      }),
      sent: ({ kept }) => [{ method: "PUT", path: `${WLANS}/${String(kept.wlan)}` }],
    },
    {
      tool: "unifi_delete_wlan",
      args: ({ kept }) => ({ wlan_id: kept.wlan }),
      sent: ({ kept }) => [{ method: "DELETE", path: `${WLANS}/${String(kept.wlan)}` }],
    },
    {
      tool: "unifi_delete_ap_group",
      args: ({ kept }) => ({ group_id: kept.group }),
      sent: ({ kept }) => [{ method: "DELETE", path: `${GROUPS}/${String(kept.group)}` }],
    },
    {
      tool: "unifi_delete_network",
      args: ({ kept }) => ({ network_id: kept.network }),
      sent: ({ kept }) => [{ method: "DELETE", path: `${NETWORKS}/${String(kept.network)}` }],
    },
  ],
};

export default networks;
