/** Finding one device, and changing some of its fields: what every tool on a device has in common. */
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { pick, sameJson } from "../merge.ts";
import type { Plan } from "../tool.ts";

export const DEVICE_READS = ["GET /api/s/{site}/stat/device"] as const;
export const DEVICE_PUT = "PUT /api/s/{site}/rest/device/{id}";
export const DEVICE_COMMAND = "POST /api/s/{site}/cmd/devmgr";

/** Throws NOT_FOUND. The list is asked, not `stat/device/{mac}`, which some consoles answer with nothing. */
export async function findDevice(site: NetworkSite, mac: string): Promise<Row> {
  const devices = await site.v1("GET", "/stat/device");
  const device = devices.find((candidate) => String(candidate.mac).toLowerCase() === mac.toLowerCase());
  if (device !== undefined) return device;
  throw new EdgeError("NOT_FOUND", "No device of this site has this MAC address.", {
    hint: "unifi_list_devices lists them; computers and phones are in unifi_list_clients.",
  });
}

/** What every plan on a device says of it. */
export function deviceSubject(device: Row) {
  return {
    resourceType: "device",
    resourceId: String(device.mac).toLowerCase(),
    ...(typeof device.name === "string" ? { resourceName: device.name } : {}),
  };
}

interface DeviceChange {
  /** What is sent: only these fields, since a device's whole object holds tables that a put would replace. */
  readonly body: Row;
  /** The values that matter, as the answer shows them, of a device as the console has it. */
  readonly show: (device: Row) => Row;
  readonly proposed: Row;
  readonly warnings?: readonly string[];
  readonly answer?: Row;
}

/** Puts some fields of a device, and reads back what `show` looks at. */
export function deviceChange(site: NetworkSite, device: Row, change: DeviceChange): Plan {
  const { body, show, proposed, warnings = [], answer = {} } = change;
  const subject = deviceSubject(device);
  const current = show(device);
  const keys = Object.keys(proposed).filter((key) => !sameJson(current[key], proposed[key]));
  return {
    ...subject,
    action: "update",
    current: pick(current, keys),
    proposed: pick(proposed, keys),
    warnings,
    unchanged: keys.length === 0,
    async apply() {
      await site.v1("PUT", `/rest/device/${encodeURIComponent(String(device._id))}`, body);
      return { mac_address: subject.resourceId, ...answer };
    },
    readBack: async () => pick(show(await findDevice(site, subject.resourceId)), keys),
  };
}

interface DeviceCommand {
  readonly cmd: string;
  readonly arguments?: Row;
  readonly current?: Row;
  readonly proposed?: Row;
  readonly warnings?: readonly string[];
  readonly message: string;
}

/** A command: the console passes it on, and what it does shows later or not at all. */
export function deviceCommand(site: NetworkSite, device: Row, command: DeviceCommand): Plan {
  const subject = deviceSubject(device);
  return {
    ...subject,
    action: "command",
    current: command.current ?? {},
    proposed: command.proposed ?? { command: command.cmd },
    warnings: command.warnings ?? [],
    async apply() {
      await site.v1("POST", "/cmd/devmgr", { cmd: command.cmd, mac: subject.resourceId, ...command.arguments });
      return { mac_address: subject.resourceId, message: command.message };
    },
  };
}
