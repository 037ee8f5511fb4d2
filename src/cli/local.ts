/** `unifi-edge local`: the MCP server beside the console, over stdio or HTTP on loopback, without gateway and OAuth. */
import { once } from "node:events";
import { type Command, InvalidArgumentError } from "commander";
import { type Logger, pino } from "pino";
import { type AgentConfig, readAgentConfig } from "../config/agent.ts";
import { type Address, address, type Environment } from "../config/environment.ts";
import { EdgeError } from "../errors.ts";
import type { AdmissionOptions } from "./local/admission.ts";
import type { LocalServer } from "./local/server.ts";
import { untilStopped } from "./signals.ts";

const DEFAULT_ADDRESS: Address = { host: "127.0.0.1", port: 3000 };

interface Options {
  readonly stdio?: true;
  readonly http?: Address | true;
  readonly config?: string;
  readonly stateDir?: string;
  readonly tokenFile?: string;
}

export function describe(command: Command): void {
  command
    .option("--stdio", "speak over standard input and output (the default when a program starts it)")
    .option("--http [address]", "listen on host:port or a port, by default 127.0.0.1:3000", listenAddress)
    .option("--token-file <file>", "file with the Bearer token that HTTP clients must send")
    .option("--state-dir <folder>", "where the journal of writes is kept")
    .option("--config <file>", "YAML file with settings")
    .addHelpText(
      "after",
      `
The console: UNIFI_HOST, UNIFI_USERNAME, UNIFI_PASSWORD (or UNIFI_PASSWORD_FILE).
Writes are off until UNIFI_ALLOW_WRITES=true. UNIFI_TOOL_REGISTRATION_MODE is lazy, eager or meta_only.
Over HTTP: MCP at /mcp, GET /health beside it.`,
    )
    .action(run);
}

async function run(options: Options, command: Command): Promise<void> {
  if (options.stdio && options.http !== undefined) command.error("error: choose one of --stdio and --http");
  const [{ openAgent }, { createLocalServer }, { assertGuarded }] = await Promise.all([
    import("./local/state-folder.ts"),
    import("./local/server.ts"),
    import("./local/admission.ts"),
  ]);
  // standard output is the protocol's; the log goes to standard error
  const log = pino({ base: null }, pino.destination(2));
  const environment = environmentWith(options);
  const admission = admissionOf(options, readAgentConfig(environment, options.config));
  if (admission !== undefined) assertGuarded(admission);
  const opened = openAgent(environment, options.config, log);
  log.level = opened.config.logLevel;
  const server = createLocalServer(opened, log);
  try {
    await (admission === undefined ? serveStdio(server, log) : serveHttp(server, admission, log));
  } finally {
    await server.close();
  }
}

/** Undefined = over stdio. A person at a terminal speaks no JSON-RPC, so there it is HTTP. */
function admissionOf({ stdio, http }: Options, config: AgentConfig): AdmissionOptions | undefined {
  if (stdio || (http === undefined && !process.stdin.isTTY)) return undefined;
  const { localToken: token, localHosts: hosts } = config;
  return { address: http === undefined || http === true ? DEFAULT_ADDRESS : http, token, hosts };
}

async function serveStdio(server: LocalServer, log: Logger): Promise<void> {
  const { LOCAL_PRINCIPAL } = await import("./local/server.ts");
  const { stdin: input, stdout: output } = process;
  const stopped = untilStopped();
  const left = Promise.race([once(input, "end"), once(input, "close"), once(output, "error")]);
  const stop = server.mcp.stdio({ input, output }, LOCAL_PRINCIPAL);
  log.info("the MCP server is running on standard input and output");
  await Promise.race([stopped, left]);
  await stop();
  // a client that still holds the pipe must not hold this process
  input.destroy();
}

async function serveHttp(server: LocalServer, admission: AdmissionOptions, log: Logger): Promise<void> {
  const { buildLocalHttp } = await import("./local/http.ts");
  const { LOCAL_PRINCIPAL } = await import("./local/server.ts");
  const app = buildLocalHttp({ ...server, principal: LOCAL_PRINCIPAL, admission, log });
  const stopped = untilStopped();
  const url = await app.listen(admission.address).catch((cause: Error) => {
    throw new EdgeError("CONFIG_INVALID", `This address cannot be listened on: ${cause.message}.`, { cause });
  });
  log.info({ url: `${url}/mcp` }, "the MCP server is listening");
  await stopped;
  server.mcp.close();
  await app.close();
}

function listenAddress(text: string): Address {
  try {
    return address(/^\d+$/.test(text) ? `127.0.0.1:${text}` : text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : "not an address");
  }
}

/** Options that stand for a variable; the command line wins. */
function environmentWith({ stateDir, tokenFile }: Options): Environment {
  return {
    ...process.env,
    ...(stateDir === undefined ? {} : { UNIFI_EDGE_STATE_DIR: stateDir }),
    // a variable would win over its file
    ...(tokenFile === undefined ? {} : { UNIFI_EDGE_LOCAL_TOKEN: undefined, UNIFI_EDGE_LOCAL_TOKEN_FILE: tokenFile }),
  };
}
