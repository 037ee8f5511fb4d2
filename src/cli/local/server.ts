/** Puts agent, batches and MCP server together in one process, for one person, without OAuth. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "pino";
import { v7 as uuidv7 } from "uuid";
import type { Agent } from "../../agent/serve.ts";
import { createMcpServer, type McpServer } from "../../mcp/server.ts";
import { SYSTEM_TIMERS } from "../../mcp/timers.ts";
import { type Principal, SCOPES } from "../../principal.ts";
import { createBatchRecords } from "../../store/batches.ts";
import { createEmbeddedStore } from "../../store/embedded.ts";
import { createLocalExecution } from "./execution.ts";
import { createLoadedTools } from "./loaded-tools.ts";
import type { OpenedAgent } from "./state-folder.ts";

/** Whoever reaches this server is its person; the agent's own gates and confirmations still apply. */
export const LOCAL_PRINCIPAL: Principal = {
  subject: "local",
  org: "local",
  grant: "local",
  client: "local",
  role: "admin",
  scopes: new Set(SCOPES),
  locations: "all",
  expiresAtSeconds: Number.POSITIVE_INFINITY,
};

export interface LocalServer {
  readonly mcp: McpServer;
  readonly health: Agent["health"];
  /** Ends streams, calls, console sessions, journal and store, in this order. */
  close(): Promise<void>;
}

export function createLocalServer({ config, made }: OpenedAgent, log: Logger): LocalServer {
  const { agent, catalog } = made;
  // beside the journal, whose lock keeps other processes out of the folder
  const store = createEmbeddedStore({ path: join(config.stateDir, "store.sqlite"), now: Date.now });
  const { execution, close } = createLocalExecution({
    port: agent,
    catalog,
    batches: createBatchRecords(store),
    callTimeoutMs: config.callTimeoutSeconds * 1000,
    newId: uuidv7,
    now: Date.now,
    log,
  });
  const mcp = createMcpServer({
    catalog,
    execution,
    loaded: createLoadedTools(LOCAL_PRINCIPAL, SYSTEM_TIMERS),
    // the catalogue is the selection already
    selection: { categories: [], tools: [] },
    defaultMode: config.registrationMode,
    contentMode: config.contentMode,
    flavour: "local",
    name: "unifi-mcp-edge",
    title: "UniFi MCP Edge",
    version: agent.describe().version,
    sessionSecret: randomBytes(32),
    random: randomBytes,
    timers: SYSTEM_TIMERS,
    log,
  });

  return {
    mcp,
    health: agent.health,
    async close() {
      mcp.close();
      await made.close();
      close();
      await store.close();
    },
  };
}
