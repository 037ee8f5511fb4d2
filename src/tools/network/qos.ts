/** QoS rules: bandwidth limits for a host, a subnet or everything. */
import { Type } from "typebox";
import { resource } from "../resource.ts";
import { checkNewQosRule, checkQosChange, longForm, qosRow } from "./qos-rules.ts";

const qos = resource({
  category: "qos",
  gate: "qos_rules",
  noun: "QoS rule",
  resourceType: "qos_rule",
  api: "v2",
  path: "/qos-rules",
  idArgument: "rule_id",
  listTool: "unifi_list_qos_rules",
  lacking: "This console has no QoS rules: they came with later versions and need a UniFi gateway.",
  table: {
    id: "string",
    site_id: "string",
    name: "string",
    enabled: "boolean",
    interface: "string",
    direction: "string",
    bandwidth_limit_kbps: "integer",
    target_ip_address: "string",
    target_subnet: "string",
    dscp_value: "integer",
    rate_max_down: "integer",
    rate_max_up: "integer",
    priority: "integer",
    objective: "string",
  },
  row: qosRow,
});

const MOST_KBPS = 100_000_000;

const kbps = (description: string) => Type.Integer({ description, minimum: 1, maximum: MOST_KBPS });
const dscp = Type.Optional(
  Type.Integer({ description: "DSCP mark, where the console's rules have one", minimum: 0, maximum: 63 }),
);
const NAME = Type.String({ description: "Name of the rule", minLength: 1, maxLength: 128 });
const INTERFACE = Type.Enum(["WAN", "LAN"], {
  type: "string",
  description: "Side that is limited; current consoles limit the WAN only",
});
const DIRECTION = Type.Enum(["upload", "download"], { type: "string", description: "Direction that is limited" });

const FIELDS = {
  name: NAME,
  enabled: Type.Optional(Type.Boolean({ description: "Whether it is in force; a new rule is" })),
  interface: INTERFACE,
  direction: DIRECTION,
  bandwidth_limit_kbps: kbps("Limit in that direction, kbit/s"),
  target_ip_address: Type.Optional(
    Type.String({ description: "Address of the one host that is limited", minLength: 2, maxLength: 45 }),
  ),
  target_subnet: Type.Optional(
    Type.String({ description: "Subnet that is limited, CIDR; neither target = everything", maxLength: 49 }),
  ),
  dscp_value: dscp,
  rate_max_down: Type.Optional(kbps("Download limit, kbit/s, for limits in both directions")),
  rate_max_up: Type.Optional(kbps("Upload limit, kbit/s, for limits in both directions")),
  priority: Type.Optional(Type.Integer({ description: "Place in the order of rules", minimum: 0, maximum: 100_000 })),
};

const SHORT_FIELDS = {
  name: NAME,
  interface: INTERFACE,
  direction: DIRECTION,
  limit_kbps: kbps("Limit, kbit/s"),
  enabled: Type.Optional(Type.Boolean({ description: "Whether it is in force; default true" })),
  dscp_value: dscp,
  target: Type.Optional(
    Type.Object(
      {
        type: Type.Enum(["ip", "subnet"], { type: "string", description: "What value names" }),
        value: Type.String({ description: "Address or CIDR", minLength: 2, maxLength: 49 }),
      },
      { description: "Who is limited; none = everything", additionalProperties: false },
    ),
  ),
};

export default [
  qos.list({
    name: "unifi_list_qos_rules",
    title: "List QoS rules",
    summary: "List QoS rules: bandwidth limits.",
    description:
      "Lists the site's QoS rules with limit, direction, target and state. Limits of user groups are in unifi_list_usergroups.",
    asks: [
      "who is throttled",
      "bandwidth caps",
      "traffic shaping",
      "speed limits of hosts",
      "why is this host slow",
      "list bandwidth limits",
      "qos rules",
      "which throttles exist",
      "traffic shaping rules",
      "is somebody throttled",
      "which limits are in force",
    ],
    rowsName: "qos_rules",
    defaultLimit: 100,
  }),
  qos.get({
    name: "unifi_get_qos_rule_details",
    title: "Get QoS rule details",
    summary: "Show one QoS rule.",
    description: "One QoS rule as the console stores it, with source, destination and schedule, by id.",
    asks: [
      "details of a bandwidth cap",
      "what does this shaping rule match",
      "when does the speed limit apply",
      "throttle settings",
      "details of a qos rule",
      "show one bandwidth limit",
    ],
  }),
  qos.create({
    name: "unifi_create_qos_rule",
    title: "Create QoS rule",
    summary: "Limit the bandwidth of a host or subnet.",
    description:
      "Adds a QoS rule that limits the bandwidth of a host, a subnet or everything, in one direction or, with rate_max_down and rate_max_up, in both. A limit for one direction in short form: unifi_create_simple_qos_rule.",
    asks: [
      "throttle a device",
      "cap upload speed",
      "slow down the game console",
      "reserve line capacity",
      "shape",
      "prioritise voice calls",
      "limit upload of a subnet",
      "create a qos rule",
      "traffic shaping for video conferencing",
      "reserve bandwidth",
      "voip should always work",
      "video calls first",
      "guarantee upload for the office",
      "limit a whole vlan",
    ],
    bodyArgument: "qos_data",
    bodyDescription: "The rule",
    fields: FIELDS,
    aliases: { rule: "qos_data", rule_data: "qos_data", data: "qos_data" },
    prepare: (data, circumstances) => checkNewQosRule({ enabled: true, ...data }, circumstances),
  }),
  qos.create({
    name: "unifi_create_simple_qos_rule",
    title: "Create simple QoS rule",
    summary: "Limit bandwidth, short form.",
    description:
      "Limits the bandwidth of an address, a subnet or everything in one direction: name, interface, direction and limit_kbps are enough. Both directions or an order among rules: unifi_create_qos_rule.",
    asks: [
      "quickly throttle one address",
      "cap the guest subnet's download",
      "limit upload to 5 Mbit",
      "speed cap",
      "limit a device to 10 mbit",
      "throttle the kids console",
      "cap bandwidth of one host",
      "slow down a client",
      "limit download speed",
      "backup job eats the upload, cap it",
      "roommate downloads too much, slow him down",
      "one host may only use 5 mbit",
    ],
    bodyArgument: "rule",
    bodyDescription: "The rule in short",
    fields: SHORT_FIELDS,
    aliases: { qos_data: "rule", rule_data: "rule", data: "rule" },
    prepare: (data, circumstances) => checkNewQosRule({ enabled: true, ...longForm(data) }, circumstances),
  }),
  qos.update({
    name: "unifi_update_qos_rule",
    title: "Update QoS rule",
    summary: "Change fields of a QoS rule.",
    description:
      "Changes the given fields of a QoS rule; the others keep their values. To turn it on or off, unifi_toggle_qos_rule_enabled is shorter.",
    asks: [
      "raise a bandwidth cap",
      "change the speed limit",
      "throttle another host instead",
      "edit traffic shaping",
      "change a bandwidth limit",
      "raise the cap",
      "edit a qos rule",
      "give him a bit more speed",
      "change the limit of the guests",
    ],
    bodyArgument: "update_data",
    bodyDescription: "Fields to change",
    fields: FIELDS,
    aliases: { qos_data: "update_data", rule_data: "update_data", data: "update_data" },
    prepare: checkQosChange,
  }),
  qos.toggle({
    name: "unifi_toggle_qos_rule_enabled",
    title: "Toggle QoS rule",
    summary: "Turn a QoS rule on or off.",
    description: "Turns an enabled QoS rule off and a disabled one on. To set a state, use unifi_update_qos_rule.",
    asks: [
      "lift a bandwidth cap for now",
      "pause throttling",
      "switch traffic shaping on",
      "full speed again",
      "turn a bandwidth limit off",
      "enable qos rule",
      "no limit for tonight",
      "lift the throttle for a while",
    ],
  }),
];
