/** Picks the command. Each is one file that is loaded only when it is asked for, so `--help` and small commands start fast. */
import { readFileSync } from "node:fs";
import { Command } from "commander";
import { EdgeError } from "../errors.ts";

interface CommandModule {
  /** Adds options, sub-commands and the action; the action resolves when the command is done. */
  describe(command: Command): void;
}

interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

export const COMMANDS: readonly CommandRow[] = [
  { name: "gateway", summary: "Run the public gateway.", load: () => import("./gateway.ts") },
  { name: "demo", summary: "Show the whole product on this machine, with a tour.", load: () => import("./demo.ts") },
  { name: "agent", summary: "Run the agent beside your consoles.", load: () => import("./agent.ts") },
  {
    name: "local",
    summary: "Run an MCP server beside your console, without a gateway.",
    load: () => import("./local.ts"),
  },
  { name: "doctor", summary: "Say what is wrong on the way to the console.", load: () => import("./doctor.ts") },
  { name: "simulate", summary: "Run a simulated console to try things on.", load: () => import("./simulate.ts") },
  { name: "org", summary: "Manage organisations.", load: () => import("./org.ts") },
  { name: "location", summary: "Manage locations and their agents.", load: () => import("./location.ts") },
  { name: "user", summary: "Manage people and their roles.", load: () => import("./user.ts") },
  { name: "manifest", summary: "Print or check the manifest of the tools.", load: () => import("./manifest.ts") },
  { name: "token", summary: "Manage personal access tokens.", load: () => import("./token.ts") },
];

/** Runs `unifi-edge …`; resolves with the exit status (0 ok, 1 failed, 2 wrong usage). */
export async function main(argv: readonly string[], commands = COMMANDS): Promise<number> {
  const program = new Command("unifi-edge")
    .description("Remote MCP access to UniFi consoles: gateway, agent and local server.")
    .version(packageVersion())
    .exitOverride()
    .showHelpAfterError("(add --help for the options)");
  for (const row of commands) {
    const command = program.command(row.name).description(row.summary);
    if (argv[0] === row.name || (argv[0] === "help" && argv[1] === row.name)) (await row.load()).describe(command);
  }

  try {
    await program.parseAsync([...argv], { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return exitStatusOf(error);
  }
}

/** The package's own version, from beside src or dist. */
function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

function exitStatusOf(error: unknown): number {
  // commander throws for --help and --version too, with exit code 0
  if (error instanceof Error && "exitCode" in error) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof EdgeError) {
    console.error(`unifi-edge: ${error.message}${error.hint === undefined ? "" : `\n${error.hint}`}`);
    return error.code === "CONFIG_INVALID" ? 2 : 1;
  }
  // a defect, or a fault of the machine: people get a line, developers the stack
  const words = error instanceof Error ? error.message : String(error);
  console.error(`unifi-edge: unexpected failure: ${words}`);
  if (process.env.UNIFI_EDGE_DEBUG) console.error(error);
  else console.error("Set UNIFI_EDGE_DEBUG=1 to see where it comes from.");
  return 1;
}
