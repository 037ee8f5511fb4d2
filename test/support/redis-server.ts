/** A real redis-server for tests: a free port, a directory of its own, ended by its process id. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const START_WITHIN_MS = 10_000;
const ASK_EVERY_MS = 10;

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** SIGKILL, or another signal (SIGSTOP and SIGCONT freeze and thaw it); resolves when a killed process is gone. */
  signal(name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void>;
  /** Starts it again on the same port and directory; its data are gone unless `args` turned persistence on. */
  restart(): Promise<void>;
  /** Ends the process and removes the directory. */
  stop(): Promise<void>;
}

/**
 * `args` are added to the command line, e.g. `["--appendonly", "yes"]` or `["--cluster-enabled", "yes"]`;
 * `configuration` is the text of a configuration file, which Sentinel cannot do without.
 */
export async function startRedis(args: readonly string[] = [], configuration?: string): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), "unifi-edge-redis-"));
  const port = await freePort();
  const file = join(directory, "redis.conf");
  if (configuration !== undefined) await writeFile(file, configuration);
  const fixed = ["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, "--save", ""];
  const words = [...(configuration === undefined ? [] : [file]), ...fixed, ...args];
  let child = await launch(words, port);

  async function end(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    signal: async (name) => {
      if (name === "SIGKILL") await end();
      else child.kill(name);
    },
    restart: async () => {
      await end();
      child = await launch(words, port);
    },
    stop: async () => {
      await end();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Sends one inline command (no spaces inside a word) and returns the raw first reply. */
export async function askRedis(port: number, command: string): Promise<string> {
  const socket = createConnection({ port, host: "127.0.0.1" });
  try {
    await once(socket, "connect");
    socket.write(`${command}\r\n`);
    const [reply] = (await once(socket, "data")) as [Buffer];
    return reply.toString("utf8").trim();
  } finally {
    socket.destroy();
  }
}

async function launch(args: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn("redis-server", args, { stdio: "ignore" });
  let failure: Error | undefined;
  child.once("error", (error) => {
    failure = error;
  });
  const deadline = Date.now() + START_WITHIN_MS;
  while (Date.now() < deadline) {
    if (failure !== undefined) {
      throw new Error(
        "redis-server could not be started. Install it: `apt-get install redis-server` (Debian, Ubuntu), " +
          "`brew install redis` (macOS), or run `npm run ci` as root on Debian.",
        { cause: failure },
      );
    }
    if (child.exitCode !== null) throw new Error(`redis-server ended at once with status ${child.exitCode}`);
    const reply = await askRedis(port, "PING").catch(() => "");
    if (reply === "+PONG" || reply.startsWith("-NOAUTH")) return child;
    await delay(ASK_EVERY_MS);
  }
  child.kill("SIGKILL");
  throw new Error(`redis-server did not answer on port ${port} within ${START_WITHIN_MS / 1000} s`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return address.port;
}
