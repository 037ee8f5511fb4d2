/** Networks of a site: LANs, VLANs and internet connections. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { invalid, sectionsOf } from "../arguments.ts";
import { pick } from "../merge.ts";
import { resource } from "../resource.ts";
import { NETWORK_FIELDS, NETWORK_SECTIONS } from "./network-fields.ts";
import { checkNetworkChange, checkNewNetwork } from "./network-rules.ts";

const networks = resource({
  category: "network",
  gate: "networks",
  noun: "network",
  resourceType: "network",
  api: "v1",
  path: "/rest/networkconf",
  idArgument: "network_id",
  listTool: "unifi_list_networks",
  table: {
    _id: "string",
    name: "string",
    enabled: "boolean",
    purpose: "string",
    ip_subnet: "string",
    vlan_enabled: "boolean",
    vlan: "string",
    dhcpd_enabled: "boolean",
    dhcpd_start: "string",
    dhcpd_stop: "string",
  },
  row: (raw) => ({ ...raw, enabled: raw.enabled !== false }),
  encode: (data) => (data.purpose === "vpn-server" ? { ...data, purpose: "remote-user-vpn" } : data),
  decode: (data) => (data.purpose === "remote-user-vpn" ? { ...data, purpose: "vpn-server" } : data),
});

/** Purposes that may be deleted here; internet and VPN entries have their own tools and pages. */
const DELETABLE = ["corporate", "guest", "vlan-only"];

export default [
  networks.list({
    name: "unifi_list_networks",
    title: "List networks",
    summary: "List networks: LANs, VLANs, WANs, VPNs.",
    description:
      "Lists the site's networks: LANs and VLANs with subnet and DHCP range, and the internet and VPN entries beside them. Wireless names are in unifi_list_wlans.",
    asks: [
      "subnets",
      "VLAN ids in use",
      "which LANs are there",
      "address ranges",
      "is there an IoT network",
      "WAN connections",
      "which vlans do we have",
      "list networks",
      "show subnets",
      "which ip ranges are used",
      "list lans and wans",
      "what vlan id has the iot network",
      "how is the lan divided",
      "which segments are there",
      "where does dhcp run",
      "gateway address of the guest segment",
    ],
    rowsName: "networks",
    defaultLimit: 25,
    input: {
      search: Type.Optional(Type.String({ description: "Part of the name, or a VLAN id", maxLength: 128 })),
      purpose: Type.Optional(Type.String({ description: "Only this purpose, e.g. corporate or wan", maxLength: 32 })),
    },
    echo: { search: "search", purpose: "purpose_filter", fields: "fields" },
    select: (row, { search, purpose }) =>
      (typeof search !== "string" ||
        String(row.name).toLowerCase().includes(search.toLowerCase()) ||
        row.vlan === search.trim()) &&
      (typeof purpose !== "string" || row.purpose === purpose.toLowerCase()),
  }),
  networks.get({
    name: "unifi_get_network_details",
    title: "Get network details",
    summary: "Show one network, whole or by section.",
    description:
      "One network as the console stores it, secrets left out. summary=true with include returns only the named sections.",
    asks: [
      "DHCP settings of a VLAN",
      "DNS servers given to clients",
      "how is the WAN configured",
      "IPv6 of a subnet",
      "gateway address",
      "dhcp range of a network",
      "settings of a vlan",
      "which subnet is the guest network",
      "details of one network",
      "which dns servers does the network hand out",
      "which addresses does the lan hand out",
      "is dhcp on for this segment",
      "ipv6 settings of a network",
    ],
    input: {
      include: Type.Optional(
        Type.String({
          description: "With summary=true: comma list of basic, dhcp, ipv6, vpn, wan, all",
          default: "basic",
          maxLength: 100,
        }),
      ),
      summary: Type.Optional(Type.Boolean({ description: "Sections instead of the whole object", default: false })),
    },
    output: {
      include: Type.Optional(Type.String()),
      summary_mode: Type.Optional(Type.Boolean()),
      unknown_sections: Type.Optional(Type.Array(Type.String())),
    },
    details(raw, args): Row {
      if (args.summary !== true) return { details: raw };
      const include = String(args.include ?? "basic");
      const { sections, unknown } = sectionsOf(include, Object.keys(NETWORK_SECTIONS));
      return {
        details: Object.fromEntries(sections.map((name) => [name, pick(raw, NETWORK_SECTIONS[name] ?? [])])),
        include,
        summary_mode: true,
        ...(unknown.length === 0 ? {} : { unknown_sections: unknown }),
      };
    },
  }),
  networks.create({
    name: "unifi_create_network",
    title: "Create network",
    summary: "Create a network or VLAN.",
    description:
      "Creates a network. A VLAN with DHCP: purpose corporate, vlan, ip_subnet, dhcpd_start, dhcpd_stop. A bare VLAN: purpose vlan-only and vlan. Give it an SSID with unifi_create_wlan.",
    asks: [
      "new subnet",
      "separate the cameras",
      "add a LAN for guests",
      "segment smart home devices",
      "make a tagged network",
      "create a vlan",
      "new iot network",
      "add a subnet for cameras",
      "make a separate network for guests",
      "set up vlan 30",
      "isolated network for smart devices",
      "keep cameras away from everything else",
      "separate lan for tenants",
      "own segment for the lab",
      "network for gadgets that must not see my pc",
    ],
    bodyArgument: "network_data",
    bodyDescription: "The network",
    fields: NETWORK_FIELDS,
    aliases: { network: "network_data", data: "network_data" },
    prepare: checkNewNetwork,
  }),
  networks.update({
    name: "unifi_update_network",
    title: "Update network",
    summary: "Change a network: LAN, VLAN or WAN.",
    description: "Changes the given fields of a network; the others keep their values.",
    asks: [
      "widen the DHCP pool",
      "other DNS servers for a VLAN",
      "renumber a subnet",
      "isolate a segment",
      "turn multicast snooping on",
      "change the VLAN tag",
      "change the dhcp range",
      "change dns servers of a network",
      "enlarge the subnet",
      "turn off dhcp",
      "change the vlan id",
      "isolate a network",
      "set the lease time",
      "we ran out of addresses",
      "clients should use another dns resolver",
      "make the subnet bigger",
      "let the vlan reach the internet or not",
      "multicast between devices does not work, igmp snooping",
    ],
    bodyArgument: "update_data",
    bodyDescription: "Fields to change",
    fields: NETWORK_FIELDS,
    aliases: { network_data: "update_data", data: "update_data" },
    prepare: checkNetworkChange,
  }),
  networks.delete({
    name: "unifi_delete_network",
    title: "Delete network",
    summary: "Delete a LAN or VLAN.",
    description: "Removes a LAN or VLAN; built-in networks, WANs and VPNs stay.",
    asks: [
      "remove a subnet",
      "get rid of an old VLAN",
      "drop a segment",
      "clean up unused LANs",
      "delete a vlan",
      "remove a network",
      "get rid of an unused subnet",
      "nobody uses that segment any more",
    ],
    reads: ["GET /api/s/{site}/rest/wlanconf"],
    async check({ context, current }) {
      if (!DELETABLE.includes(String(current.purpose))) throw invalid("Only LANs and VLANs can be removed here.");
      const wlans = await context.network.v1("GET", "/rest/wlanconf");
      const bound = wlans.filter((wlan) => wlan.networkconf_id === current._id).length;
      return [
        "Clients of this network lose their connection.",
        ...(bound === 0 ? [] : [`Wireless networks bound to it: ${bound}. Move or delete them first.`]),
      ];
    },
  }),
];
