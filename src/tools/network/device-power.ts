/** Outlets and lights of devices, and switching a device off and on again. */
import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { invalid, macArgument } from "../arguments.ts";
import { isRow, numberOf, project, type RowTable, rowSchema } from "../rows.ts";
import { defineTool } from "../tool.ts";
import { DEVICE_PUT, DEVICE_READS, deviceChange, findDevice } from "./device-change.ts";
import { categoryOf } from "./device-rows.ts";

const COMMON = { app: "network", category: "devices" } as const;
const UPDATE = { category: "devices", action: "update" } as const;
const MAC_OUTPUT = { mac_address: Type.Optional(Type.String()) };
const ALIASES = { mac: "device_mac", mac_address: "device_mac", device: "device_mac" };
const STRIP_ALIASES = { mac: "mac_address", device_mac: "mac_address", device: "mac_address" };

const OUTLET_TABLE = {
  index: "integer",
  name: "string",
  has_relay: "boolean",
  has_metering: "boolean",
  relay_state: "boolean",
  cycle_enabled: "boolean",
  override_relay_state: "boolean",
  override_cycle_enabled: "boolean",
  has_override: "boolean",
  outlet_power: "number",
  outlet_current: "number",
  outlet_voltage: "number",
} as const satisfies RowTable;

/** Bits of `outlet_caps`. */
const RELAY = 1;
const METERING = 2;

export default [
  defineTool({
    ...COMMON,
    name: "unifi_get_pdu_outlets",
    title: "Get PDU outlets",
    summary: "Show the outlets of a power strip.",
    description: "Outlets of a UniFi power unit or plug: names, on or off, power drawn, and what is set for each.",
    asks: [
      "which sockets are on",
      "power draw per plug",
      "power strip status",
      "watts used by the rack",
      "which outlets are on",
      "state of the power strip",
      "power consumption per outlet",
      "list pdu sockets",
      "what is plugged into the rack power",
      "how much power does the rack use",
      "which sockets can be switched",
    ],
    permission: { category: "devices", action: "read" },
    input: { mac_address: macArgument("MAC address of the power unit") },
    output: {
      site: Type.Optional(Type.String()),
      mac: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      model: Type.Optional(Type.String()),
      outlets: Type.Optional(Type.Array(rowSchema(OUTLET_TABLE))),
    },
    aliases: STRIP_ALIASES,
    macs: ["mac_address"],
    reads: DEVICE_READS,
    async run({ network }, { mac_address: mac }) {
      const device = await findDevice(network, mac);
      const outlets = outletsOf(device).map((outlet) => {
        const set = overrideOf(device, outlet.index);
        return project(
          {
            ...outlet,
            has_relay: can(outlet, "has_relay", RELAY),
            has_metering: can(outlet, "has_metering", METERING),
            has_override: set !== undefined,
            override_relay_state: set?.relay_state,
            override_cycle_enabled: set?.cycle_enabled,
          },
          OUTLET_TABLE,
        );
      });
      return { site: network.site, ...project(device, { mac: "string", name: "string", model: "string" }), outlets };
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_set_outlet_state",
    title: "Set outlet state",
    summary: "Switch one outlet of a power strip.",
    description:
      "Switches one outlet of a UniFi power unit on or off, or sets whether it restarts the modem behind it; the other outlets stay as they are.",
    asks: [
      "turn off a socket",
      "cut power to the modem",
      "switch plug on",
      "power cycle equipment on the PDU",
      "turn off an outlet",
      "power cycle the modem via the pdu",
      "switch outlet 3 on",
      "cut power to a rack device",
      "reset the modem plugged into the pdu",
      "hard reset the modem",
      "turn the rack fan on",
      "switch a plug",
    ],
    permission: UPDATE,
    annotations: { destructiveHint: true },
    input: {
      mac_address: macArgument("MAC address of the power unit"),
      outlet_index: Type.Integer({ description: "Number of the outlet, from 1", minimum: 1, maximum: 100 }),
      relay_state: Type.Boolean({ description: "true = power on" }),
      cycle_enabled: Type.Optional(
        Type.Union([Type.Boolean(), Type.Null()], { description: "Restart when the internet fails; none = as it is" }),
      ),
    },
    output: { ...MAC_OUTPUT, outlet: Type.Optional(Type.Object({})) },
    aliases: { ...STRIP_ALIASES, index: "outlet_index", outlet: "outlet_index", enabled: "relay_state" },
    macs: ["mac_address"],
    reads: DEVICE_READS,
    writes: [DEVICE_PUT],
    async plan({ network }, { mac_address: mac, outlet_index: index, relay_state: on, cycle_enabled: cycle }) {
      const device = await findDevice(network, mac);
      const outlet = outletsOf(device).find((candidate) => numberOf(candidate.index) === index);
      if (outlet === undefined) throw invalid("outlet_index: this device has no such outlet.");
      if (can(outlet, "has_relay", RELAY) === false) throw invalid("outlet_index: this outlet cannot be switched.");
      const before = rowsOf(device.outlet_overrides);
      const wanted = { relay_state: on, ...(typeof cycle === "boolean" ? { cycle_enabled: cycle } : {}) };
      const name = typeof outlet.name === "string" ? { name: outlet.name } : {};
      const changed = { index, ...name, ...overrideOf(device, index), ...wanted };
      const others = before.filter((row) => numberOf(row.index) !== index);
      return deviceChange(network, device, {
        body: { outlet_overrides: [...others, changed].sort((a, b) => Number(a.index) - Number(b.index)) },
        show: (now) => stateOf(now, index),
        proposed: wanted,
        warnings: on ? [] : ["What is plugged in there loses its power."],
        answer: { outlet: { outlet_index: index, ...name, ...wanted, siblings_preserved: others.length } },
      });
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_set_device_led",
    title: "Set device LED",
    summary: "Set a device's LED on, off or default.",
    description:
      "Sets the status light of one UniFi device, whatever the site says; default follows the site (unifi_set_site_leds). To let it blink: unifi_locate_device.",
    asks: [
      "access point light too bright at night",
      "turn off blue ring",
      "dark mode for one AP",
      "status light on",
      "turn off the light on the access point",
      "the led ring is annoying",
      "switch the ap led on",
      "disable the status light of one device",
      "bedroom ap glows at night",
      "blue light disturbs my sleep",
    ],
    permission: UPDATE,
    input: {
      device_mac: macArgument("MAC address of the device"),
      led_state: Type.Enum(["on", "off", "default"], { type: "string", description: "default = as the site" }),
    },
    output: MAC_OUTPUT,
    aliases: { ...ALIASES, state: "led_state", led_override: "led_state" },
    macs: ["device_mac"],
    reads: DEVICE_READS,
    writes: [DEVICE_PUT],
    async plan({ network }, { device_mac: mac, led_state: led }) {
      return deviceChange(network, await findDevice(network, mac), {
        body: { led_override: led },
        show: (now) => ({ led_override: now.led_override ?? "default" }),
        proposed: { led_override: led },
      });
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_set_site_leds",
    title: "Set site LEDs",
    summary: "Turn the LEDs of all devices on or off.",
    description:
      "Sets the status lights of the whole site; devices with an own setting (unifi_set_device_led) keep it.",
    asks: [
      "all lights off",
      "disable every status light",
      "hotel wants no glowing rings",
      "lights back on everywhere",
      "turn off all access point lights",
      "all leds off",
      "disable lights on every device",
      "switch on the leds of the whole site",
      "lights off everywhere",
      "dark mode for all hardware",
    ],
    permission: UPDATE,
    input: { enabled: Type.Boolean({ description: "true = lights on" }) },
    output: { site: Type.Optional(Type.String()) },
    aliases: { led_enabled: "enabled" },
    reads: ["GET /api/s/{site}/get/setting/mgmt"],
    writes: ["PUT /api/s/{site}/set/setting/mgmt"],
    async plan({ network }, { enabled }) {
      const current = await siteLeds(network);
      return {
        action: "update",
        resourceType: "site_leds",
        resourceId: network.site,
        current,
        proposed: { led_enabled: enabled },
        unchanged: current.led_enabled === enabled,
        async apply() {
          await network.v1("PUT", "/set/setting/mgmt", { led_enabled: enabled });
          return { site: network.site };
        },
        readBack: () => siteLeds(network),
      };
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_toggle_device",
    title: "Toggle device",
    summary: "Disable or enable an access point or device.",
    description:
      "Switches a UniFi device off in the configuration (it stays adopted) or on again; an access point sends no Wi-Fi while disabled. One restart: unifi_reboot_device.",
    asks: [
      "turn an access point off",
      "take an AP out of service",
      "reactivate a device",
      "stop wifi in the lobby",
      "disable an access point",
      "turn an ap off for now",
      "enable the access point again",
      "take a device offline",
      "retire an ap for the summer",
      "stop one ap from serving",
      "put a device out of use",
    ],
    permission: UPDATE,
    annotations: { destructiveHint: true },
    input: {
      device_mac: macArgument("MAC address of the device"),
      disabled: Type.Boolean({ description: "true disables, false enables" }),
    },
    output: MAC_OUTPUT,
    aliases: ALIASES,
    macs: ["device_mac"],
    reads: DEVICE_READS,
    writes: [DEVICE_PUT],
    async plan({ network }, { device_mac: mac, disabled }) {
      const device = await findDevice(network, mac);
      const gateway = disabled && categoryOf(device) === "gateway";
      return deviceChange(network, device, {
        body: { disabled },
        show: (now) => ({ disabled: now.disabled === true }),
        proposed: { disabled },
        warnings: [
          ...(disabled ? ["Clients of this device lose their connection."] : []),
          ...(gateway ? ["This is the gateway: the site, and this agent, go offline."] : []),
        ],
      });
    },
  }),
];

async function siteLeds(network: NetworkSite): Promise<Row> {
  const [setting] = await network.v1("GET", "/get/setting/mgmt");
  return { led_enabled: setting?.led_enabled !== false };
}

function rowsOf(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.filter(isRow) : [];
}

function outletsOf(device: Row): readonly Row[] {
  const outlets = rowsOf(device.outlet_table);
  if (outlets.length === 0) throw invalid("mac_address: this device has no outlets.");
  return outlets;
}

function overrideOf(device: Row, index: unknown): Row | undefined {
  return rowsOf(device.outlet_overrides).find((row) => numberOf(row.index) === numberOf(index));
}

function stateOf(device: Row, index: number): Row {
  const live = rowsOf(device.outlet_table).find((row) => numberOf(row.index) === index);
  return project({ ...live, ...overrideOf(device, index) }, { relay_state: "boolean", cycle_enabled: "boolean" });
}

/** What the outlet says outright, or a bit of its capabilities; undefined where it says neither. */
function can(outlet: Row, field: string, bit: number): boolean | undefined {
  if (typeof outlet[field] === "boolean") return outlet[field];
  const caps = numberOf(outlet.outlet_caps);
  return caps === undefined ? undefined : (caps & bit) !== 0;
}
