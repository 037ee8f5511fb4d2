/** ACL rules in flat names, as arguments and lists have them, and in the console's nested form. */
import type { Row } from "../../controller/controller.ts";
import { invalid, normalMac } from "../arguments.ts";
import { idOf, listRows } from "../collection.ts";
import type { Circumstances, Prepared } from "../resource.ts";
import { isRow } from "../rows.ts";
import { isMac } from "./firewall-values.ts";

const ENDS = ["source", "destination"] as const;
const MAC_BITS = 48;

/** A console's rule in flat names; netmasks are null where there is none, or none that is a number of leading bits. */
export function aclRow(raw: Row): Row {
  const ends = ENDS.flatMap((end) => {
    const traffic = raw[`traffic_${end}`];
    const { type, specific_mac_addresses: macs, mac_mask: mask }: Row = isRow(traffic) ? traffic : {};
    return [
      [`${end}_type`, type],
      [`${end}_macs`, Array.isArray(macs) ? macs : []],
      [`${end}_netmask`, bitsOfMask(mask)],
      [`${end}_mac_mask`, mask],
    ] as const;
  });
  const { name, type, acl_index, action, enabled, mac_acl_network_id: network_id } = raw;
  const rule = { id: raw._id ?? raw.id, type, name, acl_index, action, enabled: enabled !== false, network_id };
  return { ...rule, ...Object.fromEntries(ends) };
}

/** Flat fields in the console's form; a netmask of null is said by taking the field away (Prepared.drops). */
export function encodeAcl(data: Row): Row {
  const { network_id: network, source_macs, destination_macs, source_netmask, destination_netmask, ...rest } = data;
  const given: Row = { source_macs, destination_macs, source_netmask, destination_netmask };
  const ends = ENDS.map((end) => {
    const macs = given[`${end}_macs`];
    const bits = given[`${end}_netmask`];
    const traffic = {
      ...(macs === undefined ? {} : { specific_mac_addresses: macs }),
      ...(typeof bits === "number" ? { mac_mask: maskOfBits(bits) } : {}),
    };
    return [`traffic_${end}`, traffic] as const;
  });
  return {
    ...rest,
    ...(network === undefined ? {} : { mac_acl_network_id: network }),
    ...Object.fromEntries(ends.filter(([, traffic]) => Object.keys(traffic).length > 0)),
  };
}

/** `ff:ff:ff:00:00:00` for 24. */
export function maskOfBits(bits: number): string {
  const binary = "1".repeat(bits).padEnd(MAC_BITS, "0");
  return (binary.match(/.{8}/g) ?? [])
    .map((octet) => Number.parseInt(octet, 2).toString(16).padStart(2, "0"))
    .join(":");
}

/** Null where there is no mask, or one whose bits are not the leading ones. */
export function bitsOfMask(mask: unknown): number | null {
  if (typeof mask !== "string" || !isMac(mask)) return null;
  const octets = normalMac(mask).split(":");
  const binary = octets.map((octet) => Number.parseInt(octet, 16).toString(2).padStart(8, "0")).join("");
  return /^1*0*$/.test(binary) ? binary.replaceAll("0", "").length : null;
}

const EVERYWHERE = { type: "CLIENT_MAC", specific_mac_addresses: [], ips_or_subnets: [], network_ids: [], ports: [] };
const NEW_RULE = { type: "MAC", specific_enforcers: [], traffic_source: EVERYWHERE, traffic_destination: EVERYWHERE };

export async function checkNewAcl(asked: Row, { context }: Circumstances): Promise<Prepared> {
  const data = withNormalMacs({ enabled: true, source_macs: [], destination_macs: [], ...asked }, "");
  await checkNetwork(context, data, "");
  return { data, extra: NEW_RULE, warnings: warningsOf(data) };
}

export async function checkAclChange(asked: Row, { context, current = {}, args }: Circumstances): Promise<Prepared> {
  if (current.type !== undefined && current.type !== "MAC") {
    throw invalid("This rule does not match MAC addresses, so its fields are others than these.");
  }
  // null leaves a field alone, as clients of the catalogue send it
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null));
  const cleared = ENDS.filter((end) => args[`clear_${end}_netmask`] === true);
  const data = {
    ...withNormalMacs(given, "rule_data."),
    ...Object.fromEntries(cleared.map((end) => [`${end}_netmask`, null])),
  };
  await checkNetwork(context, data, "rule_data.");
  return {
    data,
    drops: cleared.map((end) => [`traffic_${end}`, "mac_mask"]),
    warnings: warningsOf({ ...aclRow(current), ...data }),
  };
}

/** The error names the place and not the address. */
function withNormalMacs(data: Row, at: string): Row {
  const lists = ENDS.map((end) => `${end}_macs`).filter((field) => Array.isArray(data[field]));
  const normal = lists.map((field) => {
    const macs = (data[field] as readonly unknown[]).map(String); // a list by the line above
    const wrong = macs.findIndex((mac) => !isMac(mac));
    if (wrong >= 0) throw invalid(`${at}${field}[${wrong}] is not a MAC address.`);
    return [field, macs.map(normalMac)] as const;
  });
  return { ...data, ...Object.fromEntries(normal) };
}

async function checkNetwork({ network }: Circumstances["context"], data: Row, at: string): Promise<void> {
  if (data.network_id === undefined) return;
  const networks = await listRows(network, { api: "v1", path: "/rest/networkconf" });
  if (networks.some((row) => idOf(row) === data.network_id)) return;
  throw invalid(`${at}network_id names no network of this site.`, "unifi_list_networks lists the ids.");
}

/** A rule that lost its addresses on the way would match everything: that is said before it is sent. */
function warningsOf(rule: Row): readonly string[] {
  const matchesAny = (end: string) => {
    const macs = rule[`${end}_macs`];
    return (Array.isArray(macs) && macs.length === 0) || rule[`${end}_netmask`] === 0;
  };
  return rule.enabled !== false && ENDS.every(matchesAny)
    ? ["It names no addresses on either side, so it matches all traffic within the network."]
    : [];
}
