/** Layer-2 access rules: which MAC addresses may talk within a network, enforced by the switches. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { resource } from "../resource.ts";
import { aclRow, checkAclChange, checkNewAcl, encodeAcl } from "./acl-rows.ts";

const acl = resource({
  category: "acl",
  gate: "acl_rules",
  noun: "ACL rule",
  resourceType: "acl_rule",
  api: "v2",
  path: "/acl-rules",
  idArgument: "rule_id",
  listTool: "unifi_list_acl_rules",
  detailsName: "rule",
  readOnly: ["site_id", "attr_hidden", "attr_hidden_id", "attr_no_delete", "attr_no_edit", "external_id"],
  lacking: "This console has no ACL rules; its version is too old for them.",
  table: {
    id: "string",
    type: "string",
    source_type: "string",
    destination_type: "string",
    name: "string",
    acl_index: "integer",
    action: "string",
    enabled: "boolean",
    network_id: "string",
    source_macs: "strings",
    destination_macs: "strings",
    source_netmask: "integer",
    destination_netmask: "integer",
    source_mac_mask: "string",
    destination_mac_mask: "string",
  },
  row: aclRow,
  encode: encodeAcl,
  decode: aclRow,
});

const NETWORKS = "GET /api/s/{site}/rest/networkconf";

function macsArgument(description: string) {
  return Type.Unsafe<readonly string[] | null>({
    type: ["array", "null"],
    items: { type: "string", minLength: 12, maxLength: 32 },
    maxItems: 500,
    description,
  });
}

function netmaskArgument(description: string) {
  return Type.Unsafe<number | null>({ type: ["integer", "null"], minimum: 0, maximum: 48, description });
}

const FIELDS = {
  name: Type.String({ description: "Name of the rule", minLength: 1, maxLength: 128 }),
  acl_index: Type.Integer({ description: "Position; smaller is looked at first", minimum: 0, maximum: 100_000 }),
  action: Type.Enum(["ALLOW", "BLOCK"], { type: "string", description: "Let pass or drop" }),
  network_id: Type.String({
    description: "Network it applies to, from unifi_list_networks",
    minLength: 1,
    maxLength: 64,
  }),
  enabled: Type.Optional(Type.Boolean({ description: "Whether it is in force; a new rule is" })),
  source_macs: Type.Optional(macsArgument("MAC addresses that send; none = any")),
  destination_macs: Type.Optional(macsArgument("MAC addresses that receive; none = any")),
  source_netmask: Type.Optional(netmaskArgument("Leading bits of source_macs that count: 24 = the maker, 48 = all")),
  destination_netmask: Type.Optional(netmaskArgument("Leading bits of destination_macs that count")),
};

function clearArgument(end: string) {
  return Type.Optional(
    Type.Boolean({ description: `Take the ${end} netmask away, so that whole addresses count`, default: false }),
  );
}

export default [
  acl.list({
    name: "unifi_list_acl_rules",
    title: "List ACL rules",
    summary: "List MAC access rules of the switches.",
    description:
      "Lists the layer-2 access rules that switches enforce between MAC addresses of one network. Rules between networks are firewall policies (unifi_list_firewall_policies).",
    rowsName: "rules",
    defaultLimit: 100,
    input: {
      network_id: Type.Optional(
        Type.Unsafe<string | null>({
          type: ["string", "null"],
          description: "Only rules of this network",
          maxLength: 64,
        }),
      ),
    },
    select: (row: Row, { network_id: network }: Row) => typeof network !== "string" || row.network_id === network,
    asks: [
      "which devices may not talk on the same vlan",
      "layer 2 isolation rules",
      "mac based blocks on switches",
      "switch access control",
      "l2 filters",
      "mac access rules",
      "list acl rules",
      "layer 2 filters",
      "switch acls",
      "who may talk to whom on the switch",
      "mac based restrictions",
    ],
  }),
  acl.get({
    name: "unifi_get_acl_rule_details",
    title: "Get ACL rule",
    summary: "Show one MAC access rule.",
    description:
      "One layer-2 access rule by id, its MAC addresses and netmasks named as unifi_update_acl_rule takes them.",
    details: (raw) => ({ details: aclRow(raw) }),
    asks: [
      "macs of a layer 2 rule",
      "what does this switch filter match",
      "look at one l2 block",
      "mask of a mac rule",
      "details of an acl rule",
      "show one mac rule",
    ],
  }),
  acl.create({
    name: "unifi_create_acl_rule",
    title: "Create ACL rule",
    summary: "Add a MAC access rule to a network.",
    description:
      "Adds a rule that lets MAC addresses of one network talk to each other or not, enforced by the switches. To block a client altogether use unifi_block_client; between networks unifi_create_firewall_policy.",
    fields: FIELDS,
    reads: [NETWORKS],
    prepare: checkNewAcl,
    asks: [
      "stop cameras from seeing each other",
      "isolate a device within its vlan",
      "block a mac on the switch",
      "allow only the printer's address",
      "drop all devices of one maker",
      "block a mac at the switch",
      "layer 2 rule between devices",
      "add an acl",
      "allow only certain macs to talk",
      "two machines on one vlan must not talk",
      "restrict a printer to one pc at layer 2",
      "drop frames from a mac",
    ],
  }),
  acl.update({
    name: "unifi_update_acl_rule",
    title: "Update ACL rule",
    summary: "Change fields of a MAC access rule.",
    description:
      "Changes the given fields of a layer-2 access rule; the others stay. MAC lists are replaced whole. A netmask goes away only with its clear argument.",
    bodyArgument: "rule_data",
    bodyDescription: "Fields to change",
    fields: FIELDS,
    input: { clear_source_netmask: clearArgument("source"), clear_destination_netmask: clearArgument("destination") },
    aliases: { update_data: "rule_data", data: "rule_data" },
    reads: [NETWORKS],
    prepare: checkAclChange,
    asks: [
      "add a mac to a layer 2 rule",
      "switch an l2 filter off",
      "move a mac rule up",
      "widen a rule to a vendor prefix",
      "turn a mac block into an allow",
      "change an acl rule",
      "edit mac filter rule",
      "add a mac to an acl",
      "let another mac through",
      "change action of a mac rule",
    ],
  }),
  acl.delete({
    name: "unifi_delete_acl_rule",
    title: "Delete ACL rule",
    summary: "Delete a MAC access rule.",
    description: "Removes a layer-2 access rule for good. To stop it for a while, update it with enabled=false.",
    check: async ({ current }) =>
      current.enabled === false ? [] : ["What it let pass or dropped falls to the rules after it."],
    asks: [
      "remove a mac filter",
      "undo layer 2 isolation",
      "get rid of a switch rule",
      "let two devices talk again",
      "delete an acl rule",
      "remove a mac access rule",
      "lift a restriction on the switch",
    ],
  }),
];
