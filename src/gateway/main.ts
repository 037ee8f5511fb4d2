/** Makes the gateway's real parts, listens, and ends in order. The only place here that reads settings. */
import { createHmac, randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import { v7 as uuidv7 } from "uuid";
import { buildAdminApi } from "../admin/api.ts";
import { listenOnSocket } from "../admin/socket.ts";
import { createAuditFile } from "../audit/file-sink.ts";
import { createAudit, realAuditTimers } from "../audit/recorder.ts";
import { createCatalog } from "../catalog/catalog.ts";
import { loadManifest } from "../catalog/load.ts";
import type { GatewayConfig } from "../config/gateway.ts";
import { createMcpServer } from "../mcp/server.ts";
import { SYSTEM_TIMERS } from "../mcp/timers.ts";
import { RECONNECT_WAIT_MS } from "../routing/call.ts";
import { Directory } from "../routing/directory.ts";
import { findAgent } from "../store/agents.ts";
import { createBatchRecords } from "../store/batches.ts";
import { checkBirthmark } from "../store/birthmark.ts";
import { nextEpoch } from "../store/epochs.ts";
import { createIntents } from "../store/intents.ts";
import { spendJti } from "../store/jti.ts";
import { createPlaces } from "../store/places.ts";
import { openRegister } from "../store/register.ts";
import { ensureSetup } from "../store/setup.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { createTunnelServer } from "../tunnel/server.ts";
import { realTiming } from "../tunnel/timing.ts";
import { buildApp } from "./app.ts";
import { createDrain } from "./drain.ts";
import { createExecution } from "./execution.ts";
import { createOriginCheck } from "./hooks/origin.ts";
import { createRateLimiter } from "./hooks/rate-limit.ts";
import { createLeases } from "./leases.ts";
import { openLoadedTools } from "./loaded-tools.ts";
import { createManifestReader } from "./manifests.ts";
import { countingAudit } from "./metrics.ts";
import { createEnrolment, openAuthorization, openStore, packageVersion } from "./parts.ts";
import { listenForAdministration } from "./remote-admin.ts";
import { watchRevocations } from "./revocations.ts";
import { loadSecret } from "./secret.ts";
import { createStepUp } from "./step-up.ts";

export const MCP_PATH = "/mcp";
/** Places and names that another replica or the CLI changed are seen after this at the latest. */
const DIRECTORY_POLL_MS = 1_000;
const AUDIT_FLUSH_MS = 1_000;
/** A stopping gateway answers what it has accepted for so long. */
const DRAIN_MS = 10_000;
/** A grant may save up so many seconds of its rate. */
const BURST_SECONDS = 4;

export interface Gateway {
  /** Where it really listens, e.g. with port 0. */
  readonly port: number;
  /** Single-use link for the first account; undefined once there is one. */
  readonly setupLink: string | undefined;
  close(): Promise<void>;
}

export interface GatewayParts {
  readonly config: GatewayConfig;
  readonly log: FastifyBaseLogger;
  /** Tests shorten it; see routing/call.ts. */
  readonly reconnectWaitMs?: number;
}

/** Starts listening. Throws CONFIG_INVALID or STORE_UNAVAILABLE where it cannot start. */
export async function startGateway({
  config,
  log,
  reconnectWaitMs = RECONNECT_WAIT_MS,
}: GatewayParts): Promise<Gateway> {
  const secret = config.secret ?? loadSecret(config.stateDir, randomBytes);
  const keyFor = (purpose: string) => createHmac("sha256", secret).update(purpose).digest();
  const store = openStore(config, log);
  await store.ping();
  const register = await openRegister(store, { random: randomBytes, now: Date.now });
  if (config.redisUrl === undefined) checkBirthmark(join(config.stateDir, "store.id"), register);

  const catalog = createCatalog(loadManifest(new URL("../../tools_manifest.json", import.meta.url)));
  const metrics = createMetrics();
  const written = createAudit({
    sinks: [createAuditFile({ path: config.auditFile })],
    now: Date.now,
    flushEveryMs: AUDIT_FLUSH_MS,
    timers: realAuditTimers,
    log,
  });
  const audit = countingAudit(written, metrics);
  const directory = new Directory({
    register: createPlaces(store),
    manifests: createManifestReader(catalog),
    now: Date.now,
    log,
  });
  await directory.refresh();
  const loaded = await openLoadedTools(store, Date.now, (error) =>
    log.warn({ err: error }, "loaded tools were not read"),
  );
  const authorization = await openAuthorization({
    store,
    publicUrl: config.publicUrl,
    mcpPath: MCP_PATH,
    secret,
    log,
  });
  const { execution, batches } = createExecution({
    directory,
    intents: createIntents(store),
    batches: createBatchRecords(store),
    catalog,
    audit,
    writesAllowed: authorization.writesAllowed,
    requireLocation: config.requireLocation,
    callTimeoutMs: config.callTimeoutSeconds * 1000,
    reconnectWaitMs,
    secret: keyFor("fingerprint"),
    newId: uuidv7,
    now: Date.now,
    log,
  });
  const mcp = createMcpServer({
    catalog,
    execution,
    loaded,
    selection: { categories: lower(config.enabledCategories), tools: lower(config.enabledTools) },
    defaultMode: config.registrationMode,
    contentMode: config.contentMode,
    flavour: "gateway",
    name: "unifi-mcp-edge",
    title: "UniFi MCP Edge",
    version: packageVersion(),
    sessionSecret: keyFor("mcp-session"),
    random: randomBytes,
    timers: SYSTEM_TIMERS,
    log,
  });
  authorization.onGrantRevoked((grant) => mcp.endGrant(grant));
  const warn = (error: unknown) => log.warn({ err: error }, "the store did not answer in the background");
  const leases = createLeases(store, { id: uuidv7(), address: config.publicUrl }, warn);
  const tunnel = createTunnelServer({
    findAgent: (thumbprint) => findAgent(store, thumbprint),
    nonceSecret: keyFor("tunnel-nonce"),
    spendJti: (jti) => spendJti(store, jti),
    nextEpoch: (agent, lastEpoch) => nextEpoch(store, agent.org, agent.agentId, lastEpoch),
    origin: config.publicUrl,
    timing: realTiming,
    random: Math.random,
    log,
    onConnection(connection) {
      report(directory.attach(connection), "an agent was not attached");
      report(leases.hold(connection), "the store was not told who holds the agent");
    },
    onOperation: (connection, update) => report(batches.report(connection, update), "a batch report was not stored"),
    onLateResult: (connection, id) => connection.acknowledge(id, false),
  });
  function report(work: Promise<void>, failure: string): void {
    work.catch((error: unknown) => log.warn({ err: error }, failure));
  }

  const running = createDrain();
  const app = await buildApp({
    log,
    trustProxy: config.trustProxy,
    authorization: authorization.plugin,
    tunnel,
    mcp: {
      path: MCP_PATH,
      verify: authorization.verify,
      challenge: authorization.challenge,
      requiredScope: mcp.requiredScope,
      mayChallenge: createStepUp(Date.now),
      prepare: loaded.prepare,
      checkOrigin: createOriginCheck(new Set([config.publicUrl, ...config.allowedOrigins])),
      limitRate: createRateLimiter(
        { perSecond: config.requestsPerSecond, burst: config.requestsPerSecond * BURST_SECONDS },
        Date.now,
      ),
      handle: running.track(mcp.handle),
      log,
    },
    enrol: createEnrolment(store, config.publicUrl),
    health: { publicUrl: config.publicUrl, mcpPath: MCP_PATH, ready: () => store.ping() },
  });
  const adminParts = {
    store,
    publicUrl: config.publicUrl,
    version: packageVersion(),
    random: randomBytes,
    now: Date.now,
    audit,
    log,
    revokeGrant: authorization.revokeGrant,
    agentsConnected: () => tunnel.connections().length,
    metrics,
  };
  const admin = buildAdminApi(adminParts);
  metrics.measured(
    "unifi_edge_agents_connected",
    "Agents whose link this process holds.",
    () => tunnel.connections().length,
  );
  await listenOnSocket(admin, config.adminSocket);
  const remoteAdmin = await listenForAdministration(adminParts, config);
  const unwatch = await watchRevocations(store, tunnel.connections, warn);
  const poll = setInterval(() => report(directory.refresh(), "the places were not read"), DIRECTORY_POLL_MS);
  poll.unref();
  await app.listen(config.listen);
  const setup = await ensureSetup(store, { publicUrl: config.publicUrl, random: randomBytes, now: Date.now });

  return {
    port: portOf(app.server.address()),
    setupLink: setup?.link,
    async close() {
      clearInterval(poll);
      app.server.close();
      mcp.close();
      // Calls under way keep their links until they are answered
      await running.drained(DRAIN_MS);
      await unwatch();
      leases.close();
      await remoteAdmin?.close();
      await admin.close();
      await tunnel.close();
      await app.close();
      await loaded.close();
      await authorization.close();
      await audit.close();
      await store.close();
    },
  };
}

function portOf(bound: AddressInfo | string | null): number {
  return typeof bound === "object" && bound !== null ? bound.port : 0;
}

function lower(values: readonly string[] | undefined): readonly string[] {
  return (values ?? []).map((value) => value.toLowerCase());
}
