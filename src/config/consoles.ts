/** How consoles are reached: from variables (one console), or from `consoles:` in the YAML file (several). */
import { readFileSync } from "node:fs";
import { parse as parseYaml } from "yaml";
import { type Environment, flag, integer, oneOf, readSettings, text, type Values } from "./environment.ts";

const APP_NAMES = ["network", "protect", "access"] as const;
type AppName = (typeof APP_NAMES)[number];

/** The variable of one app, then the one of all. */
function named(app: AppName, key: string): readonly string[] {
  return [`UNIFI_${app.toUpperCase()}_${key}`, `UNIFI_${key}`];
}

/** The settings of one app on one console. */
export function consoleSettings(app: AppName) {
  return {
    host: { names: named(app, "HOST"), description: "Console's name or address, without https://", parse: text },
    port: { names: named(app, "PORT"), description: "Console's port", parse: integer(1, 65_535), default: 443 },
    username: { names: named(app, "USERNAME"), description: "Local account", parse: text, secret: true },
    password: { names: named(app, "PASSWORD"), description: "Its password", parse: text, secret: true },
    apiKey: { names: named(app, "API_KEY"), description: "API key, instead of an account", parse: text, secret: true },
    site: {
      names: named(app, "SITE"),
      description: "Site that a call without `site` means",
      parse: text,
      default: "default",
    },
    verifyTls: {
      names: named(app, "VERIFY_SSL"),
      description: "Whether the console's certificate is checked; pinning it is better than false",
      parse: flag,
      default: true,
    },
    pinSha256: {
      names: named(app, "PIN_SHA256"),
      description: "SHA-256 of the console's certificate (`unifi-edge doctor` prints it)",
      parse: pin,
    },
    controllerType: {
      names: named(app, "CONTROLLER_TYPE"),
      description: "auto, proxy (UniFi OS) or direct (standalone)",
      parse: oneOf("auto", "proxy", "direct"),
      default: "auto",
    },
  } as const;
}

export type ConsoleAccess = Values<ReturnType<typeof consoleSettings>>;

export interface ConsoleConfig {
  /** Name in calls; `main` where the variables describe the only one. */
  readonly name: string;
  readonly network: ConsoleAccess & { readonly host: string };
  readonly protect: ConsoleAccess;
  readonly access: ConsoleAccess;
}

/** Every console that is described; what is wrong is added to `problems`. `file` = flat values of the same file. */
export function readConsoles(
  environment: Environment,
  file: Readonly<Record<string, string>>,
  path: string | undefined,
  problems: string[],
): readonly ConsoleConfig[] {
  const listed = path === undefined ? undefined : listedConsoles(path, problems);
  if (listed === undefined) return readConsole("main", environment, file, "", problems);
  return Object.entries(listed).flatMap(([name, variables]) =>
    readConsole(name, variables, {}, `consoles.${name}: `, problems),
  );
}

function readConsole(
  name: string,
  environment: Environment,
  file: Readonly<Record<string, string>>,
  place: string,
  problems: string[],
): ConsoleConfig[] {
  const own: string[] = [];
  const read = (app: AppName) => readSettings(consoleSettings(app), environment, file, own);
  const [network, protect, access] = [read("network"), read("protect"), read("access")];
  const { host, username, password, apiKey } = network;
  if (host === undefined) own.push("UNIFI_HOST is not set: the console's name or address, such as 192.168.1.1");
  else if (/[/\s]/.test(host))
    own.push("UNIFI_HOST: must be a name or an address, without https:// and without a path");
  if (apiKey === undefined && (username === undefined || password === undefined)) {
    own.push("UNIFI_USERNAME and UNIFI_PASSWORD (or UNIFI_PASSWORD_FILE) are not both set, and UNIFI_API_KEY is not");
  }
  // the three apps share most variables, so one wrong value is met three times
  problems.push(...[...new Set(own)].map((problem) => `${place}${problem}`));
  return host === undefined ? [] : [{ name, network: { ...network, host }, protect, access }];
}

/** `consoles: {office: {host: …, password_file: …}}` as variables of each; undefined = the file lists none. */
function listedConsoles(path: string, problems: string[]): Readonly<Record<string, Environment>> | undefined {
  const parsed: unknown = parseYaml(readFileSync(path, "utf8"));
  const consoles = isObject(parsed) ? parsed.consoles : undefined;
  if (consoles === undefined) return undefined;
  if (!isObject(consoles) || Object.keys(consoles).length === 0) {
    problems.push("consoles: must hold names, each with host, username and password");
    return undefined;
  }
  return Object.fromEntries(
    Object.entries(consoles).map(([name, fields]) => [name, variablesOf(name, fields, problems)]),
  );
}

function variablesOf(name: string, fields: unknown, problems: string[]): Environment {
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) {
    problems.push(`consoles.${name}: the name must consist of lower-case letters, digits and hyphens`);
  }
  if (!isObject(fields)) return {};
  const known = new Set(APP_NAMES.flatMap((app) => Object.values(consoleSettings(app)).flatMap(({ names }) => names)));
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      const variable = `UNIFI_${key.toUpperCase()}`;
      if (!known.has(variable.replace(/_FILE$/, ""))) problems.push(`consoles.${name}.${key} is not a setting`);
      return [variable, String(value)];
    }),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function pin(value: string): string {
  const digits = value.replaceAll(":", "").toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digits)) return digits;
  throw new Error("must be 64 hexadecimal digits, with or without colons");
}
