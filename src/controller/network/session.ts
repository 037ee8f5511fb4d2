/** The one session of a console: who needs it shares it, and however many calls lose it, one sign-in brings it back. */
import { EdgeError } from "../../errors.ts";
import { Backoff } from "../backoff.ts";
import { abortable } from "./abortable.ts";
import { type Cookies, updateCookies } from "./cookies.ts";
import { csrfOf } from "./csrf.ts";
import type { Answer } from "./exchange.ts";
import type { ConsoleLog } from "./options.ts";
import { REFUSED_SIGN_IN, type SignedIn } from "./sign-in.ts";

/** A session as one call sees it; cookies and token move on with every answer. */
export interface Session {
  /** Counts sign-ins: a refusal of an older session says nothing about the current one. */
  readonly generation: number;
  readonly signedInAtMs: number;
  readonly cookies: Cookies;
  readonly csrf: string | undefined;
}

export interface SessionOptions {
  /** Signs in, one attempt. */
  signIn(): Promise<SignedIn>;
  now(): number;
  random(): number;
  readonly log: ConsoleLog;
}

export class Sessions {
  readonly #options: SessionOptions;
  /** After a refused sign-in. */
  readonly #signIns: Backoff;
  /** After a sign-in that did not help: its session was refused like the one before. */
  readonly #renewals: Backoff;
  #current: Session | undefined;
  #pending: Promise<Session> | undefined;
  #generation = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#signIns = new Backoff(options.now, options.random);
    this.#renewals = new Backoff(options.now, options.random);
  }

  /** The session that stands now, whatever its generation. */
  peek(): Session | undefined {
    return this.#current;
  }

  /** The refusal that sign-ins wait out, if any. */
  blocked(): EdgeError | undefined {
    return this.#current === undefined ? this.#signIns.blocked() : undefined;
  }

  /** The session; signs in when there is none. `signal` ends the caller's wait, not a sign-in that others wait for. */
  async current(signal?: AbortSignal): Promise<Session> {
    if (this.#pending === undefined && this.#current !== undefined) return this.#current;
    return await abortable(this.#signInOnce(), signal);
  }

  /** A session newer than `generation`. */
  async renew(generation: number, signal?: AbortSignal): Promise<Session> {
    if (this.#pending === undefined && this.#current !== undefined && this.#current.generation !== generation) {
      return this.#current;
    }
    const blocked = this.#renewals.blocked();
    if (blocked !== undefined && this.#pending === undefined) throw blocked;
    return await abortable(this.#signInOnce(), signal);
  }

  /** The renewed session was refused too: no further renewal for a while. */
  renewalFailed(error: EdgeError): EdgeError {
    return this.#renewals.refuse(error);
  }

  renewalHelped(): void {
    this.#renewals.succeed();
  }

  /** Takes over what an answer brought for the session that asked; late answers of older ones change nothing. */
  absorb(generation: number, answer: Answer): void {
    const session = this.#current;
    if (session?.generation !== generation) return;
    const cookies = updateCookies(session.cookies, answer.setCookie);
    // an old claim must not overwrite a newer header token, so claims count only when the cookie came just now
    const fresh: Cookies = cookies === session.cookies ? new Map() : cookies;
    this.#current = { ...session, cookies, csrf: csrfOf(answer.header, fresh) ?? session.csrf };
  }

  #signInOnce(): Promise<Session> {
    this.#pending ??= this.#signIn().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #signIn(): Promise<Session> {
    const blocked = this.#signIns.blocked();
    if (blocked !== undefined) throw blocked;
    this.#current = undefined;
    try {
      const signedIn = await this.#options.signIn();
      this.#signIns.succeed();
      this.#generation += 1;
      const session = { ...signedIn, generation: this.#generation, signedInAtMs: this.#options.now() };
      this.#current = session;
      this.#options.log.info({ generation: session.generation }, "signed in to the console");
      return session;
    } catch (thrown) {
      if (!(thrown instanceof EdgeError) || !REFUSED_SIGN_IN.has(thrown.code)) throw thrown;
      const refused = this.#signIns.refuse(thrown, thrown.retryAfterSeconds);
      this.#options.log.warn({ code: refused.code, retryAfterSeconds: refused.retryAfterSeconds }, "sign-in refused");
      throw refused;
    }
  }
}
