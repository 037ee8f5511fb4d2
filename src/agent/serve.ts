/** Answers calls and batches on the LAN: puts the checks, the journal and the batch runner around the tools. */
import type { Audit } from "../audit/audit.ts";
import { EdgeError } from "../errors.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentDescription, AgentPort, CallEvents, CallRequest, CallResult } from "../tunnel/calls.ts";
import { type AnswerLimits, failureAnswer } from "./answers.ts";
import { createAuditing } from "./auditing.ts";
import { createBatches } from "./batches.ts";
import type { RandomBytes } from "./call-id.ts";
import { type ConfirmMode, createTokens } from "./confirm.ts";
import { createHealth, type HealthAnswer } from "./health.ts";
import type { Journal } from "./journal.ts";
import { AGENT_LIMITS, type AgentLimits, type AgentLog, type Timer } from "./limits.ts";
import type { Policy } from "./policy.ts";
import { type Asked, type ConsolePlace, type PrepareDeps, prepare } from "./prepared.ts";
import { createCalls } from "./running-calls.ts";
import type { Sealer } from "./seal.ts";
import { isKnown } from "./write.ts";

export interface AgentDeps {
  readonly agentId: string;
  readonly version: string;
  /** By name; the first is meant where a call names none. */
  readonly consoles: ReadonlyMap<string, ConsolePlace>;
  readonly tools: readonly Tool[];
  readonly catalog: PrepareDeps["catalog"] & { readonly bytes: Buffer; readonly digest: string };
  readonly journal: Journal;
  readonly sealer: Sealer;
  readonly policy: Policy;
  readonly confirmMode: ConfirmMode;
  readonly audit: Audit;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonicNow: () => number;
  readonly timer: Timer;
  readonly random: RandomBytes;
  readonly log: AgentLog;
  readonly limits?: Partial<AgentLimits>;
}

export interface Agent extends AgentPort {
  /** For the light server's `/health` contract. */
  health(): Promise<HealthAnswer>;
  /** Takes no more calls, gives up what may be given up, and waits (bounded) for writes under way. */
  close(): Promise<void>;
}

export function createAgent(deps: AgentDeps): Agent {
  const limits = { ...AGENT_LIMITS, ...deps.limits };
  const answers: AnswerLimits = { maxBytes: limits.answerBytes };
  const tools = new Map(deps.tools.map((tool) => [tool.name, tool]));
  const preparing: PrepareDeps = { ...deps, tools };
  const tokens = createTokens(deps.journal, deps.now, deps.random);
  const warn = (message: string, error: unknown) => deps.log.warn({ err: error }, message);
  const calls = createCalls({ ...deps, tokens, answers, limits, warn });
  const auditing = createAuditing(deps);
  const prepared = (asked: Asked) => prepare(preparing, asked);
  const batches = createBatches({ ...deps, tokens, answers, limits, warn, calls, auditing, prepare: prepared });
  const health = createHealth({ ...deps, writesAllowed: deps.policy.writesAllowed });

  const description: AgentDescription = {
    agentId: deps.agentId,
    journalId: deps.journal.journalId,
    bootId: deps.journal.bootId,
    version: deps.version,
    manifestDigest: deps.catalog.digest,
    apps: [...new Set(deps.tools.map((tool) => tool.app))],
    consoles: [...deps.consoles.keys()],
  };

  async function call(request: CallRequest, events: CallEvents): Promise<CallResult> {
    const { id } = request;
    const prepared = calls.refusalAsAnswer(() => prepare(preparing, request));
    if ("refusal" in prepared) {
      auditing.denied(id, request, prepared.error);
      return prepared.refusal;
    }
    const { denied } = prepared;
    const repeat = request.repeat === true;
    if (denied !== undefined && !isKnown({ journal: deps.journal, tokens }, { id, call: prepared, repeat })) {
      auditing.denied(id, request, denied);
      return failureAnswer(denied, answers);
    }
    if (request.kind !== prepared.kind) {
      const mismatch = kindMismatch(request, prepared.kind);
      auditing.denied(id, request, mismatch);
      throw mismatch;
    }
    const { maxBytes } = request;
    const run = { id, source: "direct", call: prepared, repeat, maxBytes } as const;
    return await auditing.allowed(id, request, prepared, () => calls.run(run, request.ttlMs, events));
  }

  return {
    describe: () => description,
    manifest: () => deps.catalog.bytes,
    call,
    acknowledge: (id, delivered) => quietly(() => calls.acknowledge(id, delivered)),
    cancel: (id) => quietly(() => calls.cancel(id)),
    batch: (request) => batches.accept(request),
    cancelBatch: (id) => quietly(() => batches.cancel(id)),
    operations: (listener) => batches.listen(listener),
    acknowledgeOperation: (batch, index) => quietly(() => batches.acknowledge(batch, index)),
    health,
    async close() {
      batches.close();
      await calls.close();
    },
  };

  /** For what has no answer to put an error into: a full disk is logged, and the gateway asks again. */
  function quietly(work: () => void): void {
    try {
      work();
    } catch (error) {
      warn("the journal did not take a note", error);
    }
  }
}

function kindMismatch(request: CallRequest, kind: string): EdgeError {
  return new EdgeError("PROTOCOL_ERROR", `${request.tool} with these arguments is a ${kind}, not a ${request.kind}.`, {
    hint: "Gateway and agent disagree about this tool: bring both to the same version.",
  });
}
