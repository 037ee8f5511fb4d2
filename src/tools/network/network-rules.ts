/** What must hold for a network before the console is asked to store it. */
import { isIPv4 } from "node:net";
import type { Row } from "../../controller/controller.ts";
import { invalid } from "../arguments.ts";
import { ipv4Number, ipv4Text, isHostOf, overlaps, type Subnet, subnetOf } from "../ipv4.ts";
import type { Circumstances, Prepared } from "../resource.ts";
import { WAN_CRITICAL } from "./network-fields.ts";

/** Purposes that a LAN can have; their subnets and VLANs must not collide. */
const LOCAL = ["corporate", "guest", "vlan-only"];

/** A new network: completes what follows from the arguments and refuses what the console would refuse or mangle. */
export async function checkNewNetwork(data: Row, { siblings }: Circumstances): Promise<Prepared> {
  const { purpose } = data;
  if (purpose !== "vlan-only" && data.ip_subnet === undefined)
    throw invalid("A network of this purpose needs ip_subnet.");
  if (purpose === "vlan-only" && data.vlan === undefined) throw invalid("A vlan-only network needs vlan.");
  if (data.vlan_enabled === true && data.vlan === undefined) throw invalid("vlan_enabled=true needs vlan.");
  const needsRange = purpose !== "vlan-only" && data.dhcpd_enabled !== false;
  if (needsRange && (data.dhcpd_start === undefined || data.dhcpd_stop === undefined)) {
    throw invalid("A network with DHCP needs dhcpd_start and dhcpd_stop.", "Or set dhcpd_enabled=false.");
  }
  const { network, warnings } = completed({ enabled: true, ...(needsRange ? { dhcpd_enabled: true } : {}), ...data });
  checkWhole(network);
  checkNeighbours(network, network, siblings);
  return { data: network, warnings, ...(purpose === "corporate" ? { extra: { networkgroup: "LAN" } } : {}) };
}

/** A change: the merged network must hold the same rules, and what touches the internet is warned of. */
export async function checkNetworkChange(data: Row, { current = {}, siblings }: Circumstances): Promise<Prepared> {
  const { network: change, warnings } = completed(data);
  const merged = { ...current, ...change };
  const rangeRules = ["ip_subnet", "dhcpd_enabled", "dhcpd_start", "dhcpd_stop", "dhcpguard_enabled", "dhcpd_ip_1"];
  if (rangeRules.some((field) => field in change)) checkWhole(merged);
  checkNeighbours(
    change,
    merged,
    siblings.filter((other) => other._id !== current._id),
  );
  if (current.purpose === "wan" && WAN_CRITICAL.some((field) => field in change)) {
    warnings.push("This is an internet connection: a wrong value cuts the site, and this agent, off.");
  }
  if (current.attr_no_delete === true && change.enabled === false) {
    warnings.push("This is one of the site's built-in networks.");
  }
  return { data: change, warnings };
}

/** The VLAN as a number with its switch, the subnet in the console's form. */
function completed(data: Row): { network: Row; warnings: string[] } {
  const warnings: string[] = [];
  const network: Record<string, unknown> = { ...data };
  if (data.vlan !== undefined) {
    network.vlan = vlanNumber(data.vlan);
    network.vlan_enabled = data.vlan_enabled ?? true;
  }
  if (typeof data.ip_subnet === "string") {
    const subnet = parsedSubnet(data.ip_subnet);
    if (subnet.address === subnet.network) {
      network.ip_subnet = `${ipv4Text(subnet.network + 1)}/${subnet.prefix}`;
      warnings.push("ip_subnet holds the gateway's own address: the first of the subnet is taken.");
    }
  }
  return { network, warnings };
}

function vlanNumber(value: unknown): number {
  const number = typeof value === "string" && /^\d{1,4}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= 1 && number <= 4094) return number;
  throw invalid("vlan is a number from 1 to 4094.");
}

function parsedSubnet(text: string): Subnet {
  const subnet = subnetOf(text);
  if (subnet === undefined) throw invalid("ip_subnet is an IPv4 address with its prefix, e.g. 192.168.20.1/24.");
  if (subnet.address === subnet.broadcast) throw invalid("ip_subnet must not hold the subnet's last address.");
  return subnet;
}

/** Range inside the subnet and forwards; the fields that need one another are together. */
function checkWhole(network: Row): void {
  const subnet = typeof network.ip_subnet === "string" ? subnetOf(network.ip_subnet) : undefined;
  const { dhcpd_start: start, dhcpd_stop: stop } = network;
  if (network.dhcpd_enabled === true && subnet !== undefined && typeof start === "string" && typeof stop === "string") {
    const first = ipv4Number(start);
    const last = ipv4Number(stop);
    if (first === undefined || last === undefined || !isHostOf(subnet, first) || !isHostOf(subnet, last)) {
      throw invalid("dhcpd_start and dhcpd_stop must be host addresses inside ip_subnet.");
    }
    if (first > last) throw invalid("dhcpd_start must not come after dhcpd_stop.");
  }
  if (network.dhcpguard_enabled === true && !isIPv4(String(network.dhcpd_ip_1 ?? ""))) {
    throw invalid("dhcpguard_enabled=true needs dhcpd_ip_1, the trusted DHCP server.");
  }
  if (network.ipv6_interface_type === "pd" && !(network.ipv6_pd_start && network.ipv6_pd_stop)) {
    throw invalid("ipv6_interface_type=pd needs ipv6_pd_start and ipv6_pd_stop.");
  }
}

/** No two local networks share a VLAN or overlap; looked at only where the change touches them. */
function checkNeighbours(change: Row, merged: Row, others: readonly Row[]): void {
  if (!LOCAL.includes(String(merged.purpose))) return;
  const local = others.filter((other) => LOCAL.includes(String(other.purpose)));
  if (
    change.vlan !== undefined &&
    local.some((other) => other.vlan_enabled !== false && Number(other.vlan) === change.vlan)
  ) {
    throw invalid("Another network of this site has this VLAN.", "unifi_list_networks shows the taken ones.");
  }
  const subnet = typeof change.ip_subnet === "string" ? subnetOf(change.ip_subnet) : undefined;
  const taken = local.flatMap((other) => subnetOf(String(other.ip_subnet ?? "")) ?? []);
  if (subnet !== undefined && taken.some((other) => overlaps(subnet, other))) {
    throw invalid("Another network of this site overlaps this subnet.", "unifi_list_networks shows the taken ones.");
  }
}
