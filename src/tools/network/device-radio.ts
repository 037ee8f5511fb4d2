/** Radios of access points: what is set and measured per band, and changing one of them. */
import { type TSchema, Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { invalid, macArgument } from "../arguments.ts";
import { pick } from "../merge.ts";
import { isRow, numberOf, project, type RowTable, rowSchema } from "../rows.ts";
import { defineTool } from "../tool.ts";
import { DEVICE_PUT, DEVICE_READS, deviceChange, findDevice } from "./device-change.ts";

const COMMON = { app: "network", category: "devices" } as const;
const ALIASES = { mac: "mac_address", device_mac: "mac_address", ap_mac: "mac_address" };

const SETTINGS = {
  name: "string",
  radio: "string",
  channel: "integer",
  ht: "string",
  tx_power_mode: "string",
  tx_power: "any",
  min_rssi_enabled: "boolean",
  min_rssi: "integer",
  assisted_roaming_enabled: "boolean",
  antenna_gain: "integer",
  vwire_enabled: "boolean",
  sens_level_enabled: "boolean",
  sens_level: "integer",
  max_txpower: "integer",
  min_txpower: "integer",
  has_dfs: "boolean",
  nss: "integer",
  is_11ax: "boolean",
  is_11be: "boolean",
} as const satisfies RowTable;

const RADIO_TABLE = {
  ...SETTINGS,
  current_tx_power: "integer",
  current_channel: "integer",
  cu_total: "integer",
  cu_self_tx: "integer",
  cu_self_rx: "integer",
  satisfaction: "integer",
  num_sta: "integer",
  tx_retries: "integer",
  tx_packets: "integer",
} as const satisfies RowTable;

const orNull = <T extends TSchema>(type: T, description: string) =>
  Type.Optional(Type.Union([type, Type.Null()], { description }));

/** Settings that mean something only while another has a value. */
const NEEDS = [
  ["tx_power", "tx_power_mode", "custom"],
  ["min_rssi", "min_rssi_enabled", true],
  ["sens_level", "sens_level_enabled", true],
] as const;

export default [
  defineTool({
    ...COMMON,
    name: "unifi_get_device_radio",
    title: "Get device radio",
    summary: "Show an access point's radios per band.",
    description:
      "Radios of an access point: channel, width and power as set, and channel, power, use of the air and retries as measured. Channel 0 is automatic.",
    asks: [
      "which wifi channel is in use",
      "transmit power per band",
      "channel utilisation",
      "wifi is slow in one room",
      "what channel and power is the ap using",
      "radio settings of an access point",
      "channel width of the ap",
      "tx power per band",
      "how full is the 2.4 ghz band",
      "is the ap on a dfs channel",
      "how crowded is the air for this ap",
      "how many clients per band",
    ],
    permission: { category: "devices", action: "read" },
    input: { mac_address: macArgument("MAC address of the access point") },
    output: {
      site: Type.Optional(Type.String()),
      mac: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      model: Type.Optional(Type.String()),
      radios: Type.Optional(Type.Array(rowSchema(RADIO_TABLE))),
    },
    aliases: ALIASES,
    macs: ["mac_address"],
    reads: DEVICE_READS,
    async run({ network }, { mac_address: mac }) {
      const device = await findDevice(network, mac);
      const measured = rowsOf(device.radio_table_stats);
      const radios = radiosOf(device).map((radio) => {
        const now = measured.find(({ name }) => name === radio.name) ?? {};
        return project(
          { ...now, ...shown(radio), current_tx_power: now.tx_power, current_channel: now.channel },
          RADIO_TABLE,
        );
      });
      return { site: network.site, ...project(device, { mac: "string", name: "string", model: "string" }), radios };
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_update_device_radio",
    title: "Update device radio",
    summary: "Change one radio of an access point.",
    description:
      "Sets channel, width, power or weak-client cutoff of one band of an access point; the other bands stay. Its Wi-Fi on that band drops for a moment. Look first with unifi_get_device_radio.",
    asks: [
      "change wifi channel",
      "lower transmit power",
      "set channel width",
      "kick weak clients",
      "fix interference",
      "change the channel of an access point",
      "set transmit power to low",
      "set the ap to channel 36",
      "reduce the 2.4 ghz power",
      "set the minimum rssi",
      "use 160 mhz",
      "wifi channel change",
      "neighbours disturb our channel, use another",
      "too much interference on 2.4",
      "the ap shouts too loud",
      "wider channels for more speed",
      "stop clients with bad signal from staying",
    ],
    permission: { category: "devices", action: "update" },
    input: {
      mac_address: macArgument("MAC address of the access point"),
      radio: Type.String({
        description: "Band: ng (2.4 GHz), na (5 GHz), 6e (6 GHz); or the radio's name, e.g. wifi0",
        pattern: "^(ng|na|6e|ad|wifi[0-9a-z]+)$",
        maxLength: 20,
      }),
      channel: orNull(Type.Integer({ minimum: 0, maximum: 233 }), "Channel; 0 = automatic"),
      ht: orNull(Type.Enum(["20", "40", "80", "160", "320"], { type: "string" }), "Channel width in MHz"),
      tx_power_mode: orNull(Type.Enum(["auto", "high", "medium", "low", "custom"], { type: "string" }), "Power"),
      tx_power: orNull(Type.Integer({ minimum: 0, maximum: 50 }), "dBm, with tx_power_mode custom"),
      min_rssi_enabled: orNull(Type.Boolean(), "Drop clients with a weak signal"),
      min_rssi: orNull(Type.Integer({ minimum: -94, maximum: -1 }), "dBm below which they are dropped"),
      assisted_roaming_enabled: orNull(Type.Boolean(), "Help clients to roam (802.11k/v)"),
      antenna_gain: orNull(Type.Integer({ minimum: -1, maximum: 40 }), "Gain of an external antenna, dBi"),
      vwire_enabled: orNull(Type.Boolean(), "Allow wireless uplinks through this radio"),
      sens_level_enabled: orNull(Type.Boolean(), "Ignore weak signals"),
      sens_level: orNull(Type.Integer({ minimum: -90, maximum: -50 }), "dBm below which they are ignored"),
    },
    output: {
      mac_address: Type.Optional(Type.String()),
      updated_fields: Type.Optional(Type.Array(Type.String())),
    },
    aliases: { ...ALIASES, band: "radio", width: "ht", channel_width: "ht" },
    macs: ["mac_address"],
    reads: DEVICE_READS,
    writes: [DEVICE_PUT],
    async plan({ network }, { mac_address: mac, radio: wanted, ...given }) {
      const device = await findDevice(network, mac);
      const radios = radiosOf(device);
      const target = radios.find(({ radio, name }) => radio === wanted || name === wanted);
      if (target === undefined) throw invalid("radio: this access point has no such radio.", "unifi_get_device_radio");
      const proposed = Object.fromEntries(
        Object.entries(given).filter(([key, value]) => key in SETTINGS && value !== null && value !== undefined),
      );
      if (Object.keys(proposed).length === 0) throw invalid("No setting of the radio is given.");
      checkRadio(target, proposed);
      const changed = { ...target, ...sentForm(target, proposed) };
      return deviceChange(network, device, {
        body: { radio_table: radios.map((radio) => (radio === target ? changed : radio)) },
        show: (now) => shown(radiosOf(now).find(({ name }) => name === target.name) ?? {}),
        proposed,
        warnings: ["Clients on this band lose Wi-Fi for a moment."],
        answer: { updated_fields: Object.keys(proposed) },
      });
    },
  }),
];

function rowsOf(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.filter(isRow) : [];
}

function radiosOf(device: Row): readonly Row[] {
  const radios = rowsOf(device.radio_table);
  if (radios.length === 0) throw invalid("mac_address: this device has no radios.");
  return radios;
}

/** Settings in one form: channel 0 is automatic, the width is text. */
function shown(radio: Row): Row {
  return project({ ...radio, channel: radio.channel === "auto" ? 0 : radio.channel }, SETTINGS);
}

/** As the console writes them: `auto` for channel 0, and the width as number where it has one there. */
function sentForm(target: Row, proposed: Row): Row {
  return {
    ...proposed,
    ...(proposed.channel === 0 ? { channel: "auto" } : {}),
    ...(typeof target.ht === "number" && proposed.ht !== undefined ? { ht: Number(proposed.ht) } : {}),
  };
}

function checkRadio(target: Row, proposed: Row): void {
  const after = { ...target, ...proposed };
  for (const [field, gate, value] of NEEDS) {
    if (proposed[field] !== undefined && pick(after, [gate])[gate] !== value) {
      throw invalid(`${field}: needs ${gate}=${String(value)}.`);
    }
  }
  const power = numberOf(proposed.tx_power);
  const [least, most] = [numberOf(target.min_txpower), numberOf(target.max_txpower)];
  if (power !== undefined && (power < (least ?? power) || power > (most ?? power))) {
    throw invalid(`tx_power: this radio takes ${least ?? 0} to ${most ?? power} dBm.`);
  }
  if (target.radio === "ng" && Number(proposed.ht ?? 20) > 40) throw invalid("ht: 2.4 GHz takes 20 or 40 MHz.");
}
