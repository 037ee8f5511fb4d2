/** What the gateway has asked one agent: each question ends once, by an answer, its deadline, its caller or the link's end. */
import { EdgeError } from "../errors.ts";
import type { CallEvents, CallResult, Progress } from "./calls.ts";
import { encodeFrame } from "./codec.ts";
import { lostLink, offline, overdue } from "./failure.ts";
import { FIRST_AGENT_STREAM } from "./frame.ts";
import { ABANDONED_MS, AGENT_CALLS, AGENT_STREAMS, ANSWER_GRACE_MS } from "./limits.ts";
import type { Link, LinkEnd } from "./link.ts";
import type { Timing } from "./timing.ts";

export interface Question {
  readonly id: string;
  readonly stream: number;
  /** The encoded frame. */
  readonly text: string;
  /** Sent behind the frame, for a batch. */
  readonly body?: Buffer;
  readonly what: "call" | "batch" | "manifest";
  readonly write: boolean;
  readonly ttlMs: number;
  readonly events: CallEvents;
}

/** `undefined` = accepted without a body, which only a batch is answered with. */
export type Answer = CallResult | undefined;

interface Pending {
  readonly question: Question;
  resolve(answer: Answer): void;
  reject(error: EdgeError): void;
  release(): void;
}

interface Abandoned {
  readonly question: Question;
  readonly untilMs: number;
}

export interface QuestionsOptions {
  readonly link: Link;
  readonly timing: Timing;
  /** The outcome of a write that nobody waits for any more. */
  lateResult(id: string, result: CallResult | EdgeError): void;
  /** No further bytes of this stream are wanted, though its last has not come. */
  forgotten(stream: number): void;
}

export class Questions {
  readonly #options: QuestionsOptions;
  readonly #pending = new Map<number, Pending>();
  /** Their callers have gone; the agent may still answer. */
  readonly #abandoned = new Map<number, Abandoned>();
  #lastStream = 0;
  #ended = false;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Throws AGENT_OFFLINE or OVERLOADED when a further question makes no sense. */
  refuseIfBusy(): void {
    if (this.#ended) throw offline();
    const now = this.#options.timing.now();
    for (const [stream, { untilMs }] of this.#abandoned) if (untilMs <= now) this.#forget(stream);
    if (this.#pending.size < AGENT_CALLS && this.#pending.size + this.#abandoned.size < AGENT_STREAMS) return;
    throw new EdgeError("OVERLOADED", "This location has as many calls running as it may have.", {
      retryAfterSeconds: 1,
    });
  }

  nextStream(): number {
    this.#lastStream = (this.#lastStream + 1) % FIRST_AGENT_STREAM || 1;
    return this.#lastStream;
  }

  /** Rejects with `executed: no` only while nothing was handed to the network. */
  ask(question: Question): Promise<Answer> {
    const { link, timing } = this.#options;
    const { signal } = question.events;
    return new Promise<Answer>((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(new EdgeError("CANCELLED", "The call was cancelled before it was sent."));
        return;
      }
      if (!link.send(question.text)) {
        reject(this.#ended ? offline() : tooSlow());
        return;
      }
      const callOff = timing.after(question.ttlMs + ANSWER_GRACE_MS, () => this.#expire(question));
      const abort = () => this.#cancel(question);
      signal?.addEventListener("abort", abort, { once: true });
      const release = () => {
        callOff();
        signal?.removeEventListener("abort", abort);
      };
      this.#pending.set(question.stream, { question, resolve, reject, release });
      if (question.body !== undefined) {
        link.sendBody(question.stream, { type: "json", isError: false, body: question.body });
      }
    });
  }

  /** True while bytes of this stream are wanted. */
  has(stream: number): boolean {
    return this.#pending.has(stream) || this.#abandoned.has(stream);
  }

  isWrite(stream: number): boolean {
    return (this.#pending.get(stream) ?? this.#abandoned.get(stream))?.question.write === true;
  }

  accepted(stream: number): void {
    const question = this.#pending.get(stream)?.question;
    if (question?.what === "batch") this.#take(stream)?.resolve(undefined);
    else question?.events.accepted?.();
  }

  progress(stream: number, progress: Progress): void {
    this.#pending.get(stream)?.question.events.progress?.(progress);
  }

  complete(stream: number, result: CallResult): void {
    const pending = this.#take(stream);
    if (pending === undefined) this.#tellLate(stream, result);
    else pending.resolve(result);
  }

  fail(stream: number, error: EdgeError): void {
    const pending = this.#take(stream);
    if (pending === undefined) this.#tellLate(stream, error);
    else pending.reject(error);
  }

  /** An outcome announced by id: the answer of a call that was sent again under it, else a late result. */
  settleById(id: string, result: CallResult | EdgeError): void {
    const again = [...this.#pending.values()].find(({ question }) => question.what === "call" && question.id === id);
    if (again === undefined) {
      this.#options.lateResult(id, result);
      return;
    }
    const { stream } = again.question;
    if (result instanceof EdgeError) this.fail(stream, result);
    else this.complete(stream, result);
    this.#options.forgotten(stream);
  }

  ended(end: LinkEnd): void {
    this.#ended = true;
    for (const pending of this.#pending.values()) {
      pending.release();
      pending.reject(lostLink(pending.question.write, pending.question.id, end));
    }
    this.#pending.clear();
    this.#abandoned.clear();
  }

  #take(stream: number): Pending | undefined {
    const pending = this.#pending.get(stream);
    this.#pending.delete(stream);
    pending?.release();
    return pending;
  }

  #forget(stream: number): void {
    this.#abandoned.delete(stream);
    this.#options.forgotten(stream);
  }

  #tellLate(stream: number, result: CallResult | EdgeError): void {
    const question = this.#abandoned.get(stream)?.question;
    this.#abandoned.delete(stream);
    if (question?.what === "call" && question.write) this.#options.lateResult(question.id, result);
  }

  #abandon(question: Question, error: EdgeError): void {
    const pending = this.#take(question.stream);
    if (pending === undefined) return;
    const untilMs = this.#options.timing.now() + question.ttlMs + ABANDONED_MS;
    this.#abandoned.set(question.stream, { question, untilMs });
    pending.reject(error);
  }

  #expire(question: Question): void {
    if (!question.write) this.#sendCancel(question);
    this.#abandon(question, overdue(question.write, question.id, question.ttlMs));
  }

  /** A read's caller is let go at once; a write's outcome is still wanted, and the agent says which it is. */
  #cancel(question: Question): void {
    this.#sendCancel(question);
    if (!question.write) this.#abandon(question, new EdgeError("CANCELLED", "The call was cancelled."));
  }

  #sendCancel(question: Question): void {
    if (question.what === "manifest") return;
    this.#options.link.send(encodeFrame("cancel", { id: question.id, what: question.what }));
  }
}

function tooSlow(): EdgeError {
  return new EdgeError("OVERLOADED", "The agent reads too slowly; nothing was sent.", { retryAfterSeconds: 2 });
}
