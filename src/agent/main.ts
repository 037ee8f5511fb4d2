/** Makes the agent's real parts and runs it: enrols once, keeps the link to its gateway, and ends in order. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createAuditFile } from "../audit/file-sink.ts";
import { createAudit, realAuditTimers } from "../audit/recorder.ts";
import { type Catalog, createCatalog } from "../catalog/catalog.ts";
import type { AgentConfig } from "../config/agent.ts";
import type { ConsoleAccess } from "../config/consoles.ts";
import type { NetworkConsole } from "../controller/controller.ts";
import { type ConsoleLog, createNetworkConsole, type NetworkConsoleOptions } from "../controller/network/console.ts";
import { EdgeError } from "../errors.ts";
import { manifestOf } from "../tools/describe.ts";
import { TOOLS } from "../tools/index.ts";
import type { Tool } from "../tools/tool.ts";
import { toolsThatWrite } from "../tools/writes.ts";
import { realTiming } from "../tunnel/timing.ts";
import { dial } from "./dial.ts";
import { enrol, fetchTrusting } from "./enrol.ts";
import { serveHealth } from "./health-server.ts";
import { type AgentIdentity, readIdentity } from "./identity.ts";
import { type Journal, openJournal } from "./journal.ts";
import { createPolicy } from "./policy.ts";
import type { ConsolePlace } from "./prepared.ts";
import { createSealer, loadSealKey } from "./seal.ts";
import { type Agent, createAgent } from "./serve.ts";

const AUDIT_FLUSH_MS = 1000;

/** pino's logger fits. */
export type AgentLogger = ConsoleLog;

/** How a console is reached. */
export type OpenConsole = (options: NetworkConsoleOptions) => NetworkConsole;

export interface MadeAgent {
  readonly agent: Agent;
  /** Of the selected tools; `local` lists and checks from it. */
  readonly catalog: Catalog;
  readonly journal: Journal;
  /** Ends calls, console sessions and journal, in this order. */
  close(): Promise<void>;
}

/**
 * The agent without its tunnel, as `unifi-edge local` uses it. Nothing is asked of a console before the first call.
 * Throws CONFIG_INVALID where the state folder cannot be used or another process holds its journal.
 */
export function makeAgent(
  config: AgentConfig,
  log: AgentLogger,
  agentId = "local",
  openConsole: OpenConsole = createNetworkConsole,
): MadeAgent {
  const tools = selectedTools(config);
  const catalog = createCatalog(manifestOf(tools, "npm run manifest"));
  const journal = openJournal({ path: join(config.stateDir, "journal.sqlite"), now: Date.now, random: randomBytes });
  const audit = createAudit({
    sinks: [createAuditFile({ path: config.auditFile })],
    now: Date.now,
    flushEveryMs: AUDIT_FLUSH_MS,
    timers: realAuditTimers,
    log,
  });
  const consoles = new Map(
    config.consoles.map(({ name, network }): [string, ConsolePlace] => [name, consolePlace(openConsole, network, log)]),
  );
  const agent = createAgent({
    agentId,
    version: packageVersion(),
    consoles,
    tools,
    catalog,
    journal,
    sealer: createSealer(loadSealKey(join(config.stateDir, "seal.key"), randomBytes), randomBytes),
    policy: createPolicy({ allowWrites: config.allowWrites, gates: config.gates }, toolsThatWrite),
    confirmMode: config.confirm,
    audit,
    now: Date.now,
    monotonicNow: () => performance.now(),
    timer: realTiming.after,
    random: randomBytes,
    log,
  });
  return {
    agent,
    catalog,
    journal,
    async close() {
      await agent.close();
      await Promise.all([...consoles.values()].map(({ network }) => network.close()));
      await audit.close();
      journal.close();
    },
  };
}

/** Runs until the signal aborts. Throws EdgeError where it cannot start: settings, enrolment, or a held journal. */
export async function runAgent(
  config: AgentConfig,
  {
    log,
    signal,
    openConsole = createNetworkConsole,
  }: { readonly log: AgentLogger; readonly signal: AbortSignal; readonly openConsole?: OpenConsole },
): Promise<void> {
  const identity = (await readIdentity(config.stateDir)) ?? (await enrolled(config, log));
  const made = makeAgent(config, log, identity.agent_id, openConsole);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => made.close());
  if (config.healthPort !== 0) {
    const health = await serveHealth(made.agent.health, config.healthPort);
    stack.defer(() => health.close());
  }
  const dialer = dial({
    gatewayUrl: config.gatewayUrl ?? identity.gateway,
    identity,
    port: made.agent,
    lastEpoch: { read: () => made.journal.lastEpoch(), write: (epoch) => made.journal.setLastEpoch(epoch) },
    timing: realTiming,
    random: Math.random,
    log,
    ...(config.gatewayCaFile === undefined ? {} : { caFile: config.gatewayCaFile }),
  });
  stack.defer(() => dialer.close());
  log.info(
    { agent: identity.agent_id, location: identity.location, consoles: made.agent.describe().consoles },
    config.allowWrites ? "the agent is running" : "the agent is running, read-only (UNIFI_ALLOW_WRITES is false)",
  );

  if (!signal.aborted) await once(signal, "abort");
}

async function enrolled(config: AgentConfig, log: AgentLogger): Promise<AgentIdentity> {
  const { gatewayUrl, enrolmentToken, stateDir } = config;
  if (gatewayUrl === undefined || enrolmentToken === undefined) {
    throw new EdgeError("CONFIG_INVALID", `This agent has not enrolled yet: ${stateDir} holds no identity.`, {
      hint: "Set UNIFI_EDGE_GATEWAY and UNIFI_EDGE_TOKEN; `unifi-edge location token <location>` at the gateway issues one.",
    });
  }
  const identity = await enrol({
    gatewayUrl,
    token: enrolmentToken,
    stateDir,
    fetch: await fetchTrusting(config.gatewayCaFile),
  });
  log.info({ agent: identity.agent_id, location: identity.location }, "enrolled; the token is spent");
  return identity;
}

/** UNIFI_ENABLED_CATEGORIES and UNIFI_ENABLED_TOOLS. Throws CONFIG_INVALID where they leave nothing. */
function selectedTools({ enabledCategories, enabledTools }: AgentConfig): readonly Tool[] {
  if (enabledCategories.length + enabledTools.length === 0) return TOOLS;
  const selected = TOOLS.filter(
    ({ category, name }) => enabledCategories.includes(category) || enabledTools.includes(name),
  );
  if (selected.length > 0) return selected;
  const categories = [...new Set(TOOLS.map(({ category }) => category))];
  throw new EdgeError("CONFIG_INVALID", "UNIFI_ENABLED_CATEGORIES and UNIFI_ENABLED_TOOLS select no tool.", {
    hint: `Categories: ${categories.join(", ")}.`,
  });
}

function consolePlace(
  openConsole: OpenConsole,
  access: ConsoleAccess & { readonly host: string },
  log: AgentLogger,
): ConsolePlace {
  const { username, password, apiKey, pinSha256, ...always } = access;
  const network = openConsole({
    ...always,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(pinSha256 === undefined ? {} : { pinSha256 }),
    now: Date.now,
    wait,
    random: Math.random,
    log,
  });
  return { network, defaultSite: access.site, address: `${access.host}:${access.port}` };
}

/** As timers/promises does it, without a new error for each wait that ends early, as nearly every one does. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const over = () => {
    clearTimeout(timer);
    reject(signal.reason as Error); // whoever aborts says why
  };
  const timer = setTimeout(() => {
    signal.removeEventListener("abort", over);
    resolve();
  }, ms);
  if (signal.aborted) over();
  else signal.addEventListener("abort", over, { once: true });
  return promise;
}

function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
