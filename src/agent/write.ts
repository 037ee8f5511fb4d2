/** A write, once around every tool: known outcome → plan → preview or confirm → durable row → apply → read back. */
import type { NetworkSite } from "../controller/controller.ts";
import { asEdgeError, EdgeError } from "../errors.ts";
import { verdictOf } from "../redaction/secret-names.ts";
import type { Payload, Plan } from "../tools/tool.ts";
import type { CallResult } from "../tunnel/calls.ts";
import {
  type AnswerLimits,
  failureAnswer,
  jsonAnswer,
  previewFields,
  repeated,
  subjectOf,
  unchangedFields,
  writtenFields,
} from "./answers.ts";
import { type ConfirmMode, invalid, refusePerson, requirementOf, type Tokens } from "./confirm.ts";
import type { CallKey, Found, Journal } from "./journal.ts";
import type { Prepared } from "./prepared.ts";
import type { Turn } from "./turn.ts";
import { unverified, type Verification, verify } from "./verify.ts";

export interface WriteDeps {
  readonly journal: Journal;
  readonly tokens: Tokens;
  readonly confirmMode: ConfirmMode;
  readonly limits: AnswerLimits;
  readonly now: () => number;
  readonly warn: (message: string, error: unknown) => void;
  /** The outcome of a call that this process is running; undefined = it is not. */
  readonly running: (id: string) => Promise<CallResult> | undefined;
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
  const key = { id: turn.id, fingerprint: call.fingerprint };
  const confirmed = isConfirmed(deps, request);
  if (confirmed) {
    const known = knownOutcome(deps, request, key);
    // whoever waits for another's write learns OUTCOME_UNKNOWN at his deadline, not "never started"
    if (known !== undefined) turn.beginWrite();
    if (known !== undefined) return await known;
  }
  const site = await call.console.network.site(call.siteName, turn.signal);
  const plan = await planOf(deps, call, site, turn);
  turn.signal.throwIfAborted();
  if (plan.unchanged === true) return jsonAnswer({ ...unchangedFields(plan), site: site.site }, deps.limits, call.tool);
  if (!confirmed) return preview(deps, call, plan, site.site);

  assertSameState(deps, request, plan);
  turn.beginWrite();
  const meanwhile = begin(deps, request, key);
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
  return journal.hmac("call", call.fingerprint.toString("base64url"));
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

/** The first outcome of this id, of its token, or of an unresolved twin: then nothing runs. */
function knownOutcome(deps: WriteDeps, request: WriteRequest, key: CallKey): Promise<CallResult> | undefined {
  const own = outcomeOf(deps, deps.journal.find(key), key.id);
  if (own !== undefined) return own;
  const { call } = request;
  if (call.confirmToken !== undefined) {
    const { spentBy } = deps.tokens.check(call.confirmToken, boundTo(deps.journal, call));
    if (spentBy !== undefined) {
      const first = outcomeOf(deps, deps.journal.find({ ...key, id: spentBy }), key.id);
      if (first === undefined) throw invalid("was already used");
      return first;
    }
  }
  return request.repeat ? undefined : outcomeOf(deps, deps.journal.twin(key), key.id);
}

function outcomeOf(deps: WriteDeps, found: Found, id: string): Promise<CallResult> | undefined {
  if (found.state === "new") return undefined;
  const told = (result: CallResult) => (found.id === id ? result : repeated(result, found.id));
  if (found.state === "done") return Promise.resolve(told(found.result));
  if (found.state === "cancelled") throw new EdgeError("CANCELLED", "This call was cancelled before it started.");
  return deps.running(found.id)?.then(told) ?? Promise.reject(outcomeUnknown(found.id, found.id === id));
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
function begin(deps: WriteDeps, request: WriteRequest, key: CallKey): Promise<CallResult> | undefined {
  return deps.journal.transaction(() => {
    const known =
      outcomeOf(deps, deps.journal.find(key), key.id) ??
      (request.repeat ? undefined : outcomeOf(deps, deps.journal.twin(key), key.id));
    if (known !== undefined) return known;
    if (request.call.confirmToken !== undefined) deps.tokens.spend(request.call.confirmToken, key.id);
    deps.journal.start(key, request.call.tool.name);
    return undefined;
  });
}

interface Outcome {
  readonly result: CallResult;
  readonly unresolved: boolean;
}

/** Sends the write once and looks at what it left. Never throws: from here on there is always something to record. */
async function applied(deps: WriteDeps, call: Prepared, plan: Plan, site: string): Promise<Outcome> {
  let fields: Payload;
  try {
    fields = await plan.apply();
  } catch (thrown) {
    if (!(thrown instanceof EdgeError)) deps.warn(`${call.tool.name} failed`, thrown);
    const error = asEdgeError(thrown);
    if (error.executed === "maybe" && (await tookEffect(deps, call, plan))) {
      const note = "The console's answer was lost; reading the object back shows that the write took effect.";
      const told = { ...writtenFields(plan, {}, undefined), note, site };
      return {
        result: withinLimit(deps, plan, site, () => jsonAnswer(told, deps.limits, call.tool)),
        unresolved: false,
      };
    }
    return { result: failureAnswer(error, deps.limits), unresolved: error.executed === "maybe" };
  }
  const seen = await lookBack(deps, call, plan, fields);
  const answer =
    seen === undefined || seen.dropped.length === 0
      ? () => jsonAnswer({ ...writtenFields(plan, fields, seen), site }, deps.limits, call.tool)
      : () => notPersisted(deps, plan, seen, site);
  return { result: withinLimit(deps, plan, site, answer), unresolved: false };
}

/** After a lost answer: true only where the object that was to change or go can be seen as asked for. */
async function tookEffect(deps: WriteDeps, call: Prepared, plan: Plan): Promise<boolean> {
  if (
    plan.readBack === undefined ||
    (plan.action !== "delete" && plan.action !== "update" && plan.action !== "toggle")
  ) {
    return false;
  }
  try {
    const after = await plan.readBack({});
    if (plan.action === "delete") return after === undefined;
    const seen = verify(plan.proposed ?? {}, plan.current, after ?? {}, withheldBy(plan));
    return seen.persisted.length > 0 && seen.dropped.length + seen.unverifiable.length === 0 && isEmpty(seen.coerced);
  } catch (error) {
    deps.warn(`${call.tool.name}: the console could not be asked whether the write took effect`, error);
    return false;
  }
}

/** Secrets, and what the tool knows its console never to show. */
function withheldBy(plan: Plan): (name: string) => boolean {
  return (name) => verdictOf(name) === "secret" || plan.unverifiable?.includes(name) === true;
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}

/** A write that took effect is told in any case, if need be without the object that is too large to show. */
function withinLimit(deps: WriteDeps, plan: Plan, site: string, answer: () => CallResult): CallResult {
  try {
    return answer();
  } catch (error) {
    deps.warn("an answer did not fit and was told without its details", error);
    return jsonAnswer({ success: true, ...subjectOf(plan), truncated: true, site }, deps.limits);
  }
}

/** undefined = this write leaves nothing that could be compared. */
async function lookBack(
  deps: WriteDeps,
  call: Prepared,
  plan: Plan,
  fields: Payload,
): Promise<Verification | undefined> {
  if (plan.readBack === undefined) return undefined;
  try {
    const after = await plan.readBack(fields);
    if (plan.action === "delete") return deletionOf(after !== undefined);
    if (plan.proposed === undefined) return undefined;
    return verify(plan.proposed, plan.current, after ?? {}, withheldBy(plan));
  } catch (error) {
    deps.warn(`${call.tool.name} was applied but could not be read back`, error);
    return unverified(plan.proposed);
  }
}

function deletionOf(stillThere: boolean): Verification | undefined {
  return stillThere ? { persisted: [], dropped: ["deletion"], coerced: {}, unverifiable: [] } : undefined;
}

function notPersisted(deps: WriteDeps, plan: Plan, seen: Verification, site: string): CallResult {
  const partly = seen.persisted.length > 0 || !isEmpty(seen.coerced);
  const error = new EdgeError(
    "NOT_PERSISTED",
    plan.action === "delete"
      ? "The console accepted the deletion, but the object is still there."
      : `The console accepted the write but did not save: ${seen.dropped.join(", ")}.`,
    {
      hint: "This console or its version may not support these fields, or another setting rules them out.",
      details: { ...subjectOf(plan), partial_success: partly, ...seen, site },
    },
  );
  return failureAnswer(error, deps.limits);
}

/** An outcome that cannot be recorded is still told; its row stays open, so a repeat of the id learns OUTCOME_UNKNOWN. */
function record(deps: WriteDeps, id: string, outcome: Outcome): void {
  try {
    deps.journal.finish(id, outcome.result, outcome.unresolved);
  } catch (error) {
    deps.warn("the outcome of a write could not be recorded", error);
  }
}
