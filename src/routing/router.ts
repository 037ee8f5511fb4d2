/** Executes a tool where it belongs: chooses the places, decides, records, calls, and joins the answers as bytes. */
import { createHmac } from "node:crypto";
import type { Audit, Ending } from "../audit/audit.ts";
import { asEdgeError, EdgeError, failureResult } from "../errors.ts";
import type { Asking, ExecuteRequest, Outcome } from "../mcp/execution.ts";
import type { Action, Principal } from "../principal.ts";
import { faultOf } from "../tunnel/answer-body.ts";
import type { CallOwner, CallResult } from "../tunnel/calls.ts";
import { type Answer, callRead, callWrite, type PlaceCall } from "./call.ts";
import { decide, decisionRecord } from "./decide.ts";
import type { Directory } from "./directory.ts";
import type { Intents } from "./intents.ts";
import { chooseTargets, FAN_OUT_LIMIT, type Place } from "./locations.ts";
import { frameBytesOf, joinPlaces, withFieldsFirst } from "./splice.ts";

/** Direct calls of one principal that may wait at one place; batches are counted by the agent (design 6). */
export const PENDING_PER_PLACE = 8;
/** An answer's size over all places of a fan-out (design 3.1). */
const ANSWER_BYTES = 64 * 1024;
/** A fan-out's share never falls below this, so that a site can always say something; with many, not all may have it. */
const MIN_SHARE_BYTES = 3 * 1024;
/** Kept for each place that has yet to be joined: at least it can be told that there was no room for its answer. */
const NO_ROOM_BYTES = 256;

export interface RouterOptions {
  readonly directory: Directory;
  readonly intents: Intents;
  /** Action of a known tool with these arguments; undefined for a foreign one, which counts as a destructive write. */
  readonly actionOf: (tool: string, args: Readonly<Record<string, unknown>>) => Action | undefined;
  readonly audit: Audit;
  readonly requireLocation: boolean;
  readonly callTimeoutMs: number;
  readonly reconnectWaitMs: number;
  readonly tellWithinMs?: number;
  /** Keys the fingerprints, so that stored ones tell nothing of the arguments. */
  readonly secret: Buffer;
  readonly newId: () => string;
  readonly readId: () => string;
  readonly now: () => number;
  readonly log: { warn(facts: object, message: string): void; error(facts: object, message: string): void };
}

export interface Router {
  execute(request: ExecuteRequest, asking: Asking): Promise<Outcome>;
  /** Keyed hash of a write's identity: same principal, place, tool and arguments. */
  fingerprint(
    principal: Principal,
    location: string,
    request: Pick<ExecuteRequest, "tool" | "arguments" | "site">,
  ): string;
}

export function createRouter(options: RouterOptions): Router {
  const { directory, audit, now } = options;
  const pending = new Map<string, number>();

  async function execute(request: ExecuteRequest, asking: Asking): Promise<Outcome> {
    try {
      const action = options.actionOf(request.tool, request.arguments) ?? "delete";
      const targets = chooseTargets(directory.visible(asking.principal).locations, {
        tool: request.tool,
        write: action !== "read",
        location: request.location,
        required: options.requireLocation,
      });
      const [only] = targets.places;
      if (!targets.many && only) return await atPlace(request, asking, only, action, ANSWER_BYTES);
      return await fanOut(request, asking, targets.places, action);
    } catch (error) {
      return failure(error);
    }
  }

  async function fanOut(
    request: ExecuteRequest,
    asking: Asking,
    places: readonly Place[],
    action: Action,
  ): Promise<Outcome> {
    let left = ANSWER_BYTES - frameBytesOf(places.map(({ id }) => id));
    const share = Math.max(MIN_SHARE_BYTES, Math.floor(left / places.length));
    const answers: { location: string; isError: boolean; body: Buffer }[] = [];
    for (let from = 0; from < places.length; from += FAN_OUT_LIMIT) {
      const wave = places.slice(from, from + FAN_OUT_LIMIT);
      const outcomes = await Promise.all(
        wave.map((place) => run(request, asking, place, action, share).catch(failedAnswer)),
      );
      outcomes.forEach((answer, index) => {
        const toCome = places.length - answers.length - 1;
        const fitting = ofShare(answer.result, Math.min(share, left - toCome * NO_ROOM_BYTES));
        answers.push({ location: wave[index]?.id ?? "", ...fitting });
        left -= fitting.body.length;
      });
    }
    return { isError: answers.every((answer) => answer.isError), type: "json", body: joinPlaces(answers) };
  }

  async function atPlace(
    request: ExecuteRequest,
    asking: Asking,
    place: Place,
    action: Action,
    maxBytes: number,
  ): Promise<Outcome> {
    const answer = await run(request, asking, place, action, maxBytes).catch((error: unknown) => failedAnswer(error));
    const { isError, type, body } = answer.result;
    const delivered = answer.delivered === undefined ? {} : { delivered: answer.delivered };
    if (type !== "json") return { isError, type, body, ...delivered };
    const executed = action === "read" ? "no" : "maybe";
    const fault = asking.whole === true ? faultOf(answer.result, executed) : undefined;
    if (fault !== undefined) throw fault;
    const first = {
      location: place.id,
      ...(answer.repeatedOf === undefined ? {} : { repeated_of: answer.repeatedOf }),
    };
    return { isError, type, body: withFieldsFirst(body, first, executed), ...delivered };
  }

  /** Decides, records, calls, records the end: the only way to execute. */
  async function run(
    request: ExecuteRequest,
    asking: Asking,
    place: Place,
    action: Action,
    maxBytes: number,
  ): Promise<Answer> {
    const { principal } = asking;
    const question = { tool: request.tool, action, location: place.id };
    const fingerprint = action === "read" ? undefined : fingerprintOf(principal, place.id, request);
    const verdict = decide(principal, question);
    const startedAt = now();
    audit.record(
      decisionRecord(principal, question, verdict, {
        atMs: startedAt,
        site: request.site,
        callId: undefined,
        argumentsHash: fingerprint,
      }),
    );
    if (!verdict.allowed) throw verdict.error;

    const call: PlaceCall = {
      org: principal.org,
      location: place.id,
      ttlMs: options.callTimeoutMs,
      events: { signal: asking.signal, ...progressOf(asking) },
      request: {
        tool: request.tool,
        args: request.arguments,
        owner: ownerOf(principal),
        maxBytes,
        ...(request.site === undefined ? {} : { site: request.site }),
        ...(request.repeat === true ? { repeat: true } : {}),
      },
    };
    const release = take(`${principal.grant}\n${place.id}`, place.id);
    try {
      const answer =
        fingerprint === undefined
          ? await callRead(options, call)
          : await callWrite(options, {
              ...call,
              fingerprint: twinKey(fingerprint, request),
              token: tokenOf(request.arguments),
              newId: options.newId,
            });
      ended(answer.id, startedAt, answer.result.isError ? "error" : "ok");
      return answer;
    } catch (error) {
      ended(fingerprint ?? options.readId(), startedAt, asEdgeError(error).code);
      throw error;
    } finally {
      release();
    }
  }

  function ended(callId: string, startedAt: number, outcome: Ending["outcome"]): void {
    const atMs = now();
    audit.ended({ atMs, callId, outcome, durationMs: atMs - startedAt });
  }

  function take(key: string, location: string): () => void {
    const held = pending.get(key) ?? 0;
    if (held >= PENDING_PER_PLACE) {
      throw new EdgeError(
        "OVERLOADED",
        `${held} calls of yours are still running at "${location}"; ${PENDING_PER_PLACE} may.`,
        {
          hint: "Wait for one of them, or use a batch.",
          retryAfterSeconds: 1,
        },
      );
    }
    pending.set(key, held + 1);
    return () => {
      const left = (pending.get(key) ?? 1) - 1;
      if (left === 0) pending.delete(key);
      else pending.set(key, left);
    };
  }

  function failedAnswer(error: unknown): Answer {
    return { id: "", result: { isError: true, type: "json", body: failureBody(error) } };
  }

  function failure(error: unknown): Outcome {
    return { isError: true, type: "json", body: failureBody(error) };
  }

  function failureBody(thrown: unknown): Buffer {
    const error = asEdgeError(thrown);
    if (error.code === "INTERNAL") options.log.error({ err: thrown }, "a call failed inside the gateway");
    return Buffer.from(JSON.stringify(failureResult(error)));
  }

  function fingerprintOf(
    principal: Principal,
    location: string,
    request: Pick<ExecuteRequest, "tool" | "arguments" | "site">,
  ): string {
    const { confirm: _confirm, confirm_token: _token, ...args } = request.arguments;
    const identity = [principal.org, principal.grant, location, request.site ?? null, request.tool, canonical(args)];
    return createHmac("sha256", options.secret).update(JSON.stringify(identity)).digest("base64url");
  }

  return { execute, fingerprint: fingerprintOf };
}

/** An answer that may stand among others: what would break them or take their room is told as a failure instead. */
function ofShare(result: CallResult, room: number): { isError: boolean; body: Buffer } {
  const error = unfitFor(result, room) ?? faultOf(result, "no");
  if (error === undefined) return { isError: result.isError, body: result.body };
  return { isError: true, body: Buffer.from(JSON.stringify(failureResult(error))) };
}

function unfitFor({ type, body }: CallResult, room: number): EdgeError | undefined {
  const hint = "Add location with one id.";
  if (type !== "json")
    return new EdgeError("LOCATION_REQUIRED", "A picture is answered for one location at a time.", { hint });
  if (body.length <= room) return undefined;
  return new EdgeError("TOO_LARGE", "There is no room for this answer beside the others.", { hint });
}

export function ownerOf({ org, subject, grant }: Principal): CallOwner {
  return { org, subject, grant };
}

/** A preview of a write is no twin of the write: asking for it must not answer with an outcome, nor hide that write. */
function twinKey(fingerprint: string, { arguments: { confirm, confirm_token: token } }: ExecuteRequest): string {
  return confirm === true || token !== undefined ? fingerprint : `${fingerprint}.unconfirmed`;
}

function tokenOf(args: Readonly<Record<string, unknown>>): string | undefined {
  return typeof args.confirm_token === "string" && args.confirm_token !== "" ? args.confirm_token : undefined;
}

function progressOf({ progress }: Asking) {
  if (!progress) return {};
  return {
    progress: ({ done, total, note }: { done: number; total?: number; note?: string }) => progress(done, total, note),
  };
}

/** The value with every object's keys in order, so that equal arguments have equal text. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, canonical(inner)]),
  );
}
