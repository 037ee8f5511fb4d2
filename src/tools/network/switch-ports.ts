/** Switches as they are: what is set on ports, what they carry, what hangs on them, what the switch can do. */
import { type TProperties, Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { pick } from "../merge.ts";
import { isRow, project, type RowTable } from "../rows.ts";
import { defineTool, type Tool, type ToolWords } from "../tool.ts";
import { DEVICE_READS, findDevice } from "./device-change.ts";
import { overridesOf, portsOf } from "./port-overrides.ts";
import { SWITCH_COMMON, SWITCH_MAC } from "./switch-arguments.ts";

const PORT_STATS: RowTable = {
  port_idx: "integer",
  name: "string",
  up: "boolean",
  enable: "boolean",
  media: "string",
  speed: "integer",
  full_duplex: "boolean",
  is_uplink: "boolean",
  op_mode: "string",
  portconf_id: "string",
  stp_state: "string",
  poe_enable: "boolean",
  poe_mode: "string",
  poe_good: "boolean",
  poe_power: "number",
  poe_voltage: "number",
  poe_current: "number",
  satisfaction: "integer",
  rx_bytes: "integer",
  tx_bytes: "integer",
  rx_packets: "integer",
  tx_packets: "integer",
  rx_errors: "integer",
  tx_errors: "integer",
  rx_dropped: "integer",
  tx_dropped: "integer",
};

const NEIGHBOUR: RowTable = {
  local_port_idx: "integer",
  local_port_name: "string",
  chassis_id: "string",
  chassis_descr: "string",
  port_id: "string",
  port_descr: "string",
  system_name: "string",
  management_address: "string",
  is_wired: "boolean",
};

function read(words: ToolWords, details: (device: Row) => Row, output: TProperties = {}): Tool {
  return defineTool({
    ...words,
    ...SWITCH_COMMON,
    permission: { category: "switch", action: "read" },
    input: SWITCH_MAC,
    output: {
      site: Type.Optional(Type.String()),
      device_mac: Type.Optional(Type.String()),
      details: Type.Optional(
        Type.Object({ name: Type.Optional(Type.String()), model: Type.Optional(Type.String()), ...output }),
      ),
    },
    reads: DEVICE_READS,
    async run({ network }, { device_mac: mac }) {
      const device = await findDevice(network, mac);
      return {
        site: network.site,
        device_mac: mac,
        details: { ...pick(device, ["name", "model"]), ...details(device) },
      };
    },
  });
}

const rowsOf = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isRow) : []);

export default [
  read(
    {
      name: "unifi_get_switch_ports",
      title: "Get switch ports",
      summary: "Show what is set on a switch's ports.",
      description:
        "The settings of single ports of a switch: profile, VLANs, PoE, mirror, aggregation. Link state and traffic are in unifi_get_port_stats.",
      asks: [
        "which profile is on port 5",
        "vlan of a jack",
        "poe configuration per port",
        "is a port set to trunk",
        "port configuration of the switch",
        "which vlan is port 8 on",
        "what profile do the ports have",
        "show the ports of the switch",
        "port names",
        "is port 3 tagged",
        "name and vlan of every jack",
        "which ports have poe switched off",
      ],
    },
    (device) => ({ port_overrides: overridesOf(device), port_count: portsOf(device).length }),
    { port_overrides: Type.Optional(Type.Array(Type.Object({}))), port_count: Type.Optional(Type.Integer()) },
  ),
  read(
    {
      name: "unifi_get_port_stats",
      title: "Get port statistics",
      summary: "Show link, PoE and traffic of ports.",
      description:
        "Link, speed, PoE power, errors and bytes of every port of a switch, now. What is set on them is in unifi_get_switch_ports.",
      asks: [
        "crc errors on a jack",
        "which ports are up",
        "how much power does a camera draw",
        "link speed of a port",
        "which ports are in use",
        "errors on a port",
        "poe consumption by port",
        "link speed of port 4",
        "port is flapping",
        "traffic per port",
        "is anything plugged into port 12",
        "is the cable bad",
        "does the uplink run at full speed",
        "which jacks are empty",
        "how many watts does poe deliver",
      ],
    },
    (device) => ({ port_table: portsOf(device).map((port) => project(port, PORT_STATS)) }),
    { port_table: Type.Optional(Type.Array(Type.Object({}))) },
  ),
  read(
    {
      name: "unifi_get_lldp_neighbors",
      title: "Get LLDP neighbours",
      summary: "Show what hangs on a switch by LLDP.",
      description: "The neighbours that a switch hears by LLDP, port by port: other switches, access points, phones.",
      asks: [
        "what is plugged into port 3",
        "topology of a switch",
        "which switch is at the other end of the cable",
        "what is connected to the switch",
        "which switch is uplinked where",
        "network topology",
        "lldp table",
        "what hangs off port 24",
        "where does this cable go",
        "which device sits at the other end",
        "map of the wiring",
      ],
    },
    (device) => ({ lldp_table: rowsOf(device.lldp_table).map((row) => project(row, NEIGHBOUR)) }),
    { lldp_table: Type.Optional(Type.Array(Type.Object({}))) },
  ),
  read(
    {
      name: "unifi_get_switch_capabilities",
      title: "Get switch capabilities",
      summary: "Show what a switch can do, and its STP.",
      description:
        "What a switch can do (aggregation groups, mirror sessions, layer 3) and what is set for it as a whole: STP, jumbo frames, 802.1X.",
      asks: [
        "does this switch do lacp",
        "spanning tree settings",
        "how many mirror sessions",
        "is mtu 9000 on",
        "does the switch support link aggregation",
        "what can this switch do",
        "stp mode of the switch",
        "jumbo frames supported",
        "is spanning tree on",
        "number of lags supported",
        "layer 3 switch or not",
      ],
    },
    (device) => ({
      ...pick(device, ["switch_caps"]),
      ...project(device, {
        stp_version: "string",
        stp_priority: "integer",
        jumboframe_enabled: "boolean",
        dot1x_portctrl_enabled: "boolean",
      }),
    }),
    {
      switch_caps: Type.Optional(Type.Object({})),
      stp_version: Type.Optional(Type.String()),
      stp_priority: Type.Optional(Type.Integer()),
      jumboframe_enabled: Type.Optional(Type.Boolean()),
      dot1x_portctrl_enabled: Type.Optional(Type.Boolean()),
    },
  ),
];
