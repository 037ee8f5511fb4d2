/** VPN entries of a site: connections it makes (clients, site-to-site) and servers it runs. Keys and profiles never show. */
import { type TProperties, Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { listRowsIfServed } from "../collection.ts";
import { resource } from "../resource.ts";
import { type ResourceFacts, resourcePlans } from "../resource-plans.ts";
import { defineTool, type Tool, type ToolWords } from "../tool.ts";
import { isVpnConnection, isVpnServer, VPN_TABLE, vpnRow } from "./vpn-rows.ts";

const NETWORKS = { category: "vpn", api: "v1", path: "/rest/networkconf", table: VPN_TABLE, row: vpnRow } as const;

const CLIENTS: ResourceFacts = {
  ...NETWORKS,
  gate: "vpn_clients",
  noun: "VPN connection",
  resourceType: "vpn_client",
  idArgument: "client_id",
  listTool: "unifi_list_vpn_clients",
  belongs: isVpnConnection,
};

const SERVERS: ResourceFacts = {
  ...NETWORKS,
  gate: "vpn_servers",
  noun: "VPN server",
  resourceType: "vpn_server",
  idArgument: "server_id",
  listTool: "unifi_list_vpn_servers",
  belongs: isVpnServer,
};

const clients = resource(CLIENTS);
const servers = resource(SERVERS);

/** Sets `enabled`; an entry without the field counts as enabled. */
function stateTool(facts: ResourceFacts, warning: string, words: ToolWords): Tool {
  const { idArgument } = facts;
  const { findOrThrow, replacement } = resourcePlans(facts);
  const input: TProperties = {
    [idArgument]: Type.String({ description: `Id of the ${facts.noun}`, minLength: 1, maxLength: 64 }),
    enabled: Type.Boolean({ description: "true turns it on, false off" }),
  };
  return defineTool({
    ...words,
    app: "network",
    category: facts.category,
    permission: { category: facts.gate, action: "update" },
    aliases: { id: idArgument, _id: idArgument, vpn_id: idArgument, state: "enabled" },
    input,
    output: {
      [idArgument]: Type.Optional(Type.String()),
      updated_fields: Type.Optional(Type.Array(Type.String())),
    },
    reads: ["GET /api/s/{site}/rest/networkconf"],
    writes: ["PUT /api/s/{site}/rest/networkconf/{id}"],
    async plan(context, args: Row) {
      const { current } = await findOrThrow(context, args[idArgument]);
      const { enabled } = args;
      const warnings = enabled === false ? [warning] : [];
      return replacement(context, { enabled: true, ...current }, { data: { enabled }, warnings }, "update");
    },
  });
}

export default [
  clients.list({
    name: "unifi_list_vpn_clients",
    title: "List VPN clients",
    summary: "List VPNs the site dials: client, site-to-site.",
    description:
      "Lists the VPN connections that this site makes: VPN clients to a provider or another router, and site-to-site tunnels (kind says which). VPNs that people dial into are in unifi_list_vpn_servers; what goes through one is in unifi_list_traffic_routes.",
    asks: [
      "site to site tunnels",
      "outgoing VPN",
      "WireGuard or OpenVPN provider",
      "IPsec tunnel to the branch",
      "VPN uplinks",
      "list vpn clients",
      "is the vpn connected",
      "outgoing vpn tunnels",
      "vpn connections of the gateway",
      "is the tunnel to headquarters up",
      "are offices linked",
      "state of the link between sites",
    ],
    rowsName: "vpn_clients",
    defaultLimit: 100,
  }),
  clients.get({
    name: "unifi_get_vpn_client_details",
    title: "Get VPN client details",
    summary: "Show one VPN client or site-to-site tunnel.",
    description:
      "One VPN client or site-to-site tunnel as the console stores it, by id; keys, passwords and profiles are left out.",
    asks: [
      "settings of the tunnel",
      "IPsec proposals of the branch VPN",
      "which peer does the VPN use",
      "remote subnets",
      "details of a vpn tunnel",
      "which server does the vpn client use",
      "show a site to site vpn",
      "why does the tunnel not come up",
      "endpoint of the tunnel",
    ],
  }),
  stateTool(CLIENTS, "Traffic through this VPN stops, or leaves by the internet connection.", {
    name: "unifi_update_vpn_client_state",
    title: "Update VPN client state",
    summary: "Turn a VPN client or tunnel on or off.",
    description:
      "Turns a VPN client or a site-to-site tunnel on or off; its other settings stay. For a VPN that people dial into: unifi_update_vpn_server_state.",
    asks: [
      "connect the VPN",
      "disconnect the tunnel",
      "stop using the VPN provider",
      "bring the branch tunnel up",
      "turn the vpn tunnel off",
      "disable vpn client",
      "bring the tunnel up",
      "connect to nordvpn",
      "drop the link to headquarters",
      "turn the outgoing tunnel on",
    ],
  }),
  clients.delete({
    name: "unifi_delete_vpn_client",
    title: "Delete VPN client",
    summary: "Delete a VPN client or site-to-site tunnel.",
    description:
      "Removes a VPN client or a site-to-site tunnel with its keys, for good. To disconnect it for a while, use unifi_update_vpn_client_state.",
    asks: [
      "remove the VPN provider",
      "tear down the branch tunnel",
      "forget an outgoing VPN",
      "drop a site-to-site link",
      "delete a vpn connection",
      "remove a vpn tunnel",
      "drop the site to site vpn",
      "cancelled the vpn provider, remove it",
    ],
    reads: ["GET /v2/api/site/{site}/trafficroutes"],
    async check({ context, current }) {
      const routes = await listRowsIfServed(context.network, { api: "v2", path: "/trafficroutes" });
      const bound = routes.filter((route) => route.network_id === current._id).length;
      return [
        "Its keys and profile go with it.",
        ...(bound === 0 ? [] : [`Traffic routes that lead through it: ${bound}.`]),
      ];
    },
  }),
  servers.list({
    name: "unifi_list_vpn_servers",
    title: "List VPN servers",
    summary: "List VPN servers that people dial into.",
    description:
      "Lists the VPN servers that this site runs for people to dial into (WireGuard, OpenVPN, L2TP), with subnet and port. Connections that the site itself makes are in unifi_list_vpn_clients.",
    asks: [
      "remote access VPN",
      "road warrior",
      "dial-in VPN",
      "can I reach home from outside",
      "WireGuard server port",
      "list vpn servers",
      "can people dial in",
      "wireguard server",
      "which vpn server is running",
      "can I reach home from abroad",
      "how do remote workers connect",
      "dial-in options",
    ],
    rowsName: "vpn_servers",
    defaultLimit: 100,
  }),
  servers.get({
    name: "unifi_get_vpn_server_details",
    title: "Get VPN server details",
    summary: "Show one VPN server.",
    description: "One VPN server as the console stores it, by id; keys, passwords and profiles are left out.",
    asks: [
      "settings of remote access",
      "which port does the dial-in VPN use",
      "address pool of VPN users",
      "L2TP options",
      "details of the vpn server",
      "port of the wireguard server",
      "who may dial in",
      "which port does remote access use",
      "pool of addresses for dial-in",
    ],
  }),
  stateTool(SERVERS, "People who are connected through this VPN lose their connection.", {
    name: "unifi_update_vpn_server_state",
    title: "Update VPN server state",
    summary: "Turn a VPN server on or off.",
    description:
      "Turns a VPN server that people dial into on or off; its other settings stay. For a VPN that the site itself dials: unifi_update_vpn_client_state.",
    asks: [
      "enable remote access",
      "close the dial-in VPN",
      "stop WireGuard for users",
      "let staff work from home",
      "turn on the vpn server",
      "disable remote access",
      "stop the wireguard server",
      "enable dial-in vpn",
      "let me dial in from holiday",
      "stop everyone from dialling in",
      "remote workers cannot connect, is the server on",
    ],
  }),
];
