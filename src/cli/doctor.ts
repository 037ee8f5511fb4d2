/** `unifi-edge doctor`: says in words what works on the way to each console, what does not, and what to do. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { type ConsoleConfig, readConsoles } from "../config/consoles.ts";
import { type Environment, readSettingsFile } from "../config/environment.ts";
import { diagnose, type Finding } from "../controller/diagnose.ts";
import type { NetworkConsoleOptions } from "../controller/network/console.ts";

interface DoctorOptions {
  readonly host?: string;
  readonly port?: string;
  readonly config?: string;
}

/** A console that is slower than this is worth a finding. */
const TIMEOUT_MS = 10_000;
const MARKS = { ok: "ok  ", warn: "warn", failed: "FAIL" } as const;

export function describe(command: Command): void {
  command
    .option("--host <address>", "console to look at (default: UNIFI_HOST)")
    .option("--port <number>", "its port (default: UNIFI_PORT, 443)")
    .option("--config <file>", "YAML file with several consoles")
    .addHelpText(
      "after",
      `
Reads the same variables as the agent: UNIFI_HOST, UNIFI_PORT, UNIFI_USERNAME, UNIFI_PASSWORD (or
UNIFI_PASSWORD_FILE), UNIFI_API_KEY, UNIFI_SITE, UNIFI_VERIFY_SSL, UNIFI_PIN_SHA256, UNIFI_CONTROLLER_TYPE.
Prints the certificate's SHA-256 and the line that pins it. Exit status 1 when something does not work.`,
    )
    .action(run);
}

async function run(options: DoctorOptions): Promise<void> {
  const environment: Environment = {
    ...process.env,
    ...(options.host === undefined ? {} : { UNIFI_HOST: options.host }),
    ...(options.port === undefined ? {} : { UNIFI_PORT: options.port }),
  };
  const path = options.config ?? environment.UNIFI_EDGE_CONFIG;
  const problems: string[] = [];
  const consoles = readConsoles(environment, path === undefined ? {} : readSettingsFile(path), path, problems);

  // a missing password is a finding, not a reason to keep silent about the certificate
  for (const problem of problems) print({ step: "settings", result: "failed", says: problem });
  let works = problems.length === 0;
  for (const console of consoles) {
    process.stdout.write(`\nConsole ${console.name}: ${console.network.host}:${console.network.port}\n`);
    for await (const finding of diagnose(optionsOf(console))) {
      print(finding);
      works &&= finding.result !== "failed";
    }
  }
  process.stdout.write(works ? "\nEverything works.\n" : "\nSomething does not work; see FAIL above.\n");
  process.exitCode = works ? 0 : 1;
}

function optionsOf({ network }: ConsoleConfig): NetworkConsoleOptions {
  const { username, password, apiKey, pinSha256, ...always } = network;
  return {
    ...always,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(pinSha256 === undefined ? {} : { pinSha256 }),
    timeoutMs: TIMEOUT_MS,
    now: Date.now,
    wait: (ms, signal) => sleep(ms, undefined, { signal }),
    random: Math.random,
    log: {
      info: () => undefined,
      warn: (_facts, message) => print({ step: "note", result: "warn", says: message }),
      error: (_facts, message) => print({ step: "note", result: "failed", says: message }),
    },
  };
}

function print({ step, result, says, remedy = [] }: Finding): void {
  process.stdout.write(`${MARKS[result]}  ${step.padEnd(11)} ${says}\n`);
  for (const line of remedy) process.stdout.write(`      ${"".padEnd(11)} ${line}\n`);
}
