/** A write, once around every tool: known outcome → plan → preview or confirm → durable row → apply → read back. */
import type { NetworkSite } from "../controller/controller.ts";
import { asEdgeError, EdgeError } from "../errors.ts";
import type { Plan } from "../tools/tool.ts";
import type { CallResult } from "../tunnel/calls.ts";
import { jsonAnswer, previewFields, repeated, unchangedFields } from "./answers.ts";
import { type ApplyDeps, applied, type Outcome } from "./apply.ts";
import { type ConfirmMode, invalid, refusePerson, requirementOf, type Tokens } from "./confirm.ts";
import type { CallKey, Found, Journal } from "./journal.ts";
import type { Prepared } from "./prepared.ts";
import type { Turn } from "./turn.ts";

export interface WriteDeps extends ApplyDeps {
  readonly journal: Journal;
  readonly tokens: Tokens;
  readonly confirmMode: ConfirmMode;
  readonly now: () => number;
  /** The outcome of a call that this process is running; undefined = it is not. */
  readonly running: (id: string) => Promise<CallResult> | undefined;
  /** A call is answered with the outcome of another one. */
  readonly answeredBy: (id: string, firstId: string) => void;
}

/** How a batch's operation comes: its question was answered for the whole batch, about the state seen then. */
export interface BatchConfirmation {
  readonly seen: string | undefined;
}

export interface WriteRequest {
  readonly call: Prepared;
  readonly repeat: boolean;
  readonly confirmedByBatch?: BatchConfirmation | undefined;
}

/** Throws EdgeError for whatever certainly did not reach the console; after the row it answers, whatever happens. */
export async function runWrite(deps: WriteDeps, request: WriteRequest, turn: Turn): Promise<CallResult> {
  const { call } = request;
  const key = { id: turn.id, fingerprint: call.fingerprint() };
  const confirmed = isConfirmed(deps, request);
  if (confirmed) {
    const known = knownOutcome(deps, request, key, turn);
    if (known !== undefined) {
      // whoever waits for another's write learns OUTCOME_UNKNOWN at his deadline, not "never started"
      turn.beginWrite();
      return await known;
    }
  }
  if (call.denied !== undefined) throw call.denied;
  const site = await call.console.network.site(call.siteName, turn.signal);
  const plan = await planOf(deps, call, site, turn);
  turn.signal.throwIfAborted();
  if (plan.unchanged === true) return jsonAnswer({ ...unchangedFields(plan), site: site.site }, deps.limits, call.tool);
  if (!confirmed) return preview(deps, call, plan, site.site);

  assertSameState(deps, request, plan);
  turn.beginWrite();
  const meanwhile = begin(deps, request, key, turn);
  if (meanwhile !== undefined) return await meanwhile;
  turn.accepted();
  const outcome = await applied(deps, call, plan, site.site);
  record(deps, turn.id, outcome);
  return outcome.result;
}

/** Asks the console what the write would do; nothing is sent that changes anything. */
export async function planOf(
  deps: Pick<WriteDeps, "now">,
  call: Prepared,
  site: NetworkSite,
  turn: Pick<Turn, "signal" | "progress">,
): Promise<Plan> {
  if (call.tool.plan === undefined)
    throw new EdgeError("INTERNAL", `${call.tool.name} declares a write without a plan.`);
  const context = {
    network: site,
    networkConsole: call.console.network,
    signal: turn.signal,
    now: deps.now,
    progress: (done: number, total?: number, note?: string) =>
      turn.progress({ done, ...(total === undefined ? {} : { total }), ...(note === undefined ? {} : { note }) }),
  };
  return await call.tool.plan(context, call.args);
}

/** The state that a preview showed, as a keyed hash: a token holds only while it stands. */
export function stateSeen(journal: Pick<Journal, "hmac">, plan: Plan): string {
  return journal.hmac("seen", plan.action, plan.resourceId, plan.current).toString("base64url");
}

/** What a token allows: this call and no other. */
function boundTo(journal: Pick<Journal, "hmac">, call: Prepared): Buffer {
  return journal.hmac("call", call.fingerprint().toString("base64url"));
}

function isConfirmed(deps: WriteDeps, { call, confirmedByBatch }: WriteRequest): boolean {
  const requirement = requirementOf(deps.confirmMode, call.tool);
  if (requirement === "person") refusePerson(call.tool.name);
  if (requirement === "none" || confirmedByBatch !== undefined || call.confirmToken !== undefined) return true;
  return requirement === "flag" && call.confirm;
}

function preview(deps: WriteDeps, call: Prepared, plan: Plan, site: string): CallResult {
  const wantsToken = requirementOf(deps.confirmMode, call.tool) === "token";
  const token = wantsToken
    ? deps.tokens.mint(boundTo(deps.journal, call), { "": stateSeen(deps.journal, plan) })
    : undefined;
  return jsonAnswer({ ...previewFields(plan, call.tool.name, token), site }, deps.limits, call.tool);
}

/** True where the journal has this id's outcome, its token's or an unresolved twin's: then a shut gate tells nothing new. */
export function isKnown(
  deps: Pick<WriteDeps, "journal" | "tokens">,
  { id, call, repeat }: { readonly id: string } & Pick<WriteRequest, "call" | "repeat">,
): boolean {
  const { journal, tokens } = deps;
  const key = { id, fingerprint: call.fingerprint() };
  try {
    if (journal.find(key).state !== "new") return true;
    const spent =
      call.confirmToken !== undefined && tokens.check(call.confirmToken, boundTo(journal, call)).spentBy !== undefined;
    return spent || (!repeat && journal.twin(key).state !== "new");
  } catch (error) {
    // stale, or another call's id or token: no outcome of this call
    if (error instanceof EdgeError) return false;
    throw error;
  }
}

/** The first outcome of this id, of its token, or of an unresolved twin: then nothing runs. */
function knownOutcome(
  deps: WriteDeps,
  request: WriteRequest,
  key: CallKey,
  turn: Turn,
): Promise<CallResult> | undefined {
  const { call } = request;
  const outcome = (found: Found) => outcomeOf(deps, found, key.id, (first) => settleUnknown(deps, call, turn, first));
  const own = outcome(deps.journal.find(key));
  if (own !== undefined) return own;
  if (call.confirmToken !== undefined) {
    const { spentBy } = deps.tokens.check(call.confirmToken, boundTo(deps.journal, call));
    if (spentBy !== undefined) {
      const first = outcome(deps.journal.find({ ...key, id: spentBy }));
      if (first === undefined) throw invalid("was already used");
      return first;
    }
  }
  return request.repeat ? undefined : outcome(deps.journal.twin(key));
}

function outcomeOf(
  deps: WriteDeps,
  found: Found,
  id: string,
  settle: (id: string) => Promise<CallResult>,
): Promise<CallResult> | undefined {
  if (found.state === "new") return undefined;
  const told = (result: CallResult) => {
    if (found.id === id) return result;
    deps.answeredBy(id, found.id);
    return repeated(result, found.id);
  };
  if (found.state === "done") return Promise.resolve(told(found.result));
  if (found.state === "cancelled") throw new EdgeError("CANCELLED", "This call was cancelled before it started.");
  return (deps.running(found.id) ?? settle(found.id)).then(told);
}

/**
 * A write whose process died under it: where the console already shows what it asked for (it did not before, or no row
 * would stand), it took effect. Otherwise nobody knows, and OUTCOME_UNKNOWN is thrown. Never runs it again. `id` is the
 * dead write's, `turn` that of whoever asks.
 */
export async function settleUnknown(
  deps: Pick<WriteDeps, "journal" | "limits" | "now" | "warn">,
  call: Prepared,
  turn: Pick<Turn, "id" | "signal" | "progress">,
  id: string,
): Promise<CallResult> {
  const unknown = outcomeUnknown(id, id === turn.id);
  const site = await call.console.network.site(call.siteName).catch(() => Promise.reject(unknown));
  const shown = await planOf(deps, call, site, turn).then(
    (plan) => plan.unchanged === true,
    (error: unknown) => call.tool.permission.action === "delete" && asEdgeError(error).code === "NOT_FOUND",
  );
  if (!shown) throw unknown;
  const message = "The agent stopped while this write was under way; the console shows that it took effect.";
  const result = jsonAnswer({ success: true, settled_by_reading: true, message, site: site.site }, deps.limits);
  record(deps, id, { result, unresolved: false });
  return result;
}

/** For a write whose process died under it. */
export function outcomeUnknown(id: string, own: boolean): EdgeError {
  return new EdgeError(
    "OUTCOME_UNKNOWN",
    "The agent stopped while this write was under way, so it may have taken effect.",
    {
      hint: "Read the object back before anything else. Only if the change is missing, send the call again with repeat=true.",
      details: own ? { call_id: id } : { repeated_of: id },
    },
  );
}

function assertSameState(deps: WriteDeps, { call, confirmedByBatch }: WriteRequest, plan: Plan): void {
  const seen =
    call.confirmToken === undefined
      ? confirmedByBatch?.seen
      : deps.tokens.check(call.confirmToken, boundTo(deps.journal, call)).seen[""];
  if (seen !== undefined && seen !== stateSeen(deps.journal, plan)) {
    throw invalid("no longer fits: the object has changed since its preview");
  }
}

/** One durable step: the id is still free, no twin appeared, the token is spent, the row stands. */
function begin(deps: WriteDeps, request: WriteRequest, key: CallKey, turn: Turn): Promise<CallResult> | undefined {
  const outcome = (found: Found) =>
    outcomeOf(deps, found, key.id, (first) => settleUnknown(deps, request.call, turn, first));
  return deps.journal.transaction(() => {
    const known = outcome(deps.journal.find(key)) ?? (request.repeat ? undefined : outcome(deps.journal.twin(key)));
    if (known !== undefined) return known;
    if (request.call.confirmToken !== undefined) deps.tokens.spend(request.call.confirmToken, key.id);
    if (request.repeat) deps.journal.supersede(key);
    deps.journal.start(key, request.call.tool.name);
    return undefined;
  });
}

/** An outcome that cannot be recorded is still told; its row stays open, so a repeat of the id learns OUTCOME_UNKNOWN. */
function record(deps: Pick<WriteDeps, "journal" | "warn">, id: string, outcome: Outcome): void {
  try {
    deps.journal.finish(id, outcome.result, outcome.unresolved);
  } catch (error) {
    deps.warn("the outcome of a write could not be recorded", error);
  }
}
