/** The order of the policies between two zones, which only the integration API knows. */
import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { invalid } from "../arguments.ts";
import { idOf } from "../collection.ts";
import { pick, sameJson } from "../merge.ts";
import { isUnsupported } from "../resource-plans.ts";
import { isRow, project, type RowTable, rowSchema } from "../rows.ts";
import { defineTool, type Endpoint, type Plan, type ToolContext } from "../tool.ts";
import { ZONE_ENDPOINTS, zonesMissing, zonesOf } from "./firewall-zones.ts";

const LISTS = ["beforeSystemDefined", "afterSystemDefined"] as const;
type Ordering = Readonly<Record<(typeof LISTS)[number], readonly string[]>>;

const PAGE_SIZE = 200;
/** No site has 2000 zones or policies. */
const MOST_PAGES = 10;

const ORDERING: Endpoint = "GET /integration/v1/sites/{siteId}/firewall/policies/ordering";
const ZONES: Endpoint = "GET /integration/v1/sites/{siteId}/firewall/zones";

const POLICIES: Endpoint = "GET /integration/v1/sites/{siteId}/firewall/policies";

const POLICY_TABLE: RowTable = { id: "string", name: "string", enabled: "boolean", index: "integer" };

const zoneArgument = (description: string) => Type.String({ description, minLength: 1, maxLength: 64 });

const PAIR = {
  source_firewall_zone_id: zoneArgument("Zone that traffic comes from: id from unifi_list_firewall_zones, or the UUID"),
  destination_firewall_zone_id: zoneArgument("Zone that traffic goes to: id or UUID"),
};
const PAIR_ALIASES = { source_zone_id: "source_firewall_zone_id", destination_zone_id: "destination_firewall_zone_id" };

const policyIds = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { description, maxItems: 2000 });

const ORDER = Type.Object(
  {
    beforeSystemDefined: policyIds("UUIDs before the console's own policies"),
    afterSystemDefined: policyIds("UUIDs after them"),
  },
  {
    description: "The whole new order, every policy once",
    additionalProperties: false,
  },
);

const OUTPUT = {
  site: Type.Optional(Type.String()),
  source_firewall_zone_id: Type.Optional(Type.String()),
  destination_firewall_zone_id: Type.Optional(Type.String()),
  ordering: Type.Optional(
    Type.Object({
      beforeSystemDefined: Type.Array(Type.String()),
      afterSystemDefined: Type.Array(Type.String()),
    }),
  ),
};

/** The pair's path, both zones as the integration API names them. */
async function pairPath(network: NetworkSite, args: Row): Promise<string> {
  const site = `/sites/${await siteIdOf(network)}`;
  const zones = await allRows(network, `${site}/firewall/zones`);
  const local = zones.length === 0 ? [] : await zonesOf(network);
  if (zones.length === 0) throw zonesMissing();
  const uuid = (argument: string) => {
    const given = String(args[argument]);
    const name = nameOf(local.find((zone) => idOf(zone) === given));
    const found = zones.filter((zone) => zone.id === given || (name !== undefined && nameOf(zone) === name));
    const [zone] = found;
    if (zone === undefined || found.length > 1) {
      throw invalid(`${argument} names no zone of this site.`, "unifi_list_firewall_zones lists the ids.");
    }
    return encodeURIComponent(String(zone.id));
  };
  const source = uuid("source_firewall_zone_id");
  const destination = uuid("destination_firewall_zone_id");
  return `${site}/firewall/policies/ordering?sourceFirewallZoneId=${source}&destinationFirewallZoneId=${destination}`;
}

async function siteIdOf(network: NetworkSite): Promise<string> {
  try {
    return encodeURIComponent(await network.integrationSiteId());
  } catch (thrown) {
    if (!isUnsupported(thrown)) throw thrown;
    throw lacking(thrown);
  }
}

function lacking(cause: unknown): EdgeError {
  return new EdgeError("CONTROLLER_UNSUPPORTED", "This console does not tell the order of firewall policies.", {
    cause,
    hint: "It takes the integration API of UniFi OS with Network 10.1 or newer, and an API key.",
  });
}

/** Every row of a list of the integration API. */
async function allRows(network: NetworkSite, path: string): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await asked(network, `${path}?limit=${PAGE_SIZE}&offset=${found.length}`);
    const rows = isRow(answer) && Array.isArray(answer.data) ? answer.data.filter(isRow) : [];
    found.push(...rows);
    const total = isRow(answer) && typeof answer.totalCount === "number" ? answer.totalCount : found.length;
    if (rows.length === 0 || found.length >= total) break;
  }
  return found;
}

/** The ordered policies by name, since their UUIDs say nothing; none where the console lists no policies there. */
async function namedPolicies(network: NetworkSite, ordering: Ordering): Promise<readonly Row[]> {
  try {
    const policies = await allRows(network, `/sites/${await siteIdOf(network)}/firewall/policies`);
    const byId = new Map(policies.map((policy) => [policy.id, policy]));
    return LISTS.flatMap((list) => ordering[list]).map((id) => project({ ...byId.get(id), id }, POLICY_TABLE));
  } catch (thrown) {
    if (isUnsupported(thrown)) return [];
    throw thrown;
  }
}

async function asked(network: NetworkSite, path: string): Promise<unknown> {
  try {
    return await network.integration("GET", path);
  } catch (thrown) {
    if (!isUnsupported(thrown)) throw thrown;
    throw lacking(thrown);
  }
}

/** `Vpn` here is `VPN` there. */
function nameOf(zone: Row | undefined): string | undefined {
  return typeof zone?.name === "string" ? zone.name.trim().toLowerCase() : undefined;
}

async function orderingAt(network: NetworkSite, path: string): Promise<Ordering> {
  const answer = await asked(network, path);
  const ids = isRow(answer) && isRow(answer.orderedFirewallPolicyIds) ? answer.orderedFirewallPolicyIds : undefined;
  if (ids === undefined) {
    throw new EdgeError("CONTROLLER_FAILED", "The console's order of policies has an unknown form.", {
      executed: "no",
    });
  }
  return { beforeSystemDefined: texts(ids.beforeSystemDefined), afterSystemDefined: texts(ids.afterSystemDefined) };
}

function texts(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}

/** Throws ARGUMENTS_INVALID unless the new order names every policy of the present one exactly once. */
function checkComplete(now: Ordering, wanted: Ordering): void {
  const known = LISTS.flatMap((list) => now[list]);
  const named = LISTS.flatMap((list) => wanted[list]);
  const faults = {
    missing: known.filter((id) => !named.includes(id)),
    unknown: named.filter((id) => !known.includes(id)),
    duplicate: named.filter((id, index) => named.indexOf(id) !== index),
  };
  const told = Object.entries(faults).filter(([, ids]) => ids.length > 0);
  if (told.length === 0) return;
  const counts = told.map(([fault, ids]) => `${ids.length} ${fault}`).join(", ");
  throw new EdgeError(
    "ARGUMENTS_INVALID",
    `ordered_firewall_policy_ids must name every policy of the zone pair once: ${counts}.`,
    {
      hint: "Start from current_ordering and move ids; they are the UUIDs of unifi_get_firewall_policy_ordering.",
      details: { ...Object.fromEntries(told), current_ordering: now },
    },
  );
}

export default [
  defineTool({
    name: "unifi_get_firewall_policy_ordering",
    title: "Get firewall policy order",
    summary: "Show policy order of a zone pair (API key).",
    description:
      "The order of the policies between two zones, before and after the console's own. Ids are UUIDs of their own; policies gives the names. The agent needs an API key.",
    app: "network",
    category: "firewall",
    permission: { category: "firewall_policies", action: "read" },
    aliases: PAIR_ALIASES,
    asks: [
      "which rule is evaluated first",
      "precedence of zone policies",
      "rule priority between two zones",
      "in what sequence are policies checked",
      "order of firewall rules",
      "rule precedence",
      "sequence of policies",
      "does the allow come before the deny",
      "which policy wins",
    ],
    input: PAIR,
    output: { ...OUTPUT, policies: Type.Optional(Type.Array(rowSchema(POLICY_TABLE))) },
    reads: [ZONES, ORDERING, POLICIES, ...ZONE_ENDPOINTS],
    async run({ network }: ToolContext, args: Row) {
      const ordering = await orderingAt(network, await pairPath(network, args));
      const { source_firewall_zone_id, destination_firewall_zone_id } = args;
      const policies = await namedPolicies(network, ordering);
      return { site: network.site, source_firewall_zone_id, destination_firewall_zone_id, ordering, policies };
    },
  }),
  defineTool({
    name: "unifi_reorder_firewall_policies",
    title: "Reorder firewall policies",
    summary: "Set policy order of a zone pair (API key).",
    description:
      "Sets the order of the policies between two zones. It must be whole: read unifi_get_firewall_policy_ordering and move ids. The agent needs an API key.",
    app: "network",
    category: "firewall",
    permission: { category: "firewall_policies", action: "update" },
    aliases: { ...PAIR_ALIASES, ordering: "ordered_firewall_policy_ids" },
    asks: [
      "move a rule to the top",
      "put the allow above the block",
      "change rule precedence",
      "my allow rule never matches because of an earlier one",
      "sort zone policies",
      "move a firewall rule up",
      "change the rule order",
      "put the allow rule before the block",
      "rearrange policies",
      "deny must come last",
      "put my exception on top",
      "rule is shadowed by another",
    ],
    input: { ...PAIR, ordered_firewall_policy_ids: ORDER },
    output: OUTPUT,
    reads: [ZONES, ORDERING, ...ZONE_ENDPOINTS],
    writes: ["PUT /integration/v1/sites/{siteId}/firewall/policies/ordering"],
    async plan({ network }: ToolContext, args): Promise<Plan> {
      const path = await pairPath(network, args);
      const now = await orderingAt(network, path);
      const ordering: Ordering = args.ordered_firewall_policy_ids;
      checkComplete(now, ordering);
      const changed = LISTS.filter((list) => !sameJson(now[list], ordering[list]));
      const { source_firewall_zone_id, destination_firewall_zone_id } = args;
      return {
        action: "update",
        resourceType: "firewall_policy_ordering",
        current: pick(now, changed),
        proposed: pick(ordering, changed),
        unchanged: changed.length === 0,
        async apply() {
          await network.integration("PUT", path, { orderedFirewallPolicyIds: ordering });
          return { source_firewall_zone_id, destination_firewall_zone_id, ordering };
        },
        readBack: async () => pick(await orderingAt(network, path), changed),
      };
    },
  }),
];
