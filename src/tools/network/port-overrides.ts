/** What is set on single ports of a switch: laid over what was there, port by port, since a put replaces the whole list. */
import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { invalid } from "../arguments.ts";
import { pick } from "../merge.ts";
import { isRow, numberOf } from "../rows.ts";

const MOST_PORTS = 56;
const port = (description: string) => Type.Integer({ description, minimum: 1, maximum: MOST_PORTS });
const id = (description: string) => Type.Optional(Type.String({ description, minLength: 1, maxLength: 64 }));
const ids = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { description, maxItems: 512 }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** Fields of one port (Device schema of controller 9.5.21). */
export const PORT_OVERRIDES = Type.Array(
  Type.Object(
    {
      port_idx: port("Number of the port, from 1"),
      name: Type.Optional(Type.String({ description: "Name of the port", maxLength: 128 })),
      portconf_id: id("Port profile"),
      poe_mode: Type.Optional(
        Type.Enum(["auto", "pasv24", "passthrough", "off"], { type: "string", description: "PoE" }),
      ),
      op_mode: Type.Optional(
        Type.Enum(["switch", "mirror", "aggregate"], { type: "string", description: "switch ends mirror or LAG" }),
      ),
      mirror_port_idx: Type.Optional(port("Port whose traffic a mirror copies")),
      aggregate_members: Type.Optional(
        Type.Array(Type.Integer({ minimum: 1, maximum: MOST_PORTS }), {
          description: "Ports of the LAG, this one first",
          maxItems: 8,
        }),
      ),
      lag_idx: Type.Optional(Type.Integer({ description: "Number of the LAG", minimum: 1, maximum: 64 })),
      forward: Type.Optional(
        Type.Enum(["all", "native", "customize", "disabled"], { type: "string", description: "disabled = port off" }),
      ),
      native_networkconf_id: id("Untagged network"),
      tagged_vlan_mgmt: Type.Optional(
        Type.Enum(["auto", "block_all", "custom"], { type: "string", description: "Tagged VLANs" }),
      ),
      excluded_networkconf_ids: ids("Networks that custom leaves out"),
      voice_networkconf_id: id("Voice network"),
      isolation: flag("Keep it from other isolated ports"),
      autoneg: flag("Negotiate speed"),
      speed: Type.Optional(Type.Integer({ description: "Mbit/s without negotiation", minimum: 10, maximum: 100_000 })),
      full_duplex: flag("Full duplex"),
      stp_port_mode: flag("Spanning tree"),
      dot1x_ctrl: Type.Optional(
        Type.Enum(["auto", "force_authorized", "force_unauthorized", "mac_based", "multi_host"], {
          type: "string",
          description: "802.1X",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  { description: "Changes by port; ports and fields that are not named stay", minItems: 1, maxItems: MOST_PORTS },
);

/** What each mode of operation brings, and the others must not have. */
const FIELDS_OF_MODE: Readonly<Record<string, readonly string[]>> = {
  mirror: ["mirror_port_idx"],
  aggregate: ["aggregate_members", "lag_idx"],
};

export function overridesOf(device: Row): readonly Row[] {
  return Array.isArray(device.port_overrides) ? device.port_overrides.filter(isRow) : [];
}

export function portsOf(device: Row): readonly Row[] {
  return Array.isArray(device.port_table) ? device.port_table.filter(isRow) : [];
}

/** A field of a mode says the mode: whoever names a mirrored port wants a mirror. */
export function withModes(changes: readonly Row[]): readonly Row[] {
  return changes.map((change) => {
    const [mode] = Object.entries(FIELDS_OF_MODE).find(([, fields]) => fields.some((field) => field in change)) ?? [];
    return mode === undefined || change.op_mode !== undefined ? change : { ...change, op_mode: mode };
  });
}

/** Every port's override after the changes; those that are not named as they were, in their order. */
export function mergedOverrides(device: Row, changes: readonly Row[]): readonly Row[] {
  const byPort = new Map(changes.map((change) => [change.port_idx, change]));
  const before = overridesOf(device);
  const known = new Set(before.map((override) => override.port_idx));
  const laid = before.map((override) => laidOver(override, byPort.get(override.port_idx)));
  return [...laid, ...changes.filter((change) => !known.has(change.port_idx)).map((change) => laidOver({}, change))];
}

function laidOver(override: Row, change: Row | undefined): Row {
  if (change === undefined) return override;
  const merged = { ...override, ...change };
  const mode = String(merged.op_mode ?? "switch");
  const foreign = Object.entries(FIELDS_OF_MODE).flatMap(([other, fields]) => (other === mode ? [] : fields));
  return Object.fromEntries(Object.entries(merged).filter(([field]) => !foreign.includes(field)));
}

/** `{port_5: {poe_mode: "off"}}`: of each changed port, the named fields as the device has them. */
export function portFields(device: Row, changes: readonly Row[]): Row {
  const byPort = new Map(overridesOf(device).map((override) => [override.port_idx, override]));
  return Object.fromEntries(
    changes.map((change) => [
      `port_${String(change.port_idx)}`,
      pick(
        byPort.get(change.port_idx) ?? {},
        Object.keys(change).filter((field) => field !== "port_idx"),
      ),
    ]),
  );
}

/** Throws ARGUMENTS_INVALID naming the field's path, where the switch could not take the changes. */
export function checkOverrides(device: Row, changes: readonly Row[]): void {
  const ports = new Set(portsOf(device).map((each) => numberOf(each.port_idx)));
  const named = new Set<unknown>();
  for (const [at, change] of changes.entries()) {
    const path = `port_overrides[${at}]`;
    const number = numberOf(change.port_idx);
    if (named.has(number)) throw invalid(`${path}.port_idx names port ${number} a second time.`);
    named.add(number);
    if (!ports.has(number)) throw invalid(`${path}.port_idx: this switch has ports ${portRange(ports)}.`);
    if (Object.keys(change).length === 1) throw invalid(`${path} changes nothing: name at least one field.`);
    checkMode(change, path);
    checkMirror(change, path, ports);
    checkMembers(change, path, ports);
  }
  // what the console has already is not judged where only a name or a profile changes
  if (changes.every((change) => change.op_mode === undefined)) return;
  const after = mergedOverrides(device, changes);
  checkMembership(after);
  const caps = isRow(device.switch_caps) ? device.switch_caps : {};
  checkSessions(after, "mirror", numberOf(caps.max_mirror_sessions));
  checkSessions(after, "aggregate", numberOf(caps.max_aggregate_sessions));
}

function checkMode(change: Row, path: string): void {
  for (const [mode, fields] of Object.entries(FIELDS_OF_MODE)) {
    const named = fields.find((field) => field in change);
    if (named !== undefined && change.op_mode !== mode) {
      throw invalid(`${path}.${named} goes with op_mode "${mode}", not "${String(change.op_mode)}".`);
    }
  }
}

/** A port serves one LAG, and mirrors nothing beside it. */
function checkMembership(overrides: readonly Row[]): void {
  const taken = new Map<unknown, number>();
  for (const override of overrides) {
    if (override.op_mode === "mirror") taken.set(override.port_idx, Number(override.port_idx));
  }
  for (const override of overrides.filter(({ op_mode: mode }) => mode === "aggregate")) {
    const members = Array.isArray(override.aggregate_members) ? override.aggregate_members : [];
    for (const member of members) {
      if (taken.has(member)) throw invalid(`Port ${String(member)} already serves another LAG or a mirror.`);
      taken.set(member, Number(override.port_idx));
    }
  }
}

function checkMirror(change: Row, path: string, ports: ReadonlySet<unknown>): void {
  if (change.op_mode === "mirror" && change.mirror_port_idx === undefined) {
    throw invalid(`${path}.mirror_port_idx is missing: the port whose traffic is copied.`);
  }
  const copied = change.mirror_port_idx;
  if (copied === undefined) return;
  if (copied === change.port_idx) throw invalid(`${path}.mirror_port_idx: a port cannot copy itself.`);
  if (!ports.has(copied)) throw invalid(`${path}.mirror_port_idx: this switch has ports ${portRange(ports)}.`);
}

function checkMembers(change: Row, path: string, ports: ReadonlySet<unknown>): void {
  const members = change.aggregate_members;
  if (!Array.isArray(members)) {
    if (change.op_mode === "aggregate") throw invalid(`${path}.aggregate_members is missing: the ports of the LAG.`);
    return;
  }
  if (members.length < 2) throw invalid(`${path}.aggregate_members: a LAG has at least two ports.`);
  if (new Set(members).size < members.length) throw invalid(`${path}.aggregate_members names a port twice.`);
  if (!members.includes(change.port_idx)) throw invalid(`${path}.aggregate_members must hold port_idx itself.`);
  const missing = members.find((member) => !ports.has(member));
  if (missing !== undefined) throw invalid(`${path}.aggregate_members: this switch has ports ${portRange(ports)}.`);
}

function checkSessions(overrides: readonly Row[], mode: "mirror" | "aggregate", most: number | undefined): void {
  const used = overrides.filter((override) => override.op_mode === mode).length;
  if (used === 0 || most === undefined || used <= most) return;
  const what = mode === "mirror" ? "mirror sessions" : "aggregation groups";
  throw invalid(
    most === 0 ? `This switch has no ${what}.` : `This switch has ${most} ${what}, and ${used} would be in use.`,
    "unifi_get_switch_capabilities shows what it can do.",
  );
}

function portRange(ports: ReadonlySet<unknown>): string {
  const numbers = [...ports].filter((each) => typeof each === "number");
  return numbers.length === 0 ? "none" : `${Math.min(...numbers)} to ${Math.max(...numbers)}`;
}

/** Throws ARGUMENTS_INVALID where a change names a port profile that the site does not have. */
export async function checkProfiles(site: NetworkSite, changes: readonly Row[]): Promise<void> {
  if (changes.every((change) => change.portconf_id === undefined)) return;
  const known = new Set((await site.v1("GET", "/rest/portconf")).map((profile) => profile._id));
  const at = changes.findIndex((change) => change.portconf_id !== undefined && !known.has(change.portconf_id));
  if (at < 0) return;
  throw invalid(
    `port_overrides[${at}].portconf_id is the id of no port profile of this site.`,
    "unifi_list_port_profiles lists them.",
  );
}

/** Ports by which the switch itself hangs on the network: changing them may cut it off. */
export function portWarnings(device: Row, changes: readonly Row[]): readonly string[] {
  const uplink = isRow(device.uplink) ? numberOf(device.uplink.port_idx ?? device.uplink.num_port) : undefined;
  const uplinks = new Set([
    uplink,
    ...portsOf(device).flatMap((each) => (each.is_uplink === true ? [numberOf(each.port_idx)] : [])),
  ]);
  const touched = changes.flatMap((change) => [
    numberOf(change.port_idx),
    ...(Array.isArray(change.aggregate_members) ? change.aggregate_members.map(numberOf) : []),
  ]);
  if (!touched.some((number) => number !== undefined && uplinks.has(number))) return [];
  return ["One of these ports is the switch's uplink: a wrong value cuts the switch off."];
}
