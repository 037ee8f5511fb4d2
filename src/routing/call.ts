/** One call to one place: reads are retried over a reconnect, writes are id-keyed and never sent to a second journal. */
import { EdgeError } from "../errors.ts";
import type { AgentConnection, CallEvents, CallRequest, CallResult } from "../tunnel/calls.ts";
import type { Directory } from "./directory.ts";
import type { Intent, Intents } from "./intents.ts";

/** How long a call whose link broke waits for the agent to come back before it says what is known. */
export const RECONNECT_WAIT_MS = 1_500;
/**
 * A write that was sent before, or whose link broke, is told of within this time: with its outcome, or that nobody knows
 * it. Only an agent that says that the write is under way is waited for.
 */
export const TELL_WITHIN_MS = 1_900;
/** Attempts of a read, and sends of one write's id: each further one follows a broken link. */
const MAX_ATTEMPTS = 3;

export interface PlaceCall {
  readonly org: string;
  readonly location: string;
  readonly request: Omit<CallRequest, "id" | "kind" | "ttlMs">;
  readonly ttlMs: number;
  readonly events: CallEvents & { readonly signal: AbortSignal };
}

export interface WriteCall extends PlaceCall {
  readonly fingerprint: string;
  /** The confirm token, which is the call's id; undefined = a fresh id unless a twin is unresolved. */
  readonly token: string | undefined;
  readonly newId: () => string;
}

export interface Answer {
  readonly result: CallResult;
  readonly id: string;
  /** Set when the outcome is that of an earlier identical write. */
  readonly repeatedOf?: string;
  readonly delivered?: () => void;
}

export interface CallParts {
  readonly directory: Directory;
  readonly intents: Intents;
  readonly now: () => number;
  readonly reconnectWaitMs: number;
  /** TELL_WITHIN_MS by default. */
  readonly tellWithinMs?: number;
  /** A read's id names it on its link only: it is no key of a journal, so it may be cheap. */
  readonly readId: () => string;
  readonly log: { warn(facts: object, message: string): void };
}

/** Throws AGENT_OFFLINE, TIMEOUT, CANCELLED, OVERLOADED …; a tool's own failure is an answer with isError. */
export async function callRead(parts: CallParts, call: PlaceCall): Promise<Answer> {
  const endsAt = parts.now() + call.ttlMs;
  const id = parts.readId();
  for (let attempt = 1; ; attempt++) {
    const connection = await connect(parts, call, attempt === 1 ? 0 : parts.reconnectWaitMs);
    try {
      const ttlMs = endsAt - parts.now();
      const result = await connection.call({ ...call.request, id, kind: "read", ttlMs }, call.events);
      return { result, id };
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !brokenLink(error, connection) || endsAt - parts.now() < parts.reconnectWaitMs)
        throw error;
    }
  }
}

/** Throws OUTCOME_UNKNOWN where the write was sent, now or before, and nobody can say; its call id is in the details. */
export async function callWrite(parts: CallParts, call: WriteCall): Promise<Answer> {
  const askedAt = parts.now();
  const twin = await earlierSend(parts, call);
  const first = await connectionFor(parts, call, twin);
  const intent: Intent = twin ?? {
    id: call.token ?? call.newId(),
    journalId: first.description.journalId,
    fingerprint: call.fingerprint,
    sentAtMs: askedAt,
  };
  await parts.intents.open(call.org, intent);

  try {
    const result = await send(parts, call, intent, first, twin && askedAt);
    return {
      result,
      id: intent.id,
      ...(twin && call.token === undefined ? { repeatedOf: twin.id } : {}),
      delivered: () => settleDelivered(parts, call, intent, first),
    };
  } catch (error) {
    // the twin's caller left before it began, so it never ran and never will
    const neverRan = twin !== undefined && error instanceof EdgeError && error.code === "CANCELLED";
    if (!neverRan || call.token !== undefined || call.events.signal.aborted) throw error;
    return callWrite(parts, call);
  }
}

async function earlierSend(parts: CallParts, call: WriteCall): Promise<Intent | undefined> {
  if (call.token !== undefined) return parts.intents.byId(call.org, call.token);
  if (call.request.repeat === true) return undefined;
  return parts.intents.twin(call.org, call.fingerprint);
}

/** A write that was sent before is waited for a little, and never called "not executed" for want of an agent. */
async function connectionFor(parts: CallParts, call: WriteCall, twin: Intent | undefined): Promise<AgentConnection> {
  if (twin === undefined) return connect(parts, call, 0);
  const { directory, reconnectWaitMs } = parts;
  const connection = await directory.nextConnection(call.org, call.location, reconnectWaitMs, call.events.signal);
  if (!connection) throw unknownOutcome(twin.id, "it was sent before, and the site is offline since");
  if (connection.description.journalId === twin.journalId) return connection;
  throw unknownOutcome(twin.id, "the agent has a new journal since");
}

function settleDelivered(parts: CallParts, call: WriteCall, intent: Intent, first: AgentConnection): void {
  (parts.directory.connectionOf(call.org, call.location) ?? first).acknowledge(intent.id, true);
  parts.intents
    .settle(call.org, intent)
    .catch((error: unknown) => parts.log.warn({ err: error }, "a delivered write's intent was not removed"));
}

/**
 * Sends the id, and after a broken link the same id again to the same journal, which then answers with what it knows.
 * `doubtSince` = when it became doubtful whether an earlier send of this id runs; from then on no refusal of a further
 * send may be told as "not executed".
 */
async function send(
  parts: CallParts,
  call: WriteCall,
  intent: Intent,
  first: AgentConnection,
  doubtSince: number | undefined,
): Promise<CallResult> {
  const endsAt = parts.now() + call.ttlMs;
  let connection = first;
  let doubtfulAt = doubtSince;
  for (let attempt = 1; ; attempt++) {
    try {
      const request: CallRequest = { ...call.request, id: intent.id, kind: "write", ttlMs: endsAt - parts.now() };
      const result = await toldInTime(parts, connection, request, call.events, doubtfulAt);
      connection.acknowledge(intent.id, false);
      return result;
    } catch (error) {
      const lost = brokenLink(error, connection);
      if (!lost) throw await finalError(parts, call, intent, error, doubtfulAt !== undefined);
      if (lost === "sent") doubtfulAt ??= parts.now();
      const again =
        attempt < MAX_ATTEMPTS
          ? await parts.directory.nextConnection(call.org, call.location, parts.reconnectWaitMs, call.events.signal)
          : undefined;
      if (!again && doubtfulAt === undefined) throw await finalError(parts, call, intent, error, false);
      if (!again) throw unknownOutcome(intent.id, "the link to the site broke while it was under way");
      if (again.description.journalId !== intent.journalId)
        throw doubtfulAt === undefined
          ? await finalError(parts, call, intent, error, false)
          : unknownOutcome(intent.id, "the agent came back with a new journal");
      connection = again;
    }
  }
}

/** The answer; in doubt no later than TELL_WITHIN_MS after the doubt began, unless the agent says that it is under way. */
async function toldInTime(
  parts: CallParts,
  connection: AgentConnection,
  request: CallRequest,
  events: PlaceCall["events"],
  doubtfulAt: number | undefined,
): Promise<CallResult> {
  if (doubtfulAt === undefined) return connection.call(request, events);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const leftMs = Math.max(0, doubtfulAt + (parts.tellWithinMs ?? TELL_WITHIN_MS) - parts.now());
  const timer = setTimeout(() => {
    reject(unknownOutcome(request.id, "the site is back, and has not told yet what became of it"));
  }, leftMs);
  const accepted = () => {
    clearTimeout(timer);
    events.accepted?.();
  };
  try {
    return await Promise.race([connection.call(request, { ...events, accepted }), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the caller is told; a write that certainly did nothing must not make the next identical one look like its repetition. */
async function finalError(
  parts: CallParts,
  call: WriteCall,
  intent: Intent,
  error: unknown,
  inDoubt: boolean,
): Promise<unknown> {
  if (!(error instanceof EdgeError)) return error;
  // a cancelled id is final: its journal will never run it
  const refusedNow = error.executed === "no" && error.code !== "CANCELLED";
  if (inDoubt && refusedNow) return unknownOutcome(intent.id, `it was sent before, and now: ${error.message}`);
  if (error.executed === "no") await parts.intents.settle(call.org, intent);
  return withCallId(error, intent.id);
}

/** `sent` = it may have reached the agent; `unsent` = the link was gone before it left. */
function brokenLink(error: unknown, connection: AgentConnection): "sent" | "unsent" | undefined {
  if (!(error instanceof EdgeError)) return undefined;
  if (error.code === "AGENT_OFFLINE") return "unsent";
  return error.code === "OUTCOME_UNKNOWN" && connection.closed.aborted ? "sent" : undefined;
}

async function connect(parts: CallParts, call: PlaceCall, waitMs: number): Promise<AgentConnection> {
  const { directory } = parts;
  const connection = await directory.nextConnection(call.org, call.location, waitMs, call.events.signal);
  if (connection) return connection;
  const since = directory.offlineSince(call.org, call.location);
  throw new EdgeError(
    "AGENT_OFFLINE",
    since === undefined
      ? `No agent is connected for "${call.location}".`
      : `"${call.location}" is offline since ${new Date(since).toISOString()}.`,
    { hint: "Nothing was executed. The index and the api-reference still answer; try again when the site is back." },
  );
}

function unknownOutcome(callId: string, why: string): EdgeError {
  return new EdgeError("OUTCOME_UNKNOWN", `The write may or may not have been executed: ${why}.`, {
    hint: "Do not simply repeat it: read the object back, or send the very same call again, which answers with the first outcome once the site knows it.",
    details: { call_id: callId },
  });
}

function withCallId(error: EdgeError, callId: string): EdgeError {
  if (error.executed !== "maybe") return error;
  const { code, message, hint, executed, retryAfterSeconds, details } = error;
  return new EdgeError(code, message, {
    executed,
    cause: error,
    details: { ...details, call_id: callId },
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
