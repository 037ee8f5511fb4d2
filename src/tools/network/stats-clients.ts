/** What clients did and how they are connected: sessions, Wi-Fi, applications. */
import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { macArgument, normalMac } from "../arguments.ts";
import { type ListArguments, listArguments, listOutput, listPayload } from "../listing.ts";
import { isRow, numberOf, project, type RowTable, rowSchema } from "../rows.ts";
import { defineTool } from "../tool.ts";
import { durationArgument, windowOf } from "./stats-reports.ts";

const COMMON = {
  app: "network",
  category: "stats",
  permission: { category: "stats", action: "read" },
} as const;
const MAC_ALIASES = { mac: "client_mac", mac_address: "client_mac", client_id: "client_mac" };
const DEFAULT_SESSIONS = 50;
const DEFAULT_APPS = 50;

const SESSION: RowTable = {
  mac: "string",
  hostname: "string",
  ap: "string",
  ssid: "string",
  connected_at: "time",
  disconnected_at: "time",
  duration: "integer",
  ip: "string",
  is_wired: "boolean",
  rx_bytes: "integer",
  tx_bytes: "integer",
};

const WIFI: RowTable = {
  mac: "string",
  ssid: "string",
  ap: "string",
  ap_name: "string",
  signal: "integer",
  noise: "integer",
  rssi: "integer",
  tx_rate: "integer",
  rx_rate: "integer",
  channel: "integer",
  channel_width: "integer",
  radio: "string",
  radio_proto: "string",
  satisfaction: "integer",
  tx_retries: "integer",
  roam_count: "integer",
  uptime: "integer",
};

const DPI: RowTable = {
  app: "integer",
  cat: "integer",
  rx_bytes: "integer",
  tx_bytes: "integer",
  total_bytes: "integer",
  rx_packets: "integer",
  tx_packets: "integer",
};

const groupBy = Type.Optional(
  Type.Enum(["by_app", "by_cat"], { type: "string", description: "By application or category", default: "by_app" }),
);

/** Rows under the grouping's name, heaviest first. */
function dpiRows(answer: readonly Row[], grouping: string): readonly Row[] {
  return answer
    .flatMap((row) => (Array.isArray(row[grouping]) ? row[grouping].filter(isRow) : []))
    .map((row) => {
      const bytes = (numberOf(row.rx_bytes) ?? 0) + (numberOf(row.tx_bytes) ?? 0);
      return project({ ...row, total_bytes: bytes }, DPI);
    })
    .toSorted((a, b) => Number(b.total_bytes) - Number(a.total_bytes));
}

function dpiPayload(network: NetworkSite, rows: readonly Row[], args: ListArguments) {
  return listPayload({
    site: network.site,
    rowsName: "traffic",
    table: DPI,
    rows,
    args: { ...args },
    defaultLimit: DEFAULT_APPS,
  });
}

async function deviceNames(network: NetworkSite): Promise<ReadonlyMap<string, unknown>> {
  const devices = await network.v1("GET", "/stat/device");
  return new Map(devices.map((device) => [String(device.mac).toLowerCase(), device.name]));
}

/** The time at which the session ended; one that goes on has none. */
function sessionRow(raw: Row, connected: ReadonlySet<string>): Row {
  const from = numberOf(raw.assoc_time);
  const seconds = numberOf(raw.duration);
  const ended = from === undefined || seconds === undefined ? undefined : from + seconds;
  const goesOn = connected.has(`${String(raw.mac)} ${String(raw.assoc_time)}`);
  return project(
    {
      ...raw,
      hostname: raw.name ?? raw.hostname,
      ap: raw.ap_mac,
      ssid: raw.essid,
      connected_at: from,
      disconnected_at: raw.disassoc_time ?? (goesOn ? undefined : ended),
    },
    SESSION,
  );
}

export default [
  defineTool({
    ...COMMON,
    name: "unifi_get_client_sessions",
    title: "Get client sessions",
    summary: "List when clients were connected.",
    description: "Sessions of clients: when each came and went, through what, and how much it moved.",
    input: {
      client_mac: Type.Optional(
        Type.Unsafe<string | null>({
          type: ["string", "null"],
          description: "Only this client's MAC address",
          maxLength: 32,
        }),
      ),
      duration: durationArgument("daily"),
      ...listArguments(DEFAULT_SESSIONS),
    },
    aliases: MAC_ALIASES,
    output: {
      ...listOutput("sessions", SESSION),
      duration: Type.Optional(Type.String()),
      limit: Type.Optional(Type.Integer()),
      client_mac: Type.Optional(Type.String()),
    },
    reads: ["POST /api/s/{site}/stat/session", "GET /api/s/{site}/stat/sta"],
    asks: [
      "when did the kid's tablet come online",
      "who was here at night",
      "how long was a phone connected",
      "when was a device online",
      "connection history of a client",
      "sessions of the last week",
      "login times of a phone",
      "when did it disconnect",
      "was my daughter online at midnight",
      "when did the employee arrive",
      "when did this device join and leave",
      "presence of a phone",
    ],
    async run(context, args) {
      const { network } = context;
      const { duration = "daily", limit = DEFAULT_SESSIONS, offset = 0, client_mac: given } = args;
      const mac = typeof given === "string" ? normalMac(given) : undefined;
      const [found, live] = await Promise.all([
        network.v1("POST", "/stat/session", {
          type: "all",
          ...windowOf(duration, context.now()),
          _limit: offset + limit + 1,
          ...(mac === undefined ? {} : { mac }),
        }),
        network.v1("GET", "/stat/sta"),
      ]);
      const connected = new Set(live.map((row) => `${String(row.mac)} ${String(row.assoc_time)}`));
      const listed: ListArguments & Row = { ...args };
      const payload = listPayload({
        site: network.site,
        rowsName: "sessions",
        table: SESSION,
        rows: found.map((row) => sessionRow(row, connected)),
        args: listed,
        defaultLimit: DEFAULT_SESSIONS,
      });
      return { ...payload, duration, limit, ...(mac === undefined ? {} : { client_mac: mac }) };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_get_client_wifi_details",
    title: "Get client Wi-Fi",
    summary: "Show how well a client's Wi-Fi is.",
    description:
      "How a wireless client is connected right now: access point, signal, noise, rates, retries, roaming, satisfaction. Over time: unifi_get_client_stats.",
    input: { client_mac: macArgument("MAC address of the client") },
    aliases: MAC_ALIASES,
    macs: ["client_mac"],
    output: {
      site: Type.Optional(Type.String()),
      client_mac: Type.Optional(Type.String()),
      wifi_details: Type.Optional(rowSchema(WIFI)),
    },
    reads: ["GET /api/s/{site}/stat/sta", "GET /api/s/{site}/stat/device"],
    asks: [
      "wifi is slow on my laptop",
      "which ap is the phone on",
      "signal strength of a tablet",
      "bad reception",
      "signal strength of a client",
      "why is my laptop wifi slow",
      "which access point am I on",
      "wifi quality of a device",
      "roaming of a phone",
      "weak signal",
      "poor wifi experience",
      "video calls drop in the bedroom",
      "how good is the connection of a tablet",
      "bad wireless experience of one person",
      "is the phone on 5 ghz",
      "how often does it roam",
    ],
    async run({ network }, { client_mac: mac }) {
      const [stations, names] = await Promise.all([network.v1("GET", "/stat/sta"), deviceNames(network)]);
      const client = stations.find((station) => String(station.mac).toLowerCase() === mac);
      if (client === undefined) {
        throw new EdgeError("NOT_FOUND", "No client with this MAC address is connected.", {
          hint: "unifi_get_client_sessions shows when it last was.",
        });
      }
      if (client.is_wired === true) {
        throw new EdgeError("ARGUMENTS_INVALID", "This client is connected by cable, so it has no Wi-Fi figures.", {
          hint: "unifi_get_port_stats shows the port of a switch.",
        });
      }
      const ap = String(client.ap_mac ?? "").toLowerCase();
      const details = project({ ...client, ssid: client.essid, ap: client.ap_mac, ap_name: names.get(ap) }, WIFI);
      return { site: network.site, client_mac: mac, wifi_details: details };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_get_client_dpi_traffic",
    title: "Get client applications",
    summary: "Show what a client's traffic was for.",
    description:
      "One client's traffic by application or category, as the gateway recognised it. Names of the numbers: unifi_list_dpi_applications.",
    input: { client_mac: macArgument("MAC address of the client"), group_by: groupBy, ...listArguments(DEFAULT_APPS) },
    aliases: MAC_ALIASES,
    macs: ["client_mac"],
    output: {
      ...listOutput("traffic", DPI),
      client_mac: Type.Optional(Type.String()),
      group_by: Type.Optional(Type.String()),
    },
    reads: ["POST /api/s/{site}/stat/stadpi"],
    asks: [
      "which apps does the kid use",
      "how much netflix on the tv",
      "what is this phone doing online",
      "what is this client using the internet for",
      "apps used by one device",
      "which websites and services does a device use",
      "streaming on the kids tablet",
      "does he watch youtube all day",
      "which services does my son use",
      "what is the tv streaming",
      "what does one person do on the net",
    ],
    async run({ network }, { client_mac: mac, group_by: grouping = "by_app", ...args }) {
      const answer = await network.v1("POST", "/stat/stadpi", { type: grouping, macs: [mac] });
      return { ...dpiPayload(network, dpiRows(answer, grouping), args), client_mac: mac, group_by: grouping };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_get_site_dpi_traffic",
    title: "Get site applications",
    summary: "Show what the site's traffic was for.",
    description:
      "The site's traffic by application or category, heaviest first. Names of the numbers: unifi_list_dpi_applications and unifi_list_dpi_categories.",
    input: { group_by: groupBy, ...listArguments(DEFAULT_APPS) },
    output: { ...listOutput("traffic", DPI), group_by: Type.Optional(Type.String()) },
    reads: ["POST /api/s/{site}/stat/sitedpi"],
    asks: [
      "which apps eat our bandwidth",
      "streaming versus gaming",
      "top services of the office",
      "which applications use the most bandwidth",
      "traffic by application",
      "how much is netflix",
      "app usage of the whole network",
      "breakdown of traffic by category",
      "is everyone streaming video",
      "share of social media",
      "what is our internet used for",
      "biggest services by volume",
    ],
    async run({ network }, { group_by: grouping = "by_app", ...args }) {
      const answer = await network.v1("POST", "/stat/sitedpi", { type: grouping });
      return { ...dpiPayload(network, dpiRows(answer, grouping), args), group_by: grouping };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_get_dpi_stats",
    title: "Get DPI restrictions",
    summary: "Show restricted apps and their groups.",
    description:
      "The restrictions by application that the site has (older consoles' DPI groups), not figures: these are in unifi_get_site_dpi_traffic.",
    input: {},
    output: {
      site: Type.Optional(Type.String()),
      dpi_stats: Type.Optional(
        Type.Object({
          applications: Type.Optional(Type.Array(Type.Object({}))),
          categories: Type.Optional(Type.Array(Type.Object({}))),
        }),
      ),
    },
    reads: ["GET /api/s/{site}/rest/dpiapp", "GET /api/s/{site}/rest/dpigroup"],
    asks: [
      "which apps are forbidden",
      "application blocking groups",
      "restricted services",
      "dpi restriction groups",
      "apps that are restricted",
      "blocked application groups",
      "what is restricted by application",
      "groups of forbidden apps",
    ],
    async run({ network }) {
      const [applications, categories] = await Promise.all([
        network.v1("GET", "/rest/dpiapp"),
        network.v1("GET", "/rest/dpigroup"),
      ]);
      return { site: network.site, dpi_stats: { applications, categories } };
    },
  }),
];
