/** Groups of access points, which wireless networks are sent by. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { invalid, normalMac } from "../arguments.ts";
import { type Circumstances, type Prepared, resource } from "../resource.ts";

const apGroups = resource({
  category: "network",
  gate: "wlans",
  noun: "access-point group",
  resourceType: "ap_group",
  api: "v2",
  path: "/apgroups",
  idArgument: "group_id",
  listTool: "unifi_list_ap_groups",
  table: { id: "string", ap_count: "integer", name: "string", device_macs: "strings", wlan_group_ids: "strings" },
  row: apGroupRow,
});

function apGroupRow(raw: Row): Row {
  const macs = Array.isArray(raw.device_macs) ? raw.device_macs : [];
  return { ...raw, id: raw._id ?? raw.id, ap_count: macs.length };
}

const FIELDS = {
  name: Type.String({ description: "Name of the group", minLength: 1, maxLength: 128 }),
  device_macs: Type.Optional(
    Type.Array(Type.String({ maxLength: 32 }), {
      description: "MAC addresses of its access points; replaces the list",
      maxItems: 1000,
    }),
  ),
  wlan_group_ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), { description: "Ids of WLAN groups", maxItems: 64 }),
  ),
};

async function checkGroup(data: Row, { context }: Circumstances): Promise<Prepared> {
  if (!Array.isArray(data.device_macs)) return { data };
  const macs = [...new Set(data.device_macs.map((mac) => groupMac(String(mac))))];
  const devices = await context.network.v1("GET", "/stat/device");
  const known = new Set(
    devices.filter((device) => device.type === "uap").map((device) => String(device.mac).toLowerCase()),
  );
  const strangers = macs.filter((mac) => !known.has(mac)).length;
  const warnings = strangers === 0 ? [] : [`${strangers} of these are no access points of this site.`];
  return { data: { ...data, device_macs: macs }, warnings };
}

function groupMac(text: string): string {
  const mac = normalMac(text);
  if (/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac)) return mac;
  throw invalid("device_macs holds a value that is no MAC address.");
}

export default [
  apGroups.list({
    name: "unifi_list_ap_groups",
    title: "List AP groups",
    summary: "List groups of access points.",
    description: "Lists the groups of access points that wireless networks can be sent by.",
    asks: [
      "sets of APs",
      "which access points belong together",
      "where is a wifi broadcast",
      "AP zones",
      "which ap groups exist",
      "list access point groups",
      "groups of aps",
      "which aps send which wifi",
      "floors and their aps",
    ],
    rowsName: "ap_groups",
    defaultLimit: 100,
  }),
  apGroups.get({
    name: "unifi_get_ap_group_details",
    title: "Get AP group details",
    summary: "Show one group of access points.",
    description: "One access-point group with its members, by id.",
    asks: [
      "members of an AP set",
      "which APs are upstairs",
      "access points in a zone",
      "which APs send it",
      "which aps are in a group",
      "members of an ap group",
    ],
    details: (raw) => ({ details: apGroupRow(raw) }),
  }),
  apGroups.create({
    name: "unifi_create_ap_group",
    title: "Create AP group",
    summary: "Make a group of access points.",
    description:
      "Groups access points, so that a wireless network can be sent by these alone (ap_group_ids of a WLAN).",
    asks: [
      "broadcast a wifi only upstairs",
      "bundle access points",
      "limit an SSID to some APs",
      "new AP zone",
      "group access points",
      "make a group of the upstairs aps",
      "new ap group",
      "only some aps should send a wifi",
      "limit a wifi to one floor",
    ],
    bodyArgument: "group_data",
    bodyDescription: "The group",
    fields: FIELDS,
    aliases: { group: "group_data", data: "group_data" },
    prepare: (data, circumstances) => checkGroup({ device_macs: [], ...data }, circumstances),
    reads: ["GET /api/s/{site}/stat/device"],
  }),
  apGroups.update({
    name: "unifi_update_ap_group",
    title: "Update AP group",
    summary: "Change a group of access points.",
    description: "Renames a group of access points or replaces its members.",
    asks: [
      "add an AP to a zone",
      "take an access point out of a set",
      "rename an AP zone",
      "send the wifi in the garage too",
      "add an access point to a group",
      "rename an ap group",
      "change which aps broadcast",
      "the garden ap should broadcast too",
      "take an ap out of a group",
    ],
    bodyArgument: "update_data",
    bodyDescription: "Fields to change",
    fields: FIELDS,
    aliases: { group_data: "update_data", data: "update_data" },
    prepare: checkGroup,
    reads: ["GET /api/s/{site}/stat/device"],
  }),
  apGroups.delete({
    name: "unifi_delete_ap_group",
    title: "Delete AP group",
    summary: "Delete a group of access points.",
    description: "Removes a group of access points; the access points themselves stay.",
    asks: [
      "remove an AP zone",
      "drop a set of access points",
      "ungroup APs",
      "dissolve an AP set",
      "delete an ap group",
      "remove a group of access points",
    ],
    async check({ context, current }) {
      const wlans = await context.network.v1("GET", "/rest/wlanconf");
      const users = wlans.filter((wlan) => Array.isArray(wlan.ap_group_ids) && wlan.ap_group_ids.includes(current._id));
      return users.length === 0 ? [] : [`Wireless networks sent by this group: ${users.length}.`];
    },
    reads: ["GET /api/s/{site}/rest/wlanconf"],
  }),
];
