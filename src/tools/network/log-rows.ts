/** Rows of the console's event log, old and new, brought to one shape with their texts filled in. */
import type { Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { isRow, project, type RowTable } from "../rows.ts";

export const EVENT_TABLE = {
  id: "string",
  key: "string",
  msg: "string",
  time: "time",
  mac: "string",
  ip: "string",
  severity: "string",
  category: "string",
} as const satisfies RowTable;

/** The closed set of the console's log; an unknown one is refused (unpoller#962). */
export const LOG_CATEGORIES = [
  "CLIENT_DEVICES",
  "INTERNET_AND_WAN",
  "POWER",
  "SECURITY",
  "UNIFI_DEVICES",
  "SOFTWARE_UPDATES",
  "UNIFI_ETHERNET_PORTS",
  "VPN",
];
export const SEVERITIES = ["LOW", "MEDIUM", "HIGH", "VERY_HIGH"];

/** Whose address stands for the event, in this order. */
const ACTORS = ["SRC_CLIENT", "CLIENT", "DST_CLIENT", "SRC_DEVICE", "DEVICE", "AP", "GATEWAY"];

export function logRow(raw: Row): Row {
  const parameters = isRow(raw.parameters) ? raw.parameters : {};
  const actor = ACTORS.map((role) => parameters[role]).find(isRow) ?? {};
  return project(
    {
      ...raw,
      key: raw.key ?? raw.event,
      msg: rendered(raw.message_raw ?? raw.title_raw, parameters),
      time: raw.timestamp,
      mac: /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(String(actor.id)) ? actor.id : actor.mac,
      ip: actor.ip,
    },
    EVENT_TABLE,
  );
}

/** The console sends `{CLIENT} joined {WLAN}` and the names apart. */
function rendered(message: unknown, parameters: Row): unknown {
  if (typeof message !== "string") return undefined;
  return message.replace(/\{(\w{1,40})\}/g, (whole, role: string) => {
    const actor = parameters[role];
    const name = isRow(actor) ? (actor.name ?? actor.hostname ?? actor.id) : actor;
    return typeof name === "string" || typeof name === "number" ? String(name) : whole;
  });
}

export function legacyRow(raw: Row): Row {
  const mac = raw.user ?? raw.guest ?? raw.ap ?? raw.sw ?? raw.gw;
  const category = typeof raw.subsystem === "string" ? raw.subsystem : undefined;
  return project({ ...raw, id: raw._id, mac, ip: raw.src_ip ?? raw.ip, category }, EVENT_TABLE);
}

/** True where this console has no such log: the other way is tried, and asked anew at the next call. */
export function isAbsent(thrown: unknown): boolean {
  return thrown instanceof EdgeError && ["CONTROLLER_UNSUPPORTED", "NOT_FOUND"].includes(thrown.code);
}
