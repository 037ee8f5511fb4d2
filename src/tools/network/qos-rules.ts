/** QoS rules in the two forms that consoles store: one limit with its direction (older), or a limit for each direction. */
import { isIP } from "node:net";
import type { Row } from "../../controller/controller.ts";
import { invalid } from "../arguments.ts";
import type { Circumstances, Prepared } from "../resource.ts";
import { isRow } from "../rows.ts";

/** Console name of each direction's limit in the current form. */
const LIMITS = { download: "download_limit_kbps", upload: "upload_limit_kbps" } as const;

/** What the console wants in a new rule of the current form besides the arguments. */
const NEW_RULE = {
  objective: "LIMIT",
  source: { matching_target: "ANY" },
  destination: { matching_target: "ANY" },
  schedule: { mode: "ALWAYS" },
};

/** A list row in the catalogue's names, whichever form the console stores. */
export function qosRow(raw: Row): Row {
  const row = { ...raw, id: raw._id };
  if (isOlder(raw)) return row;
  const { download_limit_kbps: down, upload_limit_kbps: up } = raw;
  const single = down === undefined ? { direction: "upload", limit: up } : { direction: "download", limit: down };
  const target = targetOf(raw.source);
  return {
    ...row,
    interface: raw.interface ?? "WAN",
    ...(down === undefined || up === undefined
      ? { direction: single.direction, bandwidth_limit_kbps: single.limit }
      : {}),
    ...(target === undefined ? {} : { [target.includes("/") ? "target_subnet" : "target_ip_address"]: target }),
    rate_max_down: down,
    rate_max_up: up,
    priority: raw.index,
  };
}

function targetOf(source: unknown): string | undefined {
  const ips = isRow(source) && Array.isArray(source.ips) ? source.ips : [];
  return typeof ips[0] === "string" ? ips[0] : undefined;
}

/** Consoles differ, not versions that we could name: the rules that are there tell. */
function isOlder(raw: Row): boolean {
  return raw.bandwidth_limit_kbps !== undefined;
}

/** The short form's names in the long form's. */
export function longForm({ limit_kbps: limit, target, ...rest }: Row): Row {
  const named = isRow(target) ? { [target.type === "ip" ? "target_ip_address" : "target_subnet"]: target.value } : {};
  return { ...rest, bandwidth_limit_kbps: limit, ...named };
}

export async function checkNewQosRule(data: Row, { siblings }: Circumstances): Promise<Prepared> {
  checkTarget(data);
  const warnings = [
    ...(data.target_ip_address === undefined && data.target_subnet === undefined
      ? ["Without a target the limit holds for everything on this interface."]
      : []),
    ...(siblings.some((other) => other.name === data.name) ? ["Another QoS rule has this name."] : []),
  ];
  if (siblings.some(isOlder)) return { data, warnings };
  return { data: currentForm(data), extra: NEW_RULE, warnings };
}

export async function checkQosChange(data: Row, { current = {} }: Circumstances): Promise<Prepared> {
  checkTarget(data);
  if (isOlder(current)) return { data };
  const turned = data.direction !== undefined && data.bandwidth_limit_kbps === undefined;
  if (turned && data.direction !== qosRow(current).direction) {
    throw invalid("A change of update_data.direction needs update_data.bandwidth_limit_kbps, the limit there.");
  }
  return { data: currentForm({ direction: qosRow(current).direction, ...data }) };
}

/** The arguments as the current form stores them; refuses what it has no field for. */
function currentForm(data: Row): Row {
  if (data.interface === "LAN") {
    throw invalid("QoS rules of this console limit the internet connection: interface must be WAN.");
  }
  if (data.dscp_value !== undefined)
    throw invalid("QoS rules of this console have no DSCP mark: leave out dscp_value.");
  const { name, enabled, direction, bandwidth_limit_kbps: limit, rate_max_down: down, rate_max_up: up } = data;
  if (limit !== undefined && direction === undefined) {
    throw invalid(
      "This rule has limits in both directions: say which with direction, or use rate_max_down and rate_max_up.",
    );
  }
  const target = data.target_ip_address ?? data.target_subnet;
  const fields = {
    name,
    enabled,
    ...(limit === undefined ? {} : { [direction === "upload" ? LIMITS.upload : LIMITS.download]: limit }),
    ...(down === undefined ? {} : { [LIMITS.download]: down }),
    ...(up === undefined ? {} : { [LIMITS.upload]: up }),
    index: data.priority,
    source:
      target === undefined ? undefined : { matching_target: "IP", matching_target_type: "SPECIFIC", ips: [target] },
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function checkTarget({ target_ip_address: address, target_subnet: subnet }: Row): void {
  if (address !== undefined && subnet !== undefined)
    throw invalid("Give target_ip_address or target_subnet, not both.");
  if (address !== undefined && isIP(String(address)) === 0) {
    throw invalid("target_ip_address is an IPv4 or IPv6 address.", "A range of addresses is a target_subnet.");
  }
  if (subnet !== undefined && !isCidr(String(subnet))) {
    throw invalid("target_subnet is an address with its prefix, e.g. 192.168.20.0/24.");
  }
}

function isCidr(text: string): boolean {
  const [host = "", length = "", ...rest] = text.split("/");
  const family = isIP(host);
  return family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128);
}
