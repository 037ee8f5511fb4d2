/** The Network application itself: version, load, health of its parts. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { listArguments, listOutput, listPayload } from "../listing.ts";
import { project, type RowTable, rowSchema } from "../rows.ts";
import { defineTool } from "../tool.ts";
import { gatewayLoad } from "./device-rows.ts";

const SYSTEM_TABLE = {
  name: "string",
  version: "string",
  build: "string",
  hostname: "string",
  uptime: "integer",
  timezone: "string",
  num_devices: "integer",
  num_clients: "integer",
  cpu_percent: "number",
  memory_percent: "number",
  update_available: "boolean",
  previous_version: "string",
} as const satisfies RowTable;

const HEALTH_TABLE = {
  subsystem: "string",
  status: "string",
  num_user: "integer",
  num_guest: "integer",
  num_iot: "integer",
  rx_bytes: "number",
  tx_bytes: "number",
  num_ap: "integer",
  num_sw: "integer",
  num_gw: "integer",
  num_adopted: "integer",
  num_disconnected: "integer",
  num_disabled: "integer",
  num_pending: "integer",
  wan_ip: "string",
  isp_name: "string",
  latency: "number",
  drops: "integer",
  uptime: "integer",
  xput_down: "number",
  xput_up: "number",
} as const satisfies RowTable;

const DEFAULT_LIMIT = 20;

/** Health rows count per second, under names that say so only on the console. */
function healthRow(raw: Row): Row {
  return project(
    { ...raw, rx_bytes: raw["rx_bytes-r"] ?? raw.rx_bytes, tx_bytes: raw["tx_bytes-r"] ?? raw.tx_bytes },
    HEALTH_TABLE,
  );
}

export default [
  defineTool({
    name: "unifi_get_system_info",
    title: "Get system info",
    summary: "Network version, load and counts.",
    asks: [
      "which software version is the controller on",
      "when was the controller last restarted",
      "controller uptime",
      "is the gateway overloaded",
      "cpu and memory of the controller",
      "which network application release do we run",
      "how long has the console been running",
      "is the console up to date",
      "memory pressure on the console",
      "build number",
      "what is the console called",
    ],
    description:
      "Version, host name, uptime in seconds and pending update of the Network application, the gateway's CPU and memory in percent, and how many devices and clients the site has now.",
    app: "network",
    category: "system",
    permission: { category: "system", action: "read" },
    input: {},
    output: { site: Type.Optional(Type.String()), system_info: Type.Optional(rowSchema(SYSTEM_TABLE)) },
    reads: ["GET /api/s/{site}/stat/sysinfo", "GET /api/s/{site}/stat/device", "GET /api/s/{site}/stat/sta"],
    async run({ network }) {
      const [[info = {}], devices, clients] = await Promise.all([
        network.v1("GET", "/stat/sysinfo"),
        network.v1("GET", "/stat/device"),
        network.v1("GET", "/stat/sta"),
      ]);
      const counts = { num_devices: devices.length, num_clients: clients.length };
      const system = project({ ...info, ...counts, ...gatewayLoad(devices) }, SYSTEM_TABLE);
      return { site: network.site, system_info: system };
    },
  }),

  defineTool({
    name: "unifi_get_network_health",
    title: "Get network health",
    summary: "Health per subsystem: WAN, LAN, WLAN, VPN.",
    asks: [
      "is the internet up",
      "is everything ok",
      "is anything down right now",
      "health of wan, lan and wlan",
      "are we online",
      "outage check",
      "how is the network doing",
      "are all access points online",
      "does our provider have an outage",
      "is the line working",
      "green or red",
      "quick checkup of the network",
    ],
    description:
      "Status of each subsystem (wan, www, lan, wlan, vpn) with its clients, its devices by state, traffic in bytes per second, and the latency and speed of the internet line. Start here when something is wrong.",
    app: "network",
    category: "system",
    permission: { category: "system", action: "read" },
    input: listArguments(DEFAULT_LIMIT),
    output: listOutput("health_summary", HEALTH_TABLE),
    reads: ["GET /api/s/{site}/stat/health"],
    async run({ network }, args) {
      const rows = (await network.v1("GET", "/stat/health")).map(healthRow);
      const { site } = network;
      return listPayload({
        site,
        rowsName: "health_summary",
        table: HEALTH_TABLE,
        rows,
        args,
        defaultLimit: DEFAULT_LIMIT,
      });
    },
  }),
];
