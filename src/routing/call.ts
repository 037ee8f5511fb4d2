/** One call to one place: reads are retried over a reconnect, writes are id-keyed and never sent to a second journal. */
import { EdgeError } from "../errors.ts";
import type { AgentConnection, CallEvents, CallRequest, CallResult } from "../tunnel/calls.ts";
import type { Directory } from "./directory.ts";
import type { Intent, Intents } from "./intents.ts";

/** How long a call whose link broke waits for the agent to come back before it says what is known. */
export const RECONNECT_WAIT_MS = 1_500;
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
  readonly log: { warn(facts: object, message: string): void };
}

/** Throws AGENT_OFFLINE, TIMEOUT, CANCELLED, OVERLOADED …; a tool's own failure is an answer with isError. */
export async function callRead(parts: CallParts, call: PlaceCall & { readonly newId: () => string }): Promise<Answer> {
  const endsAt = parts.now() + call.ttlMs;
  const id = call.newId();
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

/** Throws OUTCOME_UNKNOWN where the write was sent and nobody can say; its call id is in the details. */
export async function callWrite(parts: CallParts, call: WriteCall): Promise<Answer> {
  const { intents, directory } = parts;
  const twin = await earlierSend(parts, call);
  const first = await connect(parts, call, twin ? parts.reconnectWaitMs : 0);
  if (twin && twin.journalId !== first.description.journalId)
    throw unknownOutcome(twin.id, "the agent has a new journal since");
  const intent: Intent = twin ?? {
    id: call.token ?? call.newId(),
    journalId: first.description.journalId,
    fingerprint: call.fingerprint,
    sentAtMs: parts.now(),
  };
  await intents.open(call.org, intent);

  const result = await send(parts, call, intent, first);
  return {
    result,
    id: intent.id,
    ...(twin && call.token === undefined ? { repeatedOf: twin.id } : {}),
    delivered: () => {
      (directory.connectionOf(call.org, call.location) ?? first).acknowledge(intent.id, true);
      intents
        .settle(call.org, intent)
        .catch((error: unknown) => parts.log.warn({ err: error }, "a delivered write's intent was not removed"));
    },
  };
}

async function earlierSend(parts: CallParts, call: WriteCall): Promise<Intent | undefined> {
  if (call.token !== undefined) return parts.intents.byId(call.org, call.token);
  if (call.request.repeat === true) return undefined;
  return parts.intents.twin(call.org, call.fingerprint);
}

/** Sends the id, and after a broken link the same id again to the same journal, which then answers with what it knows. */
async function send(parts: CallParts, call: WriteCall, intent: Intent, first: AgentConnection): Promise<CallResult> {
  const endsAt = parts.now() + call.ttlMs;
  let connection = first;
  for (let attempt = 1; ; attempt++) {
    try {
      const ttlMs = endsAt - parts.now();
      const result = await connection.call({ ...call.request, id: intent.id, kind: "write", ttlMs }, call.events);
      connection.acknowledge(intent.id, false);
      return result;
    } catch (error) {
      const lost = brokenLink(error, connection);
      if (!lost) {
        await settleUnlessUnknown(parts, call, intent, error);
        throw withCallId(error, intent.id);
      }
      const again =
        attempt < MAX_ATTEMPTS
          ? await parts.directory.nextConnection(call.org, call.location, parts.reconnectWaitMs, call.events.signal)
          : undefined;
      if (!again) {
        if (lost === "unsent") await settleUnlessUnknown(parts, call, intent, error);
        throw lost === "unsent"
          ? error
          : unknownOutcome(intent.id, "the link to the site broke while it was under way");
      }
      if (again.description.journalId !== intent.journalId)
        throw unknownOutcome(intent.id, "the agent came back with a new journal");
      connection = again;
    }
  }
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

/** A refusal that certainly did nothing must not make the next identical write look like a repetition. */
async function settleUnlessUnknown(parts: CallParts, call: WriteCall, intent: Intent, error: unknown): Promise<void> {
  if (error instanceof EdgeError && error.executed === "no") await parts.intents.settle(call.org, intent);
}

function unknownOutcome(callId: string, why: string): EdgeError {
  return new EdgeError("OUTCOME_UNKNOWN", `The write may or may not have been executed: ${why}.`, {
    hint: "Do not simply repeat it: read the object back, or send the very same call again, which answers with the first outcome once the site knows it.",
    details: { call_id: callId },
  });
}

function withCallId(error: unknown, callId: string): unknown {
  if (!(error instanceof EdgeError) || error.executed !== "maybe") return error;
  const { code, message, hint, executed, retryAfterSeconds, details } = error;
  return new EdgeError(code, message, {
    executed,
    cause: error,
    details: { ...details, call_id: callId },
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
