/** Order of the firewall policies between two zones: read and replaced as two lists of policy ids. */
import type { Reply, Row, SiteExchange } from "./exchange.ts";
import { badRequest } from "./integration-errors.ts";
import { integrationIdOf } from "./integration-rows.ts";
import { isRow, textOf, textsOf, uuidOf } from "./world.ts";

/** User-defined policies stand before the system's from this index on, and after them from the other. */
const BEFORE_SYSTEM = 10_000;
const AFTER_SYSTEM = 30_000;

export function readOrdering(x: SiteExchange): Reply {
  const [before, after] = ordered(x);
  const ids = (rows: readonly Row[]) => rows.map((row) => integrationIdOf(x.site, row));
  const orderedFirewallPolicyIds = { beforeSystemDefined: ids(before), afterSystemDefined: ids(after) };
  return { status: 200, body: { orderedFirewallPolicyIds } };
}

/** Must name each policy of the zone pair once. */
export function writeOrdering(x: SiteExchange): Reply {
  const given = isRow(x.body.orderedFirewallPolicyIds) ? x.body.orderedFirewallPolicyIds : {};
  const lists = [textsOf(given.beforeSystemDefined), textsOf(given.afterSystemDefined)];
  const rows = new Map(
    ordered(x)
      .flat()
      .map((row) => [integrationIdOf(x.site, row), row]),
  );
  const named = lists.flat();
  const complete = named.length === rows.size && named.every((id) => rows.has(id)) && new Set(named).size === rows.size;
  if (!complete) return badRequest(x, "'orderedFirewallPolicyIds' must name each policy of the two zones once");

  for (const [list, start] of [BEFORE_SYSTEM, AFTER_SYSTEM].entries()) {
    for (const [position, id] of (lists[list] ?? []).entries())
      Object.assign(rows.get(id) ?? {}, { index: start + position });
  }
  x.announce(x.site, "firewall-policy:sync", [...rows.values()]);
  return readOrdering(x);
}

function ordered(x: SiteExchange): [Row[], Row[]] {
  const pair = [x.query.get("sourceFirewallZoneId"), x.query.get("destinationFirewallZoneId")];
  const zoneOf = (end: unknown) => uuidOf(x.site.uuid, textOf(isRow(end) ? end.zone_id : undefined));
  const rows = x.site.tables["firewall-policies"]
    .filter((row) => zoneOf(row.source) === pair[0] && zoneOf(row.destination) === pair[1])
    .sort((one, other) => Number(one.index) - Number(other.index));
  return [
    rows.filter((row) => Number(row.index) < AFTER_SYSTEM),
    rows.filter((row) => Number(row.index) >= AFTER_SYSTEM),
  ];
}
