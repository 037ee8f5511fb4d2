/** The calls that are running: attaching to one by id, deadlines, giving up, and how many at once. */
import { EdgeError } from "../errors.ts";
import type { CallEvents, CallResult } from "../tunnel/calls.ts";
import { type AnswerLimits, failureAnswer, readAnswer } from "./answers.ts";
import { type ConfirmMode, invalid, type Tokens } from "./confirm.ts";
import type { Journal } from "./journal.ts";
import type { AgentLimits, Timer } from "./limits.ts";
import type { Prepared } from "./prepared.ts";
import { RunningTurn, type Turn } from "./turn.ts";
import { runWrite, type WriteRequest } from "./write.ts";

export interface CallsDeps {
  readonly journal: Journal;
  readonly tokens: Tokens;
  readonly confirmMode: ConfirmMode;
  readonly answers: AnswerLimits;
  readonly limits: AgentLimits;
  readonly now: () => number;
  readonly timer: Timer;
  readonly warn: (message: string, error: unknown) => void;
}

export interface RunRequest extends WriteRequest {
  readonly id: string;
  /** Operations of a batch have places of their own: the batch queue counts them. */
  readonly source: "direct" | "batch";
  /** The answer's share of a fan-out; it narrows the agent's own limit and never widens it. */
  readonly maxBytes?: number | undefined;
}

/** Errors that mean "there is no outcome": they reject; every other failure is an answer with isError. */
const NO_OUTCOME: ReadonlySet<string> = new Set([
  "CANCELLED",
  "DEADLINE_BEFORE_START",
  "TIMEOUT",
  "OUTCOME_UNKNOWN",
  "JOURNAL_UNAVAILABLE",
  "STALE_CALL",
  "PROTOCOL_ERROR",
  "OVERLOADED",
  "AGENT_OFFLINE",
]);

/** Calls that were answered with another's outcome and wait for their acknowledgement; the oldest are forgotten. */
const MAX_ANSWERED_BY = 1000;

export interface Calls {
  /** Runs a prepared call, or attaches to the one that has this id. Rejects only where there is no outcome. */
  run(request: RunRequest, ttlMs: number, events: CallEvents): Promise<CallResult>;
  /** Not started: CANCELLED, final, also for a call that has yet to come. A write under way goes on. */
  cancel(id: string): void;
  /** The gateway has the outcome that this call was answered with; `delivered` = its client has it too. */
  acknowledge(id: string, delivered: boolean): void;
  /** The value, or the failure as an answer; rethrows what means "no outcome". */
  refusalAsAnswer<Value extends object>(
    work: () => Value,
  ): Value | { readonly refusal: CallResult; readonly error: EdgeError };
  close(): Promise<void>;
}

interface Job {
  readonly turn: RunningTurn;
  readonly call: Prepared;
  readonly source: RunRequest["source"];
  readonly outcome: Promise<CallResult>;
}

export function createCalls(deps: CallsDeps): Calls {
  const jobs = new Map<string, Job>();
  /** Calls that were answered with another's outcome, by their own id. */
  const firstOf = new Map<string, string>();
  let closing = false;

  function refusalOf(
    thrown: unknown,
    limits: AnswerLimits,
  ): { readonly refusal: CallResult; readonly error: EdgeError } {
    const edge = thrown instanceof EdgeError ? thrown : defect(thrown);
    if (NO_OUTCOME.has(edge.code)) throw edge;
    const error = notExecuted(edge);
    return { refusal: failureAnswer(error, limits), error };
  }

  function defect(error: unknown): EdgeError {
    deps.warn("a call failed unexpectedly", error);
    return new EdgeError("INTERNAL", "An internal error occurred; the agent's log has the details.", { cause: error });
  }

  function start(request: RunRequest): Job {
    const turn = new RunningTurn(request.id);
    const limits = limitsOf(deps.answers, request);
    const work =
      request.call.kind === "read" ? runRead(deps, request.call, limits, turn) : writing(request, limits, turn);
    const outcome = work
      .catch((error: unknown) => refusalOf(turn.signal.aborted ? turn.signal.reason : error, limits).refusal)
      // one that was given up may have been followed by another under the same id
      .finally(() => jobs.get(request.id)?.turn === turn && jobs.delete(request.id));
    // those who wait see the rejection; with nobody left it is no defect
    outcome.catch(() => undefined);
    const job: Job = { turn, call: request.call, source: request.source, outcome };
    jobs.set(request.id, job);
    return job;
  }

  function writing(request: RunRequest, limits: AnswerLimits, turn: Turn): Promise<CallResult> {
    const running = (id: string) => (id === request.id ? undefined : jobs.get(id)?.outcome);
    return runWrite({ ...deps, limits, running, answeredBy }, request, turn);
  }

  function answeredBy(id: string, firstId: string): void {
    firstOf.set(id, firstId);
    const [oldest] = firstOf.keys();
    if (firstOf.size > MAX_ANSWERED_BY && oldest !== undefined) firstOf.delete(oldest);
  }

  function attach(job: Job, request: RunRequest): Job {
    if (!job.call.fingerprint().equals(request.call.fingerprint())) throw invalid("or id belongs to a different call");
    return job;
  }

  function assertRoom(request: RunRequest): void {
    if (closing) throw new EdgeError("AGENT_OFFLINE", "The agent is stopping and takes no more calls.");
    if (request.source === "batch") return;
    const direct = [...jobs.values()].filter((job) => job.source === "direct");
    const writes = direct.filter((job) => job.call.kind === "write").length;
    if (direct.length < deps.limits.calls && (request.call.kind === "read" || writes < deps.limits.writes)) return;
    throw new EdgeError("OVERLOADED", "The agent has as many calls under way as it takes at once.", {
      retryAfterSeconds: 1,
    });
  }

  /** The outcome, or the deadline, or the caller's leaving: whichever comes first. */
  function wait(job: Job, ttlMs: number, events: CallEvents): Promise<CallResult> {
    const { promise, resolve, reject } = Promise.withResolvers<CallResult>();
    const detach = job.turn.attach(events);
    const stopTimer = deps.timer(ttlMs, () => {
      const error = lateness(job, ttlMs);
      job.turn.giveUp(error);
      reject(error);
    });
    const leave = () => {
      detach();
      // others who wait for the same id keep it going
      if (job.turn.waiting === 0) job.turn.giveUp(cancelled());
      reject(cancelledWhile(job));
    };
    const givenUp = () => reject(job.turn.signal.reason as EdgeError);
    events.signal?.addEventListener("abort", leave, { once: true });
    job.turn.signal.addEventListener("abort", givenUp, { once: true });
    job.outcome.then(resolve, reject);
    if (events.signal?.aborted === true) leave();
    if (job.turn.signal.aborted) givenUp();
    return promise.finally(() => {
      stopTimer();
      detach();
      events.signal?.removeEventListener("abort", leave);
      job.turn.signal.removeEventListener("abort", givenUp);
    });
  }

  return {
    async run(request, ttlMs, events) {
      if (ttlMs <= 0) throw new EdgeError("DEADLINE_BEFORE_START", "The call's time was over before it could start.");
      const known = jobs.get(request.id);
      if (known?.turn.signal.aborted === false) return await wait(attach(known, request), ttlMs, events);
      assertRoom(request);
      return await wait(start(request), ttlMs, events);
    },
    cancel(id) {
      const job = jobs.get(id);
      if (job?.turn.giveUp(cancelled()) === false || job?.call.kind === "read") return;
      deps.journal.entomb(id);
    },
    acknowledge: (id, delivered) => deps.journal.acknowledge(firstOf.get(id) ?? id, delivered),
    refusalAsAnswer(work) {
      try {
        return work();
      } catch (error) {
        return refusalOf(error, deps.answers);
      }
    },
    async close() {
      closing = true;
      for (const { turn } of jobs.values()) turn.giveUp(cancelled());
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const stopTimer = deps.timer(deps.limits.closeMs, resolve);
      await Promise.race([late, Promise.allSettled([...jobs.values()].map((job) => job.outcome))]);
      stopTimer();
    },
  };
}

/** Even the smallest share leaves room for a failure's words. */
const MIN_ANSWER_BYTES = 2048;

function limitsOf(own: AnswerLimits, { maxBytes }: Pick<RunRequest, "maxBytes">): AnswerLimits {
  if (maxBytes === undefined) return own;
  return { maxBytes: Math.min(own.maxBytes, Math.max(MIN_ANSWER_BYTES, maxBytes)) };
}

async function runRead(deps: CallsDeps, call: Prepared, limits: AnswerLimits, turn: Turn): Promise<CallResult> {
  const { tool } = call;
  if (tool.run === undefined) throw new EdgeError("INTERNAL", `${tool.name} declares a read that cannot run.`);
  const site = await call.console.network.site(call.siteName, turn.signal);
  const payload = await tool.run(
    {
      network: site,
      networkConsole: call.console.network,
      signal: turn.signal,
      now: deps.now,
      progress: (done, total, note) =>
        turn.progress({ done, ...(total === undefined ? {} : { total }), ...(note === undefined ? {} : { note }) }),
    },
    call.args,
  );
  return readAnswer(payload, site.site, limits, tool);
}

/** A failure after a write's row is recorded and never thrown, so what is thrown here changed nothing. */
function notExecuted(error: EdgeError): EdgeError {
  if (error.executed === "no") return error;
  const { code, message, hint, retryAfterSeconds, details } = error;
  return new EdgeError(code, message, {
    executed: "no",
    cause: error,
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(details === undefined ? {} : { details }),
  });
}

function lateness(job: Job, ttlMs: number): EdgeError {
  const seconds = Math.round(ttlMs / 1000);
  if (job.call.kind === "read") {
    return new EdgeError("TIMEOUT", `${job.call.tool.name} took longer than ${seconds} s.`, {
      hint: "Ask for less at once, or allow more time.",
    });
  }
  if (!job.turn.began) {
    return new EdgeError("DEADLINE_BEFORE_START", `${job.call.tool.name} could not be started within ${seconds} s.`);
  }
  return new EdgeError("OUTCOME_UNKNOWN", `${job.call.tool.name} was sent and has not ended within ${seconds} s.`, {
    hint: "It goes on. Read the object back, or send the same call again to learn its outcome; it will not run twice.",
    details: { call_id: job.turn.id },
  });
}

function cancelled(): EdgeError {
  return new EdgeError("CANCELLED", "The call was cancelled before it changed anything.");
}

function cancelledWhile(job: Job): EdgeError {
  if (!job.turn.began) return cancelled();
  return new EdgeError("OUTCOME_UNKNOWN", "The caller left while the write was under way; it goes on.", {
    details: { call_id: job.turn.id },
  });
}
