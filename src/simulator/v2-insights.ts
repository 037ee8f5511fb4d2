/** v2 dashboards, system log and traffic flows: small, made from the site and the clock. */
import shapes from "./data/templates.json" with { type: "json" };
import type { Reply, Row, SiteExchange } from "./exchange.ts";
import { v2Plain } from "./replies.ts";
import { reportRows } from "./reports.ts";
import { stationRows } from "./views.ts";
import { isRow, textsOf, uuidOf } from "./world.ts";

/** The closed set of the console (unpoller#962). */
const CATEGORIES = [
  "SECURITY",
  "UNIFI_DEVICES",
  "SOFTWARE_UPDATES",
  "VPN",
  "POWER",
  "UNIFI_ETHERNET_PORTS",
  "CLIENT_DEVICES",
  "UNKNOWN",
  "AUDIT",
  "INTERNET_AND_WAN",
];

const KINDS = ["all", "count", "critical"];

export function systemLog(x: SiteExchange): Reply {
  if (!KINDS.includes(x.param("kind"))) return v2Plain(404, "Not found");
  const wanted = textsOf(x.body.categories);
  const unknown = wanted.find((category) => !CATEGORIES.includes(category));
  if (unknown !== undefined) {
    const known = `not one of the values accepted for Enum class: [${CATEGORIES.join(", ")}]`;
    return v2Plain(
      400,
      `JSON parse error: Cannot deserialize value of type \`Category\` from String "${unknown}": ${known}`,
    );
  }
  const rows = logRows(x).filter((row) => wanted.length === 0 || wanted.includes(String(row.category)));
  const size = Number(x.body.pageSize ?? 100);
  const page = Number(x.body.pageNumber ?? 0);
  const data = x.param("kind") === "count" ? [] : rows.slice(page * size, (page + 1) * size);
  const pages = {
    page_number: page,
    total_element_count: rows.length,
    total_page_count: Math.ceil(rows.length / size),
  };
  return { status: 200, body: { data, ...pages } };
}

/** One security event, and whatever the console logged since it started. */
function logRows(x: SiteExchange): Row[] {
  const logged = x.site.tables.event.map((event) => ({
    id: event._id,
    category: "CLIENT_DEVICES",
    event: event.key,
    key: event.key,
    message_raw: event.msg,
    title_raw: event.key,
    parameters: {},
    severity: "LOW",
    timestamp: event.time,
    type: "GENERAL",
  }));
  return [...logged.reverse(), { ...shapes.systemLog, timestamp: x.world.now() - 600_000 }];
}

/** What a flow shows under each filter's name; a console answers the flows that one value of every used filter fits. */
const FLOW_FILTERS: Readonly<Record<string, (flow: Row) => unknown>> = {
  risk: (flow) => flow.risk,
  action: (flow) => (flow.action === "ALLOW" ? "allowed" : "blocked"),
  direction: (flow) => flow.direction,
  protocol: (flow) => flow.protocol,
  service: (flow) => flow.service,
  source_mac: ({ source }) => endOf(source).mac,
  source_ip: ({ source }) => endOf(source).ip,
  source_host: ({ source }) => endOf(source).client_name,
  source_network_id: ({ source }) => endOf(source).network_id,
  destination_ip: ({ destination }) => endOf(destination).ip,
  destination_domain: ({ destination }) => textsOf(endOf(destination).domains)[0],
  destination_region: ({ destination }) => endOf(destination).region,
};

function endOf(value: unknown): Row {
  return isRow(value) ? value : {};
}

export function trafficFlows(x: SiteExchange): Row {
  const from = Number(x.body.timestampFrom ?? 0);
  const to = Number(x.body.timestampTo ?? Number.MAX_SAFE_INTEGER);
  const flows = allFlows(x)
    .filter((flow) => Number(flow.time) >= from && Number(flow.time) <= to)
    .filter((flow) => Object.entries(FLOW_FILTERS).every(([name, read]) => fits(textsOf(x.body[name]), read(flow))));
  const size = Number(x.body.pageSize ?? 100);
  const page = Number(x.body.pageNumber ?? 0);
  return {
    data: flows.slice(page * size, (page + 1) * size),
    page_number: page,
    total_element_count: flows.length,
    total_page_count: Math.ceil(flows.length / size),
    has_next: (page + 1) * size < flows.length,
    or_more: false,
  };
}

function fits(wanted: readonly string[], value: unknown): boolean {
  return wanted.length === 0 || wanted.some((text) => text.toLowerCase() === String(value).toLowerCase());
}

function allFlows(x: SiteExchange): Row[] {
  const now = x.world.now();
  return stationRows(x.world, x.site)
    .slice(0, 20)
    .map((station, index) => ({ station, index, end: now - (index + 1) * 1000 })) // over before anybody asks
    .map(({ station, index, end }) => ({
      ...shapes.trafficFlow,
      id: `flow-${index}`,
      time: end,
      flow_start_time: end - 1200,
      flow_end_time: end,
      source: {
        ...shapes.trafficFlow.source,
        client_name: station.name ?? station.hostname,
        mac: station.mac,
        ip: station.ip,
      },
    }));
}

export function flowStatistics(x: SiteExchange): Row {
  const clients = stationRows(x.world, x.site)
    .slice(0, 5)
    .map((station) => ({ mac: station.mac, name: station.name ?? station.hostname, count: 12 }));
  return {
    allowed_count_by_risk: { low: 60, medium: 4, high: 0 },
    blocked_count_by_risk: { low: 0, medium: 1, high: 2 },
    top_all_count_by_client: clients,
    top_all_count_by_destination: [],
    top_all_traffic_by_application: [],
    top_blocked_count_by_client: [],
    top_blocked_count_by_policy: [],
  };
}

export function dashboard(x: SiteExchange): Row {
  const stations = stationRows(x.world, x.site);
  const wireless = stations.filter((station) => station.is_wired !== true).length;
  return {
    history_seconds: Number(x.query.get("historySeconds") ?? 3600),
    clients: { total: stations.length, wireless, wired: stations.length - wireless },
    devices: { total: x.site.tables.device.length },
  };
}

export function speedtests(x: SiteExchange): Row[] {
  return (reportRows(x, "archive", "speedtest", []) ?? []).map((row) => ({
    id: uuidOf(x.site.uuid, String(row.time)),
    time: row.time,
    download_mbps: row.xput_download,
    upload_mbps: row.xput_upload,
    latency_ms: row.latency,
    interface_name: "eth4",
    wan_networkgroup: "WAN",
  }));
}
