/** Object-oriented network policies: what clients or groups of them may do, how fast, and which way they go. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { resource } from "../resource.ts";
import { checkNewOon, checkOonChange, encodeOon, oonRow } from "./oon-rows.ts";

const oon = resource({
  category: "oon",
  gate: "oon_policies",
  noun: "object-oriented policy",
  resourceType: "oon_policy",
  api: "v2",
  path: "/object-oriented-network-configs",
  itemPath: "/object-oriented-network-config",
  idArgument: "policy_id",
  listTool: "unifi_list_oon_policies",
  detailsName: "policy",
  readOnly: ["site_id", "attr_hidden", "attr_hidden_id", "attr_no_delete", "attr_no_edit", "external_id"],
  lacking: "This console has no object-oriented policies; its version is too old for them.",
  table: {
    id: "string",
    restriction_level: "string",
    name: "string",
    enabled: "boolean",
    target_type: "string",
    targets: "any",
    secure: "object",
    qos: "object",
    qos_enabled: "boolean",
    route: "object",
    route_enabled: "boolean",
    applies_to: "any",
  },
  row: oonRow,
  encode: encodeOon,
  decode: oonRow,
});

/** Sections whose inner fields the console alone knows. */
function section(description: string) {
  return Type.Unsafe<Row | null>({ type: ["object", "null"], maxProperties: 50, description });
}

function targets(description: string) {
  return Type.Array(
    Type.Unsafe<string | Row>({
      type: ["string", "object"],
      maxLength: 64,
      properties: {
        type: { type: "string", enum: ["MAC", "NETWORK_GROUP_ID"] },
        value: { type: "string", maxLength: 64 },
      },
      required: ["type", "value"],
      additionalProperties: false,
    }),
    { description, minItems: 1, maxItems: 500 },
  );
}

const FIELDS = {
  name: Type.String({ description: "Name of the policy", minLength: 1, maxLength: 128 }),
  target_type: Type.Enum(["CLIENTS", "GROUPS"], { type: "string", description: "What targets name" }),
  targets: targets("MAC addresses of clients, or ids of client groups, by target_type"),
  enabled: Type.Optional(Type.Boolean({ description: "Whether it is in force; a new policy is" })),
  secure: Type.Optional(
    section(
      "Internet access: {enabled, internet: {mode: TURN_OFF_INTERNET or BLOCKLIST, apps, schedule}}; mode, apps and schedule may stand directly in it",
    ),
  ),
  qos: Type.Optional(section("Bandwidth section whole, as unifi_get_oon_policy_details shows one")),
  route: Type.Optional(section("Routing section whole, as unifi_get_oon_policy_details shows one")),
};

const CHANGE = {
  ...FIELDS,
  qos_enabled: Type.Boolean({ description: "Switch of the bandwidth section" }),
  route_enabled: Type.Boolean({ description: "Switch of the routing section" }),
  applies_to: targets("Another name of targets"),
};

export default [
  oon.list({
    name: "unifi_list_oon_policies",
    title: "List object-oriented policies",
    summary: "List policies on clients and groups.",
    description:
      "Lists the object-oriented network policies: whom each applies to and what it does to internet access, bandwidth and routing. Rules between zones are unifi_list_firewall_policies.",
    rowsName: "policies",
    defaultLimit: 100,
    asks: [
      "parental controls in place",
      "whose internet is switched off",
      "per client restrictions",
      "rules by person or device",
      "which kids' devices have time limits",
      "list object oriented policies",
      "simple app rules",
      "policies with schedules for clients",
      "internet access policies",
      "which time limits exist for the kids",
      "app blocks in force",
      "rules per person",
    ],
  }),
  oon.get({
    name: "unifi_get_oon_policy_details",
    title: "Get object-oriented policy",
    summary: "Show one policy on clients or groups.",
    description: "One object-oriented network policy as the console stores it, with all its sections, by id.",
    asks: [
      "what does this client policy restrict",
      "bandwidth and route settings of a policy",
      "schedule of an internet block",
      "apps in a blocklist",
      "details of an object policy",
      "show one network policy",
    ],
  }),
  oon.create({
    name: "unifi_create_oon_policy",
    title: "Create object-oriented policy",
    summary: "Create a policy on clients or groups.",
    description:
      "Creates a policy that turns off or limits internet access (secure), bandwidth (qos) or routing (route) of clients or client groups. At least one section is needed. To cut one client off the network at once, unifi_block_client.",
    fields: FIELDS,
    prepare: checkNewOon,
    asks: [
      "turn off internet for the kids at night",
      "block apps for a tablet",
      "limit one person's speed",
      "send a device through the vpn",
      "no internet for the game console",
      "block social media for the kids",
      "limit apps for a group",
      "bedtime rule for children",
      "no internet after ten for the kids",
      "create a network policy for a group of clients",
      "no tiktok during homework",
      "kids offline at 9 pm",
      "turn off the internet for the playstation at night",
      "allow games only at the weekend",
      "limit screen time",
    ],
  }),
  oon.update({
    name: "unifi_update_oon_policy",
    title: "Update object-oriented policy",
    summary: "Change a policy on clients or groups.",
    description:
      "Changes the given fields of an object-oriented network policy; the others stay, also within secure, qos and route. targets replaces the whole list.",
    bodyArgument: "policy_data",
    bodyDescription: "Fields to change",
    fields: CHANGE,
    aliases: { update_data: "policy_data", data: "policy_data" },
    prepare: checkOonChange,
    asks: [
      "add a device to the bedtime rule",
      "change the hours of an internet block",
      "switch its speed limit on",
      "rename a client policy",
      "change a network policy",
      "edit the bedtime rule",
      "add a client to a policy",
      "allow one more hour on fridays",
      "add the new tablet to the limits",
    ],
  }),
  oon.toggle({
    name: "unifi_toggle_oon_policy",
    title: "Toggle object-oriented policy",
    summary: "Turn a client policy on or off.",
    description:
      "Turns an enabled object-oriented network policy off and a disabled one on. To set a state whatever it is now, use unifi_update_oon_policy.",
    asks: [
      "give the kids internet back for now",
      "pause a client restriction",
      "lift the bedtime rule",
      "resume a policy",
      "pause the bedtime rule",
      "turn a network policy on or off",
      "disable an object policy",
      "holidays, no bedtime this week",
      "lift the time limits for now",
    ],
  }),
  oon.delete({
    name: "unifi_delete_oon_policy",
    title: "Delete object-oriented policy",
    summary: "Delete a policy on clients or groups.",
    description:
      "Removes an object-oriented network policy for good. To stop it for a while, use unifi_toggle_oon_policy.",
    check: async () => ["What it limited for its clients is free again."],
    asks: [
      "remove parental control",
      "drop a client restriction",
      "end the internet block for good",
      "delete a device rule",
      "delete a network policy",
      "remove the bedtime rule",
      "kids are grown up, drop the limits",
    ],
  }),
];
