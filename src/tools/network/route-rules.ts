/** Static routes: their rows, and what must hold before the console is asked to store one. */
import { isIP } from "node:net";
import type { Row } from "../../controller/controller.ts";
import { invalid } from "../arguments.ts";
import { ipv4Number, ipv4Text, isHostOf, subnetOf } from "../ipv4.ts";
import type { Circumstances, Prepared } from "../resource.ts";
import { isRow, numberOf, project, type RowTable } from "../rows.ts";

/** What makes a row of the console's routing collection a static route by next hop. */
const NEW_ROUTE = { type: "static-route", "static-route_type": "nexthop-route", gateway_type: "default" };

export const ACTIVE_ROUTE_TABLE = {
  target_subnet: "string",
  gateway: "string",
  interface: "string",
  distance: "integer",
  next_hops: "objects",
} as const satisfies RowTable;

export function routeRow(raw: Row): Row {
  const nexthop = raw["static-route_nexthop"];
  const outgoing = raw["static-route_interface"];
  return {
    ...raw,
    id: raw._id,
    target_subnet: raw["static-route_network"],
    gateway: nexthop === "" ? undefined : nexthop,
    interface: outgoing === "" ? undefined : outgoing,
    distance: raw["static-route_distance"],
    type: raw["static-route_type"],
    enabled: raw.enabled !== false,
  };
}

/** A row of the live table; consoles write the metric at the route (`metric`) or the next hop (`"1/0"`). */
export function activeRouteRow(raw: Row): Row {
  const hops = (Array.isArray(raw.nh) ? raw.nh : []).filter(isRow).map((hop) => ({
    gateway: hop.via,
    interface: hop.intf,
    distance: numberOf(String(hop.metric ?? "").split("/")[0]),
  }));
  const [first] = hops;
  const row = {
    target_subnet: raw.pfx,
    gateway: first?.gateway,
    interface: first?.interface,
    distance: raw.metric ?? first?.distance,
    next_hops: hops,
  };
  return project(row, ACTIVE_ROUTE_TABLE);
}

export async function checkNewRoute(asked: Row, circumstances: Circumstances): Promise<Prepared> {
  const data = { ...asked, distance: asked.distance ?? 1, enabled: asked.enabled ?? true };
  return { ...(await checked(data, data, circumstances)), extra: NEW_ROUTE };
}

export async function checkRouteChange(data: Row, circumstances: Circumstances): Promise<Prepared> {
  const { current = {} } = circumstances;
  if (data.nexthop !== undefined && current["static-route_type"] !== "nexthop-route") {
    throw invalid("This route leads to an interface or nowhere: it has no next hop to change.");
  }
  const merged = {
    network: current["static-route_network"],
    nexthop: current["static-route_nexthop"],
    distance: current["static-route_distance"],
    ...data,
  };
  return checked(data, merged, circumstances);
}

async function checked(data: Row, merged: Row, { context, current, siblings }: Circumstances): Promise<Prepared> {
  const warnings: string[] = [];
  const network = data.network === undefined ? undefined : cleanNetwork(String(data.network), warnings);
  const nexthop = data.nexthop === undefined ? undefined : String(data.nexthop).trim();
  if (nexthop !== undefined && isIP(nexthop) === 0) throw invalid("nexthop is an IPv4 or IPv6 address.");
  const whole: Row = { ...merged, ...(network && { network }), ...(nexthop && { nexthop }) };
  checkTogether(whole);
  const same = siblings.some(
    (other) =>
      other !== current &&
      other.enabled !== false &&
      other["static-route_network"] === whole.network &&
      Number(other["static-route_distance"]) === Number(whole.distance),
  );
  if (same) warnings.push("Another enabled route leads to this network at the same distance.");
  if (nexthop !== undefined) warnings.push(...(await nexthopWarnings(nexthop, context.network)));
  return { data: { ...data, ...(network && { network }), ...(nexthop && { nexthop }) }, warnings };
}

/** The destination as the console wants it: with its prefix, without host bits. */
function cleanNetwork(text: string, warnings: string[]): string {
  const [host = "", length = "", ...rest] = text.trim().split("/");
  const family = isIP(host);
  const prefix = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (family === 0 || rest.length > 0 || !(prefix >= 1 && prefix <= (family === 4 ? 32 : 128))) {
    throw invalid("network is an address with its prefix length, e.g. 10.20.0.0/16; /0 belongs to the WAN settings.");
  }
  if (family === 6) return `${host}/${prefix}`;
  const number = ipv4Number(host) ?? 0;
  const size = 2 ** (32 - prefix);
  const first = Math.floor(number / size) * size;
  if (first !== number) warnings.push("network had host bits set: the subnet's first address is taken.");
  return `${ipv4Text(first)}/${prefix}`;
}

function checkTogether({ network, nexthop }: Row): void {
  if (typeof network !== "string" || typeof nexthop !== "string" || nexthop === "") return;
  if (isIP(network.split("/")[0] ?? "") !== isIP(nexthop)) {
    throw invalid("network and nexthop must be of one kind: both IPv4 or both IPv6.");
  }
  const subnet = subnetOf(network);
  const hop = ipv4Number(nexthop);
  if (subnet !== undefined && hop !== undefined && hop >= subnet.network && hop <= subnet.broadcast) {
    throw invalid("nexthop lies inside the destination itself: name a router that is reached without this route.");
  }
}

async function nexthopWarnings(nexthop: string, site: Circumstances["context"]["network"]): Promise<string[]> {
  const hop = ipv4Number(nexthop);
  if (hop === undefined) return [];
  const subnets = (await site.v1("GET", "/rest/networkconf")).flatMap((row) => subnetOf(String(row.ip_subnet)) ?? []);
  if (subnets.some((subnet) => subnet.address === hop)) return ["The next hop is this gateway's own address."];
  if (subnets.some((subnet) => isHostOf(subnet, hop))) return [];
  return ["The next hop lies in none of the site's networks, so the gateway may not reach it."];
}
