/** What went wrong: alerts, intrusion events, anomalies, from the new log or the old ones. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { idOf } from "../collection.ts";
import { type ListArguments, listArguments, listOutput, listPayload } from "../listing.ts";
import { project, type RowTable } from "../rows.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { criticalLog } from "./critical-log.ts";
import { EVENT_TABLE, isAbsent, legacyRow } from "./log-rows.ts";
import { durationArgument, windowOf } from "./stats-reports.ts";

const COMMON = {
  app: "network",
  category: "stats",
  permission: { category: "stats", action: "read" },
} as const;
const CRITICAL = "POST /v2/api/site/{site}/system-log/critical";
const DEFAULT_ALERTS = 10;
const DEFAULT_EVENTS = 50;

const ALERT_TABLE: RowTable = { ...EVENT_TABLE, archived: "boolean" };
const ANOMALY: RowTable = { anomaly: "string", mac: "string", time: "time", count: "integer" };

async function alertsOf(context: ToolContext, archivedToo: boolean): Promise<readonly Row[]> {
  try {
    return await criticalLog(context);
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown;
  }
  const alarms = await context.network.v1("GET", "/stat/alarm");
  return alarms
    .filter((alarm) => archivedToo || alarm.archived !== true)
    .toSorted((a, b) => Number(b.time) - Number(a.time))
    .map((alarm) =>
      project({ ...legacyRow(alarm), time: alarm.time, id: idOf(alarm), archived: alarm.archived }, ALERT_TABLE),
    );
}

/** The old log first: the new one has its rows on consoles whose old log is gone or stays empty (UniFi-API-client#285). */
async function intrusions(context: ToolContext, duration: string, limit: number): Promise<readonly Row[]> {
  const window = windowOf(duration, context.now());
  let old: readonly Row[] = [];
  try {
    old = await context.network.v1("POST", "/stat/ips/event", { ...window, _limit: limit });
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown;
  }
  if (old.length > 0) {
    return old.map((row) =>
      project(
        {
          ...row,
          id: idOf(row),
          key: row.key ?? row.inner_alert_signature,
          mac: row.src_mac ?? row.dst_mac,
          ip: row.src_ip,
        },
        EVENT_TABLE,
      ),
    );
  }
  try {
    return await criticalLog(context, ["SECURITY"], window);
  } catch (thrown) {
    if (isAbsent(thrown)) return [];
    throw thrown;
  }
}

/** Some consoles answer one row a time, some one row with all its times. */
function anomalyRow(raw: Row): Row {
  const times = Array.isArray(raw.timestamps) ? raw.timestamps : [];
  return project(
    { ...raw, time: raw.time ?? raw.datetime ?? times.at(-1), count: raw.count ?? (times.length || 1) },
    ANOMALY,
  );
}

export default [
  defineTool({
    ...COMMON,
    name: "unifi_get_alerts",
    title: "Get alerts",
    summary: "List what went wrong lately.",
    description:
      "Serious entries of the last 30 days, newest first, their texts filled in. To put alarms away, use unifi_list_alarms and unifi_archive_alarm.",
    input: {
      ...listArguments(DEFAULT_ALERTS),
      include_archived: Type.Optional(
        Type.Boolean({ description: "Also those put away, on older consoles", default: false }),
      ),
    },
    output: {
      ...listOutput("alerts", ALERT_TABLE),
      limit: Type.Optional(Type.Integer()),
      include_archived: Type.Optional(Type.Boolean()),
    },
    reads: [CRITICAL, "GET /api/s/{site}/stat/alarm"],
    asks: [
      "anything broken lately",
      "serious problems of the site",
      "critical notices",
      "what should I worry about",
      "recent alerts",
      "important problems lately",
      "what alerts were raised",
      "critical issues this month",
      "has anything failed",
      "what needs fixing",
      "bad news from the network",
      "should I be worried",
    ],
    async run(context, args) {
      const { include_archived: archived = false, ...listed } = args;
      const { network } = context;
      const payload = listPayload({
        site: network.site,
        rowsName: "alerts",
        table: ALERT_TABLE,
        rows: await alertsOf(context, archived),
        args: listed,
        defaultLimit: DEFAULT_ALERTS,
      });
      return { ...payload, limit: args.limit ?? DEFAULT_ALERTS, include_archived: archived };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_get_ips_events",
    title: "Get intrusion events",
    summary: "List intrusions that were seen or stopped.",
    description: "What intrusion detection saw or stopped, newest first: signature, source, severity.",
    input: { duration: durationArgument("daily"), ...listArguments(DEFAULT_EVENTS) },
    output: {
      ...listOutput("events", EVENT_TABLE),
      duration: Type.Optional(Type.String()),
      limit: Type.Optional(Type.Integer()),
    },
    reads: ["POST /api/s/{site}/stat/ips/event", CRITICAL],
    asks: [
      "were we attacked",
      "blocked threats",
      "suricata hits",
      "malware traffic seen by the gateway",
      "intrusion attempts",
      "blocked attacks",
      "ids alerts",
      "threats detected",
      "is someone attacking us",
      "security incidents",
      "port scans seen",
      "are hackers probing us",
      "malware calling home",
      "was something malicious stopped",
      "virus activity",
    ],
    async run(context, args: ListArguments & { readonly duration?: string }) {
      const { duration = "daily", limit = DEFAULT_EVENTS, offset = 0 } = args;
      const payload = listPayload({
        site: context.network.site,
        rowsName: "events",
        table: EVENT_TABLE,
        rows: await intrusions(context, duration, limit + offset + 1),
        args: { ...args },
        defaultLimit: DEFAULT_EVENTS,
      });
      return { ...payload, duration, limit };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_get_anomalies",
    title: "Get anomalies",
    summary: "List anomalies that the console noticed.",
    description:
      "Troubles that the console noticed by itself: clients with DNS time-outs, high latency, failing connections, with how often.",
    input: { duration: durationArgument("daily"), ...listArguments(DEFAULT_EVENTS) },
    output: { ...listOutput("anomalies", ANOMALY), duration: Type.Optional(Type.String()) },
    reads: ["POST /api/s/{site}/stat/anomalies"],
    asks: [
      "who has dns timeouts",
      "odd behaviour of clients",
      "connection trouble found by itself",
      "unusual behaviour on the network",
      "anomalies detected",
      "wifi problems the controller noticed",
      "weird things happening",
      "does anyone have trouble connecting",
      "dns problems of clients",
      "latency problems noticed",
    ],
    async run({ network, now }, args: ListArguments & { readonly duration?: string }) {
      const { duration = "daily" } = args;
      const found = await network.v1("POST", "/stat/anomalies", windowOf(duration, now()));
      const payload = listPayload({
        site: network.site,
        rowsName: "anomalies",
        table: ANOMALY,
        rows: found.map(anomalyRow),
        args: { ...args },
        defaultLimit: DEFAULT_EVENTS,
      });
      return { ...payload, duration };
    },
  }),
];
