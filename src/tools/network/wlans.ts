/** Wireless networks of a site. */
import { Type } from "typebox";
import { resource } from "../resource.ts";
import { WLAN_FIELDS, WLAN_NAMES } from "./wlan-fields.ts";
import { checkNewWlan, checkWlanChange } from "./wlan-rules.ts";

const wlans = resource({
  category: "network",
  gate: "wlans",
  noun: "wireless network",
  resourceType: "wlan",
  api: "v1",
  path: "/rest/wlanconf",
  idArgument: "wlan_id",
  listTool: "unifi_list_wlans",
  table: {
    id: "string",
    name: "string",
    enabled: "boolean",
    security: "string",
    network_id: "string",
    usergroup_id: "string",
  },
  row: (raw) => ({ ...raw, id: raw._id, network_id: raw.networkconf_id, enabled: raw.enabled !== false }),
  rename: WLAN_NAMES,
});

export default [
  wlans.list({
    name: "unifi_list_wlans",
    title: "List WLANs",
    summary: "List wireless networks (SSIDs).",
    description: "Lists the site's wireless networks (SSIDs) with state, security and the network they lead to.",
    asks: [
      "wifi names",
      "SSIDs on the air",
      "is the guest wifi on",
      "wireless security in use",
      "which wifi leads to which VLAN",
    ],
    rowsName: "wlans",
    defaultLimit: 25,
    input: {
      search: Type.Optional(Type.String({ description: "Part of the name (SSID)", maxLength: 128 })),
      enabled_only: Type.Optional(Type.Boolean({ description: "Leave out those that are off", default: false })),
    },
    echo: { search: "search", enabled_only: "enabled_only" },
    select: (row, { search, enabled_only: enabledOnly }) =>
      (typeof search !== "string" || String(row.name).toLowerCase().includes(search.toLowerCase())) &&
      (enabledOnly !== true || row.enabled === true),
  }),
  wlans.get({
    name: "unifi_get_wlan_details",
    title: "Get WLAN details",
    summary: "Show one wireless network.",
    description: "One wireless network as the console stores it, passphrase left out, by id.",
    asks: [
      "wifi settings",
      "bands of an SSID",
      "is WPA3 on",
      "minimum data rates",
      "is the SSID hidden",
      "which access points send a wifi",
    ],
  }),
  wlans.create({
    name: "unifi_create_wlan",
    title: "Create WLAN",
    summary: "Put a new wireless network on the air.",
    description:
      "Puts a new SSID on the air: name, security and, for wpapsk, x_passphrase are enough. Access points, user group and LAN default to the site's own.",
    asks: ["new wifi", "set up guest wireless", "add an SSID for smart home", "hotspot for a party"],
    bodyArgument: "wlan_data",
    bodyDescription: "The wireless network",
    fields: WLAN_FIELDS,
    aliases: { wlan: "wlan_data", data: "wlan_data" },
    prepare: checkNewWlan,
    reads: [
      "GET /v2/api/site/{site}/apgroups",
      "GET /api/s/{site}/rest/usergroup",
      "GET /api/s/{site}/rest/networkconf",
    ],
  }),
  wlans.update({
    name: "unifi_update_wlan",
    title: "Update WLAN",
    summary: "Change settings of a wireless network.",
    description: "Changes the given fields of a wireless network; the others keep their values.",
    asks: [
      "change the wifi password",
      "rename the wifi",
      "hide an SSID",
      "move wireless clients to another VLAN",
      "turn on WPA3",
      "5 GHz only",
      "fast roaming",
    ],
    bodyArgument: "update_data",
    bodyDescription: "Fields to change",
    fields: WLAN_FIELDS,
    aliases: { wlan_data: "update_data", data: "update_data" },
    prepare: checkWlanChange,
  }),
  wlans.toggle({
    name: "unifi_toggle_wlan",
    title: "Toggle WLAN",
    summary: "Turn a wireless network on or off.",
    description:
      "Turns a wireless network off when it is on, and on when it is off. To set a state: unifi_update_wlan.",
    asks: [
      "switch the guest wifi off",
      "turn wireless on again",
      "take an SSID off the air for the night",
      "pause wifi",
    ],
  }),
  wlans.delete({
    name: "unifi_delete_wlan",
    title: "Delete WLAN",
    summary: "Delete a wireless network.",
    description: "Removes a wireless network for good. To take it off the air for a while, use unifi_toggle_wlan.",
    asks: ["remove a wifi for good", "get rid of an old SSID", "drop the guest wireless", "erase a hotspot"],
    check: async () => ["Its clients lose their connection."],
  }),
];
