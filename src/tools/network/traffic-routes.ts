/** Traffic routes: chosen clients or destinations sent through a VPN or another WAN. */
import { Type } from "typebox";
import { resource } from "../resource.ts";
import { checkTrafficRoute, trafficRouteRow } from "./traffic-route-rules.ts";

const routes = resource({
  category: "traffic_routes",
  gate: "traffic_routes",
  noun: "traffic route",
  resourceType: "traffic_route",
  api: "v2",
  path: "/trafficroutes",
  idArgument: "route_id",
  listTool: "unifi_list_traffic_routes",
  lacking: "This console has no traffic routes: they need a UniFi gateway.",
  table: {
    _id: "string",
    description: "string",
    enabled: "boolean",
    network_id: "string",
    next_hop: "string",
    matching_target: "string",
    kill_switch_enabled: "boolean",
    domains: "integer",
    ip_addresses: "integer",
    ip_ranges: "integer",
    regions: "integer",
    target_devices: "integer",
  },
  row: trafficRouteRow,
});

const MOST_ITEMS = 1000;

const text = (description: string, maxLength: number) => Type.String({ description, minLength: 1, maxLength });
const port = Type.Integer({ description: "Port", minimum: 1, maximum: 65535 });
const version = Type.Optional(
  Type.Enum(["v4", "v6"], { type: "string", description: "IP version; follows from the address" }),
);

const PORTS = {
  ports: Type.Optional(Type.Array(port, { description: "Ports; none = all", maxItems: 100 })),
  port_ranges: Type.Optional(
    Type.Array(
      Type.Object(
        { port_start: port, port_stop: port },
        { description: "First and last port", additionalProperties: false },
      ),
      { description: "Ranges of ports", maxItems: 100 },
    ),
  ),
};

const closed = { additionalProperties: false };

const FIELDS = {
  enabled: Type.Boolean({ description: "Whether it is in force" }),
  kill_switch_enabled: Type.Boolean({ description: "Block this traffic while the VPN is down" }),
  target_devices: Type.Array(
    Type.Object(
      {
        type: Type.Enum(["ALL_CLIENTS", "CLIENT", "NETWORK"], { type: "string", description: "What it names" }),
        client_mac: Type.Optional(text("MAC address, for CLIENT", 32)),
        network_id: Type.Optional(text("Id of a network, for NETWORK", 64)),
      },
      closed,
    ),
    { description: "Whose traffic is routed; replaces the list", minItems: 1, maxItems: MOST_ITEMS },
  ),
  domains: Type.Array(Type.Object({ domain: text("Domain, e.g. example.com", 253), ...PORTS }, closed), {
    description: "Destination domains; replaces the list",
    maxItems: MOST_ITEMS,
  }),
  ip_addresses: Type.Array(
    Type.Object({ ip_or_subnet: text("Address or CIDR", 49), ip_version: version, ...PORTS }, closed),
    { description: "Destination addresses; replaces the list", maxItems: MOST_ITEMS },
  ),
  ip_ranges: Type.Array(
    Type.Object(
      { ip_start: text("First address", 45), ip_stop: text("Last address", 45), ip_version: version },
      closed,
    ),
    { description: "Destination address ranges; replaces the list", maxItems: MOST_ITEMS },
  ),
  regions: Type.Array(Type.String({ description: "Country", pattern: "^[A-Za-z]{2}$" }), {
    description: "Destination countries, two letters each; replaces the list",
    maxItems: 300,
  }),
  next_hop: Type.String({ description: "IP address of the next hop; empty = none", maxLength: 45 }),
};

export default [
  routes.list({
    name: "unifi_list_traffic_routes",
    title: "List traffic routes",
    summary: "List policy-based traffic routes.",
    description:
      "Lists the routes by client, domain, address or country that send traffic through a VPN or another WAN; lists are shown as counts. Routes by subnet alone are in unifi_list_routes.",
    asks: [
      "policy based routing",
      "what goes through the VPN",
      "split tunnel",
      "which domains use the second WAN",
      "PBR",
      "list traffic routes",
      "policy based routing rules",
      "which traffic goes through the vpn",
      "split tunnelling rules",
      "who leaves through which wan",
      "devices that use the tunnel",
    ],
    rowsName: "traffic_routes",
    defaultLimit: 100,
  }),
  routes.get({
    name: "unifi_get_traffic_route_details",
    title: "Get traffic route details",
    summary: "Show one traffic route with its lists.",
    description: "One traffic route as the console stores it, with its domains, addresses and clients, by id.",
    asks: [
      "which clients use the VPN",
      "domains of a policy route",
      "is there a kill switch",
      "split tunnel members",
      "details of a traffic route",
      "show one policy route",
    ],
  }),
  routes.update({
    name: "unifi_update_traffic_route",
    title: "Update traffic route",
    summary: "Change fields of a traffic route.",
    description:
      "Changes the given fields of a traffic route; a list that is given replaces the old one whole, and what the route matches by cannot be emptied. To turn it on or off: unifi_toggle_traffic_route.",
    asks: [
      "send the TV through the VPN",
      "add a domain to the split tunnel",
      "VPN kill switch",
      "route a country elsewhere",
      "send netflix through the vpn",
      "change a policy route",
      "route a device via wan2",
      "edit traffic route",
      "kill switch for a vpn route",
      "tv should appear in another country",
      "send the work laptop through the office tunnel",
      "use the second line for backups",
    ],
    fields: FIELDS,
    prepare: checkTrafficRoute,
    reads: ["GET /api/s/{site}/rest/networkconf"],
  }),
  routes.toggle({
    name: "unifi_toggle_traffic_route",
    title: "Toggle traffic route",
    summary: "Turn a traffic route on or off.",
    description:
      "Turns an enabled traffic route off and a disabled one on. To set a state, use unifi_update_traffic_route.",
    asks: [
      "stop sending traffic through the VPN",
      "pause policy routing",
      "switch the split tunnel on",
      "bypass the VPN",
      "turn a traffic route on or off",
      "disable policy routing",
      "tv should use the normal line again",
      "suspend the tunnel routing",
    ],
  }),
];
