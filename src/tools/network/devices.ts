/** Network hardware: access points, switches, gateways and power units. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { macArgument, normalMac, sectionsOf } from "../arguments.ts";
import { listArguments, listOutput, listPayload } from "../listing.ts";
import { pick } from "../merge.ts";
import { defineTool, type Plan } from "../tool.ts";
import { DEVICE_COMMAND, DEVICE_PUT, DEVICE_READS, deviceSubject, findDevice } from "./device-change.ts";
import {
  categoryOf,
  DETAIL_TABLE,
  DEVICE_CATEGORIES,
  DEVICE_SECTIONS,
  DEVICE_STATES,
  DEVICE_TABLE,
  deviceDetails,
  deviceRecord,
  deviceRow,
  statusOf,
} from "./device-rows.ts";

const DEFAULT_LIMIT = 200;
const TABLE = { ...DEVICE_TABLE, ...DETAIL_TABLE };
const ECHO = { device_type: "filter_type", status: "filter_status", search: "search" };
const MAC_ALIASES = { mac: "mac_address", device_mac: "mac_address", device: "mac_address" };

const COMMON = { app: "network", category: "devices" } as const;
const MAC_OUTPUT = { mac_address: Type.Optional(Type.String()) };

export default [
  defineTool({
    ...COMMON,
    name: "unifi_list_devices",
    title: "List devices",
    summary: "List UniFi devices with their status.",
    description:
      "Lists the UniFi hardware of the site: access points, switches, gateways, power units, adopted and pending, with state, firmware and load. Computers and phones are in unifi_list_clients.",
    asks: [
      "which access points are offline",
      "hardware inventory",
      "what switches do we have",
      "gear waiting for adoption",
      "outdated firmware",
      "show all unifi hardware",
      "which aps are offline",
      "list access points",
      "list switches",
      "inventory of network equipment",
      "which devices need an update",
      "what firmware is everything on",
      "what hardware do we own",
      "anything offline among the aps",
      "how old is the firmware of our gear",
      "is all equipment alive",
    ],
    permission: { category: "devices", action: "read" },
    input: {
      device_type: Type.Optional(
        Type.Enum(["all", ...DEVICE_CATEGORIES], { type: "string", description: "Kind of device", default: "all" }),
      ),
      status: Type.Optional(
        Type.Enum(["all", ...DEVICE_STATES], { type: "string", description: "State", default: "all" }),
      ),
      search: Type.Optional(Type.String({ description: "Part of name, IP or MAC address", maxLength: 200 })),
      include_details: Type.Optional(
        Type.Boolean({ description: "Also serial, radios, ports, WANs by kind", default: false }),
      ),
      summary: Type.Optional(
        Type.Boolean({ description: "With include_details: counts (true) or the raw tables", default: true }),
      ),
      ...listArguments(DEFAULT_LIMIT),
    },
    output: listOutput("devices", TABLE, ECHO),
    aliases: { type: "device_type", category: "device_type", query: "search" },
    reads: DEVICE_READS,
    async run({ network }, args) {
      const {
        device_type: kind = "all",
        status = "all",
        search,
        include_details: details = false,
        summary = true,
      } = args;
      const devices = await network.v1("GET", "/stat/device");
      return listPayload({
        site: network.site,
        rowsName: "devices",
        table: TABLE,
        rows: devices.map((device) => ({ ...deviceRow(device), ...(details ? deviceDetails(device, !summary) : {}) })),
        select: (row) =>
          (kind === "all" || row.device_category === kind) &&
          (status === "all" || row.status === status) &&
          (search === undefined || mentions(row, search)),
        args: { ...args, device_type: kind, status },
        defaultLimit: DEFAULT_LIMIT,
        echo: ECHO,
      });
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_get_device_details",
    title: "Get device details",
    summary: "Show one device, whole or by section.",
    description:
      "Everything the console knows of one UniFi device, keys left out. The whole record is large: summary=true with include returns only the named sections.",
    asks: [
      "everything about one access point",
      "serial number of a switch",
      "temperature and load of the gateway",
      "what is it plugged into",
      "tell me about this access point",
      "details of a switch",
      "serial number of the device",
      "uptime of an ap",
      "full information on one device",
      "temperature of the switch",
      "which uplink does the ap use",
      "is this device pending",
      "specs of a device",
      "ip of the access point",
    ],
    permission: { category: "devices", action: "read" },
    input: {
      mac_address: macArgument("MAC address of the device"),
      include: Type.Optional(
        Type.String({
          description: "With summary=true: comma list of basic, ports, radios, stats, uplink, lldp, all",
          default: "basic,ports",
          maxLength: 100,
        }),
      ),
      summary: Type.Optional(Type.Boolean({ description: "Sections instead of the whole record", default: false })),
    },
    output: {
      site: Type.Optional(Type.String()),
      device: Type.Optional(Type.Object({})),
      include: Type.Optional(Type.String()),
      summary_mode: Type.Optional(Type.Boolean()),
      unknown_sections: Type.Optional(Type.Array(Type.String())),
    },
    aliases: MAC_ALIASES,
    macs: ["mac_address"],
    reads: DEVICE_READS,
    async run({ network }, { mac_address: mac, include = "basic,ports", summary = false }) {
      const record = deviceRecord(await findDevice(network, mac));
      const { site } = network;
      if (!summary) return { site, device: record };
      const { sections, unknown } = sectionsOf(include, Object.keys(DEVICE_SECTIONS));
      const shown = sections.map((name) => [name, pick(record, DEVICE_SECTIONS[name] ?? [])] as const);
      const device = Object.fromEntries(shown.filter(([, section]) => Object.keys(section).length > 0));
      return {
        site,
        device,
        include,
        summary_mode: true,
        ...(unknown.length === 0 ? {} : { unknown_sections: unknown }),
      };
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_rename_device",
    title: "Rename device",
    summary: "Name a UniFi device.",
    description: "Sets the name of a UniFi device. Computers and phones: unifi_rename_client.",
    asks: [
      "give the access point another name",
      "label a switch",
      "change what hardware is called",
      "change the name of the switch",
      "label the ap in the kitchen",
      "ap is called by its model, name it hallway",
    ],
    permission: { category: "devices", action: "update" },
    input: {
      mac_address: macArgument("MAC address of the device"),
      name: Type.String({ description: "New name", minLength: 1, maxLength: 128 }),
    },
    output: MAC_OUTPUT,
    aliases: { ...MAC_ALIASES, new_name: "name" },
    macs: ["mac_address"],
    reads: DEVICE_READS,
    writes: [DEVICE_PUT],
    async plan({ network }, { mac_address: mac, name }): Promise<Plan> {
      const device = await findDevice(network, mac);
      return {
        ...deviceSubject(device),
        action: "update",
        current: pick(device, ["name"]),
        proposed: { name },
        unchanged: device.name === name,
        async apply() {
          // Only the name: a device's whole object holds port and radio tables that a put would replace
          await network.v1("PUT", `/rest/device/${encodeURIComponent(String(device._id))}`, { name });
          return { mac_address: deviceSubject(device).resourceId };
        },
        readBack: async () => pick(await findDevice(network, mac), ["name"]),
      };
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_locate_device",
    title: "Locate device",
    summary: "Start or stop a device's blinking LED.",
    description: "Lets the LED of a UniFi device blink, so that somebody on site finds it, or stops it.",
    asks: [
      "find the access point on the ceiling",
      "flash the light",
      "which box is it in the rack",
      "blink to identify",
      "make the ap blink so I can find it",
      "flash the led of the switch",
      "which one in the rack is it",
      "identify a device physically",
      "which of these boxes is the garage switch",
      "technician must find the ap on the ceiling",
    ],
    permission: { category: "devices", action: "update" },
    input: {
      device_mac: macArgument("MAC address of the device"),
      enabled: Type.Boolean({ description: "true starts, false stops" }),
    },
    output: MAC_OUTPUT,
    aliases: { mac: "device_mac", mac_address: "device_mac", device: "device_mac" },
    macs: ["device_mac"],
    reads: DEVICE_READS,
    writes: [DEVICE_COMMAND],
    async plan({ network }, { device_mac: mac, enabled }): Promise<Plan> {
      const device = await findDevice(network, mac);
      return {
        ...deviceSubject(device),
        action: "command",
        current: { locating: device.locating === true },
        proposed: { locating: enabled },
        async apply() {
          const cmd = enabled ? "set-locate" : "unset-locate";
          await network.v1("POST", "/cmd/devmgr", { cmd, mac: deviceSubject(device).resourceId });
          return {
            mac_address: deviceSubject(device).resourceId,
            message: enabled ? "The LED blinks." : "The LED is as before.",
          };
        },
        // No read-back: the flag follows with the device's next report, up to a minute later
      };
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_reboot_device",
    title: "Reboot device",
    summary: "Restart a UniFi device.",
    description: "Restarts a UniFi device. What hangs on it is cut off for one to five minutes.",
    asks: [
      "power cycle an access point",
      "reset a hung switch",
      "turn it off and on again",
      "switch is frozen",
      "restart the access point",
      "reboot the switch",
      "power cycle the gateway",
      "the ap hangs, restart it",
      "turn the router off and on again",
      "the switch acts up, give it a kick",
      "kitchen ap stopped working, start it again",
      "turn the hardware off and on",
    ],
    permission: { category: "devices", action: "update" },
    annotations: { destructiveHint: true, idempotentHint: false },
    input: { mac_address: macArgument("MAC address of the device") },
    output: MAC_OUTPUT,
    aliases: MAC_ALIASES,
    macs: ["mac_address"],
    reads: DEVICE_READS,
    writes: [DEVICE_COMMAND],
    async plan({ network }, { mac_address: mac }): Promise<Plan> {
      const device = await findDevice(network, mac);
      return {
        ...deviceSubject(device),
        action: "command",
        current: { ...pick(device, ["model", "type"]), status: statusOf(device) },
        proposed: { command: "restart" },
        warnings: rebootWarnings(device),
        async apply() {
          await network.v1("POST", "/cmd/devmgr", { cmd: "restart", mac: deviceSubject(device).resourceId });
          return { mac_address: deviceSubject(device).resourceId, message: "The device restarts." };
        },
      };
    },
  }),
];

function rebootWarnings(device: Row): readonly string[] {
  const clients = typeof device.num_sta === "number" && device.num_sta > 0 ? device.num_sta : 0;
  return [
    ...(statusOf(device) === "online" ? [] : ["The device is not online, so it may not get the command."]),
    ...(clients === 0 ? [] : [`Clients that lose their connection: ${clients}.`]),
    ...(categoryOf(device) === "gateway" ? ["This is the gateway: the site, and this agent, go offline."] : []),
  ];
}

/** Substring search; a MAC is found in any spelling. */
function mentions(row: Row, search: string): boolean {
  const needle = search.trim().toLowerCase();
  const mac = normalMac(needle);
  return ["name", "ip", "mac"].some((field) => {
    const text = String(row[field] ?? "").toLowerCase();
    return text.includes(needle) || (field === "mac" && text.includes(mac));
  });
}
