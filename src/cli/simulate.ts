/** `unifi-edge simulate`: a console to try things on, until Ctrl-C. */
import { once } from "node:events";
import { type Command, Option } from "commander";
import { EdgeError } from "../errors.ts";
import { CONSOLE_NAMES, CONSOLES, type ConsoleName } from "../simulator/consoles.ts";
import { FAULTS, parseFault } from "../simulator/faults.ts";
import { SITE_DATA, type SiteData } from "../simulator/seed.ts";
import { type SimulatorOptions, startSimulator } from "../simulator/simulator.ts";
import { PERSONAS, type Persona } from "../simulator/world.ts";

interface Given {
  readonly persona: Persona;
  readonly console?: ConsoleName;
  readonly host: string;
  readonly port: string;
  readonly username: string;
  readonly password: string;
  readonly apiKey?: string;
  readonly siteData: SiteData;
  readonly site?: readonly string[];
  readonly name: string;
  readonly networkVersion?: string;
  readonly clients?: string;
  readonly devices?: string;
  readonly fault?: readonly string[];
  readonly json?: true;
}

export function describe(command: Command): void {
  command
    .addOption(new Option("--persona <kind>", "which console").choices([...PERSONAS]).default("unifi-os"))
    .addOption(
      new Option("--console <name>", "a console of a certain version, instead of --persona").choices([
        ...CONSOLE_NAMES,
      ]),
    )
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on, 0 takes a free one", "8443")
    .option("--username <name>", "account that may sign in", "admin")
    .option("--password <text>", "its password", "simulated")
    .option("--api-key <key>", "accept this X-API-KEY (UniFi OS)")
    .addOption(new Option("--site-data <name>", "what the default site holds").choices([...SITE_DATA]).default("home"))
    .option("--site <name=data>", "a further site, may be repeated", collect)
    .option("--name <text>", "name of the console", "UniFi Console")
    .option("--network-version <version>", "version of the Network application")
    .option("--clients <n>", "grow the default site to n clients")
    .option("--devices <n>", "grow the default site to n devices")
    .option("--fault <name:key=value,…>", "switch a fault on, may be repeated", collect)
    .option("--json", "print what to connect to as one line of JSON")
    .addHelpText("after", faultHelp())
    .action(async (given: Given) => {
      await run(given);
    });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function faultHelp(): string {
  const names = Object.entries(FAULTS).map(([name, { about }]) => `  ${name.padEnd(18)}${about}`);
  return `\nFaults (keys: hits, path, method, after, delayMs, status, code, token):\n${names.join("\n")}`;
}

async function run(given: Given): Promise<void> {
  const wrong: string[] = [];
  const number = (option: string, text: string | undefined, max: number): number | undefined => {
    if (text === undefined) return undefined;
    const value = Number(text);
    if (!/^\d+$/.test(text) || value > max) wrong.push(`${option} ${text}: a whole number from 0 to ${max}`);
    return value;
  };
  const port = number("--port", given.port, 65_535);
  const clients = number("--clients", given.clients, 50_000);
  const devices = number("--devices", given.devices, 4_000);
  const sites = (given.site ?? []).map((text) => {
    const [name = "", data = "home"] = text.split("=");
    if (!/^[a-z0-9]+$/.test(name)) wrong.push(`--site ${text}: a short name of lower-case letters and digits`);
    if (!isSiteData(data)) wrong.push(`--site ${text}: data is one of ${SITE_DATA.join(", ")}`);
    return { name, data: isSiteData(data) ? data : "home" };
  });
  const names = ["default", ...sites.map((site) => site.name)];
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index))) {
    wrong.push(`--site ${name}: there is one already`);
  }
  const faults = (given.fault ?? []).map((text) => {
    const parsed = parseFault(text);
    if (parsed === undefined) wrong.push(`--fault ${text}: unknown fault or key, see --help`);
    return parsed;
  });
  if (wrong.length > 0) throw new EdgeError("CONFIG_INVALID", wrong.join("\n"));

  const { persona, host, username, password, name } = given;
  const options: SimulatorOptions = {
    persona,
    ...(given.console && CONSOLES[given.console].options),
    host,
    username,
    password,
    name,
    ...(port === undefined ? {} : { port }),
    ...(given.apiKey === undefined ? {} : { apiKey: given.apiKey }),
    ...(given.networkVersion === undefined ? {} : { networkVersion: given.networkVersion }),
    sites: [{ name: "default", data: given.siteData }, ...sites],
    scale: { ...(clients === undefined ? {} : { clients }), ...(devices === undefined ? {} : { devices }) },
  };
  await serve(options, faults, given.json === true);
}

function isSiteData(text: string): text is SiteData {
  return (SITE_DATA as readonly string[]).includes(text);
}

async function serve(
  options: SimulatorOptions,
  faults: readonly ReturnType<typeof parseFault>[],
  json: boolean,
): Promise<void> {
  const simulator = await startSimulator(options).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EdgeError("CONFIG_INVALID", `The simulator cannot listen: ${reason}`, {
      hint: "Choose another --port, or 0 for a free one.",
      cause,
    });
  });
  for (const parsed of faults) if (parsed !== undefined) simulator.faults[parsed.name] = parsed.fault;
  const { url, username, password, fingerprint256 } = simulator;
  const facts = {
    url,
    persona: options.persona,
    username,
    password,
    fingerprint256,
    sites: [...simulator.state.sites.keys()],
  };
  console.log(json ? JSON.stringify(facts) : greeting(facts));

  // both signals end it the same way; the handlers go with the process
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await simulator.close();
}

function greeting(facts: Readonly<Record<string, unknown>>): string {
  const rows: readonly (readonly [string, unknown])[] = [
    ["Console", `${facts.url} (${facts.persona})`],
    ["Username", facts.username],
    ["Password", facts.password],
    ["Certificate", `sha256 ${facts.fingerprint256}`],
    ["Sites", (facts.sites as string[]).join(", ")],
  ];
  return [...rows.map(([label, value]) => `${label.padEnd(12)}${value}`), "Ctrl-C ends it."].join("\n");
}
