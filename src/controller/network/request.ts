/** One call to the Network application: credentials put on, one attempt, and at most one more after a refused session. */
import { EdgeError } from "../../errors.ts";
import { Backoff } from "../backoff.ts";
import type { HttpMethod } from "../controller.ts";
import { abortable } from "./abortable.ts";
import { cookieHeader } from "./cookies.ts";
import { consoleDetails, judge, type ReadAnswer, rateLimited, readAnswer } from "./envelope.ts";
import type { Exchange } from "./exchange.ts";
import { exchangeFailure } from "./failures.ts";
import type { ConsoleSettings, ControllerType } from "./options.ts";
import { barePath, type Family, familyOf, refuseUnsafe, wirePath } from "./paths.ts";
import type { Refusal } from "./refusals.ts";
import type { Session, Sessions } from "./session.ts";

export interface NetworkRequest {
  readonly method: HttpMethod;
  /** Without the UniFi OS prefix, e.g. `/api/s/default/stat/sta`. */
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export interface CallerParts {
  readonly settings: ConsoleSettings;
  readonly exchange: Exchange;
  readonly sessions: Sessions;
  type(): Promise<ControllerType>;
}

/** Asked by POST, yet only read: a lost answer hides no effect. */
const READ_BY_POST = [/^\/api\/s\/[^/]+\/stat\//, /^\/v2\/api\/site\/[^/]+\/(system-log|traffic-flows)(\/|\?|$)/];

export function writesAnything(method: HttpMethod, path: string): boolean {
  if (method === "GET") return false;
  return !(method === "POST" && READ_BY_POST.some((pattern) => pattern.test(path)));
}

/**
 * A 403 without words may mean a session that died with the console's restart, or a role too low. Only an old session
 * is worth the doubt: a sign-in for each forbidden call would lock the account.
 */
const DOUBT_AFTER_MS = 600_000;

/** Why a session's request was refused before anything was executed, so that even a write may be sent again. */
type Staleness = "session" | "csrf" | undefined;

export class Caller {
  readonly #parts: CallerParts;
  /** After a 429: a console that counts our requests is left alone. */
  readonly #calls: Backoff;
  /** The key was refused outside the integration API, as older versions do. */
  #keyIsForIntegrationOnly = false;

  constructor(parts: CallerParts) {
    this.#parts = parts;
    this.#calls = new Backoff(parts.settings.now, parts.settings.random);
  }

  /** The refusal that all calls wait out, if any. */
  blocked(): EdgeError | undefined {
    return this.#calls.blocked();
  }

  /** The judged JSON body; null where an empty body is a success. Throws as `judge`, sign-in and `exchangeFailure` say. */
  async call(request: NetworkRequest): Promise<unknown> {
    const blocked = this.#calls.blocked();
    if (blocked !== undefined) throw blocked;
    refuseUnsafe(request.path);
    const bare = barePath(request.path);
    const path = wirePath(await abortable(this.#parts.type(), request.signal), bare);
    const family = familyOf(bare);
    const writes = writesAnything(request.method, bare);

    const answer = await this.#answer({ ...request, path }, family, writes);
    if (answer.status === 429) throw this.#calls.refuse(rateLimited(undefined), answer.retryAfterSeconds);
    this.#calls.succeed();
    return judge({ family, method: request.method, writes }, answer);
  }

  async #answer(request: NetworkRequest, family: Family, writes: boolean): Promise<ReadAnswer> {
    const { apiKey, username, password } = this.#parts.settings;
    if (apiKey !== undefined && (family === "integration" || !this.#keyIsForIntegrationOnly)) {
      const answer = await this.#send(request, writes, { "x-api-key": apiKey });
      if (!refusesKey(answer)) return answer;
      if (family === "integration" || username === undefined || password === undefined) throw keyRefused(answer);
      this.#keyIsForIntegrationOnly = true;
      this.#parts.settings.log.warn(
        {},
        "the API key is refused outside the integration API; the password is used there",
      );
    }
    return await this.#inSession(request, writes);
  }

  async #inSession(request: NetworkRequest, writes: boolean): Promise<ReadAnswer> {
    const { sessions } = this.#parts;
    const session = await sessions.current(request.signal);
    const first = await this.#sendInSession(request, writes, session);
    const stale = this.#staleness(first, session);
    if (stale === undefined) return checkedKey(first);

    const renewed = await this.#renewed(stale, session, request.signal);
    const second = await this.#sendInSession(request, writes, renewed);
    const signedInAgain = renewed.generation !== session.generation;
    if (this.#staleness(second, renewed) !== undefined) {
      const error = sessionRefused(second);
      throw signedInAgain ? sessions.renewalFailed(error) : error;
    }
    if (signedInAgain && second.status !== 403) sessions.renewalHelped();
    return checkedKey(second);
  }

  async #renewed(stale: "session" | "csrf", session: Session, signal: AbortSignal | undefined): Promise<Session> {
    const { sessions } = this.#parts;
    const now = sessions.peek();
    // the refusal itself, or a parallel answer, has brought the newer token
    if (stale === "csrf" && now?.generation === session.generation && now.csrf !== session.csrf) return now;
    return await sessions.renew(session.generation, signal);
  }

  async #sendInSession(request: NetworkRequest, writes: boolean, session: Session): Promise<ReadAnswer> {
    const guarded = request.method !== "GET" && session.csrf !== undefined;
    return await this.#send(
      request,
      writes,
      { cookie: cookieHeader(session.cookies), ...(guarded ? { "x-csrf-token": session.csrf } : {}) },
      session,
    );
  }

  async #send(
    request: NetworkRequest,
    writes: boolean,
    headers: Readonly<Record<string, string>>,
    session?: Session,
  ): Promise<ReadAnswer> {
    try {
      const answer = await this.#parts.exchange({ ...request, headers });
      if (session !== undefined) this.#parts.sessions.absorb(session.generation, answer);
      return readAnswer(answer);
    } catch (thrown) {
      throw exchangeFailure(thrown, writes);
    }
  }

  #staleness(answer: ReadAnswer, session: Session): Staleness {
    const { status, refusal } = answer;
    if (refusal?.code === "api.err.LoginRequired") return "session";
    if (status === 401) return knowsTheAccount(refusal) ? undefined : "session";
    if (status !== 403) return undefined;
    if (/csrf/i.test(`${refusal?.code} ${refusal?.message}`)) return "csrf";
    const old = this.#parts.settings.now() - session.signedInAtMs > DOUBT_AFTER_MS;
    return old && (refusal === undefined || refusal.from === "gateway") ? "session" : undefined;
  }
}

/** An application's own 401 is about a site or a key; without a code of its own it is about the session. */
function knowsTheAccount(refusal: Refusal | undefined): boolean {
  return refusal?.from === "integration" || (refusal?.code?.startsWith("api.err.") ?? false);
}

/** A 401, or a 403 of the gateway and not of an application that knows the account. */
function refusesKey({ status, refusal }: ReadAnswer): boolean {
  if (refusal?.code === "api.err.NoSiteContext") return false;
  if (refusal?.code === "api.err.LoginRequired" || status === 401) return true;
  return status === 403 && (refusal === undefined || refusal.from === "gateway");
}

/** The integration API wants a key and no session; that 401 is told in its own words. */
function checkedKey(answer: ReadAnswer): ReadAnswer {
  if (answer.status === 401 && answer.refusal?.from === "integration") {
    throw new EdgeError("CONTROLLER_AUTH_FAILED", "The console's integration API wants an API key.", {
      hint: "Create a key on the console (Settings, Control Plane, Integrations) and set UNIFI_API_KEY.",
      ...consoleDetails(answer.status, answer.refusal),
    });
  }
  return answer;
}

function keyRefused(answer: ReadAnswer): EdgeError {
  return new EdgeError("CONTROLLER_AUTH_FAILED", "The console refused the API key.", {
    hint: "Check UNIFI_API_KEY; where only some paths refuse it, set UNIFI_USERNAME and UNIFI_PASSWORD as well.",
    ...consoleDetails(answer.status, answer.refusal),
  });
}

function sessionRefused(answer: ReadAnswer): EdgeError {
  return new EdgeError("CONTROLLER_AUTH_FAILED", "The console refuses the request although the session is new.", {
    hint: "Check the account's role and whether another program signs it out.",
    ...consoleDetails(answer.status, answer.refusal),
  });
}
