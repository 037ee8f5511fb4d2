/** Object-oriented policies: the short forms that arguments allow, and the console's own. */
import type { Row } from "../../controller/controller.ts";
import { invalid, normalMac } from "../arguments.ts";
import type { Circumstances, Prepared } from "../resource.ts";
import { isRow } from "../rows.ts";
import { isMac } from "./firewall-values.ts";

const SECTIONS = ["secure", "qos", "route"] as const;
const SECURE_MODES = ["TURN_OFF_INTERNET", "BLOCKLIST"];
/** Fields of `secure.internet` that may stand in `secure` itself. */
const INTERNET_FIELDS = ["mode", "apps", "schedule"];

const TYPE_OF_TARGET: Readonly<Record<string, string>> = { CLIENTS: "MAC", GROUPS: "NETWORK_GROUP_ID" };

/** A console's policy with the switches of its sections, and its targets under both names. */
export function oonRow(raw: Row): Row {
  const isOn = (section: unknown) =>
    isRow(section) && typeof section.enabled === "boolean" ? section.enabled : undefined;
  return {
    ...raw,
    id: raw._id ?? raw.id,
    qos_enabled: isOn(raw.qos),
    route_enabled: isOn(raw.route),
    applies_to: raw.targets,
  };
}

/** The switches go into their sections. */
export function encodeOon(data: Row): Row {
  const { qos_enabled: qosOn, route_enabled: routeOn, applies_to: appliesTo, ...rest } = data;
  const section = (given: unknown, on: unknown) => ({ ...(isRow(given) ? given : {}), enabled: on });
  return {
    ...rest,
    ...(appliesTo === undefined ? {} : { targets: appliesTo }),
    ...(qosOn === undefined ? {} : { qos: section(rest.qos, qosOn) }),
    ...(routeOn === undefined ? {} : { route: section(rest.route, routeOn) }),
  };
}

export async function checkNewOon(asked: Row): Promise<Prepared> {
  const given = SECTIONS.filter((name) => isRow(asked[name]));
  if (given.length === 0) throw invalid("A policy needs at least one of secure, qos and route.");
  const secure = isRow(asked.secure) ? { secure: { enabled: true, ...secureForm(asked.secure, "secure") } } : {};
  const targets = targetsForm(asked.targets, asked.target_type, "targets", false);
  return { data: { enabled: true, ...asked, targets, ...secure }, warnings: warningsOf(secure) };
}

export async function checkOonChange(asked: Row, { current = {} }: Circumstances): Promise<Prepared> {
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null));
  if (given.targets !== undefined && given.applies_to !== undefined) {
    throw invalid("policy_data.applies_to is another name of policy_data.targets: give one of them.");
  }
  const name = given.applies_to === undefined ? "targets" : "applies_to";
  const type = given.target_type ?? current.target_type;
  if (type !== current.target_type && given[name] === undefined) {
    throw invalid("policy_data.targets is missing: another target_type needs other targets.");
  }
  // Some versions hold plain addresses: they get back what they show
  const plain = Array.isArray(current.targets) && current.targets.some((target) => typeof target === "string");
  const targets =
    given[name] === undefined ? {} : { [name]: targetsForm(given[name], type, `policy_data.${name}`, plain) };
  const secure = isRow(given.secure) ? { secure: secureForm(given.secure, "policy_data.secure", current.secure) } : {};
  return { data: { ...given, ...targets, ...secure }, warnings: warningsOf(secure) };
}

/** Each target as the console takes it; the error names the place and not the address. */
function targetsForm(targets: unknown, targetType: unknown, at: string, plain: boolean): readonly unknown[] {
  const type = TYPE_OF_TARGET[String(targetType)] ?? "MAC";
  return (Array.isArray(targets) ? targets : []).map((target: unknown, index) => {
    const given = isRow(target) ? target : { type, value: target };
    if (given.type !== type)
      throw invalid(`${at}[${index}].type must be ${type} with target_type ${String(targetType)}.`);
    const text = String(given.value);
    if (type === "MAC" && !isMac(text)) throw invalid(`${at}[${index}] is not a MAC address.`);
    const value = type === "MAC" ? normalMac(text) : text;
    return plain ? value : { type, value };
  });
}

/** `{mode, apps, schedule}` becomes `{internet: {mode, apps, schedule}}`. */
function secureForm(secure: Row, at: string, before?: unknown): Row {
  const short = INTERNET_FIELDS.filter((field) => secure[field] !== undefined);
  const rest = Object.fromEntries(Object.entries(secure).filter(([field]) => !short.includes(field)));
  const inner = isRow(secure.internet) ? secure.internet : {};
  const internet = { ...inner, ...Object.fromEntries(short.map((field) => [field, secure[field]])) };
  checkInternet(internet, at, isRow(before) && isRow(before.internet) ? before.internet : {});
  return Object.keys(internet).length === 0 ? rest : { ...rest, internet };
}

function checkInternet(internet: Row, at: string, before: Row): void {
  const { mode, apps } = { ...before, ...internet };
  if (Object.keys(internet).length > 0 && !SECURE_MODES.includes(String(mode))) {
    throw invalid(`${at}.internet.mode must be one of ${SECURE_MODES.join(", ")}.`);
  }
  if (mode === "BLOCKLIST" && !(Array.isArray(apps) && apps.length > 0)) {
    throw invalid(`${at}.internet.apps is missing with mode BLOCKLIST.`);
  }
}

function warningsOf({ secure }: { readonly secure?: Row }): readonly string[] {
  const internet = secure?.internet;
  return isRow(internet) && internet.mode === "TURN_OFF_INTERNET" && secure?.enabled !== false
    ? ["Its targets lose the internet while it is in force."]
    : [];
}
