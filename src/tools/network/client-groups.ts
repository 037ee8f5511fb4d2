/** Client groups: lists of client MAC addresses that policies can name. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { macList } from "../arguments.ts";
import { type Prepared, resource } from "../resource.ts";

const clientGroups = resource({
  category: "client_groups",
  gate: "client_group",
  noun: "client group",
  resourceType: "client_group",
  api: "v2",
  path: "/network-members-groups",
  itemPath: "/network-members-group",
  idArgument: "group_id",
  listTool: "unifi_list_client_groups",
  table: { id: "string", group_type: "string", name: "string", members: "strings" },
  row: (raw) => ({ ...raw, id: raw.id ?? raw._id, group_type: raw.type }),
  detailsName: "group",
  lacking: "This console has no client groups: they came with Network 9.",
});

const FIELDS = {
  name: Type.String({ description: "Name of the group", minLength: 1, maxLength: 128 }),
  members: Type.Array(Type.String({ maxLength: 32 }), {
    description: "MAC addresses of its clients; replaces the list",
    maxItems: 1000,
  }),
};

async function checkMembers(data: Row): Promise<Prepared> {
  return { data: Array.isArray(data.members) ? { ...data, members: macList(data.members, "members") } : data };
}

export default [
  clientGroups.list({
    name: "unifi_list_client_groups",
    title: "List client groups",
    summary: "List groups of clients for policies.",
    description:
      "Lists the named groups of client MAC addresses that policies can aim at. Speed profiles are in unifi_list_usergroups.",
    rowsName: "groups",
    defaultLimit: 100,
    asks: [
      "sets of devices used in policies",
      "which people are grouped together",
      "named lists of macs",
      "list client groups",
      "groups of devices",
      "device groups",
      "sets of gadgets",
      "which groups can policies use",
    ],
  }),
  clientGroups.get({
    name: "unifi_get_client_group_details",
    title: "Get client group",
    summary: "Show one group of clients.",
    description: "One client group with its members' MAC addresses, by id.",
    asks: [
      "who belongs to this group",
      "members of a named mac list",
      "what is in the kids group",
      "members of a client group",
      "who is in the kids group",
      "which macs belong together",
    ],
  }),
  clientGroups.create({
    name: "unifi_create_client_group",
    title: "Create client group",
    summary: "Make a group of clients.",
    description: "Groups client MAC addresses under a name, so that policies can aim at all of them at once.",
    fields: FIELDS,
    aliases: { macs: "members", mac_addresses: "members" },
    prepare: async (data) => ({ ...(await checkMembers(data)), extra: { type: "CLIENTS" } }),
    asks: [
      "put the kids' devices together",
      "bundle several macs under a name",
      "new set of devices for a policy",
      "create a client group",
      "group the kids devices",
      "make a device group",
      "bundle my smart plugs",
      "treat the tablets as one",
    ],
  }),
  clientGroups.update({
    name: "unifi_update_client_group",
    title: "Update client group",
    summary: "Change a group of clients.",
    description: "Renames a client group or replaces its members.",
    bodyArgument: "group_data",
    bodyDescription: "Fields to change",
    fields: FIELDS,
    aliases: { update_data: "group_data", data: "group_data" },
    prepare: checkMembers,
    asks: [
      "add a laptop to the kids group",
      "take a mac out of a named list",
      "swap the members of a set of clients",
      "add a device to a group",
      "change members of a client group",
      "rename a group of clients",
      "new tablet joins the kids set",
      "one member less",
    ],
  }),
  clientGroups.delete({
    name: "unifi_delete_client_group",
    title: "Delete client group",
    summary: "Delete a group of clients.",
    description: "Removes a client group; the clients themselves stay. Policies that aim at it lose that aim.",
    check: async () => ["Policies that name this group no longer match its clients."],
    asks: ["drop a named set of macs", "ungroup these devices", "delete a client group", "remove a device group"],
  }),
];
