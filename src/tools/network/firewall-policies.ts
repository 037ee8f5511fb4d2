/** Zone-based firewall policies: what may pass from one zone to another. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { listRows } from "../collection.ts";
import { type ListArguments, listArguments, listOutput, listPayload } from "../listing.ts";
import { resource } from "../resource.ts";
import { isUnsupported } from "../resource-plans.ts";
import { isRow, project, type RowTable } from "../rows.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { NEW_POLICY, POLICY_CHANGE } from "./firewall-policy-fields.ts";
import { checkNewPolicy, checkPolicyChange } from "./firewall-policy-rules.ts";
import { LEGACY_IN_FORCE, ZONE_ENDPOINTS, zonesMissing, zonesOf } from "./firewall-zones.ts";

const SUMMARY: RowTable = {
  id: "string",
  name: "string",
  enabled: "boolean",
  action: "string",
  rule_index: "integer",
  description: "string",
  source: "object",
  destination: "object",
};

const WHOLE: RowTable = {
  ...SUMMARY,
  predefined: "boolean",
  index: "integer",
  protocol: "string",
  ip_version: "string",
  connection_state_type: "string",
  connection_states: "strings",
  create_allow_respond: "boolean",
  match_ip_sec: "boolean",
  match_opposite_protocol: "boolean",
  icmp_typename: "string",
  icmp_v6_typename: "string",
  schedule: "object",
  logging: "boolean",
};

/** What the summary shows of an end: whom it matches, ports included. */
const END_SUMMARY: RowTable = {
  zone_id: "string",
  matching_target: "string",
  matching_target_type: "string",
  ips: "strings",
  ip_group_id: "string",
  network_ids: "strings",
  client_macs: "strings",
  port: "string",
  port_group_id: "string",
};

const policies = resource({
  category: "firewall",
  gate: "firewall_policies",
  noun: "firewall policy",
  resourceType: "firewall_policy",
  api: "v2",
  path: "/firewall-policies",
  idArgument: "policy_id",
  listTool: "unifi_list_firewall_policies",
  readOnly: ["site_id", "attr_hidden", "attr_hidden_id", "attr_no_delete", "attr_no_edit", "external_id"],
  lacking:
    "This console has no zone-based firewall (it comes with Network 9); unifi_list_legacy_firewall_rules shows the rules in force.",
  table: SUMMARY,
  row: wholeRow,
});

function wholeRow(raw: Row): Row {
  return { ...raw, id: raw._id ?? raw.id, rule_index: raw.index };
}

function summaryRow(raw: Row): Row {
  const end = (value: unknown) => (isRow(value) ? project(value, END_SUMMARY) : undefined);
  return { ...wholeRow(raw), source: end(raw.source), destination: end(raw.destination) };
}

/** The note of an empty list: an older firewall answers with none while its own rules are in force. */
async function noteOf({ network }: ToolContext, found: readonly Row[]): Promise<Row> {
  return found.length === 0 && (await zonesOf(network)).length === 0 ? { note: LEGACY_IN_FORCE } : {};
}

async function allPolicies({ network }: ToolContext): Promise<readonly Row[]> {
  return listRows(network, { api: "v2", path: "/firewall-policies" }).catch((thrown: unknown) => {
    if (isUnsupported(thrown)) return [];
    throw thrown;
  });
}

const ECHO = { search: "search", action: "action_filter", enabled_only: "enabled_only" };

export default [
  defineTool({
    name: "unifi_list_firewall_policies",
    title: "List firewall policies",
    summary: "List zone-based firewall policies.",
    description:
      "Lists the zone-based firewall policies: action, zones, whom they match. summary=false gives all fields. A note says when the site's older rules are in force instead (unifi_list_legacy_firewall_rules).",
    app: "network",
    category: "firewall",
    permission: { category: "firewall_policies", action: "read" },
    asks: [
      "what is blocked between vlans",
      "show the firewall rules",
      "is IoT allowed to reach the LAN",
      "which traffic gets rejected",
      "zbf rules",
      "why can't this network reach the internet",
      "show firewall rules",
      "which firewall policies exist",
      "list security rules",
      "firewall ruleset",
      "why can the guest reach the nas",
      "what is allowed and denied",
      "security policies in force",
      "is iot cut off from the lan",
    ],
    input: {
      search: Type.Optional(
        Type.Unsafe<string | null>({ type: ["string", "null"], description: "Part of the name", maxLength: 128 }),
      ),
      action: Type.Optional(
        Type.Unsafe<string | null>({
          type: ["string", "null"],
          enum: ["ALLOW", "BLOCK", "REJECT", null],
          description: "Only policies that do this",
        }),
      ),
      enabled_only: Type.Optional(Type.Boolean({ description: "Leave out those that are off", default: false })),
      summary: Type.Optional(Type.Boolean({ description: "Short rows; false gives all fields", default: true })),
      include_predefined: Type.Optional(
        Type.Boolean({ description: "Also the console's own policies", default: false }),
      ),
      ...listArguments(50),
    },
    // The whole form has more fields, which the schema leaves open: it would outweigh all other tools of the category
    output: { ...listOutput("policies", SUMMARY, ECHO), note: Type.Optional(Type.String()) },
    reads: ["GET /v2/api/site/{site}/firewall-policies", ...ZONE_ENDPOINTS],
    async run(context: ToolContext, args: Row & ListArguments) {
      const { search, action, enabled_only: enabledOnly, summary = true, include_predefined: predefined } = args;
      const found = await allPolicies(context);
      const table = summary === false ? WHOLE : SUMMARY;
      const shown = found.filter((raw) => predefined === true || raw.predefined !== true);
      const payload = listPayload({
        site: context.network.site,
        rowsName: "policies",
        table,
        rows: shown.map((raw) => project(summary === false ? wholeRow(raw) : summaryRow(raw), table)),
        select: (row) =>
          (typeof search !== "string" || String(row.name).toLowerCase().includes(search.toLowerCase())) &&
          (typeof action !== "string" || row.action === action) &&
          (enabledOnly !== true || row.enabled !== false),
        args,
        defaultLimit: 50,
        echo: ECHO,
      });
      return { ...payload, ...(await noteOf(context, found)) };
    },
  }),
  policies.get({
    name: "unifi_get_firewall_policy_details",
    title: "Get firewall policy",
    summary: "Show one firewall policy.",
    description: "One firewall policy as the console stores it, the console's own included, by id.",
    asks: [
      "what exactly does this rule match",
      "ports and addresses of a policy",
      "when is the rule in force",
      "full definition of one zbf rule",
      "details of a firewall rule",
      "what does this policy do",
      "show one firewall policy",
      "which ports does this rule cover",
      "explain one rule",
    ],
  }),
  policies.create({
    name: "unifi_create_firewall_policy",
    title: "Create firewall policy",
    summary: "Create a zone-based firewall policy.",
    description:
      "Allows, blocks or rejects traffic from one zone to another, narrowed by networks, addresses, clients, ports, applications or times. Zone ids: unifi_list_firewall_zones. To open a port to a host, unifi_create_port_forward.",
    bodyArgument: "policy_data",
    bodyDescription: "The policy",
    fields: NEW_POLICY,
    aliases: { policy: "policy_data", data: "policy_data", rule: "policy_data" },
    reads: ZONE_ENDPOINTS,
    prepare: async (data, circumstances) => {
      if ((await zonesOf(circumstances.context.network)).length === 0) throw zonesMissing();
      return checkNewPolicy(data, circumstances);
    },
    asks: [
      "block IoT from the main network",
      "let the printer be reached from guests",
      "new rule between vlans",
      "deny traffic to a country",
      "isolate cameras from the internet",
      "permit port 443 to the server vlan",
      "block traffic between vlans",
      "stop iot devices from reaching the lan",
      "add a firewall rule",
      "deny internet to the cameras",
      "allow only dns from the guest network",
      "block an ip address",
      "isolate the iot network",
      "smart tv must not talk to my nas",
      "guests must not see the office",
      "cameras may not phone home",
      "forbid a country or an ip",
      "only allow web traffic",
      "let the printer be used from the guest lan",
    ],
  }),
  policies.update({
    name: "unifi_update_firewall_policy",
    title: "Update firewall policy",
    summary: "Change fields of a firewall policy.",
    description:
      "Changes the given fields of a firewall policy; the others stay, also within source and destination. A new matching_target takes away what the old one matched.",
    bodyArgument: "update_data",
    bodyDescription: "Fields to change",
    fields: POLICY_CHANGE,
    aliases: { policy_data: "update_data", data: "update_data" },
    reads: ZONE_ENDPOINTS,
    prepare: checkPolicyChange,
    asks: [
      "turn logging on for a rule",
      "add a port to an existing rule",
      "make the block a reject",
      "put a schedule on a policy",
      "rename a firewall rule",
      "change a firewall rule",
      "edit a policy",
      "add a port to a firewall rule",
      "log a rule",
      "rule should also cover another port",
      "make a rule stricter",
      "change source of a rule",
    ],
  }),
  policies.toggle({
    name: "unifi_toggle_firewall_policy",
    title: "Toggle firewall policy",
    summary: "Turn a firewall policy on or off.",
    description:
      "Turns an enabled firewall policy off and a disabled one on. To set a state, use unifi_update_firewall_policy.",
    asks: [
      "pause a firewall rule",
      "disable the block for now",
      "switch a policy back on",
      "flip a rule",
      "disable a firewall rule",
      "turn a rule off temporarily",
      "enable a policy again",
      "pause a firewall policy",
      "test without a rule for a moment",
      "suspend a block",
      "switch a rule back on",
    ],
  }),
  policies.delete({
    name: "unifi_delete_firewall_policy",
    title: "Delete firewall policy",
    summary: "Delete a firewall policy.",
    description:
      "Removes a firewall policy for good; the console's own policies cannot go. To stop it for a while, use unifi_toggle_firewall_policy.",
    check: async ({ current }) => {
      if (current.predefined === true) {
        throw new EdgeError("ARGUMENTS_INVALID", "This is one of the console's own policies, which cannot be deleted.");
      }
      return current.enabled === false ? [] : ["What it allowed or blocked falls to the policies after it."];
    },
    asks: [
      "remove a firewall rule",
      "get rid of an old block",
      "drop a zone policy",
      "undo an allow rule",
      "delete a firewall rule",
      "remove a policy for good",
      "drop a firewall policy",
      "exception is no longer needed",
      "clean up old rules",
    ],
  }),
];
