/** Clients of the network: what they are and where. Changing them is in client-access.ts and client-settings.ts. */
import { Type } from "typebox";
import { EdgeError } from "../../errors.ts";
import { ipv4Argument, macArgument, normalMac, sectionsOf } from "../arguments.ts";
import { listArguments, listOutput, listPayload } from "../listing.ts";
import { pick } from "../merge.ts";
import { project, type RowTable, rowProperties } from "../rows.ts";
import { defineTool } from "../tool.ts";
import {
  addressOf,
  CLIENT_TABLE,
  clientName,
  clientRow,
  fetchClients,
  fetchConnected,
  findClient,
  mergedRecord,
} from "./client-rows.ts";

const READS = ["GET /api/s/{site}/stat/sta", "GET /api/s/{site}/rest/user"] as const;
const DEFAULT_LIMIT = 100;
const ECHO = { filter_type: "filter_type", search: "search", fields: "fields" };
const MAC_ALIASES = { mac: "mac_address", client_mac: "mac_address", client: "mac_address" };

const BLOCKED_TABLE = {
  mac: "string",
  hostname: "string",
  name: "string",
  last_seen: "time",
  blocked: "boolean",
} as const satisfies RowTable;

const LOOKUP_TABLE = {
  site: "string",
  mac: "string",
  ip: "string",
  hostname: "string",
  name: "string",
  is_online: "boolean",
  last_seen: "time",
} as const satisfies RowTable;

/** Fields of a client's record that each section shows. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  basic: [
    "mac",
    "name",
    "hostname",
    "status",
    "ip",
    "is_wired",
    "is_guest",
    "blocked",
    "note",
    "first_seen",
    "last_seen",
  ],
  network: [
    "ip",
    "last_ip",
    "network",
    "network_id",
    "vlan",
    "use_fixedip",
    "fixed_ip",
    "local_dns_record_enabled",
    "local_dns_record",
    "last_uplink_mac",
    "last_uplink_name",
    "sw_mac",
    "sw_port",
    "uptime",
  ],
  wireless: [
    "essid",
    "bssid",
    "ap_mac",
    "channel",
    "channel_width",
    "radio",
    "radio_proto",
    "signal",
    "rssi",
    "noise",
    "tx_rate",
    "rx_rate",
    "tx_retries",
    "roam_count",
    "satisfaction",
  ],
  traffic: [
    "tx_bytes",
    "rx_bytes",
    "wired-tx_bytes",
    "wired-rx_bytes",
    "tx_packets",
    "rx_packets",
    "tx_bytes-r",
    "rx_bytes-r",
  ],
  fingerprint: ["oui", "dev_cat", "dev_family", "dev_vendor", "dev_id", "os_name", "os_class", "fingerprint_source"],
};

export default [
  defineTool({
    name: "unifi_list_clients",
    title: "List clients",
    summary: "List connected clients, optionally with history.",
    asks: [
      "who is on my network",
      "show connected devices",
      "which devices are online",
      "how many clients are connected",
      "wifi users right now",
      "list everything connected",
      "find a device by name",
      "which phones are online",
      "show offline devices too",
      "everything that is attached to the wifi",
      "what gadgets are in the house",
      "count of people online",
      "show me all phones and laptops",
      "find the mac of my tv",
      "is my nas reachable",
      "any strangers on the wifi",
      "what is using my network",
    ],
    description:
      "Lists the clients connected right now, wired and wireless; include_offline adds every client the console remembers. For one client use unifi_get_client_details, for an address unifi_lookup_by_ip.",
    app: "network",
    category: "clients",
    permission: { category: "clients", action: "read" },
    input: {
      filter_type: Type.Optional(
        Type.Enum(["all", "wired", "wireless"], { type: "string", description: "Which medium", default: "all" }),
      ),
      include_offline: Type.Optional(
        Type.Boolean({ description: "Also clients that are not connected now", default: false }),
      ),
      search: Type.Optional(Type.String({ description: "Part of name, host name, IP or MAC address", maxLength: 200 })),
      ...listArguments(DEFAULT_LIMIT),
    },
    output: listOutput("clients", CLIENT_TABLE, ECHO),
    aliases: { type: "filter_type", query: "search" },
    reads: READS,
    async run({ network }, args) {
      const { filter_type: medium = "all", include_offline: all = false, search } = args;
      const clients = await (all ? fetchClients(network) : fetchConnected(network));
      return listPayload({
        site: network.site,
        rowsName: "clients",
        table: CLIENT_TABLE,
        rows: clients.map(clientRow),
        select: (row) =>
          (medium === "all" || row.connection_type === medium) && (search === undefined || mentions(row, search)),
        args: { ...args, filter_type: medium },
        defaultLimit: DEFAULT_LIMIT,
        echo: ECHO,
      });
    },
  }),

  defineTool({
    name: "unifi_list_blocked_clients",
    title: "List blocked clients",
    summary: "List the clients that are blocked.",
    asks: [
      "who is blocked",
      "which devices are banned",
      "show the block list",
      "list denied clients",
      "did I lock anybody out",
      "why can this phone not connect, is it banned",
    ],
    description: "Lists the clients that are blocked from the network now, connected or not.",
    app: "network",
    category: "clients",
    permission: { category: "clients", action: "read" },
    input: listArguments(DEFAULT_LIMIT),
    output: listOutput("blocked_clients", BLOCKED_TABLE),
    reads: ["GET /api/s/{site}/rest/user"],
    async run({ network }, args) {
      const known = await network.v1("GET", "/rest/user");
      const rows = known.filter((row) => row.blocked === true).map((row) => project(row, BLOCKED_TABLE));
      const { site } = network;
      return listPayload({
        site,
        rowsName: "blocked_clients",
        table: BLOCKED_TABLE,
        rows,
        args,
        defaultLimit: DEFAULT_LIMIT,
      });
    },
  }),

  defineTool({
    name: "unifi_get_client_details",
    title: "Get client details",
    summary: "Show one client, whole or by section.",
    asks: [
      "tell me about this device",
      "details of one client",
      "what is this mac address",
      "which ip does my printer have",
      "information on a laptop",
      "when was this client last seen",
      "what is this unknown gadget",
      "manufacturer of a device",
      "where is this laptop plugged in",
      "when did this phone first appear",
      "everything known about a mac",
    ],
    description:
      "Everything the console knows of one client, connected or remembered. summary=true with include returns only the named sections.",
    app: "network",
    category: "clients",
    permission: { category: "clients", action: "read" },
    input: {
      mac_address: macArgument("MAC address of the client"),
      include: Type.Optional(
        Type.String({
          description: "With summary=true: comma list of basic, network, wireless, traffic, fingerprint, all",
          default: "basic",
          maxLength: 100,
        }),
      ),
      summary: Type.Optional(Type.Boolean({ description: "Sections instead of the whole record", default: false })),
    },
    output: {
      site: Type.Optional(Type.String()),
      client: Type.Optional(Type.Object({})),
      include: Type.Optional(Type.String()),
      summary_mode: Type.Optional(Type.Boolean()),
      unknown_sections: Type.Optional(Type.Array(Type.String())),
    },
    aliases: MAC_ALIASES,
    macs: ["mac_address"],
    reads: READS,
    async run({ network }, { mac_address: mac, include = "basic", summary = false }) {
      const record = mergedRecord(await findClient(network, mac));
      const { site } = network;
      if (!summary) return { site, client: record };
      const { sections, unknown } = sectionsOf(include, Object.keys(SECTIONS));
      const client = Object.fromEntries(sections.map((section) => [section, pick(record, SECTIONS[section] ?? [])]));
      return {
        site,
        client,
        include,
        summary_mode: true,
        ...(unknown.length === 0 ? {} : { unknown_sections: unknown }),
      };
    },
  }),

  defineTool({
    name: "unifi_lookup_by_ip",
    title: "Look up by IP",
    summary: "Tell which client has an IPv4 address.",
    asks: [
      "which device has this ip",
      "who is 192.168.1.50",
      "what uses this address",
      "find the client behind an ip",
      "a log shows 10.0.0.7, who is that",
      "name behind an address",
    ],
    description:
      "Finds the client that holds an IPv4 address now, or else the one that last held it or has it reserved.",
    app: "network",
    category: "clients",
    permission: { category: "clients", action: "read" },
    input: { ip_address: ipv4Argument("IPv4 address, e.g. 192.168.1.20") },
    output: rowProperties(LOOKUP_TABLE),
    aliases: { ip: "ip_address", address: "ip_address" },
    reads: READS,
    async run({ network }, { ip_address: ip }) {
      const clients = await fetchClients(network);
      const holder =
        clients.find((client) => client.live !== undefined && addressOf(client) === ip) ??
        clients.find((client) => client.known?.last_ip === ip) ??
        clients.find((client) => client.known?.use_fixedip === true && client.known.fixed_ip === ip);
      if (holder === undefined) {
        throw new EdgeError("NOT_FOUND", "No connected or remembered client has this address.", {
          hint: "Devices of the network itself are in unifi_list_devices.",
        });
      }
      const record = { ...holder.known, ...holder.live };
      return project(
        {
          site: network.site,
          mac: holder.mac,
          ip,
          hostname: record.hostname,
          name: clientName(holder),
          is_online: holder.live !== undefined,
          last_seen: record.last_seen,
        },
        LOOKUP_TABLE,
      );
    },
  }),
];

/** Substring search; a MAC is found in any spelling. */
function mentions(row: { readonly [field: string]: unknown }, search: string): boolean {
  const needle = search.trim().toLowerCase();
  const mac = normalMac(needle);
  return ["name", "hostname", "ip", "mac"].some((field) => {
    const text = String(row[field] ?? "").toLowerCase();
    return text.includes(needle) || (field === "mac" && text.includes(mac));
  });
}
