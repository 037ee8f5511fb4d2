/** Network hardware as the console reports it, brought to the rows that the device tools show. */
import type { Row } from "../../controller/controller.ts";
import { isRow, numberOf, project, type RowTable, withIsoTimes } from "../rows.ts";

/** `state` of stat/device. */
const STATES: Readonly<Record<number, string>> = {
  0: "offline",
  1: "online",
  2: "pending",
  3: "firmware_mismatch",
  4: "upgrading",
  5: "provisioning",
  6: "heartbeat_missed",
  7: "adopting",
  8: "deleting",
  9: "inform_error",
  10: "adoption_failed",
  11: "isolated",
};

export const DEVICE_STATES = Object.values(STATES);

/** Kinds of device that the list filters by. */
export const DEVICE_CATEGORIES = ["ap", "switch", "gateway", "pdu", "other"] as const;

const GATEWAY_TYPES = ["ugw", "udm", "uxg", "ucg"];

export const DEVICE_TABLE = {
  mac: "string",
  name: "string",
  model: "string",
  type: "string",
  device_category: "string",
  ip: "string",
  status: "string",
  uptime: "integer",
  last_seen: "time",
  firmware: "string",
  upgradable: "boolean",
  adopted: "boolean",
  connection_network: "string",
  uplink: "object",
  load_avg_1: "number",
  mem_pct: "number",
  model_eol: "boolean",
  _id: "string",
} as const satisfies RowTable;

/** Further fields with include_details=true. */
export const DETAIL_TABLE = {
  serial: "string",
  hw_revision: "string",
  model_display: "string",
  clients: "integer",
  radio_count: "integer",
  radios: "objects",
  vap_count: "integer",
  wifi_bands: "strings",
  experience_score: "integer",
  num_clients: "integer",
  total_ports: "integer",
  ports_up: "integer",
  ports_poe_enabled: "integer",
  poe_power: "number",
  poe_voltage: "number",
  wan1_ip: "string",
  wan1_up: "boolean",
  wan2_ip: "string",
  wan2_up: "boolean",
  network_count: "integer",
  cpu_usage: "number",
  mem_usage: "number",
  radio_table: "objects",
  vap_table: "objects",
  port_table: "objects",
  network_table: "objects",
  outlet_table: "objects",
} as const satisfies RowTable;

/** Tables that include_details with summary=false shows as they are. */
const RAW_TABLES = ["radio_table", "vap_table", "port_table", "network_table", "outlet_table"] as const;

const BAND_OF_RADIO: Readonly<Record<string, string>> = { ng: "2.4 GHz", na: "5 GHz", "6e": "6 GHz" };

const TIMES = [
  "last_seen",
  "adopted_at",
  "connected_at",
  "provisioned_at",
  "disconnected_at",
  "considered_lost_at",
  "next_heartbeat_at",
  "startup_timestamp",
  "start_connected_millis",
  "start_disconnected_millis",
];

export function categoryOf(device: Row): (typeof DEVICE_CATEGORIES)[number] {
  const type = String(device.type ?? "");
  const model = String(device.model ?? "");
  // Plugs report as access points and power strips as switches: their outlets tell
  if (rowsOf(device.outlet_table).length > 0 && /^U(SP|P)/.test(model)) return "pdu";
  if (type === "uap") return "ap";
  if (type === "usw") return "switch";
  return GATEWAY_TYPES.includes(type) ? "gateway" : "other";
}

export function statusOf(device: Row): string {
  return STATES[numberOf(device.state) ?? 0] ?? "offline";
}

/** The list row; the names of the reference for what the console calls otherwise. */
export function deviceRow(device: Row): Row {
  const memory = rowOf(device.sys_stats);
  return project(
    {
      ...device,
      device_category: categoryOf(device),
      status: statusOf(device),
      firmware: device.displayable_version ?? device.version,
      connection_network: device.connection_network_name,
      uplink: uplinkOf(rowOf(device.uplink)),
      load_avg_1: memory.loadavg_1,
      mem_pct: percent(memory.mem_used, memory.mem_total) ?? rowOf(device["system-stats"]).mem,
      model_eol: device.model_in_eol,
    },
    DEVICE_TABLE,
  );
}

function uplinkOf(uplink: Row): Row | undefined {
  const row = project(
    {
      type: uplink.type,
      speed: uplink.speed,
      uplink_device: uplink.uplink_device_name ?? uplink.uplink_mac,
      uplink_port: uplink.uplink_remote_port,
    },
    { type: "string", speed: "integer", uplink_device: "string", uplink_port: "integer" },
  );
  return Object.keys(row).length === 0 ? undefined : row;
}

/** What include_details adds, by kind of device; the raw tables instead of counts with `raw`. */
export function deviceDetails(device: Row, raw: boolean): Row {
  const general = {
    serial: device.serial,
    hw_revision: device.hw_rev ?? device.board_rev,
    model_display: device.shortname ?? device.model,
    clients: device.num_sta,
  };
  if (raw) {
    const tables = RAW_TABLES.map((name) => [name, device[name]] as const);
    return project({ ...general, ...Object.fromEntries(tables) }, DETAIL_TABLE);
  }
  const special = SPECIAL[categoryOf(device)]?.(device) ?? {};
  return project({ ...general, ...special }, DETAIL_TABLE);
}

const SPECIAL: Readonly<Record<string, (device: Row) => Row>> = {
  ap: apDetails,
  switch: switchDetails,
  gateway: gatewayDetails,
};

function apDetails(device: Row): Row {
  const configured = rowsOf(device.radio_table);
  const measured = new Map(rowsOf(device.radio_table_stats).map((radio) => [radio.radio, radio]));
  const radios = configured.map((radio) => {
    const now = measured.get(radio.radio) ?? {};
    return {
      band: BAND_OF_RADIO[String(radio.radio)] ?? radio.radio,
      channel: now.channel ?? radio.channel,
      tx_power: now.tx_power ?? radio.tx_power,
    };
  });
  return {
    radio_count: radios.length,
    radios,
    vap_count: rowsOf(device.vap_table).length,
    wifi_bands: [...new Set(radios.map((radio) => String(radio.band)))],
    experience_score: device.satisfaction,
    num_clients: device["user-wlan-num_sta"] ?? device["user-num_sta"] ?? device.num_sta,
  };
}

function switchDetails(device: Row): Row {
  const ports = rowsOf(device.port_table);
  const powered = ports.filter((port) => port.poe_enable === true);
  const watts = powered.reduce((sum, port) => sum + (numberOf(port.poe_power) ?? 0), 0);
  return {
    total_ports: ports.length,
    ports_up: ports.filter((port) => port.up === true).length,
    ports_poe_enabled: powered.length,
    num_clients: device.num_sta,
    poe_power: Math.round(watts * 100) / 100,
    poe_voltage: Math.max(0, ...powered.map((port) => numberOf(port.poe_voltage) ?? 0)),
  };
}

function gatewayDetails(device: Row): Row {
  const system = rowOf(device["system-stats"]);
  const [first, second] = [rowOf(device.wan1), rowOf(device.wan2)];
  return {
    wan1_ip: first.ip,
    wan1_up: first.up,
    wan2_ip: second.ip,
    wan2_up: second.up,
    num_clients: device.num_sta,
    network_count: rowsOf(device.network_table).length,
    cpu_usage: system.cpu,
    mem_usage: system.mem,
  };
}

/** Fields of each section of unifi_get_device_details. */
export const DEVICE_SECTIONS: Readonly<Record<string, readonly string[]>> = {
  basic: [
    "_id",
    "mac",
    "name",
    "model",
    "type",
    "ip",
    "version",
    "serial",
    "adopted",
    "state",
    "uptime",
    "last_seen",
    "upgradable",
  ],
  ports: ["port_table", "port_overrides"],
  radios: ["radio_table", "radio_table_stats", "vap_table"],
  stats: [
    "system-stats",
    "sys_stats",
    "num_sta",
    "user-num_sta",
    "guest-num_sta",
    "tx_bytes",
    "rx_bytes",
    "satisfaction",
    "temperatures",
  ],
  uplink: ["uplink", "last_uplink", "uplink_depth"],
  lldp: ["lldp_table"],
};

/** The whole record, its times in ISO 8601 and its state in words. */
export function deviceRecord(device: Row): Row {
  return { ...withIsoTimes(device, TIMES), status: statusOf(device), device_category: categoryOf(device) };
}

/** Percent of the gateway's processor and memory in use, where a gateway reports them. */
export function gatewayLoad(devices: readonly Row[]): Row {
  const gateway = devices.find((device) => categoryOf(device) === "gateway");
  const system = rowOf(gateway?.["system-stats"]);
  const memory = rowOf(gateway?.sys_stats);
  return {
    cpu_percent: numberOf(system.cpu),
    memory_percent: numberOf(system.mem) ?? percent(memory.mem_used, memory.mem_total),
  };
}

function percent(part: unknown, whole: unknown): number | undefined {
  const [used, total] = [numberOf(part), numberOf(whole)];
  if (used === undefined || total === undefined || total <= 0) return undefined;
  return Math.round((used / total) * 1000) / 10;
}

function rowOf(value: unknown): Row {
  return isRow(value) ? value : {};
}

function rowsOf(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.filter(isRow) : [];
}
