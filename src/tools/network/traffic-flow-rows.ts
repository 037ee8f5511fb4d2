/** A traffic flow as a row, and the flow statistics under short names. */
import type { Row } from "../../controller/controller.ts";
import { isRow, project, type RowTable } from "../rows.ts";

export const FLOW_TABLE = {
  id: "string",
  action: "string",
  risk: "string",
  service: "string",
  protocol: "string",
  direction: "string",
  count: "integer",
  duration_milliseconds: "integer",
  time: "time",
  flow_start_time: "time",
  flow_end_time: "time",
  bytes_total: "integer",
  bytes_rx: "integer",
  bytes_tx: "integer",
  source: "object",
  destination: "object",
  policies: "objects",
} as const satisfies RowTable;

const END_TABLE = {
  name: "string",
  mac: "string",
  ip: "string",
  port: "integer",
  network_name: "string",
  zone_name: "string",
  region: "string",
  domains: "strings",
} as const satisfies RowTable;

/** Rankings of the answer, by the console's name. */
export const RANKINGS = {
  top_clients: "top_all_count_by_client",
  top_blocked_clients: "top_blocked_count_by_client",
  top_destinations: "top_all_count_by_destination",
  top_applications: "top_all_traffic_by_application",
  top_blocked_policies: "top_blocked_count_by_policy",
} as const;

const COUNTS = [
  "allowed_count_by_risk",
  "blocked_count_by_risk",
  "allowed_count_by_region_by_risk",
  "all_count_by_region",
  "blocked_count_by_region",
];

export function flowRow(raw: Row): Row {
  const bytes = isRow(raw.traffic_data) ? raw.traffic_data : {};
  const { bytes_total, bytes_rx, bytes_tx } = bytes;
  const row = {
    ...raw,
    bytes_total,
    bytes_rx,
    bytes_tx,
    source: endOf(raw.source),
    destination: endOf(raw.destination),
  };
  return project(row, FLOW_TABLE);
}

/** One end of a flow; what the console leaves empty is left out. */
function endOf(value: unknown): Row {
  const end = isRow(value) ? value : {};
  const name = [end.client_name, end.host_name].find((text) => typeof text === "string" && text !== "");
  const told = Object.entries(project({ ...end, name }, END_TABLE)).filter(([, text]) => text !== "");
  return Object.fromEntries(told);
}

/** The console's figures and rankings; at most `top` of each ranking, whatever the console sends. */
export function statisticsOf(answer: Row, top: number): Row {
  const counts = COUNTS.flatMap((name) => (answer[name] == null ? [] : [[name, answer[name]] as const]));
  const rankings = Object.entries(RANKINGS).map(([name, field]) => {
    const rows = answer[field];
    return [name, (Array.isArray(rows) ? rows.filter(isRow) : []).slice(0, top)] as const;
  });
  return Object.fromEntries([...counts, ...rankings]);
}
