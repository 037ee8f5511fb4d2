/** Switches: their ports, neighbours and abilities, and what is set on ports and on the switch as a whole. */
import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { invalid } from "../arguments.ts";
import { numberOf, project } from "../rows.ts";
import { defineTool, type Endpoint, type Plan, type Tool, type ToolWords } from "../tool.ts";
import { DEVICE_COMMAND, DEVICE_PUT, DEVICE_READS, deviceChange, deviceCommand, findDevice } from "./device-change.ts";
import {
  checkOverrides,
  checkProfiles,
  mergedOverrides,
  overridesOf,
  PORT_OVERRIDES,
  portFields,
  portsOf,
  portWarnings,
  withModes,
} from "./port-overrides.ts";
import { SWITCH_COMMON, SWITCH_MAC } from "./switch-arguments.ts";

const MAC_OUTPUT = { mac_address: Type.Optional(Type.String()), message: Type.Optional(Type.String()) };
const PROFILES: Endpoint = "GET /api/s/{site}/rest/portconf";
const PRIORITY_STEP = 4096;
const HIGHEST_PRIORITY = 61_440;

/** Tools that set fields of single ports; they differ in words and in what they insist on. */
function portsTool(words: ToolWords, insist: (changes: readonly Row[]) => void): Tool {
  return defineTool({
    ...words,
    ...SWITCH_COMMON,
    aliases: { ...SWITCH_COMMON.aliases, ports: "port_overrides", overrides: "port_overrides" },
    permission: { category: "switch", action: "update" },
    input: { ...SWITCH_MAC, port_overrides: PORT_OVERRIDES },
    output: MAC_OUTPUT,
    reads: [...DEVICE_READS, PROFILES],
    writes: [DEVICE_PUT],
    async plan({ network }, { device_mac: mac, port_overrides: asked }): Promise<Plan> {
      const device = await findDevice(network, mac);
      const changes = withModes(asked);
      insist(changes);
      checkOverrides(device, changes);
      await checkProfiles(network, changes);
      const after = { port_overrides: mergedOverrides(device, changes) };
      return deviceChange(network, device, {
        body: after,
        show: (one) => portFields(one, changes),
        proposed: portFields(after, changes),
        warnings: portWarnings(device, changes),
      });
    },
  });
}

/** Every change of such a tool is about its own mode, or ends it. */
function insistOn(mode: string, field: string) {
  return (changes: readonly Row[]) => {
    const at = changes.findIndex((change) => change.op_mode !== mode && change.op_mode !== "switch");
    if (at < 0) return;
    throw invalid(`port_overrides[${at}].op_mode: give "${mode}" with ${field}, or "switch" to end it.`);
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
    insistOn("mirror", "mirror_port_idx"),
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
    insistOn("aggregate", "aggregate_members"),
  ),
  defineTool({
    ...SWITCH_COMMON,
    name: "unifi_power_cycle_port",
    title: "Power-cycle port",
    summary: "Cut and restore a port's PoE power.",
    description:
      "Takes PoE power from a port for some seconds, which restarts what it feeds: camera, phone, access point. To restart a UniFi device properly, use unifi_reboot_device.",
    permission: { category: "switch", action: "update" },
    annotations: { destructiveHint: true },
    aliases: { ...SWITCH_COMMON.aliases, port: "port_idx", port_number: "port_idx" },
    input: {
      ...SWITCH_MAC,
      port_idx: Type.Integer({ description: "Number of the port, from 1", minimum: 1, maximum: 56 }),
    },
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
    ...SWITCH_COMMON,
    name: "unifi_set_jumbo_frames",
    title: "Set jumbo frames",
    summary: "Turn a switch's jumbo frames on or off.",
    description: "Allows frames of up to 9216 bytes on a switch, or forbids them. All switches on the way must agree.",
    permission: { category: "switch", action: "update" },
    input: { ...SWITCH_MAC, enabled: Type.Boolean({ description: "true allows them" }) },
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
    ...SWITCH_COMMON,
    name: "unifi_update_switch_stp",
    title: "Update switch STP",
    summary: "Set a switch's spanning tree.",
    description:
      "Sets the spanning-tree priority or version of a switch; what is not named stays. The lowest priority becomes the root.",
    permission: { category: "switch", action: "update" },
    aliases: { ...SWITCH_COMMON.aliases, priority: "stp_priority", version: "stp_version" },
    input: {
      ...SWITCH_MAC,
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
