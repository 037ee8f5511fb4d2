/** An agent over one simulated console, with everything around the tools real: gates, preview, journal, redaction. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { v7 } from "uuid";
import { openJournal } from "../../src/agent/journal.ts";
import { createPolicy } from "../../src/agent/policy.ts";
import { createSealer } from "../../src/agent/seal.ts";
import { createAgent } from "../../src/agent/serve.ts";
import { createCatalog } from "../../src/catalog/catalog.ts";
import type { Row } from "../../src/controller/controller.ts";
import { createNetworkConsole } from "../../src/controller/network/console.ts";
import { verdictOf } from "../../src/redaction/secret-names.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { manifestOf } from "../../src/tools/describe.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { isRow } from "../../src/tools/rows.ts";
import type { ToolContext } from "../../src/tools/tool.ts";

const silent = { info() {}, warn() {}, error() {} };
const CATALOG = createCatalog(manifestOf(TOOLS, "test"));
const OWNER = { org: "home", subject: "ada", grant: "g1" };
const MIN_SECRET_LENGTH = 6;

export type Answer = { readonly [field: string]: unknown };

export interface WalkedAgent {
  /** What a tool sees, for looking past the agent. */
  readonly context: ToolContext;
  /** One call; `token` is both the call's id and its confirm_token. */
  call(tool: string, kind: "read" | "write", args: Row, token?: string): Promise<Answer>;
}

export async function walkedAgent(t: TestContext, simulator: Simulator, apiKey?: string): Promise<WalkedAgent> {
  const console_ = createNetworkConsole({
    host: simulator.host,
    port: simulator.port,
    username: simulator.username,
    password: simulator.password,
    ...(apiKey && { apiKey }),
    pinSha256: simulator.fingerprint256,
    now: Date.now,
    wait: (ms, signal) => delay(ms, undefined, { signal }),
    random: () => 0.5,
    log: silent,
  });
  const journal = openJournal({ path: ":memory:", now: Date.now, random: randomBytes });
  const agent = createAgent({
    agentId: "agent-1",
    version: "0.1.0",
    consoles: new Map([["main", { network: console_, defaultSite: "default", address: "192.0.2.1:443" }]]),
    tools: TOOLS,
    catalog: CATALOG,
    journal,
    sealer: createSealer(randomBytes(32), randomBytes),
    policy: createPolicy({ allowWrites: true, gates: {} }, () => []),
    confirmMode: "default",
    audit: { record() {}, ended() {}, flush: async () => undefined, close: async () => undefined },
    now: Date.now,
    monotonicNow: () => performance.now(),
    timer: (delayMs, run) => {
      const timer = setTimeout(run, delayMs).unref();
      return () => clearTimeout(timer);
    },
    random: randomBytes,
    log: silent,
    limits: { answerBytes: 4 * 1024 * 1024 },
  });
  t.after(async () => {
    await agent.close();
    journal.close();
    await console_.close();
  });
  return {
    context: {
      network: await console_.site(undefined),
      networkConsole: console_,
      signal: new AbortController().signal,
      now: Date.now,
      progress() {},
    },
    async call(tool, kind, args, token) {
      const id = token ?? v7();
      const asked = token === undefined ? args : { ...args, confirm_token: token };
      const result = await agent.call({ id, tool, args: asked, kind, ttlMs: 30_000, owner: OWNER }, {});
      const text = result.body.toString();
      assertWithoutSecrets(tool, text, simulator);
      const answer = JSON.parse(text) as Answer; // the agent's own answers are objects
      assert.equal(result.isError, answer.success === false, text);
      return answer;
    },
  };
}

/** Every secret that the console holds, by the names under which consoles keep them. */
function assertWithoutSecrets(tool: string, text: string, simulator: Simulator): void {
  for (const site of simulator.state.sites.values()) {
    for (const secret of secretsIn([site.tables, ...site.settings.values()])) {
      assert.ok(!text.includes(secret), `${tool} shows a secret (${fingerprint(secret)}) of the console`);
    }
  }
}

function fingerprint(secret: string): string {
  return createHash("sha256").update(secret).digest("hex").slice(0, 8);
}

function secretsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(secretsIn);
  if (!isRow(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    if (typeof field !== "string") return secretsIn(field);
    return verdictOf(name) === "secret" && field.length >= MIN_SECRET_LENGTH ? [field] : [];
  });
}
