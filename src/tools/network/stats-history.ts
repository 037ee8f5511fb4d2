/** Traffic and load over time: of a client, a device, the gateway, the site, and of speed tests. */
import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { normalMac } from "../arguments.ts";
import { idOf } from "../collection.ts";
import { type ListArguments, listArguments, listOutput, listPayload } from "../listing.ts";
import { project, type RowTable } from "../rows.ts";
import { defineTool, type Endpoint } from "../tool.ts";
import { clientName, fetchClients } from "./client-rows.ts";
import { categoryOf } from "./device-rows.ts";
import {
  durationArgument,
  REPORT_ARGUMENTS,
  reportOutput,
  reportPayload,
  spread,
  total,
  windowOf,
} from "./stats-reports.ts";

const COMMON = {
  app: "network",
  category: "stats",
  permission: { category: "stats", action: "read" },
} as const;
const report = (kind: string): Endpoint => `POST /api/s/{site}/stat/report/{interval}.${kind}`;

const CLIENT_ATTRS = [
  ...["rx_bytes", "tx_bytes", "bytes", "signal", "satisfaction", "tx_retries", "tx_rate", "rx_rate"],
  "wifi_tx_attempts",
];
const SITE_ATTRS = [
  ...["bytes", "rx_bytes", "tx_bytes", "num_user", "num_sta", "num_active_user", "wan-rx_bytes", "wan-tx_bytes"],
  ...["wlan-num_sta", "lan-num_sta"],
];
const GATEWAY_ATTRS = [
  ...["wan-rx_bytes", "wan-tx_bytes", "lan-rx_bytes", "lan-tx_bytes", "cpu", "mem", "loadavg_5"],
  ...["wan-rx_packets", "wan-tx_packets"],
];

/** What the console counts for each kind of device. */
const DEVICE_REPORTS: Readonly<Record<string, { readonly kind: string; readonly attrs: readonly string[] }>> = {
  ap: {
    kind: "ap",
    attrs: [
      ...["num_sta", "ng-num_sta", "na-num_sta", "satisfaction", "tx_retries", "wifi_tx_attempts", "wifi_tx_dropped"],
      ...["ng-tx_bytes", "na-tx_bytes", "ng-rx_bytes", "na-rx_bytes"],
    ],
  },
  gateway: { kind: "gw", attrs: GATEWAY_ATTRS.slice(0, 7) },
};
const OTHER_DEVICE = { kind: "dev", attrs: ["rx_bytes", "tx_bytes", "bytes", "num_sta"] };
const DEVICE_ATTRS = [
  ...new Set([...Object.values(DEVICE_REPORTS).flatMap(({ attrs }) => attrs), ...OTHER_DEVICE.attrs]),
];

const VOLUMES: RowTable = { total_rx_bytes: "integer", total_tx_bytes: "integer", total_bytes: "integer" };
const SPEEDTESTS: RowTable = {
  timestamp: "time",
  download_mbps: "number",
  upload_mbps: "number",
  latency_ms: "number",
};
const DEFAULT_RESULTS = 50;

/** Received and sent over the fields that end so, whatever radio or side stands before. */
function volumes(buckets: readonly Row[], attrs: readonly string[]) {
  const ending = (direction: string) => attrs.filter((attr) => attr.endsWith(`${direction}_bytes`));
  const received = total(buckets, ...ending("rx"));
  const sent = total(buckets, ...ending("tx"));
  return { total_rx_bytes: received, total_tx_bytes: sent, total_bytes: received + sent };
}

/** By MAC address in any spelling, or by id. */
async function findDeviceByName(network: NetworkSite, wanted: string): Promise<Row> {
  const mac = normalMac(wanted);
  const devices = await network.v1("GET", "/stat/device");
  const device = devices.find((each) => String(each.mac).toLowerCase() === mac || idOf(each) === wanted);
  if (device !== undefined) return device;
  throw new EdgeError("NOT_FOUND", "No device of this site has this MAC address or id.", {
    hint: "unifi_list_devices lists them.",
  });
}

async function findClientByName(network: NetworkSite, wanted: string) {
  const mac = normalMac(wanted);
  const clients = await fetchClients(network);
  const client = clients.find(
    ({ mac: own, live, known }) =>
      own === mac || [live, known].some((record) => record !== undefined && idOf(record) === wanted),
  );
  if (client !== undefined) return client;
  throw new EdgeError("NOT_FOUND", "No client of this site has this MAC address or id.", {
    hint: "unifi_list_clients lists them; include_offline=true shows those that are away.",
  });
}

export default [
  defineTool({
    ...COMMON,
    name: "unifi_get_client_stats",
    title: "Get client statistics",
    summary: "Show a client's traffic over time.",
    description:
      "Traffic, signal and satisfaction of one client over time, with sums. Who uses most: unifi_get_top_clients; what for: unifi_get_client_dpi_traffic.",
    input: {
      client_id: Type.String({ description: "MAC address or id of the client", minLength: 1, maxLength: 64 }),
      ...REPORT_ARGUMENTS,
    },
    aliases: { mac: "client_id", mac_address: "client_id", client_mac: "client_id" },
    output: {
      ...reportOutput(CLIENT_ATTRS, VOLUMES),
      client_id: Type.Optional(Type.String()),
      client_name: Type.Optional(Type.String()),
    },
    reads: [report("user"), "GET /api/s/{site}/stat/sta", "GET /api/s/{site}/rest/user"],
    asks: [
      "usage graph of one phone",
      "how much did this laptop download today",
      "signal history of a device",
      "data usage of one device",
      "how much did my son download",
      "traffic of a client over the last week",
      "bandwidth history of a laptop",
      "consumption of one user",
      "gigabytes one person used",
      "monthly data of my son",
      "how active was this device",
      "chart for one client",
    ],
    async run(context, args) {
      const { network } = context;
      const client = await findClientByName(network, args.client_id);
      const payload = await reportPayload(network, {
        kind: "user",
        attrs: CLIENT_ATTRS,
        mac: client.mac,
        asked: args,
        nowMs: context.now(),
        summarise: (buckets) => volumes(buckets, ["rx_bytes", "tx_bytes"]),
      });
      const name = clientName(client);
      return { ...payload, client_id: client.mac, ...(name === undefined ? {} : { client_name: name }) };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_get_device_stats",
    title: "Get device statistics",
    summary: "Show a device's traffic and load over time.",
    description:
      "What one access point, switch or gateway carried over time, with its clients and load where it counts them. Ports of a switch, now: unifi_get_port_stats.",
    input: {
      device_id: Type.String({ description: "MAC address or id of the device", minLength: 1, maxLength: 64 }),
      ...REPORT_ARGUMENTS,
    },
    aliases: { mac: "device_id", mac_address: "device_id", device_mac: "device_id" },
    output: {
      ...reportOutput(DEVICE_ATTRS, {
        ...VOLUMES,
        avg_clients: "number",
        max_clients: "number",
        avg_satisfaction: "number",
        total_tx_retries: "integer",
      }),
      device_id: Type.Optional(Type.String()),
      device_name: Type.Optional(Type.String()),
      device_type: Type.Optional(Type.String()),
    },
    reads: [report("ap"), report("gw"), report("dev"), "GET /api/s/{site}/stat/device"],
    asks: [
      "how busy was the ap this week",
      "load history of a switch",
      "clients per access point over time",
      "traffic of an access point over time",
      "statistics of a switch",
      "usage history of a device",
      "how loaded was the ap",
      "performance of one device",
      "is one ap overloaded",
      "people per access point",
      "how much went through this switch",
    ],
    async run(context, args) {
      const { network } = context;
      const device = await findDeviceByName(network, args.device_id);
      const { kind, attrs } = DEVICE_REPORTS[categoryOf(device)] ?? OTHER_DEVICE;
      const payload = await reportPayload(network, {
        kind,
        attrs,
        mac: String(device.mac),
        asked: args,
        nowMs: context.now(),
        summarise: (buckets) => {
          const clients = spread(buckets, "num_sta");
          const satisfaction = spread(buckets, "satisfaction");
          return {
            ...volumes(buckets, attrs),
            ...(clients && { avg_clients: clients.mean, max_clients: clients.most }),
            ...(satisfaction && { avg_satisfaction: satisfaction.mean }),
            ...(attrs.includes("tx_retries") ? { total_tx_retries: total(buckets, "tx_retries") } : {}),
          };
        },
      });
      const facts = project(
        { device_id: device.mac, device_name: device.name, device_type: device.type },
        { device_id: "string", device_name: "string", device_type: "string" },
      );
      return { ...payload, ...facts };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_get_gateway_stats",
    title: "Get gateway statistics",
    summary: "Show the gateway's WAN, CPU and memory.",
    description: "The gateway's internet and LAN traffic, CPU and memory over time, with sums and means.",
    input: REPORT_ARGUMENTS,
    output: reportOutput(GATEWAY_ATTRS, {
      total_wan_rx_bytes: "integer",
      total_wan_tx_bytes: "integer",
      avg_cpu_pct: "number",
      avg_mem_pct: "number",
    }),
    reads: [report("gw")],
    asks: [
      "router cpu over the day",
      "how much internet did we use",
      "is the firewall overloaded",
      "wan usage graph",
      "gateway cpu history",
      "wan throughput over time",
      "router load",
      "internet usage of the gateway this week",
      "memory of the gateway",
      "is the router too weak",
      "how hot runs the gateway cpu",
      "line usage by the hour",
    ],
    run: (context, args) =>
      reportPayload(context.network, {
        kind: "gw",
        attrs: GATEWAY_ATTRS,
        asked: args,
        nowMs: context.now(),
        summarise: (buckets) => {
          const cpu = spread(buckets, "cpu");
          const memory = spread(buckets, "mem");
          return {
            total_wan_rx_bytes: total(buckets, "wan-rx_bytes"),
            total_wan_tx_bytes: total(buckets, "wan-tx_bytes"),
            ...(cpu && { avg_cpu_pct: cpu.mean }),
            ...(memory && { avg_mem_pct: memory.mean }),
          };
        },
      }),
  }),
  defineTool({
    ...COMMON,
    name: "unifi_get_network_stats",
    title: "Get site statistics",
    summary: "Show the site's traffic and clients over time.",
    description: "The whole site's traffic and number of clients over time, with sums and the mean number of clients.",
    input: REPORT_ARGUMENTS,
    output: reportOutput(SITE_ATTRS, { ...VOLUMES, avg_clients: "number" }),
    reads: [report("site")],
    asks: [
      "how many people were online yesterday",
      "busiest hour of the week",
      "total usage of the branch",
      "total traffic of the network",
      "number of clients over time",
      "usage of the whole site",
      "bandwidth statistics of the last month",
      "network traffic history",
      "are we growing",
      "when is the network busiest",
      "evening peaks",
      "how many were online at noon",
    ],
    run: (context, args) =>
      reportPayload(context.network, {
        kind: "site",
        attrs: SITE_ATTRS,
        asked: args,
        nowMs: context.now(),
        summarise: (buckets) => {
          const clients = spread(buckets, "num_user", "num_active_user", "num_sta");
          return {
            ...volumes(buckets, ["rx_bytes", "tx_bytes"]),
            ...(clients && { avg_clients: clients.mean }),
          };
        },
      }),
  }),
  defineTool({
    ...COMMON,
    name: "unifi_get_speedtest_results",
    title: "Get speed tests",
    summary: "List past speed tests of the line.",
    description: "Past speed tests of the internet line, newest first. A new one: unifi_trigger_speedtest.",
    input: { duration: durationArgument("daily"), ...listArguments(DEFAULT_RESULTS) },
    output: { ...listOutput("results", SPEEDTESTS), duration: Type.Optional(Type.String()) },
    reads: ["POST /api/s/{site}/stat/report/archive.speedtest"],
    asks: [
      "did the line get slower",
      "megabits of the last month",
      "history of our isp's bandwidth",
      "speed test history",
      "previous speed tests",
      "has our internet become slower",
      "isp speed over the last month",
      "download speeds measured",
      "does the provider deliver",
      "line quality over weeks",
      "earlier measurements of our line",
    ],
    async run(context, args: ListArguments & { readonly duration?: string }) {
      const { network } = context;
      const { duration = "daily" } = args;
      const found = await network.v1("POST", "/stat/report/archive.speedtest", {
        attrs: ["xput_download", "xput_upload", "latency", "time"],
        ...windowOf(duration, context.now()),
      });
      const rows = found
        .toSorted((a, b) => Number(b.time) - Number(a.time))
        .map((raw) =>
          project(
            {
              timestamp: raw.time,
              download_mbps: raw.xput_download,
              upload_mbps: raw.xput_upload,
              latency_ms: raw.latency,
            },
            SPEEDTESTS,
          ),
        );
      const listing = {
        site: network.site,
        rowsName: "results",
        table: SPEEDTESTS,
        rows,
        defaultLimit: DEFAULT_RESULTS,
      };
      return { ...listPayload({ ...listing, args: { ...args } }), duration };
    },
  }),
];
