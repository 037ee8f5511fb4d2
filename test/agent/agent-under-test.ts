/** An agent over the notes console, with a clock, timers and randomness that tests turn by hand. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { v7 } from "uuid";
import type { ConfirmMode } from "../../src/agent/confirm.ts";
import { type Journal, openJournal } from "../../src/agent/journal.ts";
import type { AgentLimits, Timer } from "../../src/agent/limits.ts";
import { createPolicy } from "../../src/agent/policy.ts";
import { createSealer } from "../../src/agent/seal.ts";
import { type Agent, createAgent } from "../../src/agent/serve.ts";
import type { Decision, Ending } from "../../src/audit/audit.ts";
import { createCatalog } from "../../src/catalog/catalog.ts";
import type { EdgeError } from "../../src/errors.ts";
import { manifestOf } from "../../src/tools/describe.ts";
import type { Tool } from "../../src/tools/tool.ts";
import type { CallEvents, CallOwner, CallRequest, CallResult } from "../../src/tunnel/calls.ts";
import { NOTE_TOOLS, type NotesConsole, notesConsole } from "./notes-console.ts";

export const OWNER: CallOwner = { org: "home", subject: "ada", grant: "g1" };
const START_MS = Date.UTC(2026, 10, 30, 12);

export interface ManualClock {
  nowMs: number;
  readonly timer: Timer;
  /** Moves the clock and runs what is due. */
  pass(ms: number): void;
}

export function manualClock(): ManualClock {
  const due = new Set<{ readonly atMs: number; readonly run: () => void }>();
  const clock: ManualClock = {
    nowMs: START_MS,
    timer: (delayMs, run) => {
      const entry = { atMs: clock.nowMs + delayMs, run };
      due.add(entry);
      return () => void due.delete(entry);
    },
    pass(ms) {
      clock.nowMs += ms;
      for (const entry of [...due]) {
        if (entry.atMs > clock.nowMs) continue;
        due.delete(entry);
        entry.run();
      }
    },
  };
  return clock;
}

export interface Options {
  readonly path?: string;
  readonly clock?: ManualClock;
  readonly console?: NotesConsole;
  readonly more?: ReadonlyMap<string, NotesConsole>;
  readonly tools?: readonly Tool[];
  readonly allowWrites?: boolean;
  readonly gates?: Readonly<Record<string, string>>;
  readonly confirm?: ConfirmMode;
  readonly limits?: Partial<AgentLimits>;
  readonly journal?: Journal;
}

export interface UnderTest {
  readonly agent: Agent;
  readonly console: NotesConsole;
  readonly clock: ManualClock;
  readonly journal: Journal;
  readonly decisions: Decision[];
  readonly endings: Ending[];
  readonly warnings: string[];
  /** A new id of this clock. */
  id(): string;
  /** Sends a call and reads its JSON. */
  ask(
    tool: string,
    args?: Readonly<Record<string, unknown>>,
    more?: Partial<CallRequest>,
    events?: CallEvents,
  ): Promise<Answer>;
  /** The process dies: nothing is finished, the file is let go. */
  die(): void;
}

export type Answer = Readonly<Record<string, unknown>>;

let counter = 0;
/** Different bytes at every draw, the same in every run. */
function bytes(size: number): Buffer {
  counter += 1;
  return Buffer.from(Array.from({ length: size }, (_, at) => (counter * 31 + at * 7) % 256));
}

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "edge-agent-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function agentUnderTest(t: TestContext, options: Options = {}): UnderTest {
  const clock = options.clock ?? manualClock();
  const console = options.console ?? notesConsole();
  const now = () => clock.nowMs;
  const journal = options.journal ?? openJournal({ path: options.path ?? ":memory:", now, random: bytes });
  const tools = options.tools ?? NOTE_TOOLS;
  const decisions: Decision[] = [];
  const endings: Ending[] = [];
  const warnings: string[] = [];
  const place = (network: NotesConsole) => ({ network, defaultSite: "default", address: "192.0.2.1:443" });
  const agent = createAgent({
    agentId: "agent-1",
    version: "0.1.0",
    consoles: new Map([
      ["main", place(console)],
      ...[...(options.more ?? [])].map(([name, one]) => [name, place(one)] as const),
    ]),
    tools,
    catalog: createCatalog(manifestOf(tools, "test")),
    journal,
    sealer: createSealer(Buffer.alloc(32, 7), bytes),
    policy: createPolicy({ allowWrites: options.allowWrites ?? true, gates: options.gates ?? {} }, () => []),
    confirmMode: options.confirm ?? "default",
    audit: {
      record: (decision) => void decisions.push(decision),
      ended: (ending) => void endings.push(ending),
      flush: async () => undefined,
      close: async () => undefined,
    },
    now,
    monotonicNow: now,
    timer: clock.timer,
    random: bytes,
    log: { info: () => undefined, warn: (_facts, message) => void warnings.push(message) },
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  let open = true;
  const die = () => {
    if (open) journal.close();
    open = false;
  };
  t.after(async () => {
    if (open) await agent.close();
    die();
  });

  const id = () => v7({ msecs: clock.nowMs, random: bytes(16) });
  return {
    agent,
    console,
    clock,
    journal,
    decisions,
    endings,
    warnings,
    id,
    async ask(tool, args = {}, more = {}, events = {}) {
      const kind = tool.startsWith("unifi_list") ? "read" : "write";
      return answerOf(await agent.call({ id: id(), tool, args, kind, ttlMs: 30_000, owner: OWNER, ...more }, events));
    },
    die,
  };
}

export function answerOf(result: CallResult): Answer {
  const answer = JSON.parse(result.body.toString()) as Answer;
  assert.equal(result.isError, answer.success === false, "isError and success must agree");
  return answer;
}

/** For assert.rejects: an EdgeError of this code. */
export function failing(code: string) {
  return (error: EdgeError) => {
    assert.equal(error.code, code);
    return true;
  };
}

/** A promise that a test opens. */
export function gate(): {
  readonly opened: Promise<void>;
  open(): void;
  readonly reached: Promise<void>;
  enter(): Promise<void>;
} {
  const opened = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  return {
    opened: opened.promise,
    open: () => opened.resolve(),
    reached: reached.promise,
    enter: () => {
      reached.resolve();
      return opened.promise;
    },
  };
}
