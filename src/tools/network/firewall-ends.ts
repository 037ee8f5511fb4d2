/** One end of a firewall policy: whom it matches, with which ports, and what goes with what. */
import type { Row } from "../../controller/controller.ts";
import { invalid } from "../arguments.ts";
import { FIELDS_OF_TARGET } from "./firewall-policy-fields.ts";
import { areAddresses, arePorts } from "./firewall-values.ts";

/** Targets that need to know whether values or a group are meant. */
const TYPED_TARGETS = ["IP", "NETWORK"];

/** The list that a target cannot be without. */
const LIST_OF_TARGET: Readonly<Record<string, string>> = {
  NETWORK: "network_ids",
  CLIENT: "client_macs",
  MAC: "macs",
  APP: "app_ids",
  APP_CATEGORY: "app_category_ids",
  REGION: "regions",
  WEB: "web_domains",
};

const FIELD_OF_PORTS: Readonly<Record<string, string>> = { SPECIFIC: "port", OBJECT: "port_group_id" };
const FIELD_OF_ADDRESSES: Readonly<Record<string, string>> = { SPECIFIC: "ips", OBJECT: "ip_group_id" };

/** Throws ARGUMENTS_INVALID naming the field below `at`, as the console would refuse it. */
export function checkEnd(end: Row, at: string, ipVersion: unknown): void {
  if (end.zone_id === undefined) throw invalid(`${at}.zone_id is missing.`, "unifi_list_firewall_zones lists the ids.");
  checkTarget(end, at);
  checkAddresses(end, at, ipVersion);
  checkPorts(end, at);
}

function checkTarget(end: Row, at: string): void {
  const target = String(end.matching_target ?? "ANY");
  const own = FIELDS_OF_TARGET[target] ?? [];
  const foreign = Object.values(FIELDS_OF_TARGET)
    .flat()
    .find((field) => !own.includes(field) && isSet(end[field]));
  if (foreign !== undefined) throw invalid(`${at}.${foreign} does not go with matching_target ${target}.`);

  const type = String(end.matching_target_type ?? "");
  if (TYPED_TARGETS.includes(target) && FIELD_OF_ADDRESSES[type] === undefined) {
    throw invalid(`${at}.matching_target_type must be SPECIFIC or OBJECT with matching_target ${target}.`);
  }
  const needed = target === "IP" ? FIELD_OF_ADDRESSES[type] : LIST_OF_TARGET[target];
  if (needed !== undefined && !isSet(end[needed])) {
    throw invalid(`${at}.${needed} is missing with matching_target ${target}${type === "" ? "" : ` ${type}`}.`);
  }
}

function checkAddresses(end: Row, at: string, ipVersion: unknown): void {
  const families = ([4, 6] as const).filter((family) => ipVersion !== (family === 4 ? "IPV6" : "IPV4"));
  const ips = Array.isArray(end.ips) ? end.ips : [];
  const wrong = ips.findIndex((ip) => !families.some((family) => areAddresses(String(ip), family)));
  if (wrong >= 0) {
    throw invalid(`${at}.ips[${wrong}] is no address, subnet or range of ip_version ${String(ipVersion ?? "BOTH")}.`);
  }
}

function checkPorts(end: Row, at: string): void {
  const matching = String(end.port_matching_type ?? "ANY");
  const needed = FIELD_OF_PORTS[matching];
  for (const [type, field] of Object.entries(FIELD_OF_PORTS)) {
    if (field !== needed && isSet(end[field])) throw invalid(`${at}.${field} needs port_matching_type ${type}.`);
  }
  if (needed !== undefined && !isSet(end[needed])) {
    throw invalid(`${at}.${needed} is missing with port_matching_type ${matching}.`);
  }
  if (isSet(end.port) && !arePorts(String(end.port))) {
    throw invalid(`${at}.port must hold ports from 1 to 65535, as text: one, a range low-high or a comma list.`);
  }
}

/** Fields of an end that belonged to what it matched before the change; they are taken away. */
export function leftovers(before: Row, change: Row): readonly string[] {
  const changes = (field: string) => change[field] !== undefined && change[field] !== before[field];
  const target = String(change.matching_target);
  const gone = [
    ...(changes("matching_target")
      ? othersOf(FIELDS_OF_TARGET[target] ?? [], Object.values(FIELDS_OF_TARGET).flat())
      : []),
    ...(changes("matching_target") && target === "ANY" ? ["matching_target_type"] : []),
    ...(changes("matching_target_type") ? alternatives(FIELD_OF_ADDRESSES, change.matching_target_type) : []),
    ...(changes("port_matching_type") ? alternatives(FIELD_OF_PORTS, change.port_matching_type) : []),
  ];
  return [...new Set(gone)].filter((field) => before[field] !== undefined && change[field] === undefined);
}

function alternatives(fields: Readonly<Record<string, string>>, chosen: unknown): readonly string[] {
  return othersOf([fields[String(chosen)] ?? ""], Object.values(fields));
}

function othersOf(kept: readonly string[], all: readonly string[]): readonly string[] {
  return all.filter((field) => !kept.includes(field));
}

/** False, nothing and empty lists say nothing. */
function isSet(value: unknown): boolean {
  return Array.isArray(value)
    ? value.length > 0
    : value !== undefined && value !== null && value !== "" && value !== false;
}
