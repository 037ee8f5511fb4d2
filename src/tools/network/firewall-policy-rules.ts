/** What the console demands of a firewall policy beyond single fields; every refusal names the field's path. */
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { invalid, normalMac } from "../arguments.ts";
import { idOf } from "../collection.ts";
import { mergeDeep, without } from "../merge.ts";
import type { Circumstances, Prepared } from "../resource.ts";
import { isRow } from "../rows.ts";
import { checkEnd, leftovers } from "./firewall-ends.ts";
import { END_DEFAULTS, POLICY_DEFAULTS } from "./firewall-policy-fields.ts";
import { isMac } from "./firewall-values.ts";
import { zonesMissing, zonesOf } from "./firewall-zones.ts";

const ENDS = ["source", "destination"] as const;
const MAC_LISTS = ["client_macs", "macs"];

export async function checkNewPolicy(data: Row, { context }: Circumstances): Promise<Prepared> {
  const given = withNormalMacs(data, "policy_data");
  const ends = ENDS.map((end) => [end, { ...END_DEFAULTS, ...rowAt(given, end) }] as const);
  const policy = withoutAnswers({ ...POLICY_DEFAULTS, ...given, ...Object.fromEntries(ends) }, {});
  checkPolicy(policy, ["schedule", ...ENDS], "policy_data");
  await checkZones(context.network, policy, ENDS, "policy_data");
  return { data: policy, warnings: warningsOf(policy, data) };
}

export async function checkPolicyChange(data: Row, { current = {}, context }: Circumstances): Promise<Prepared> {
  const change = withoutAnswers(withNormalMacs(data, "update_data"), current);
  const ends = ENDS.filter((end) => change[end] !== undefined);
  const drops = ends.flatMap((end) =>
    leftovers(rowAt(current, end), rowAt(change, end)).map((field) => [end, field] as const),
  );
  // Policies of older versions lack fields without which the console refuses to have them changed
  const missing = Object.entries(POLICY_DEFAULTS).filter(([field]) => current[field] === undefined);
  const extra = Object.fromEntries(missing);
  const policy = without(mergeDeep({ ...extra, ...current }, change), drops);
  checkPolicy(policy, Object.keys(change), "update_data");
  const moved = ends.filter((end) => rowAt(change, end).zone_id !== undefined);
  if (moved.length > 0) await checkZones(context.network, policy, moved, "update_data");
  return { data: change, extra, drops, warnings: warningsOf(policy, data) };
}

/** A policy that does not allow has no answers to allow: the console refuses it otherwise. */
function withoutAnswers(data: Row, current: Row): Row {
  const action = data.action ?? current.action;
  const stands = current.create_allow_respond ?? current.action === undefined;
  const stale = action !== "ALLOW" && data.create_allow_respond === undefined && stands === true;
  return stale ? { ...data, create_allow_respond: false } : data;
}

/** What a change leaves alone is not judged again, but for what the console always judges. */
function checkPolicy(policy: Row, touched: readonly string[], at: string): void {
  if (policy.create_allow_respond === true && policy.action !== "ALLOW") {
    throw invalid(`${at}.create_allow_respond goes with action ALLOW alone.`);
  }
  const states = policy.connection_states;
  if (policy.connection_state_type === "CUSTOM" && !(Array.isArray(states) && states.length > 0)) {
    throw invalid(`${at}.connection_states needs at least one state with connection_state_type CUSTOM.`);
  }
  if (touched.includes("schedule")) checkSchedule(rowAt(policy, "schedule"), `${at}.schedule`);
  for (const end of ENDS.filter((name) => touched.includes(name)))
    checkEnd(rowAt(policy, end), `${at}.${end}`, policy.ip_version);
}

/** What each mode of a schedule cannot be without. */
const NEEDED_BY_MODE: Readonly<Record<string, readonly string[]>> = {
  EVERY_WEEK: ["repeat_on_days"],
  ONE_TIME_ONLY: ["date"],
  CUSTOM: ["date_start", "date_end"],
};

function checkSchedule(schedule: Row, at: string): void {
  if (schedule.mode === undefined) throw invalid(`${at}.mode is missing.`, "ALWAYS is in force at all times.");
  const lacking = (NEEDED_BY_MODE[String(schedule.mode)] ?? []).find((field) => isEmpty(schedule[field]));
  if (lacking !== undefined) throw invalid(`${at}.${lacking} is missing with mode ${String(schedule.mode)}.`);
  if (isEmpty(schedule.time_range_start) !== isEmpty(schedule.time_range_end)) {
    throw invalid(`${at}.time_range_start and ${at}.time_range_end go together.`);
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

async function checkZones(network: NetworkSite, policy: Row, ends: readonly string[], at: string): Promise<void> {
  const zones = await zonesOf(network);
  if (zones.length === 0) throw zonesMissing();
  const unknown = ends.find((end) => !zones.some((zone) => idOf(zone) === rowAt(policy, end).zone_id));
  if (unknown !== undefined) {
    throw invalid(`${at}.${unknown}.zone_id names no zone of this site.`, "unifi_list_firewall_zones lists the ids.");
  }
}

/** MAC addresses in the console's spelling; the error names the place and not the address. */
function withNormalMacs(data: Row, at: string): Row {
  const ends = ENDS.filter((end) => isRow(data[end])).map((end) => {
    const given = rowAt(data, end);
    const lists = MAC_LISTS.filter((field) => Array.isArray(given[field])).map((field) => {
      const list = (given[field] as readonly unknown[]).map(String); // a list by the line above
      const wrong = list.findIndex((mac) => !isMac(mac));
      if (wrong >= 0) throw invalid(`${at}.${end}.${field}[${wrong}] is not a MAC address.`);
      return [field, list.map(normalMac)] as const;
    });
    return [end, { ...given, ...Object.fromEntries(lists) }] as const;
  });
  return { ...data, ...Object.fromEntries(ends) };
}

function warningsOf(policy: Row, asked: Row): readonly string[] {
  const any = ENDS.every((end) => (rowAt(policy, end).matching_target ?? "ANY") === "ANY");
  return [
    ...(asked.index === undefined
      ? []
      : ["The console may number policies itself; unifi_reorder_firewall_policies sets the order."]),
    ...(policy.predefined === true
      ? ["This is one of the console's own policies; it may keep some fields as they are."]
      : []),
    ...(any && policy.enabled !== false ? ["It matches everything between the two zones."] : []),
  ];
}

function rowAt(row: Row, field: string): Row {
  const value = row[field];
  return isRow(value) ? value : {};
}
