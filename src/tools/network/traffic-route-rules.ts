/** Traffic routes: their rows, and what must hold for their lists. */
import { isIP } from "node:net";
import type { Row } from "../../controller/controller.ts";
import { invalid, normalMac } from "../arguments.ts";
import type { Circumstances, Prepared } from "../resource.ts";
import { isRow } from "../rows.ts";

/** The lists that hold what a route matches by. */
const LISTS_OF_TARGET: Readonly<Record<string, readonly string[]>> = {
  DOMAIN: ["domains"],
  IP: ["ip_addresses", "ip_ranges"],
  REGION: ["regions"],
  INTERNET: [],
};
const LISTS = ["domains", "ip_addresses", "ip_ranges", "regions", "target_devices"] as const;

/** Lists as counts: a route may hold hundreds of domains. */
export function trafficRouteRow(raw: Row): Row {
  const counts = LISTS.map((list) => [list, rowsIn(raw[list]).length] as const);
  return { ...raw, ...Object.fromEntries(counts), enabled: raw.enabled !== false };
}

function rowsIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export async function checkTrafficRoute(asked: Row, { context, current = {} }: Circumstances): Promise<Prepared> {
  const data = Object.fromEntries(Object.entries(asked).map(([field, value]) => [field, completed(field, value)]));
  const matched = LISTS_OF_TARGET[String(current.matching_target)];
  if (matched !== undefined && matched.length > 0) {
    const after: Row = { ...current, ...data };
    const empty = matched.every((list) => rowsIn(after[list]).length === 0);
    if (empty) throw invalid(`This route matches by ${matched.join(" or ")}, which must not be empty.`);
  }
  const idle = LISTS.filter((list) => list !== "target_devices" && rowsIn(data[list]).length > 0).filter(
    (list) => matched !== undefined && !matched.includes(list),
  );
  await checkNetworks(data, context);
  const nexthop = data.next_hop;
  if (typeof nexthop === "string" && nexthop !== "" && isIP(nexthop) === 0) {
    throw invalid("next_hop is an IP address, or empty.");
  }
  return {
    data,
    warnings: idle.map((list) => `This route does not match by ${list}: the list has no effect.`),
  };
}

/** Items in the console's form; refusals name the item. */
function completed(field: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  if (field === "regions") return value.map((region) => String(region).toUpperCase());
  const complete = COMPLETE[field];
  return complete === undefined
    ? value
    : value.map((item, index) => complete(isRow(item) ? item : {}, `${field}.${index}`));
}

const COMPLETE: Readonly<Record<string, (item: Row, path: string) => Row>> = {
  target_devices: targetDevice,
  domains: (item, path) => ({ ...item, ...portsOf(item, path) }),
  ip_addresses: (item, path) => ({
    ...item,
    ip_version: versionOf(String(item.ip_or_subnet), item.ip_version, `${path}.ip_or_subnet`, true),
    ...portsOf(item, path),
  }),
  ip_ranges: (item, path) => {
    const first = versionOf(String(item.ip_start), item.ip_version, `${path}.ip_start`, false);
    return { ...item, ip_version: versionOf(String(item.ip_stop), first, `${path}.ip_stop`, false) };
  },
};

/** The console wants both lists, also empty ones. */
function portsOf(item: Row, path: string): Row {
  const ranges = rowsIn(item.port_ranges).filter(isRow);
  const wrong = ranges.findIndex((range) => Number(range.port_start) > Number(range.port_stop));
  if (wrong >= 0) throw invalid(`${path}.port_ranges.${wrong} runs backwards.`);
  return { ports: rowsIn(item.ports), port_ranges: ranges };
}

function versionOf(text: string, said: unknown, path: string, prefixed: boolean): string {
  const [host = "", length, ...rest] = text.split("/");
  const family = isIP(host);
  const longest = family === 4 ? 32 : 128;
  const fits = length === undefined || (prefixed && /^\d{1,3}$/.test(length) && Number(length) <= longest);
  if (family === 0 || !fits || rest.length > 0) {
    throw invalid(`${path} is no IP address${prefixed ? " or CIDR" : ""}.`);
  }
  const version = `v${family}`;
  if (said !== undefined && said !== version) throw invalid(`${path} is not of the IP version that was given.`);
  return version;
}

function targetDevice(item: Row, path: string): Row {
  if (item.type === "CLIENT") {
    const mac = normalMac(String(item.client_mac ?? ""));
    if (/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac)) return { ...item, client_mac: mac };
    throw invalid(`${path}.client_mac must be the MAC address of a client.`);
  }
  if (item.type === "NETWORK" && item.network_id === undefined) {
    throw invalid(`${path}.network_id must be the id of a network.`, "unifi_list_networks lists the ids.");
  }
  return item;
}

/** A route to a network that is not there would match nobody, and the console takes it. */
async function checkNetworks(data: Row, context: Circumstances["context"]): Promise<void> {
  const targets = rowsIn(data.target_devices).filter(isRow);
  const wanted = targets.filter((target) => target.type === "NETWORK");
  if (wanted.length === 0) return;
  const known = new Set((await context.network.v1("GET", "/rest/networkconf")).map((network) => network._id));
  const index = targets.findIndex((target) => target.type === "NETWORK" && !known.has(target.network_id));
  if (index < 0) return;
  throw invalid(
    `target_devices.${index}.network_id names no network of this site.`,
    "unifi_list_networks lists the ids.",
  );
}
