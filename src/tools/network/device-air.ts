/** What devices measured: the air around them, neighbours, legal channels, and the internet line. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { invalid, macArgument } from "../arguments.ts";
import { listArguments, listOutput, listPayload } from "../listing.ts";
import { isRow, numberOf, project, type RowTable, withIsoTimes } from "../rows.ts";
import { defineTool } from "../tool.ts";
import { DEVICE_COMMAND, DEVICE_READS, findDevice } from "./device-change.ts";
import { categoryOf } from "./device-rows.ts";

const COMMON = { app: "network", category: "devices", permission: { category: "devices", action: "read" } } as const;
const DEFAULT_LIMIT = 100;
const ECHO = { within_hours: "within_hours" };

/** Signal of a neighbour that reports none. */
const NO_SIGNAL_DBM = -100;

const ROGUE_TABLE = {
  bssid: "string",
  ssid: "string",
  channel: "integer",
  signal: "integer",
  rssi: "integer",
  band: "string",
  bandwidth: "integer",
  security: "string",
  ap_mac: "string",
  ap_name: "string",
  last_seen: "time",
  is_rogue: "boolean",
} as const satisfies RowTable;

/** The console has further lists per band and width, which are shown too. */
const CHANNEL_TABLE = {
  code: "string",
  key: "string",
  name: "string",
  channels_ng: "any",
  channels_na: "any",
  channels_na_dfs: "any",
  channels_6e: "any",
} as const satisfies RowTable;

export default [
  defineTool({
    ...COMMON,
    name: "unifi_get_rf_scan_results",
    title: "Get RF scan results",
    summary: "Show an access point's spectrum scan.",
    description:
      "What the last spectrum scan of an access point found per channel; spectrum_scanning says that it still runs. unifi_trigger_rf_scan starts one.",
    asks: [
      "interference per channel",
      "which channel is quietest",
      "noise in the air",
      "spectrum analysis outcome",
      "results of the rf scan",
      "which channel is least crowded",
      "channel utilisation measured by the ap",
      "which frequencies are noisy",
      "outcome of the spectrum analysis",
    ],
    input: { ap_mac: macArgument("MAC address of the access point") },
    output: {
      site: Type.Optional(Type.String()),
      ap_mac: Type.Optional(Type.String()),
      count: Type.Optional(Type.Integer()),
      scan_results: Type.Optional(Type.Array(Type.Object({}))),
    },
    aliases: { mac: "ap_mac", mac_address: "ap_mac", device_mac: "ap_mac" },
    macs: ["ap_mac"],
    reads: ["GET /api/s/{site}/stat/spectrum-scan/{mac}"],
    async run({ network }, { ap_mac: mac }) {
      const rows = await network.v1("GET", `/stat/spectrum-scan/${encodeURIComponent(mac)}`);
      return { site: network.site, ap_mac: mac, count: rows.length, scan_results: rows };
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_list_available_channels",
    title: "List available channels",
    summary: "List the radio channels allowed here.",
    description: "Channels that the site's country allows, per band and width, for unifi_update_device_radio.",
    asks: [
      "legal wifi channels",
      "may I use DFS",
      "regulatory domain",
      "allowed 5 GHz frequencies",
      "which channels can I use",
      "allowed wifi channels",
      "valid 5 ghz channels",
      "channels permitted in this country",
      "which frequencies are legal here",
      "can I use channel 13",
    ],
    input: listArguments(DEFAULT_LIMIT),
    output: listOutput("channels", CHANNEL_TABLE),
    reads: ["GET /api/s/{site}/stat/current-channel"],
    async run({ network }, args) {
      const rows = await network.v1("GET", "/stat/current-channel");
      const { site } = network;
      return listPayload({ site, rowsName: "channels", table: CHANNEL_TABLE, rows, args, defaultLimit: DEFAULT_LIMIT });
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_list_rogue_aps",
    title: "List rogue access points",
    summary: "List neighbouring access points heard here.",
    description:
      "Access points of others that own ones heard, with signal and channel; is_rogue marks those that pretend to be ours. Own ones: unifi_list_devices.",
    asks: [
      "neighbours' wifi",
      "evil twin",
      "fake hotspot nearby",
      "foreign networks crowding our channel",
      "neighbouring networks",
      "detect rogue access points",
      "other wifi networks nearby",
      "unknown aps in range",
      "evil twin detection",
      "who else broadcasts here",
      "whose networks overlap ours",
      "is somebody imitating our wifi",
      "crowded airwaves around us",
    ],
    input: {
      within_hours: Type.Optional(
        Type.Integer({ description: "Heard within so many hours", minimum: 1, maximum: 8760, default: 24 }),
      ),
      channel: Type.Optional(
        Type.Union([Type.Integer({ minimum: 1, maximum: 233 }), Type.Null()], { description: "Only this channel" }),
      ),
      min_signal: Type.Optional(
        Type.Union([Type.Integer({ minimum: -120, maximum: 0 }), Type.Null()], { description: "Weakest to show, dBm" }),
      ),
      summary: Type.Optional(
        Type.Boolean({ description: "false adds all the console's fields as `raw`", default: true }),
      ),
      ...listArguments(DEFAULT_LIMIT),
    },
    output: {
      ...listOutput("rogue_aps", { ...ROGUE_TABLE, raw: "object" }, ECHO),
      filters: Type.Optional(Type.Object({ channel: Type.Unknown(), min_signal: Type.Unknown() })),
      summary_mode: Type.Optional(Type.Boolean()),
      offset: Type.Optional(Type.Integer()),
      next_offset: Type.Optional(Type.Integer()),
      has_more: Type.Optional(Type.Boolean()),
    },
    aliases: { hours: "within_hours", within: "within_hours" },
    reads: ["POST /api/s/{site}/stat/rogueap"],
    async run({ network }, args) {
      const { within_hours: hours = 24, channel = null, min_signal: weakest = null, summary = true, offset = 0 } = args;
      const heard = await network.v1("POST", "/stat/rogueap", { within: hours });
      const answer = listPayload({
        site: network.site,
        rowsName: "rogue_aps",
        table: { ...ROGUE_TABLE, raw: "object" },
        rows: heard.map((row) => ({
          ...project({ ...row, ssid: row.essid, bandwidth: row.bw }, ROGUE_TABLE),
          ...(summary ? {} : { raw: row }),
        })),
        select: (row) =>
          (channel === null || row.channel === channel) &&
          (weakest === null || (numberOf(row.signal) ?? NO_SIGNAL_DBM) >= weakest),
        args: { ...args, within_hours: hours },
        defaultLimit: DEFAULT_LIMIT,
        echo: ECHO,
      });
      const next = offset + Number(answer.returned);
      const more = next < Number(answer.total);
      return {
        ...answer,
        filters: { channel, min_signal: weakest },
        summary_mode: summary,
        offset,
        has_more: more,
        ...(more ? { next_offset: next } : {}),
      };
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_get_speedtest_status",
    title: "Get speed test status",
    summary: "Show the gateway's running or last speed test.",
    description:
      "How far the gateway's speed test is and what it measured: download and upload in Mbit/s, latency in ms. unifi_trigger_speedtest starts one; earlier ones: unifi_get_speedtest_results.",
    asks: [
      "is the bandwidth test done",
      "how fast is our internet",
      "latest download rate",
      "measured ISP latency",
      "is the speed test done",
      "result of the running speed test",
      "progress of the speed test",
      "what did the last test say",
      "has the measurement ended",
      "latest measurement of the line",
    ],
    input: { gateway_mac: macArgument("MAC address of the gateway") },
    output: {
      site: Type.Optional(Type.String()),
      gateway_mac: Type.Optional(Type.String()),
      status: Type.Optional(Type.Object({})),
    },
    aliases: { mac: "gateway_mac", mac_address: "gateway_mac", device_mac: "gateway_mac" },
    macs: ["gateway_mac"],
    reads: [...DEVICE_READS, DEVICE_COMMAND],
    async run({ network }, { gateway_mac: mac }) {
      const gateway = await findDevice(network, mac);
      if (categoryOf(gateway) !== "gateway") throw invalid("gateway_mac: this device is no gateway.");
      const [row] = await network.v1("POST", "/cmd/devmgr", { cmd: "speedtest-status", mac });
      // Some consoles answer with nothing and keep the last test with the gateway
      const kept = gateway["speedtest-status"];
      const status: Row = row ?? (isRow(kept) ? kept : {});
      return { site: network.site, gateway_mac: mac, status: withIsoTimes(status, ["rundate"]) };
    },
  }),
];
