/** Port profiles: settings that many switch ports share. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { invalid } from "../arguments.ts";
import { type Circumstances, type Prepared, resource } from "../resource.ts";

const profiles = resource({
  category: "switch",
  gate: "switch",
  noun: "port profile",
  resourceType: "port_profile",
  api: "v1",
  path: "/rest/portconf",
  idArgument: "profile_id",
  listTool: "unifi_list_port_profiles",
  table: {
    id: "string",
    attr_no_delete: "boolean",
    name: "string",
    forward: "string",
    tagged_vlan_mgmt: "string",
    excluded_networkconf_ids: "strings",
    native_networkconf_id: "string",
    tagged_networkconf_ids: "strings",
    voice_networkconf_id: "string",
    isolation: "boolean",
    poe_mode: "string",
    stp_port_mode: "boolean",
    stp_edge_state: "string",
    stp_bpdu_guard_enabled: "boolean",
    stp_uplink: "boolean",
    dot1x_ctrl: "string",
  },
  row: (raw) => ({ ...raw, id: raw._id }),
});

const choice = (description: string, values: string[]) =>
  Type.Optional(Type.Enum(values, { type: "string", description }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const network = (description: string) => Type.Optional(Type.String({ description, maxLength: 64 }));
const networks = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { description, maxItems: 512 }));

const FIELDS = {
  name: Type.String({ description: "Name of the profile", minLength: 1, maxLength: 128 }),
  forward: Type.Enum(["all", "native", "customize", "disabled"], {
    type: "string",
    description: "all = trunk, native = access, disabled = port off",
  }),
  native_networkconf_id: network("Untagged network"),
  tagged_vlan_mgmt: choice("Tagged VLANs; block_all makes an access port", ["", "auto", "block_all", "custom"]),
  tagged_networkconf_ids: networks("Tagged networks, on consoles that list these"),
  excluded_networkconf_ids: networks("Networks that custom leaves out"),
  voice_networkconf_id: network("Voice network"),
  isolation: flag("Keep ports from each other"),
  poe_mode: choice("PoE", ["auto", "off", "pasv24", "passthrough"]),
  stp_port_mode: flag("Spanning tree"),
  stp_edge_state: choice("Edge port", ["", "enabled", "disabled"]),
  stp_bpdu_guard_enabled: flag("BPDU guard"),
  stp_uplink: flag("STP uplink"),
  dot1x_ctrl: choice("802.1X", ["", "force_authorized", "auto", "force_unauthorized", "mac_based", "multi_host"]),
};

/** Empty texts and nulls mean "not given", as in the catalogue. */
function given(data: Row): Row {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== "" && value !== null));
}

async function checkProfile(asked: Row, { current = {}, context }: Circumstances): Promise<Prepared> {
  const data = given(asked);
  const profile = { ...current, ...data };
  const named = [
    ["native_networkconf_id", profile.native_networkconf_id],
    ["voice_networkconf_id", profile.voice_networkconf_id],
    ...["excluded_networkconf_ids", "tagged_networkconf_ids"].flatMap((field) =>
      Array.isArray(data[field]) ? data[field].map((id: unknown) => [field, id] as const) : [],
    ),
  ].filter(([field, id]) => typeof id === "string" && id !== "" && String(field) in data);
  if (named.length > 0) {
    const known = new Set((await context.network.v1("GET", "/rest/networkconf")).map((one) => one._id));
    const strange = named.find(([, id]) => !known.has(id));
    if (strange !== undefined) {
      throw invalid(`${String(strange[0])} names no network of this site.`, "unifi_list_networks lists the ids.");
    }
  }
  return { data, warnings: warningsOf(profile) };
}

function warningsOf(profile: Row): readonly string[] {
  const trunkByMistake = profile.forward === "native" && profile.tagged_vlan_mgmt !== "block_all";
  return trunkByMistake ? ['Tagged VLANs still pass: an access port also needs tagged_vlan_mgmt "block_all".'] : [];
}

export default [
  profiles.list({
    name: "unifi_list_port_profiles",
    title: "List port profiles",
    summary: "List switch-port profiles.",
    description: "Lists the profiles that switch ports can take. What single ports have is in unifi_get_switch_ports.",
    rowsName: "profiles",
    defaultLimit: 100,
    asks: [
      "templates for jacks",
      "trunk and access presets",
      "which port presets exist",
      "show port profiles",
      "which switch profiles exist",
      "list access and trunk profiles",
      "templates for switch ports",
      "how are trunks defined",
    ],
  }),
  profiles.get({
    name: "unifi_get_port_profile_details",
    title: "Get port profile",
    summary: "Show one switch-port profile.",
    description: "One switch-port profile as the console stores it, by id.",
    asks: [
      "which vlans does the camera preset pass",
      "look at one jack template",
      "what does this port profile do",
      "vlans in a port profile",
      "details of a switch profile",
    ],
  }),
  profiles.create({
    name: "unifi_create_port_profile",
    title: "Create port profile",
    summary: "Add a switch-port profile.",
    description:
      'Adds a profile for switch ports; unifi_set_switch_port_profile puts ports into it. Access port: forward "native" and tagged_vlan_mgmt "block_all".',
    fields: FIELDS,
    prepare: (data, circumstances) =>
      checkProfile({ isolation: false, poe_mode: "auto", stp_port_mode: true, ...given(data) }, circumstances),
    reads: ["GET /api/s/{site}/rest/networkconf"],
    asks: [
      "template for camera jacks",
      "new access preset for a vlan",
      "make a trunk preset",
      "make a port profile for cameras",
      "new trunk profile",
      "create an access profile for the iot vlan",
      "template so that all camera ports are alike",
      "predefine voice ports",
      "standard setup for desk ports",
    ],
  }),
  profiles.update({
    name: "unifi_update_port_profile",
    title: "Update port profile",
    summary: "Change a switch-port profile.",
    description: "Changes the given fields of a switch-port profile, for every port that has it.",
    bodyArgument: "profile_data",
    bodyDescription: "Fields to change",
    fields: FIELDS,
    aliases: { update_data: "profile_data", data: "profile_data" },
    prepare: async (data, circumstances) => {
      const { warnings = [], ...prepared } = await checkProfile(data, circumstances);
      return { ...prepared, warnings: ["Every port with this profile changes at once.", ...warnings] };
    },
    reads: ["GET /api/s/{site}/rest/networkconf"],
    asks: [
      "allow another vlan on the trunk preset",
      "switch off poe in a template",
      "edit a jack preset",
      "change a port profile",
      "add a vlan to the trunk profile",
      "turn on isolation in a profile",
      "edit switch profile",
      "all camera ports need another vlan",
      "change the template of the trunks",
      "turn on 802.1x for ports of a profile",
    ],
  }),
  profiles.delete({
    name: "unifi_delete_port_profile",
    title: "Delete port profile",
    summary: "Delete a switch-port profile.",
    description: "Removes a switch-port profile. Ports that have it fall back to the default profile.",
    async check({ context, current }) {
      const devices = await context.network.v1("GET", "/stat/device");
      const ports = devices.flatMap((device) => (Array.isArray(device.port_overrides) ? device.port_overrides : []));
      const users = ports.filter((port: Row) => port.portconf_id === current._id).length;
      return users === 0 ? [] : [`Ports that have this profile: ${users}.`];
    },
    reads: ["GET /api/s/{site}/stat/device"],
    asks: [
      "drop a jack template",
      "get rid of an old trunk preset",
      "remove a port profile",
      "delete an unused switch profile",
      "template no longer needed",
    ],
  }),
];
