/** Firewall groups: named lists of addresses or ports that policies and rules refer to. */
import { isIPv6 } from "node:net";
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { invalid } from "../arguments.ts";
import { listRows } from "../collection.ts";
import { type Circumstances, type Prepared, resource } from "../resource.ts";
import { isUnsupported } from "../resource-plans.ts";
import { isRow } from "../rows.ts";
import type { ToolContext } from "../tool.ts";
import { areAddresses, arePorts, isSubnet } from "./firewall-values.ts";

const groups = resource({
  category: "firewall",
  gate: "firewall_policies",
  noun: "firewall group",
  resourceType: "firewall_group",
  api: "v1",
  path: "/rest/firewallgroup",
  idArgument: "group_id",
  listTool: "unifi_list_firewall_groups",
  detailsName: "group",
  readOnly: ["site_id", "attr_hidden", "attr_hidden_id", "attr_no_delete", "attr_no_edit", "external_id"],
  table: { id: "string", name: "string", group_type: "string", members: "strings" },
  row: (raw) => ({ ...raw, id: raw._id, members: raw.group_members }),
});

const FIELDS = {
  name: Type.String({ description: "Name of the group", minLength: 1, maxLength: 64 }),
  group_type: Type.Enum(["address-group", "ipv6-address-group", "port-group"], {
    type: "string",
    description: "What it holds; fixed once created",
  }),
  group_members: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    description: "Addresses, subnets, ports or ranges as text",
    maxItems: 5000,
    uniqueItems: true,
  }),
};

const MEMBER_OF_TYPE: Readonly<Record<string, { readonly holds: (text: string) => boolean; readonly needs: string }>> =
  {
    "address-group": { holds: (text) => areAddresses(text, 4), needs: "an IPv4 address, subnet or range" },
    "ipv6-address-group": { holds: (text) => isIPv6(text) || isSubnet(text, 6), needs: "an IPv6 address or subnet" },
    "port-group": { holds: (text) => !text.includes(",") && arePorts(text), needs: "a port or a range low-high" },
  };

/** `at` leads to the fields in the error: empty for arguments of their own, `group_data.` in an update. */
function checkGroup(at: string) {
  return async (data: Row, { current = {} }: Circumstances): Promise<Prepared> => {
    const { group_type: type, group_members: members } = { ...current, ...data };
    if (current.group_type !== undefined && type !== current.group_type) {
      throw invalid(`${at}group_type cannot change once a group exists.`, "Create another group of that type.");
    }
    const rule = MEMBER_OF_TYPE[String(type)];
    const wrong = rule && Array.isArray(members) ? members.findIndex((member) => !rule.holds(String(member))) : -1;
    if (rule !== undefined && wrong >= 0) {
      throw invalid(`${at}group_members[${wrong}] must be ${rule.needs}, as the group is of type ${String(type)}.`);
    }
    const empty = Array.isArray(members) && members.length === 0;
    return { data, warnings: empty ? ["The group is empty: policies that use it have nothing to match."] : [] };
  };
}

/** Policies and older rules that name the group; a console without zones has no policies. */
async function usesOf({ network }: ToolContext, group: Row): Promise<number> {
  const policies = await listRows(network, { api: "v2", path: "/firewall-policies" }).catch((thrown: unknown) => {
    if (isUnsupported(thrown)) return [];
    throw thrown;
  });
  const rules = await listRows(network, { api: "v1", path: "/rest/firewallrule" });
  const inPolicy = ({ source, destination }: Row) =>
    [source, destination].some(
      (end) => isRow(end) && (end.ip_group_id === group._id || end.port_group_id === group._id),
    );
  const inRule = ({ src_firewallgroup_ids: from, dst_firewallgroup_ids: to }: Row) =>
    [from, to].some((ids) => Array.isArray(ids) && ids.includes(group._id));
  return policies.filter(inPolicy).length + rules.filter(inRule).length;
}

export default [
  groups.list({
    name: "unifi_list_firewall_groups",
    title: "List firewall groups",
    summary: "List address and port groups.",
    description: "Lists the address and port groups that firewall policies refer to, with their members.",
    rowsName: "groups",
    defaultLimit: 100,
    asks: [
      "which ip sets are defined",
      "named lists of addresses",
      "port lists for rules",
      "what is in the RFC1918 alias",
      "firewall objects and aliases",
      "address groups",
      "ip groups",
      "port groups used by the firewall",
      "list firewall groups",
      "lists of addresses used in rules",
      "reusable port lists",
    ],
  }),
  groups.get({
    name: "unifi_get_firewall_group_details",
    title: "Get firewall group",
    summary: "Show one address or port group.",
    description: "One firewall group as the console stores it (group_members), by id.",
    asks: [
      "what addresses are in this group",
      "members of an ip set",
      "which ports does the alias hold",
      "look into an address list",
      "members of an address group",
      "which ips are in this group",
      "show a port group",
      "which addresses are on the list",
    ],
  }),
  groups.create({
    name: "unifi_create_firewall_group",
    title: "Create firewall group",
    summary: "Create an address or port group.",
    description:
      "Creates a list of addresses or ports for firewall policies (ip_group_id, port_group_id). For clients take unifi_create_client_group.",
    fields: FIELDS,
    aliases: { type: "group_type", members: "group_members" },
    prepare: checkGroup(""),
    asks: [
      "make an ip alias",
      "define a list of blocked addresses",
      "new set of ports for a rule",
      "collect subnets under one name",
      "add an address object",
      "create an address group",
      "make a list of ips for the firewall",
      "new port group",
      "group several ip addresses",
      "name a set of servers for rules",
      "reusable list of ports",
      "bundle ip ranges",
    ],
  }),
  groups.update({
    name: "unifi_update_firewall_group",
    title: "Update firewall group",
    summary: "Change a group's name or members.",
    description:
      "Changes name or members of a firewall group; group_members replaces the whole list. The type cannot change.",
    bodyArgument: "group_data",
    bodyDescription: "Fields to change",
    fields: FIELDS,
    aliases: { update_data: "group_data", data: "group_data" },
    prepare: checkGroup("group_data."),
    asks: [
      "add an address to an ip set",
      "remove a port from the alias",
      "extend the blocklist",
      "rename an address list",
      "put another subnet into the group",
      "add an ip to a group",
      "change the members of an address group",
      "edit a port group",
      "one more server belongs to the list",
      "take an ip out of the blocklist group",
    ],
  }),
  groups.delete({
    name: "unifi_delete_firewall_group",
    title: "Delete firewall group",
    summary: "Delete an address or port group.",
    description: "Removes a firewall group for good. The preview says how many policies use it.",
    reads: ["GET /v2/api/site/{site}/firewall-policies", "GET /api/s/{site}/rest/firewallrule"],
    check: async ({ context, current }) => {
      const uses = await usesOf(context, current);
      return uses === 0 ? [] : [`${uses} firewall policies or rules use this group.`];
    },
    asks: [
      "get rid of an ip set",
      "remove an unused alias",
      "clean up address lists",
      "drop a port list",
      "delete an address group",
      "remove an unused port group",
      "address list is not used any more",
    ],
  }),
];
