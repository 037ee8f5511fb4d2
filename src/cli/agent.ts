/** `unifi-edge agent`: runs beside the consoles and answers through the gateway. */
import type { Command } from "commander";
import { pino } from "pino";
import { readAgentConfig } from "../config/agent.ts";
import { untilStopped } from "./signals.ts";

interface AgentOptions {
  readonly gateway?: string;
  readonly token?: string;
  readonly stateDir?: string;
  readonly config?: string;
}

/** Options that stand for a variable; the command line wins. */
const VARIABLE_OF_OPTION = {
  gateway: "UNIFI_EDGE_GATEWAY",
  token: "UNIFI_EDGE_TOKEN",
  stateDir: "UNIFI_EDGE_STATE_DIR",
} as const;

export function describe(command: Command): void {
  command
    .option("--gateway <url>", "the gateway's public URL (first start)")
    .option("--token <token>", "one-time enrolment token (first start); better in UNIFI_EDGE_TOKEN_FILE")
    .option("--state-dir <folder>", "the agent's key and journal")
    .option("--config <file>", "YAML file with settings and several consoles")
    .addHelpText(
      "after",
      `
The console: UNIFI_HOST, UNIFI_USERNAME, UNIFI_PASSWORD (or UNIFI_PASSWORD_FILE).
Writes are off until UNIFI_ALLOW_WRITES=true. First start:
  UNIFI_HOST=192.168.1.1 UNIFI_USERNAME=edge UNIFI_PASSWORD_FILE=./password \\
    unifi-edge agent --gateway https://edge.example.com --token uee_...`,
    )
    .action(run);
}

async function run(options: AgentOptions): Promise<void> {
  const [{ runAgent }, { hasIdentity }] = await Promise.all([
    import("../agent/main.ts"),
    import("../agent/identity.ts"),
  ]);
  const config = readAgentConfig(environmentWith(options), options.config, (stateDir) => !hasIdentity(stateDir));
  // standard output stays free for answers; the log goes to standard error
  const log = pino({ level: config.logLevel, base: null }, pino.destination(2));
  const stop = new AbortController();
  // resolves at a signal, which may never come; the handler goes with the process
  void untilStopped().then(() => stop.abort());
  await runAgent(config, { log, signal: stop.signal });
}

function environmentWith(options: AgentOptions): Record<string, string | undefined> {
  const given = Object.entries(VARIABLE_OF_OPTION).map(([option, variable]) => [
    variable,
    options[option as keyof typeof VARIABLE_OF_OPTION],
  ]);
  return { ...process.env, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
}
