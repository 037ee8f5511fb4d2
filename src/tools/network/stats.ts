/** Figures of a site over time. */
import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { listArguments, listOutput, listPayload } from "../listing.ts";
import { isRow, numberOf, type RowTable } from "../rows.ts";
import { defineTool } from "../tool.ts";
import { type Client, clientName, fetchClients } from "./client-rows.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far back each duration reaches, and from which of the console's report intervals it is summed. */
const DURATIONS: Readonly<Record<string, { readonly lengthMs: number; readonly interval: string }>> = {
  hourly: { lengthMs: HOUR_MS, interval: "5minutes" },
  daily: { lengthMs: DAY_MS, interval: "hourly" },
  weekly: { lengthMs: 7 * DAY_MS, interval: "daily" },
  monthly: { lengthMs: 30 * DAY_MS, interval: "daily" },
};

const TOP_TABLE = {
  mac: "string",
  hostname: "string",
  tx_bytes: "integer",
  rx_bytes: "integer",
  total_bytes: "integer",
} as const satisfies RowTable;

const TOP_LIMIT = 10;

interface Volume {
  readonly sent: number;
  readonly received: number;
}

/** Bytes per client within the window; undefined where this console keeps no such report. */
async function reportedVolumes(site: NetworkSite, duration: string, now: number) {
  const { lengthMs, interval } = DURATIONS[duration] ?? { lengthMs: DAY_MS, interval: "hourly" };
  try {
    const rows = await site.v1("POST", `/stat/report/${interval}.user`, {
      attrs: ["tx_bytes", "rx_bytes", "time"],
      start: now - lengthMs,
      end: now,
    });
    const volumes = new Map<string, Volume>();
    for (const row of rows) {
      const mac = String(row.user ?? row.oid ?? "").toLowerCase();
      if (/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac)) volumes.set(mac, plus(volumes.get(mac), volumeOf(row)));
    }
    return volumes.size === 0 ? undefined : volumes;
  } catch (thrown) {
    const absent = thrown instanceof EdgeError && ["CONTROLLER_UNSUPPORTED", "NOT_FOUND"].includes(thrown.code);
    if (absent) return undefined;
    throw thrown;
  }
}

function plus(left: Volume | undefined, right: Volume): Volume {
  return { sent: (left?.sent ?? 0) + right.sent, received: (left?.received ?? 0) + right.received };
}

/** Wired clients count under names of their own. */
function volumeOf(row: Row): Volume {
  const sum = (direction: string) =>
    (numberOf(row[`${direction}_bytes`]) ?? 0) + (numberOf(row[`wired-${direction}_bytes`]) ?? 0);
  return { sent: sum("tx"), received: sum("rx") };
}

/** The counters of the running sessions, for consoles without reports. */
function sessionVolumes(clients: readonly Client[]): ReadonlyMap<string, Volume> {
  const live = clients.filter((client) => client.live !== undefined);
  return new Map(live.map((client) => [client.mac, volumeOf(client.live ?? {})]));
}

/** Sections of the dashboard that hold long series. */
const HEAVY_SECTIONS = ["radio_activity", "wan_activity", "wan_history", "wifi_activity"];

export default [
  defineTool({
    name: "unifi_get_top_clients",
    title: "Get top clients",
    summary: "Rank clients by traffic.",
    asks: [
      "who uses the most bandwidth",
      "top talkers",
      "heaviest users",
      "who is hogging the internet",
      "biggest downloaders",
      "why is the internet slow, who is using it",
      "data hogs",
      "something is saturating our line",
      "who is downloading so much",
      "internet feels slow, find the culprit",
      "rank people by data volume",
      "most gigabytes this month",
    ],
    description:
      "The clients with the most traffic of the last hour, day, week or month. Where the console keeps no reports, the running sessions are ranked instead and `source` says `session`.",
    app: "network",
    category: "stats",
    permission: { category: "stats", action: "read" },
    input: {
      duration: Type.Optional(
        Type.Enum(Object.keys(DURATIONS), {
          type: "string",
          description: "Last hour, day, 7 days or 30 days",
          default: "daily",
        }),
      ),
      ...listArguments(TOP_LIMIT),
    },
    output: {
      ...listOutput("top_clients", TOP_TABLE),
      duration: Type.Optional(Type.String()),
      limit: Type.Optional(Type.Integer()),
      source: Type.Optional(Type.String()),
    },
    reads: [
      "POST /api/s/{site}/stat/report/{interval}.user",
      "GET /api/s/{site}/stat/sta",
      "GET /api/s/{site}/rest/user",
    ],
    async run(context, args) {
      const { network } = context;
      const { duration = "daily" } = args;
      const [reported, clients] = await Promise.all([
        reportedVolumes(network, duration, context.now()),
        fetchClients(network),
      ]);
      const names = new Map(clients.map((client) => [client.mac, clientName(client)]));
      const rows = [...(reported ?? sessionVolumes(clients))]
        .map(([mac, { sent, received }]) => ({
          mac,
          ...(names.get(mac) === undefined ? {} : { hostname: names.get(mac) }),
          tx_bytes: Math.round(sent),
          rx_bytes: Math.round(received),
          total_bytes: Math.round(sent + received),
        }))
        .sort((left, right) => right.total_bytes - left.total_bytes);
      const { site } = network;
      const listing = { site, rowsName: "top_clients", table: TOP_TABLE, rows, args, defaultLimit: TOP_LIMIT };
      const source = reported === undefined ? "session" : "report";
      return { ...listPayload(listing), duration, limit: args.limit ?? TOP_LIMIT, source };
    },
  }),

  defineTool({
    name: "unifi_get_dashboard",
    title: "Get dashboard",
    summary: "The site's dashboard in one answer.",
    asks: [
      "overview of the network",
      "dashboard",
      "summary of the site",
      "everything at a glance",
      "status summary",
      "give me the big picture",
      "short summary of how things are",
      "status page",
      "main figures of the site",
    ],
    description:
      "What the console's dashboard shows, in one answer: devices, clients, internet, Wi-Fi. summary=false adds the long time series.",
    app: "network",
    category: "stats",
    permission: { category: "stats", action: "read" },
    input: {
      summary: Type.Optional(Type.Boolean({ description: "Leave out the long time series", default: true })),
      history_seconds: Type.Optional(
        Type.Integer({ description: "How far back, seconds", minimum: 300, maximum: 2_592_000, default: 86_400 }),
      ),
    },
    output: {
      site: Type.Optional(Type.String()),
      summary_mode: Type.Optional(Type.Boolean()),
      history_seconds: Type.Optional(Type.Integer()),
      omitted_sections: Type.Optional(Type.Array(Type.String())),
      dashboard: Type.Optional(Type.Object({})),
    },
    reads: ["GET /v2/api/site/{site}/aggregated-dashboard"],
    async run({ network }, { summary = true, history_seconds: seconds = 86_400 }) {
      const answer = await network.v2("GET", `/aggregated-dashboard?historySeconds=${seconds}`);
      const first: unknown = Array.isArray(answer) ? answer[0] : answer;
      const whole = isRow(first) ? first : {};
      const omitted = summary ? HEAVY_SECTIONS.filter((section) => section in whole) : [];
      const dashboard = Object.fromEntries(Object.entries(whole).filter(([section]) => !omitted.includes(section)));
      const { site } = network;
      return { site, summary_mode: summary, history_seconds: seconds, omitted_sections: omitted, dashboard };
    },
  }),
];
