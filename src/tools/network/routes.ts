/** Static routes, and the routing table that the gateway works by. */
import { Type } from "typebox";
import { listArguments, listOutput, listPayload } from "../listing.ts";
import { resource } from "../resource.ts";
import { defineTool } from "../tool.ts";
import { ACTIVE_ROUTE_TABLE, activeRouteRow, checkNewRoute, checkRouteChange, routeRow } from "./route-rules.ts";

const routes = resource({
  category: "routing",
  gate: "routes",
  noun: "static route",
  resourceType: "static_route",
  api: "v1",
  path: "/rest/routing",
  idArgument: "route_id",
  listTool: "unifi_list_routes",
  table: {
    id: "string",
    name: "string",
    target_subnet: "string",
    gateway: "string",
    distance: "integer",
    enabled: "boolean",
    type: "string",
    interface: "string",
  },
  row: routeRow,
  rename: {
    network: "static-route_network",
    nexthop: "static-route_nexthop",
    distance: "static-route_distance",
  },
});

const FIELDS = {
  name: Type.String({ description: "Name of the route", minLength: 1, maxLength: 128 }),
  network: Type.String({ description: "Destination, CIDR with its prefix, e.g. 10.20.0.0/16", maxLength: 49 }),
  nexthop: Type.String({ description: "Address of the router that leads there", minLength: 2, maxLength: 45 }),
  distance: Type.Optional(
    Type.Integer({ description: "Metric; the lower one wins. A new route takes 1", minimum: 1, maximum: 255 }),
  ),
  enabled: Type.Optional(Type.Boolean({ description: "Whether it is in force; a new route is" })),
};

const ALIASES = {
  destination: "network",
  subnet: "network",
  gateway: "nexthop",
  next_hop: "nexthop",
  metric: "distance",
};
const NETWORKS = ["GET /api/s/{site}/rest/networkconf"] as const;
const ACTIVE_LIMIT = 200;

export default [
  routes.list({
    name: "unifi_list_routes",
    title: "List static routes",
    summary: "List the configured static routes.",
    description:
      "Lists the static routes that were configured, also those that are off. What the gateway really routes by is in unifi_list_active_routes; routes by domain or client are in unifi_list_traffic_routes.",
    asks: [
      "manual routes",
      "which subnets go through another router",
      "route configuration",
      "next hops set by hand",
      "list static routes",
      "which routes are configured",
      "custom routing",
      "routes that somebody configured",
      "manual routing entries",
    ],
    rowsName: "routes",
    defaultLimit: 100,
  }),
  routes.get({
    name: "unifi_get_route_details",
    title: "Get static route",
    summary: "Show one static route.",
    description: "One static route as the console stores it, by id.",
    asks: [
      "details of a manual route",
      "where does this subnet lead",
      "next hop and metric of one entry",
      "inspect a route",
      "details of a static route",
      "show one route",
    ],
    output: { route: Type.Optional(Type.Object({})) },
    details: (raw) => ({ route: raw }),
  }),
  routes.create({
    name: "unifi_create_route",
    title: "Create static route",
    summary: "Add a static route to a subnet.",
    description:
      "Adds a static route: traffic for a subnet goes to another router of the site, the next hop. Sending chosen clients or domains through a VPN or WAN is a traffic route instead.",
    asks: [
      "reach a remote subnet",
      "send 10.20.0.0/16 to another router",
      "add a next hop",
      "ip route add",
      "add a static route",
      "route a subnet via another gateway",
      "reach the lab network through a router",
      "new next hop",
      "packets for the other office go the wrong way",
      "send 10.1.0.0/16 to the second router",
      "subnet behind another router",
      "gateway for a remote subnet",
      "traffic for the lab must go to 192.168.1.2",
    ],
    fields: FIELDS,
    aliases: ALIASES,
    prepare: checkNewRoute,
    reads: NETWORKS,
  }),
  routes.update({
    name: "unifi_update_route",
    title: "Update static route",
    summary: "Change fields of a static route.",
    description:
      "Changes the given fields of a static route; the others keep their values. enabled=false takes it out of force and keeps it.",
    asks: [
      "change a next hop",
      "turn a manual route off",
      "another metric",
      "reroute a subnet",
      "rename a route",
      "change a static route",
      "new next hop for a route",
      "disable a route",
      "the other router has a new address",
      "change metric of a route",
    ],
    fields: FIELDS,
    aliases: ALIASES,
    prepare: checkRouteChange,
    reads: NETWORKS,
  }),
  defineTool({
    name: "unifi_list_active_routes",
    title: "List active routes",
    summary: "List the gateway's live routing table.",
    description:
      "Lists the routes the gateway works by now: connected networks, static and learned routes, each with every next hop. What was configured by hand is in unifi_list_routes. Needs a UniFi gateway.",
    asks: [
      "forwarding table",
      "show ip route",
      "is my route in force",
      "which interface leads to a subnet",
      "netstat -r",
      "show the routing table",
      "which routes are active",
      "current routes of the gateway",
      "what is the default route",
      "which way do packets leave",
      "next hops in use",
      "where is traffic for a subnet sent",
    ],
    app: "network",
    category: "routing",
    permission: { category: "routes", action: "read" },
    input: listArguments(ACTIVE_LIMIT),
    output: listOutput("active_routes", ACTIVE_ROUTE_TABLE),
    reads: ["GET /api/s/{site}/stat/routing"],
    async run({ network }, args) {
      const rows = (await network.v1("GET", "/stat/routing")).map(activeRouteRow);
      const { site } = network;
      return listPayload({
        site,
        rowsName: "active_routes",
        table: ACTIVE_ROUTE_TABLE,
        rows,
        args,
        defaultLimit: ACTIVE_LIMIT,
      });
    },
  }),
];
