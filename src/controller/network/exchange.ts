/** One HTTP exchange with a console: one attempt, bounded in time and size, and honest about whether it was sent. */
import type { Dispatcher } from "undici";
import type { HttpMethod } from "../controller.ts";

/** A console's answer, judged by nobody yet. */
export interface Answer {
  readonly status: number;
  /** One response header by its lower-case name. */
  header(name: string): string | undefined;
  readonly setCookie: readonly string[];
  readonly body: Buffer;
}

export interface ExchangeRequest {
  readonly method: HttpMethod;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Why there is no answer. `sent` = bytes of the request may have reached the console. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  readonly reason: "network" | "timeout" | "cancelled" | "too_large";
  readonly sent: boolean;

  constructor(reason: ExchangeError["reason"], sent: boolean, cause?: unknown) {
    super(`no answer from the console: ${reason}`, { cause });
    this.reason = reason;
    this.sent = sent;
  }
}

export type Exchange = (request: ExchangeRequest) => Promise<Answer>;

/** A year of session rows of a large site is about 20 MB. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Why the wait for the time limit ends early. One for all: making an error with its stack costs as much as a small call. */
const OVER = new Error("the exchange is over");

export interface ExchangeLimits {
  readonly timeoutMs: number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Binds the exchange to one console's sockets. `origin` is `https://host:port`. */
export function exchangeOver(dispatcher: Dispatcher, origin: string, limits: ExchangeLimits): Exchange {
  return async (request) => {
    const done = new AbortController();
    const attempt = new Attempt();
    const cancel = () => attempt.fail("cancelled", request.signal?.reason);
    if (request.signal?.aborted) throw new ExchangeError("cancelled", false, request.signal.reason);
    request.signal?.addEventListener("abort", cancel, { once: true });
    limits.wait(limits.timeoutMs, done.signal).then(
      () => attempt.fail("timeout"),
      // the wait ends this way when the exchange is over first
      () => undefined,
    );

    try {
      dispatcher.dispatch(dispatchOptions(origin, request), attempt.handler);
      return await attempt.answer;
    } finally {
      request.signal?.removeEventListener("abort", cancel);
      done.abort(OVER);
    }
  };
}

function dispatchOptions(origin: string, request: ExchangeRequest): Dispatcher.DispatchOptions {
  const body = request.body === undefined ? null : JSON.stringify(request.body);
  return {
    origin,
    method: request.method,
    path: request.path,
    headers: {
      accept: "application/json",
      ...(body === null ? {} : { "content-type": "application/json" }),
      ...request.headers,
    },
    body,
    // one clock for the whole exchange, the one that was handed in
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

/** The life of one request on the wire, from the queue to the last byte. */
class Attempt {
  readonly #settled = Promise.withResolvers<Answer>();
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #sent = false;
  #failed = false;
  #controller: Dispatcher.DispatchController | undefined;
  #head: { status: number; headers: NodeJS.Dict<string | string[]> } | undefined;

  get answer(): Promise<Answer> {
    return this.#settled.promise;
  }

  /** Ends the request where it is: still queued it will never be written, on the wire its socket is destroyed. */
  fail(reason: ExchangeError["reason"], cause?: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    const error = new ExchangeError(reason, this.#sent, cause);
    this.#settled.reject(error);
    this.#controller?.abort(error);
  }

  readonly handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => {
      // undici calls this immediately before it writes, and does not write when aborted here
      if (this.#failed) return controller.abort(new ExchangeError("cancelled", false));
      this.#controller = controller;
      this.#sent = true;
    },
    onResponseStart: (_controller, status, headers) => {
      if (status >= 200) this.#head = { status, headers };
    },
    onResponseData: (_controller, chunk) => {
      this.#bytes += chunk.length;
      if (this.#bytes > MAX_BODY_BYTES) this.fail("too_large");
      else this.#chunks.push(chunk);
    },
    onResponseEnd: () => {
      if (this.#head === undefined) return this.fail("network");
      this.#settled.resolve(answerOf(this.#head.status, this.#head.headers, Buffer.concat(this.#chunks)));
    },
    onResponseError: (_controller, error) => this.fail("network", error),
  };
}

function answerOf(status: number, headers: NodeJS.Dict<string | string[]>, body: Buffer): Answer {
  const all = (name: string) => [headers[name] ?? []].flat();
  return { status, header: (name) => all(name)[0], setCookie: all("set-cookie"), body };
}
