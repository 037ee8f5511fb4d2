/** Firewall zones, the rules from before zones, and which of the two engines is in force: asked at every call. */

import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { listRows, type Place } from "../collection.ts";
import { type ListArguments, listArguments, listOutput, listPayload } from "../listing.ts";
import { isUnsupported } from "../resource-plans.ts";
import { project, type RowTable } from "../rows.ts";
import { defineTool, type Endpoint, type ToolContext } from "../tool.ts";

/** The same list under the names that versions gave it; the first that a console has answers. */
const ZONE_PLACES: readonly Place[] = [
  { api: "v2", path: "/firewall/zone" },
  { api: "v2", path: "/firewall/zones" },
  { api: "v2", path: "/firewall/zone-matrix" },
];

export const ZONE_ENDPOINTS: readonly Endpoint[] = [
  "GET /v2/api/site/{site}/firewall/zone",
  "GET /v2/api/site/{site}/firewall/zones",
  "GET /v2/api/site/{site}/firewall/zone-matrix",
];

/** The site's zones; none where its firewall was never migrated to zones, or the console is older than they are. */
export async function zonesOf(network: NetworkSite): Promise<readonly Row[]> {
  for (const place of ZONE_PLACES) {
    try {
      return await listRows(network, place);
    } catch (thrown) {
      if (!isUnsupported(thrown)) throw thrown;
    }
  }
  return [];
}

/** What a site without zones is told that wants to write a policy. */
export function zonesMissing(): EdgeError {
  return new EdgeError(
    "CONTROLLER_UNSUPPORTED",
    "This site's firewall has no zones, so no policies: its older rules are in force.",
    {
      hint: "unifi_list_legacy_firewall_rules shows them. Zones come with Network 9 once an administrator migrates the site.",
    },
  );
}

export const LEGACY_IN_FORCE =
  "This site's firewall has no zones: the older rules are in force, see unifi_list_legacy_firewall_rules.";
const ZONES_IN_FORCE = "This site's firewall is zone-based: see unifi_list_firewall_policies.";

const ZONE_TABLE: RowTable = {
  id: "string",
  name: "string",
  zone_key: "string",
  networks: "strings",
  default_policy: "string",
};

const LEGACY_TABLE: RowTable = {
  id: "string",
  name: "string",
  ruleset: "string",
  rule_index: "integer",
  action: "string",
  enabled: "boolean",
  protocol: "string",
  protocol_v6: "string",
  protocol_match_excepted: "boolean",
  src_address: "string",
  src_address_ipv6: "string",
  src_port: "string",
  src_mac_address: "string",
  src_firewallgroup_ids: "strings",
  src_networkconf_id: "string",
  src_networkconf_type: "string",
  dst_address: "string",
  dst_address_ipv6: "string",
  dst_port: "string",
  dst_firewallgroup_ids: "strings",
  dst_networkconf_id: "string",
  dst_networkconf_type: "string",
  state_new: "boolean",
  state_established: "boolean",
  state_related: "boolean",
  state_invalid: "boolean",
  icmp_typename: "string",
  icmpv6_typename: "string",
  ipsec: "string",
  logging: "boolean",
  setting_preference: "string",
  no_edit: "boolean",
  no_delete: "boolean",
};

function legacyRow(raw: Row): Row {
  const rule = { ...raw, id: raw._id, no_edit: raw.attr_no_edit === true, no_delete: raw.attr_no_delete === true };
  return project(rule, LEGACY_TABLE);
}

export default [
  defineTool({
    name: "unifi_list_firewall_zones",
    title: "List firewall zones",
    summary: "List firewall zones and their networks.",
    description:
      "Lists the zones (Internal, External …) between which firewall policies stand, with their networks' ids.",
    app: "network",
    category: "firewall",
    permission: { category: "firewall_policies", action: "read" },
    asks: [
      "which zone is the IoT vlan in",
      "segments of the zone based firewall",
      "security zones and their members",
      "zone ids for a policy",
      "is zbf turned on",
      "which firewall zones exist",
      "zones and their networks",
      "security zones",
      "which zone is the guest network in",
      "how are networks sorted into zones",
      "internal external dmz",
      "which zone does a vlan belong to",
    ],
    input: listArguments(100),
    output: { ...listOutput("zones", ZONE_TABLE), note: Type.Optional(Type.String()) },
    reads: ZONE_ENDPOINTS,
    async run({ network }: ToolContext, args: Row & ListArguments) {
      const zones = await zonesOf(network);
      const rows = zones.map((raw) =>
        project({ ...raw, id: raw._id ?? raw.id, networks: raw.network_ids ?? [] }, ZONE_TABLE),
      );
      return {
        ...listPayload({ site: network.site, rowsName: "zones", table: ZONE_TABLE, rows, args, defaultLimit: 100 }),
        ...(zones.length === 0 ? { note: LEGACY_IN_FORCE } : {}),
      };
    },
  }),
  defineTool({
    name: "unifi_list_legacy_firewall_rules",
    title: "List legacy firewall rules",
    summary: "List firewall rules from before zones.",
    description:
      "Lists the rules of the older firewall (WAN_IN, LAN_IN …), in force on sites without zones. Otherwise unifi_list_firewall_policies.",
    app: "network",
    category: "firewall",
    permission: { category: "firewall_policies", action: "read" },
    asks: [
      "LAN_IN rules",
      "old style wan in and wan out rules",
      "rules before the zone migration",
      "classic usg firewall",
      "why is the policy list empty",
      "old style firewall rules",
      "rules before zones",
      "legacy rules",
      "wan in and lan in rules",
      "classic firewall",
      "rules from before the upgrade",
      "wan local rules",
      "guest in rules",
    ],
    input: listArguments(100),
    output: {
      engine: Type.Optional(Type.String()),
      ...listOutput("rules", LEGACY_TABLE),
      note: Type.Optional(Type.String()),
    },
    reads: ["GET /api/s/{site}/rest/firewallrule", ...ZONE_ENDPOINTS],
    async run({ network }: ToolContext, args: Row & ListArguments) {
      const rows = (await listRows(network, { api: "v1", path: "/rest/firewallrule" })).map(legacyRow);
      const zoned = (await zonesOf(network)).length > 0;
      return {
        engine: "legacy",
        ...listPayload({ site: network.site, rowsName: "rules", table: LEGACY_TABLE, rows, args, defaultLimit: 100 }),
        ...(zoned ? { note: ZONES_IN_FORCE } : {}),
      };
    },
  }),
];
