/**
 * A console's live events: a socket that is opened again whenever it ends, a bounded memory of what came, and the gaps
 * in which nothing could come. Every app hands in how its socket is opened and its messages are read.
 */
import type { ConsoleLog } from "./network/options.ts";

/** What an open socket reports. */
export interface FeedHandlers {
  message(text: string): void;
  /** Any sign of life: a frame, a pong. */
  alive(): void;
  closed(reason: string): void;
}

export interface FeedConnection {
  /** Asks for a sign of life. */
  ping(): void;
  end(): void;
}

export interface EventFeedOptions<Event> {
  /** One attempt; rejects with the reason in words. */
  open(handlers: FeedHandlers, signal: AbortSignal): Promise<FeedConnection>;
  /** Events of one message; none for what is no event or cannot be read. */
  decode(text: string): readonly Event[];
  /** Unix milliseconds. */
  now(): number;
  /** Resolves after `ms`; rejects when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** [0, 1): spreads the attempts. */
  random(): number;
  readonly log: ConsoleLog;
  readonly capacity?: number;
}

export interface Received<Event> {
  readonly atMs: number;
  readonly event: Event;
}

/** Nothing could be heard from `fromMs` until `toMs`; undefined = it goes on. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number | undefined;
}

export interface FeedState {
  readonly connected: boolean;
  /** When the feed was first connected; undefined = never yet. */
  readonly listeningSinceMs: number | undefined;
  readonly gaps: readonly Gap[];
  /** Why it is not connected, in words. */
  readonly problem: string | undefined;
  readonly capacity: number;
}

/** What tools see of a feed. */
export interface EventSource<Event> {
  /** Opens the feed if that was not done yet, and waits for it at most so long; true = it is connected. */
  ready(timeoutMs: number, signal: AbortSignal): Promise<boolean>;
  /** Oldest first. */
  recent(): readonly Received<Event>[];
  state(): FeedState;
}

const CAPACITY = 1000;
const MOST_GAPS = 20;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
/** A console answers a ping at once; a socket that shows no life until the next one is due is dead. */
const PING_EVERY_MS = 15_000;
/** A connection that held this long starts the waits anew. */
const STABLE_MS = 30_000;

export class EventFeed<Event> implements EventSource<Event> {
  readonly #options: EventFeedOptions<Event>;
  readonly #capacity: number;
  readonly #closing = new AbortController();
  readonly #received: Received<Event>[] = [];
  readonly #gaps: { fromMs: number; toMs: number | undefined }[] = [];
  #connected = Promise.withResolvers<void>();
  #isConnected = false;
  #listeningSinceMs: number | undefined;
  #problem: string | undefined;
  #running: Promise<void> | undefined;

  constructor(options: EventFeedOptions<Event>) {
    this.#options = options;
    this.#capacity = options.capacity ?? CAPACITY;
  }

  async ready(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    this.#running ??= this.#run();
    if (this.#isConnected) return true;
    const over = new AbortController();
    const limit = this.#options.wait(timeoutMs, AbortSignal.any([signal, over.signal, this.#closing.signal])).catch(
      // ended early: connected, cancelled or closed
      () => undefined,
    );
    await Promise.race([this.#connected.promise, limit]);
    over.abort();
    return this.#isConnected;
  }

  recent(): readonly Received<Event>[] {
    return [...this.#received];
  }

  state(): FeedState {
    return {
      connected: this.#isConnected,
      listeningSinceMs: this.#listeningSinceMs,
      gaps: this.#gaps.map((gap) => ({ ...gap })),
      problem: this.#isConnected ? undefined : this.#problem,
      capacity: this.#capacity,
    };
  }

  /** Ends the socket and all waiting. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { now, wait, random, log } = this.#options;
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      const startedMs = now();
      try {
        this.#problem = await this.#listen();
        if (now() - startedMs >= STABLE_MS) failures = 0;
      } catch (error) {
        this.#problem = error instanceof Error ? error.message : "it could not be opened";
      }
      if (signal.aborted) return;
      const pauseMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures * (1 + random()));
      failures += 1;
      log.info({ reason: this.#problem, pauseMs: Math.round(pauseMs) }, "the event socket is opened again");
      await wait(pauseMs, signal).catch(() => undefined);
    }
  }

  /** Lives as long as one connection does; resolves with why it ended. */
  async #listen(): Promise<string> {
    const { open, wait } = this.#options;
    const ended = Promise.withResolvers<string>();
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#closing.signal]);
    let lifeSigns = 0;
    let aliveMs = this.#options.now();
    let silent = false;
    const showsLife = () => {
      lifeSigns += 1;
      aliveMs = this.#options.now();
    };
    const connection = await open(
      {
        message: (text) => {
          showsLife();
          this.#take(text);
        },
        alive: showsLife,
        closed: (reason) => ended.resolve(reason),
      },
      this.#closing.signal,
    );
    aliveMs = this.#options.now();
    this.#opened();
    const stop = () => ended.resolve("the feed was closed");
    this.#closing.signal.addEventListener("abort", stop, { once: true });
    if (this.#closing.signal.aborted) stop(); // closed while it was opened
    void watch();
    try {
      return await ended.promise;
    } finally {
      over.abort();
      this.#closing.signal.removeEventListener("abort", stop);
      connection.end();
      this.#lost(silent ? aliveMs : this.#options.now());
    }

    async function watch(): Promise<void> {
      for (let seen = lifeSigns; !signal.aborted; seen = lifeSigns) {
        connection.ping();
        await wait(PING_EVERY_MS, signal).catch(() => undefined);
        if (signal.aborted || lifeSigns !== seen) continue;
        silent = true; // what was lost was lost since the last sign
        ended.resolve("the console showed no sign of life");
      }
    }
  }

  #opened(): void {
    const nowMs = this.#options.now();
    this.#isConnected = true;
    this.#listeningSinceMs ??= nowMs;
    const gap = this.#gaps.at(-1);
    if (gap !== undefined) gap.toMs ??= nowMs;
    this.#connected.resolve();
  }

  #lost(fromMs: number): void {
    this.#isConnected = false;
    this.#connected = Promise.withResolvers();
    this.#gaps.push({ fromMs, toMs: undefined });
    if (this.#gaps.length > MOST_GAPS) this.#gaps.shift();
  }

  #take(text: string): void {
    const atMs = this.#options.now();
    for (const event of this.#options.decode(text)) this.#received.push({ atMs, event });
    const surplus = this.#received.length - this.#capacity;
    if (surplus > 0) this.#received.splice(0, surplus);
  }
}
