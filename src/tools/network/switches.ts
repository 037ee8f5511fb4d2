/** Switches: their ports, neighbours and abilities, and what is set on ports and on the switch as a whole. */
import { type TProperties, Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { invalid, macArgument } from "../arguments.ts";
import { pick } from "../merge.ts";
import { isRow, numberOf, project, type RowTable } from "../rows.ts";
import { defineTool, type Endpoint, type Plan, type Tool, type ToolWords } from "../tool.ts";
import { DEVICE_COMMAND, DEVICE_PUT, DEVICE_READS, deviceChange, deviceCommand, findDevice } from "./device-change.ts";
import {
  checkOverrides,
  mergedOverrides,
  overridesOf,
  PORT_OVERRIDES,
  portFields,
  portsOf,
  portWarnings,
} from "./port-overrides.ts";

const COMMON = {
  app: "network",
  category: "switch",
  aliases: { mac: "device_mac", mac_address: "device_mac", switch_mac: "device_mac" },
  macs: ["device_mac"],
} as const;
const MAC = { device_mac: macArgument("MAC address of the switch") };
const MAC_OUTPUT = { mac_address: Type.Optional(Type.String()), message: Type.Optional(Type.String()) };
const PROFILES: Endpoint = "GET /api/s/{site}/rest/portconf";
const PRIORITY_STEP = 4096;
const HIGHEST_PRIORITY = 61_440;

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
    ...COMMON,
    permission: { category: "switch", action: "read" },
    input: MAC,
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

/** Tools that set fields of single ports; they differ in words and in what they insist on. */
function portsTool(words: ToolWords, insist: (changes: readonly Row[]) => void): Tool {
  return defineTool({
    ...words,
    ...COMMON,
    aliases: { ...COMMON.aliases, ports: "port_overrides", overrides: "port_overrides" },
    permission: { category: "switch", action: "update" },
    input: { ...MAC, port_overrides: PORT_OVERRIDES },
    output: MAC_OUTPUT,
    reads: [...DEVICE_READS, PROFILES],
    writes: [DEVICE_PUT],
    async plan({ network }, { device_mac: mac, port_overrides: changes }): Promise<Plan> {
      const device = await findDevice(network, mac);
      insist(changes);
      checkOverrides(device, changes);
      const after = { port_overrides: mergedOverrides(device, changes) };
      return deviceChange(network, device, {
        body: after,
        show: (one) => portFields(one, changes),
        proposed: portFields(after, changes),
        warnings: await portWarnings(network, device, changes),
      });
    },
  });
}

function insistOn(field: string, mode: string, what: string) {
  return (changes: readonly Row[]) => {
    if (changes.some((change) => change[field] !== undefined || change.op_mode !== undefined)) return;
    throw invalid(
      `port_overrides names no ${what}: give op_mode "${mode}" with ${field}, or op_mode "switch" to end it.`,
    );
  };
}

async function poweredPort(network: NetworkSite, mac: string, number: number) {
  const device = await findDevice(network, mac);
  const port = portsOf(device).find((each) => numberOf(each.port_idx) === number);
  if (port === undefined) throw invalid(`port_idx: this switch has ${portsOf(device).length} ports.`);
  if (port.port_poe === false) throw invalid(`Port ${number} gives no power (PoE), so there is nothing to cycle.`);
  return { device, port };
}

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

  portsTool(
    {
      name: "unifi_set_switch_port_profile",
      title: "Set switch ports",
      summary: "Set profile, VLAN, PoE or name of ports.",
      description:
        "Changes single ports of a switch: profile, VLANs, PoE, name, speed. Only the named ports and fields change. To make a profile, use unifi_create_port_profile.",
      asks: [
        "put a jack into the camera vlan",
        "turn off poe on port 7",
        "disable a port",
        "assign a profile to a port",
        "assign a vlan to a port",
        "put port 5 on the guest vlan",
        "change the native network of a port",
        "disable a switch port",
        "turn off poe on a port",
        "shut down a port",
        "make a port an access port",
        "rename a port",
        "desk 4 needs the voice vlan",
        "move a jack to another vlan",
        "block the jack in the lobby",
        "give a port to the camera network",
        "nobody should plug into this socket",
      ],
    },
    () => undefined,
  ),
  portsTool(
    {
      name: "unifi_configure_port_mirror",
      title: "Configure port mirror",
      summary: "Copy a port's traffic to another port.",
      description:
        'Makes a port repeat the traffic of another one (op_mode "mirror", mirror_port_idx), or ends it (op_mode "switch"). The port that mirrors serves nothing else.',
      asks: [
        "span port for wireshark",
        "sniff the traffic of the uplink",
        "stop copying traffic",
        "mirror a port",
        "span port for packet capture",
        "copy traffic to my ids",
        "monitor the uplink with wireshark",
        "record all packets of a port",
        "let the ids see the traffic",
      ],
    },
    insistOn("mirror_port_idx", "mirror", "mirror"),
  ),
  portsTool(
    {
      name: "unifi_configure_port_aggregation",
      title: "Configure aggregation",
      summary: "Bundle ports into a LAG, or split it.",
      description:
        'Bundles ports of a switch by LACP: op_mode "aggregate" and aggregate_members on the first port; op_mode "switch" splits them. The other end must be set alike.',
      asks: [
        "lacp bond to the nas",
        "two cables as one link",
        "undo a link aggregation",
        "etherchannel",
        "create a lag",
        "bond two ports to the nas",
        "link aggregation with lacp",
        "combine uplinks",
        "double the speed to the storage",
        "two links as one",
      ],
    },
    insistOn("aggregate_members", "aggregate", "aggregation"),
  ),
  defineTool({
    ...COMMON,
    name: "unifi_power_cycle_port",
    title: "Power-cycle port",
    summary: "Cut and restore a port's PoE power.",
    description:
      "Takes PoE power from a port for some seconds, which restarts what it feeds: camera, phone, access point. To restart a UniFi device properly, use unifi_reboot_device.",
    permission: { category: "switch", action: "update" },
    annotations: { destructiveHint: true },
    aliases: { ...COMMON.aliases, port: "port_idx", port_number: "port_idx" },
    input: { ...MAC, port_idx: Type.Integer({ description: "Number of the port, from 1", minimum: 1, maximum: 56 }) },
    output: MAC_OUTPUT,
    reads: DEVICE_READS,
    writes: [DEVICE_COMMAND],
    asks: [
      "bounce poe on port 4",
      "camera hangs, cut its power",
      "restart what is on a jack",
      "power reset a phone",
      "power cycle a poe port",
      "bounce the port of a camera",
      "restart a poe device",
      "the camera is frozen, cut its power for a moment",
      "reset poe",
      "door phone is stuck, cut its power briefly",
      "revive a frozen camera",
      "reset what is fed by poe",
    ],
    async plan({ network }, { device_mac: mac, port_idx: number }): Promise<Plan> {
      const { device, port } = await poweredPort(network, mac, number);
      return deviceCommand(network, device, {
        cmd: "power-cycle",
        arguments: { port_idx: number },
        current: project(port, { port_idx: "integer", name: "string", poe_power: "number", up: "boolean" }),
        warnings: ["What the port feeds restarts, and what hangs behind it goes offline meanwhile."],
        message: `Port ${number} is without power for some seconds.`,
      });
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_set_jumbo_frames",
    title: "Set jumbo frames",
    summary: "Turn a switch's jumbo frames on or off.",
    description: "Allows frames of up to 9216 bytes on a switch, or forbids them. All switches on the way must agree.",
    permission: { category: "switch", action: "update" },
    input: { ...MAC, enabled: Type.Boolean({ description: "true allows them" }) },
    output: MAC_OUTPUT,
    reads: DEVICE_READS,
    writes: [DEVICE_PUT],
    asks: [
      "mtu 9000",
      "allow big packets for the nas",
      "large frame support",
      "enable jumbo frames",
      "set mtu 9000 on the switch",
      "large packets for storage",
      "bigger frames between nas and server",
      "allow 9k packets",
    ],
    async plan({ network }, { device_mac: mac, enabled }): Promise<Plan> {
      const device = await findDevice(network, mac);
      return deviceChange(network, device, {
        body: { jumboframe_enabled: enabled, port_overrides: overridesOf(device) },
        show: (one) => ({ jumboframe_enabled: one.jumboframe_enabled === true }),
        proposed: { jumboframe_enabled: enabled },
        warnings: ["Some consoles refuse this until it was allowed once in their own pages."],
      });
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_update_switch_stp",
    title: "Update switch STP",
    summary: "Set a switch's spanning tree.",
    description:
      "Sets the spanning-tree priority or version of a switch; what is not named stays. The lowest priority becomes the root.",
    permission: { category: "switch", action: "update" },
    aliases: { ...COMMON.aliases, priority: "stp_priority", version: "stp_version" },
    input: {
      ...MAC,
      stp_priority: Type.Optional(
        Type.Integer({
          description: "Multiple of 4096",
          minimum: 0,
          maximum: HIGHEST_PRIORITY,
          multipleOf: PRIORITY_STEP,
        }),
      ),
      stp_version: Type.Optional(
        Type.Enum(["stp", "rstp", "disabled"], { type: "string", description: "disabled = loops are not stopped" }),
      ),
    },
    output: MAC_OUTPUT,
    reads: DEVICE_READS,
    writes: [DEVICE_PUT],
    asks: [
      "make this the root bridge",
      "bridge priority 4096",
      "turn on rapid spanning tree",
      "loop prevention",
      "set the stp priority",
      "make this switch the root bridge",
      "change rstp settings",
      "spanning tree priority",
      "the wrong switch is root",
      "stop loops",
      "set bridge priority of the core switch",
    ],
    async plan({ network }, { device_mac: mac, stp_priority: priority, stp_version: version }): Promise<Plan> {
      const asked = {
        ...(priority === undefined ? {} : { stp_priority: priority }),
        ...(version === undefined ? {} : { stp_version: version }),
      };
      if (Object.keys(asked).length === 0) throw invalid("Give stp_priority or stp_version.");
      const device = await findDevice(network, mac);
      return deviceChange(network, device, {
        body: {
          ...asked,
          ...(priority === undefined ? {} : { stp_priority: String(priority) }), // consoles keep it as text
          port_overrides: overridesOf(device),
        },
        show: (one) => ({ stp_priority: numberOf(one.stp_priority), stp_version: one.stp_version }),
        proposed: asked,
        warnings: [
          "Ports stop for some seconds while the tree is worked out anew.",
          ...(version === "disabled" ? ["Without spanning tree a loop takes the network down."] : []),
        ],
      });
    },
  }),
];
