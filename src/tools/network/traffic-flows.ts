/** Traffic flows: what the gateway saw pass, and what it refused. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { invalid } from "../arguments.ts";
import { rowsOf } from "../collection.ts";
import { isRow, rowSchema } from "../rows.ts";
import { defineTool } from "../tool.ts";
import { FLOW_TABLE, flowRow, RANKINGS, statisticsOf } from "./traffic-flow-rows.ts";

const HOUR_MS = 3_600_000;
const PLACE = { app: "network", category: "traffic_flows" } as const;
const PERMISSION = { category: "traffic_flows", action: "read" } as const;

/** Every filter that the console takes; its own pages send all of them, empty where not used. */
const FILTERS = [
  ...["risk", "action", "direction", "protocol", "policy", "policy_type", "service", "source_host", "source_mac"],
  ...["source_ip", "source_port", "source_network_id", "source_domain", "source_zone_id", "source_region"],
  ...["destination_host", "destination_mac", "destination_ip", "destination_port", "destination_network_id"],
  ...["destination_domain", "destination_zone_id", "destination_region", "in_network_id", "out_network_id"],
  ...["next_ai_query", "except_for"],
];

/** Arguments whose filter has another name. */
const FILTER_OF_ARGUMENT: Readonly<Record<string, string>> = { source_name: "source_host" };

const nullable = (schema: object) => Type.Optional(Type.Unsafe<string | null>(schema));
const text = (description: string, maxLength = 128) =>
  nullable({ type: ["string", "null"], description, minLength: 1, maxLength });
const choice = (description: string, values: readonly string[]) =>
  nullable({ type: ["string", "null"], enum: [...values, null], description });
const time = (description: string) =>
  Type.Optional(
    Type.Unsafe<number | null>({ type: ["integer", "null"], description, minimum: 0, maximum: 8_640_000_000_000_000 }),
  );

const FLOW_INPUT = {
  within_hours: Type.Optional(
    Type.Integer({ description: "How far back, hours; not with time_from", minimum: 1, maximum: 8760, default: 24 }),
  ),
  time_from: time("Start of the window, Unix milliseconds"),
  time_to: time("End of the window, Unix milliseconds; default now"),
  source_mac: text("Only flows of the client with this MAC address", 32),
  source_ip: text("Only flows from this address", 45),
  source_name: text("Only flows of the client with this name"),
  source_network_id: text("Only flows from the network with this id", 64),
  destination_domain: text("Only flows to this domain", 253),
  destination_ip: text("Only flows to this address", 45),
  destination_region: text("Only flows to this country, two letters", 2),
  risk: choice("Only flows of this risk", ["low", "medium", "high"]),
  action: choice("Only what was let through or refused", ["allowed", "blocked"]),
  service: text("Only this service, e.g. HTTPS"),
  protocol: text("Only this protocol, e.g. tcp", 32),
  direction: text("Only this direction, as the flows show it", 32),
  search_text: text("Free text, searched by the console"),
  page: Type.Optional(Type.Integer({ description: "Page, from 0", minimum: 0, maximum: 1_000_000, default: 0 })),
  page_size: Type.Optional(Type.Integer({ description: "Flows a page", minimum: 1, maximum: 1000, default: 100 })),
};

export default [
  defineTool({
    ...PLACE,
    name: "unifi_get_traffic_flows",
    title: "Get traffic flows",
    summary: "Search traffic flows, allowed and blocked.",
    description:
      "Searches the flows that the gateway saw: who talked to what, when, how much, allowed or blocked, and by which policy. Newest page first; has_next says whether page+1 holds more. For rankings take unifi_get_traffic_flow_statistics, for the log of the console unifi_list_events. Needs a UniFi gateway with flow logging.",
    asks: [
      "which sites did this client visit",
      "what was blocked by the firewall",
      "why can the TV not reach the internet",
      "connections to another country",
      "risky connections",
      "connection log",
      "which connections were made",
      "who talked to this ip",
      "traffic log",
      "blocked connections",
      "what did this device connect to",
      "did anything contact this server",
      "where does this camera send data",
      "prove that a site was visited",
      "who accessed an address last night",
      "what got denied",
    ],
    permission: PERMISSION,
    input: FLOW_INPUT,
    aliases: {
      mac: "source_mac",
      hours: "within_hours",
      domain: "destination_domain",
      limit: "page_size",
      search: "search_text",
    },
    macs: ["source_mac"],
    output: {
      site: Type.Optional(Type.String()),
      page_number: Type.Optional(Type.Integer()),
      total_element_count: Type.Optional(Type.Integer()),
      total_page_count: Type.Optional(Type.Integer()),
      has_next: Type.Optional(Type.Boolean()),
      or_more: Type.Optional(Type.Boolean()),
      returned: Type.Optional(Type.Integer()),
      flows: Type.Optional(Type.Array(rowSchema(FLOW_TABLE))),
    },
    reads: ["POST /v2/api/site/{site}/traffic-flows"],
    async run({ network, now }, args: Row) {
      const { page = 0, page_size: size = 100, search_text: search } = args;
      const answer = await network.v2("POST", "/traffic-flows", {
        ...filtersOf(args),
        ...windowOf(args, now()),
        pageNumber: page,
        pageSize: size,
        ...(typeof search === "string" ? { search_text: search } : {}),
        skip_count: false,
      });
      const found = isRow(answer) ? answer : {};
      const flows = rowsOf(found.data, "/traffic-flows").map(flowRow);
      const paging = {
        page_number: found.page_number ?? page,
        total_element_count: found.total_element_count,
        total_page_count: found.total_page_count,
        has_next: found.has_next === true,
        or_more: found.or_more === true,
      };
      const told = Object.fromEntries(Object.entries(paging).filter(([, value]) => value !== undefined));
      return { site: network.site, ...told, returned: flows.length, flows };
    },
  }),

  defineTool({
    ...PLACE,
    name: "unifi_get_traffic_flow_statistics",
    title: "Get traffic flow statistics",
    summary: "Rank traffic flows by client, target, risk.",
    description:
      "Counts the gateway's flows of the last hour, day, week or month by risk and region, and ranks clients, destinations, applications and blocking policies. Single flows: unifi_get_traffic_flows; bytes per client: unifi_get_top_clients.",
    asks: [
      "most visited destinations",
      "top talkers by connections",
      "which countries does traffic go to",
      "which client is blocked most",
      "busiest applications",
      "summary of traffic flows",
      "top destinations",
      "how many flows were blocked",
      "risky traffic",
      "flow statistics",
      "who causes most connections",
      "which countries do we talk to",
      "share of denied connections",
    ],
    permission: PERMISSION,
    input: {
      period: Type.Optional(
        Type.Enum(["HOUR", "DAY", "WEEK", "MONTH"], { type: "string", description: "How far back", default: "DAY" }),
      ),
      top: Type.Optional(
        Type.Integer({ description: "Entries of each ranking", minimum: 1, maximum: 100, default: 10 }),
      ),
    },
    output: {
      site: Type.Optional(Type.String()),
      period: Type.Optional(Type.String()),
      allowed_count_by_risk: Type.Optional(Type.Object({})),
      blocked_count_by_risk: Type.Optional(Type.Object({})),
      allowed_count_by_region_by_risk: Type.Optional(Type.Unknown()),
      all_count_by_region: Type.Optional(Type.Unknown()),
      blocked_count_by_region: Type.Optional(Type.Unknown()),
      ...Object.fromEntries(Object.keys(RANKINGS).map((name) => [name, Type.Optional(Type.Array(Type.Object({})))])),
    },
    reads: ["GET /v2/api/site/{site}/traffic-flow-latest-statistics"],
    async run({ network }, { period = "DAY", top = 10 }) {
      const answer = await network.v2("GET", `/traffic-flow-latest-statistics?period=${period}&top=${top}`);
      return { site: network.site, period, ...statisticsOf(isRow(answer) ? answer : {}, top) };
    },
  }),
];

/** One-element lists for what was asked, empty ones for the rest. */
function filtersOf(args: Row): Row {
  const asked = new Map(
    Object.entries(args).flatMap(([argument, value]) =>
      typeof value === "string" ? [[FILTER_OF_ARGUMENT[argument] ?? argument, value] as const] : [],
    ),
  );
  return Object.fromEntries(
    FILTERS.map((filter) => {
      const value = asked.get(filter);
      return [filter, value === undefined ? [] : [filter.endsWith("_region") ? value.toUpperCase() : value]];
    }),
  );
}

function windowOf({ within_hours: hours = 24, time_from: from, time_to: to }: Row, now: number): Row {
  const end = typeof to === "number" ? to : now;
  const start = typeof from === "number" ? from : end - Number(hours) * HOUR_MS;
  if (start >= end) throw invalid("time_from must lie before time_to; both are Unix milliseconds.");
  return { timestampFrom: start, timestampTo: end };
}
