/** Cross-field rules: what the console refuses although every field is valid by itself (unifi-api.md section 2). */
import type { Row } from "./exchange.ts";
import type { Site, Table } from "./site.ts";
import { findByMac } from "./site.ts";
import { textOf } from "./world.ts";

export interface Write {
  readonly site: Site;
  /** The row as it would be kept. */
  readonly row: Row;
  /** The row it replaces; undefined on create. */
  readonly before: Row | undefined;
}

/** The error code without `api.err.`, or undefined when the write may pass. */
export type Rule = (write: Write) => string | undefined;

const LAN_PURPOSES = ["corporate", "guest", "vlan-only"];

/** A second LAN needs its own VLAN, switched on, that no other network has. */
function vlanIsFree({ site, row, before }: Write): string | undefined {
  if (!LAN_PURPOSES.includes(textOf(row.purpose)) || row.attr_no_delete === true) return undefined;
  const tagged = row.vlan_enabled === true && row.vlan !== undefined && row.vlan !== "";
  if (!tagged) return "VlanUsed";
  const taken = site.tables.networkconf.some(
    (network) => network !== before && network.vlan_enabled === true && Number(network.vlan) === Number(row.vlan),
  );
  return taken ? "VlanUsed" : undefined;
}

function guardHasServer({ row }: Write): string | undefined {
  return row.dhcpguard_enabled === true && textOf(row.dhcpd_ip_1) === "" ? "MissingIPAddress" : undefined;
}

function delegationHasRange({ row }: Write): string | undefined {
  const complete = textOf(row.ipv6_pd_start) !== "" && textOf(row.ipv6_pd_stop) !== "";
  return row.ipv6_interface_type === "pd" && !complete ? "InvalidIpv6Addr" : undefined;
}

function wireguardHasKey({ row }: Write): string | undefined {
  return row.vpn_type === "wireguard-server" && textOf(row.x_wireguard_private_key) === ""
    ? "WireguardMissingPrivateKey"
    : undefined;
}

function onlyWanOfGroup({ site, row, before }: Write): string | undefined {
  if (row.purpose !== "wan") return undefined;
  const taken = site.tables.networkconf.some(
    (network) => network !== before && network.purpose === "wan" && network.wan_networkgroup === row.wan_networkgroup,
  );
  return taken ? "WanConfigurationForNetworkGroupAlreadyExists" : undefined;
}

function hasApGroup({ row }: Write): string | undefined {
  return Array.isArray(row.ap_group_ids) && row.ap_group_ids.length > 0 ? undefined : "ApGroupMissing";
}

function secureWlanHasPassphrase({ row }: Write): string | undefined {
  return row.security === "wpapsk" && textOf(row.x_passphrase) === "" ? "InvalidPayload" : undefined;
}

function macIsNew({ site, row, before }: Write): string | undefined {
  return before === undefined && findByMac(site, "user", textOf(row.mac)) !== undefined
    ? "MacAlreadyRegistered"
    : undefined;
}

const FIREWALL_RULE_FIELDS = ["name", "action", "ruleset", "rule_index"];

function ruleIsComplete({ row }: Write): string | undefined {
  return FIREWALL_RULE_FIELDS.some((field) => row[field] === undefined) ? "FirewallRuleFieldsRequired" : undefined;
}

/** Zones are in force here, so the old index ranges are refused (terraform-provider-unifi#169). */
function ruleIndexIsHigh({ row, before }: Write): string | undefined {
  const index = Number(row.rule_index);
  return before === undefined && index < 10_000 ? "FirewallRuleIndexOutOfRange" : undefined;
}

const POLICY_FIELDS = ["connection_state_type", "icmp_typename", "icmp_v6_typename"];

function policyIsComplete({ row, before }: Write): string | undefined {
  return before !== undefined && POLICY_FIELDS.some((field) => row[field] === undefined)
    ? "FirewallPolicyInvalid"
    : undefined;
}

function sourceHasTargetType({ row }: Write): string | undefined {
  const source = (row.source ?? {}) as Row; // checked to be an object by its schema
  return source.matching_target === "IP" && source.matching_target_type === undefined
    ? "MissingFirewallPolicySourceMatchingTargetType"
    : undefined;
}

function onlyAllowResponds({ row }: Write): string | undefined {
  return row.create_allow_respond === true && row.action !== "ALLOW"
    ? "FirewallPolicyCreateRespondTrafficPolicyNotAllowed"
    : undefined;
}

export const CROSS_FIELD_RULES: Partial<Record<Table, readonly Rule[]>> = {
  networkconf: [vlanIsFree, guardHasServer, delegationHasRange, wireguardHasKey, onlyWanOfGroup],
  wlanconf: [hasApGroup, secureWlanHasPassphrase],
  user: [macIsNew],
  firewallrule: [ruleIsComplete, ruleIndexIsHigh],
  "firewall-policies": [policyIsComplete, sourceHasTargetType, onlyAllowResponds],
};
