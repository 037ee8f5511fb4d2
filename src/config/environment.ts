/** Reads a table of settings from environment and file, and names every wrong value at once. */
import { readFileSync } from "node:fs";
import { parse as parseYaml } from "yaml";
import { EdgeError } from "../errors.ts";

/** Turns a setting's text into its value; throws a plain Error whose message says what would be right. */
export type Parse<T> = (text: string) => T;

export interface Setting<T> {
  /** Variable names, the most specific first; the first one that is set counts. */
  readonly names: readonly string[];
  /** One line for documentation and `.env.example`. */
  readonly description: string;
  readonly parse: Parse<T>;
  /** Used when no name is set; absent = the setting is optional and its value undefined. */
  readonly default?: T;
  /** May come from a file named in NAME_FILE, and is never repeated in an error. */
  readonly secret?: boolean;
}

export type Settings = { readonly [field: string]: Setting<unknown> };

export type Values<Table extends Settings> = {
  readonly [Field in keyof Table]: Table[Field] extends {
    readonly default: infer Default;
    readonly parse: Parse<infer T>;
  }
    ? Default | T
    : Table[Field] extends Setting<infer T>
      ? T | undefined
      : never;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Values of a table, frozen. `file` holds YAML values by lower-case name (`unifi_host: …`); the environment wins.
 * Every wrong value is added to `problems`, so that several tables are reported together; see `refuse`.
 */
export function readSettings<const Table extends Settings>(
  table: Table,
  environment: Environment,
  file: Readonly<Record<string, string>>,
  problems: string[],
): Values<Table> {
  const values: Record<string, unknown> = {};
  for (const [field, setting] of Object.entries(table)) {
    values[field] = readSetting(setting, environment, file, problems);
  }
  return Object.freeze(values) as Values<Table>; // built field by field from the same table
}

/** Throws CONFIG_INVALID with all problems, if there are any. */
export function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const count = problems.length === 1 ? "One setting is" : `${problems.length} settings are`;
  throw new EdgeError("CONFIG_INVALID", `${count} wrong:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
}

/** Scalars of a YAML file by lower-case name; lists become comma-separated. Throws CONFIG_INVALID. */
export function readSettingsFile(path: string): Record<string, string> {
  let parsed: unknown;
  try {
    parsed = parseYaml(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new EdgeError(
      "CONFIG_INVALID",
      `${path} could not be read: ${cause instanceof Error ? cause.message : "unknown fault"}`,
      { cause },
    );
  }
  if (parsed === null) return {};
  if (typeof parsed !== "object" || Array.isArray(parsed)) {
    throw new EdgeError("CONFIG_INVALID", `${path} must hold names and values, such as \`unifi_host: 192.0.2.1\`.`);
  }
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(parsed)) {
    if (Array.isArray(value)) flat[name.toLowerCase()] = value.join(",");
    else if (value !== null && typeof value !== "object") flat[name.toLowerCase()] = String(value);
  }
  return flat;
}

function readSetting(
  setting: Setting<unknown>,
  environment: Environment,
  file: Readonly<Record<string, string>>,
  problems: string[],
): unknown {
  for (const name of setting.names) {
    const found = textOf(name, setting, environment, file, problems);
    if (found === undefined) continue;
    try {
      return setting.parse(found);
    } catch (fault) {
      const shown = setting.secret ? "" : ` is "${found.slice(0, 80)}"`;
      problems.push(`${name}${shown}: ${fault instanceof Error ? fault.message : "not understood"}`);
      return setting.default;
    }
  }
  return setting.default;
}

/** Blank counts as unset, as compose files leave variables blank. */
function textOf(
  name: string,
  setting: Setting<unknown>,
  environment: Environment,
  file: Readonly<Record<string, string>>,
  problems: string[],
): string | undefined {
  const text = environment[name]?.trim() || file[name.toLowerCase()]?.trim();
  if (text) return text;
  const path = setting.secret ? environment[`${name}_FILE`]?.trim() : undefined;
  if (!path) return undefined;
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch {
    problems.push(`${name}_FILE names "${path}", which cannot be read`);
    return undefined;
  }
}

export const text: Parse<string> = (value) => value;

export const flag: Parse<boolean> = (value) => {
  const folded = value.toLowerCase();
  if (["true", "1", "yes", "on"].includes(folded)) return true;
  if (["false", "0", "no", "off"].includes(folded)) return false;
  throw new Error("must be true or false");
};

export function integer(minimum: number, maximum: number): Parse<number> {
  return (value) => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= minimum && number <= maximum) return number;
    throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
  };
}

export function oneOf<const Value extends string>(...allowed: readonly Value[]): Parse<Value> {
  return (value) => {
    const found = allowed.find((candidate) => candidate === value.toLowerCase());
    if (found !== undefined) return found;
    throw new Error(`must be one of ${allowed.join(", ")}`);
  };
}

export const list: Parse<readonly string[]> = (value) =>
  value
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/** An origin without path, such as `https://edge.example.com`. */
export const origin: Parse<string> = (value) => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (
    url &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.pathname === "/" &&
    !url.search &&
    !url.hash &&
    !url.username
  ) {
    return url.origin;
  }
  throw new Error("must be an origin such as https://edge.example.com, without a path");
};

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, `[::1]:port` or `:port` (all interfaces). */
export const address: Parse<Address> = (value) => {
  const match = /^(?:\[(?<six>[^\]]+)\]|(?<four>[^:]*)):(?<port>\d{1,5})$/.exec(value);
  const port = Number(match?.groups?.port);
  if (!match || port > 65_535) throw new Error("must be host:port, such as 127.0.0.1:8080");
  return { host: match.groups?.six ?? (match.groups?.four || "0.0.0.0"), port };
};
