/** Events as they happen: what the console's event socket has brought since it is listened to. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import type { Gap } from "../../controller/event-feed.ts";
import { normalMac } from "../arguments.ts";
import { type ListArguments, listArguments, listOutput, listPayload } from "../listing.ts";
import { isoTime, isRow } from "../rows.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { EVENT_TABLE, legacyRow } from "./log-rows.ts";

const COMMON = {
  app: "network",
  category: "events",
  permission: { category: "events", action: "read" },
} as const;
const DEFAULT_LIMIT = 100;
/** How long a call waits for the socket: a first sign-in takes about a second. */
const CONNECT_WAIT_MS = 2000;

/** Beginnings of event keys, by what they are about. */
const EVENT_TYPES: readonly (readonly [prefix: string, description: string])[] = [
  ["EVT_WU_", "Wireless clients: connected, disconnected, roamed"],
  ["EVT_WG_", "Wireless guests: connected, authorised, expired"],
  ["EVT_LU_", "Wired clients: connected, disconnected"],
  ["EVT_LG_", "Wired guests"],
  ["EVT_LAN_", "Networks and addresses, such as a conflict"],
  ["EVT_AP_", "Access points: lost, restarted, upgraded, radar, channel changed"],
  ["EVT_SW_", "Switches: lost, restarted, ports, spanning tree, PoE"],
  ["EVT_GW_", "Gateways: lost, restarted, WAN failed over"],
  ["EVT_XG_", "Power units and other devices"],
  ["EVT_IPS_", "Intrusion detection and prevention"],
  ["EVT_DPI_", "Application recognition"],
  ["EVT_AD_", "What administrators did"],
];

const STATE = {
  connected: Type.Optional(Type.Boolean()),
  listening_since: Type.Optional(Type.String({ format: "date-time" })),
  gaps: Type.Optional(
    Type.Array(Type.Object({ from: Type.Optional(Type.String()), to: Type.Optional(Type.String()) })),
  ),
  problem: Type.Optional(Type.String()),
  buffer_size: Type.Optional(Type.Integer()),
};

/** What is known of the feed after it was asked to listen. */
async function listen({ network, signal }: ToolContext) {
  const feed = network.events();
  await feed.ready(CONNECT_WAIT_MS, signal);
  const { connected, listeningSinceMs, gaps, problem, capacity } = feed.state();
  const since = isoTime(listeningSinceMs);
  return {
    feed,
    state: {
      connected,
      ...(since === undefined ? {} : { listening_since: since }),
      gaps: gaps.map(gapRow),
      ...(problem === undefined ? {} : { problem }),
      buffer_size: capacity,
    },
  };
}

function gapRow({ fromMs, toMs }: Gap): Row {
  const to = isoTime(toMs);
  return { from: isoTime(fromMs), ...(to === undefined ? {} : { to }) };
}

function eventRow({ atMs, event }: { readonly atMs: number; readonly event: Row }): Row {
  return legacyRow({ ...event, time: event.time ?? atMs, msg: event.msg ?? event.message });
}

/** A whole key, or the beginning of one. */
function isOfType(key: unknown, wanted: string | undefined): boolean {
  return wanted === undefined || String(key).toUpperCase().startsWith(wanted.toUpperCase());
}

const text = (description: string, maxLength: number) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ["string", "null"], description, maxLength }));

export default [
  defineTool({
    ...COMMON,
    name: "unifi_recent_events",
    title: "Recent events",
    summary: "Show events as they happened just now.",
    description:
      "Events that the console sent live since it is listened to, newest first. The first call begins to listen; gaps say when nothing could be heard, and unifi_list_events shows what the console logged then.",
    input: {
      event_type: text("Event key or its beginning, e.g. EVT_WU_", 100),
      mac: text("Only events of this MAC address", 32),
      ...listArguments(DEFAULT_LIMIT),
    },
    aliases: { type: "event_type", mac_address: "mac" },
    output: { ...listOutput("events", EVENT_TABLE), ...STATE },
    reads: [],
    asks: [
      "what is happening right now",
      "real-time activity",
      "last few seconds",
      "what just happened",
      "live events",
      "events of the last minute",
      "what is going on right now",
      "anything in the last minute",
      "who came in a moment ago",
      "follow what happens",
    ],
    async run(context, args: ListArguments & { readonly event_type?: string | null; readonly mac?: string | null }) {
      const { feed, state } = await listen(context);
      const { event_type: type, mac, ...listed } = args;
      const wantedMac = typeof mac === "string" ? normalMac(mac) : undefined;
      const rows = feed
        .recent()
        .map(eventRow)
        .filter(isRow)
        .filter((row) => isOfType(row.key, type ?? undefined))
        .filter((row) => wantedMac === undefined || String(row.mac).toLowerCase() === wantedMac)
        .reverse();
      const payload = listPayload({
        site: context.network.site,
        rowsName: "events",
        table: EVENT_TABLE,
        rows,
        args: { ...listed },
        defaultLimit: DEFAULT_LIMIT,
      });
      return { ...payload, ...state };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_subscribe_events",
    title: "Subscribe to events",
    summary: "Begin to listen to live events.",
    description:
      "Begins to listen to the console's live events and says how to get them: unifi_recent_events, asked again and again.",
    input: {},
    output: {
      site: Type.Optional(Type.String()),
      resource_uri: Type.Optional(Type.String()),
      summary_uri: Type.Optional(Type.String()),
      instructions: Type.Optional(Type.String()),
      ...STATE,
    },
    reads: [],
    asks: [
      "tell me as soon as something happens",
      "follow the activity",
      "start watching",
      "watch events live",
      "notify me of events",
      "stream events",
      "listen for new events",
      "inform me whenever something changes",
      "keep an eye on the network",
      "push notifications",
    ],
    async run(context) {
      const { state } = await listen(context);
      const instructions = state.connected
        ? "Listening. Ask unifi_recent_events for what came; give event_type or mac to narrow it."
        : "The event socket is not open yet and is tried again by itself. Ask unifi_recent_events later; unifi_list_events shows the log meanwhile.";
      return { site: context.network.site, instructions, ...state };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_get_event_types",
    title: "Get event types",
    summary: "List beginnings of event keys.",
    description: "What the beginnings of event keys mean, for event_type of unifi_list_events and unifi_recent_events.",
    input: {},
    output: {
      event_types: Type.Optional(
        Type.Array(Type.Object({ prefix: Type.Optional(Type.String()), description: Type.Optional(Type.String()) })),
      ),
      usage: Type.Optional(Type.String()),
    },
    reads: [],
    asks: [
      "what does EVT_WU mean",
      "which kinds of log entries exist",
      "names to filter the log by",
      "which event types are there",
      "list event keys",
      "what can I filter events by",
      "meaning of event prefixes",
      "what kinds of events can be logged",
      "explain the event codes",
    ],
    run: async () => ({
      event_types: EVENT_TYPES.map(([prefix, description]) => ({ prefix, description })),
      usage: "Give a whole key or a beginning as event_type.",
    }),
  }),
];
