/** The agent's end of a ready link: serves calls and batches to the AgentPort and keeps outcomes that found no link. */
import { Compile } from "typebox/compile";
import { EdgeError } from "../errors.ts";
import { Assembly } from "./assembly.ts";
import type { AgentPort, BatchOperation, BatchRequest, CallRequest, CallResult, OperationUpdate } from "./calls.ts";
import { type Chunk, encodeFrame, nestsDeeperThan } from "./codec.ts";
import { dispatch, type FrameHandlers } from "./dispatch.ts";
import { toFailure } from "./failure.ts";
import { BatchOperations, FIRST_AGENT_STREAM, type FieldsOf, type Frame } from "./frame.ts";
import { AGENT_STREAMS, HEADER_DEPTH, KEPT_RESULTS, OPEN_IDS, PROGRESS_MS, RESULT_BYTES } from "./limits.ts";
import type { Link } from "./link.ts";
import type { Timing } from "./timing.ts";

const checkOperations = Compile(BatchOperations);
const STREAM_COUNT = 0x8000_0000;

type Kept = { readonly result: CallResult } | { readonly error: EdgeError };

/** Lives as long as the agent's process, over all its links. */
export class AgentEnd {
  readonly #port: AgentPort;
  readonly #timing: Timing;
  /** Writes that run, by id, and outcomes that no gateway has taken, oldest first. The journal has them as well. */
  readonly #running = new Set<string>();
  readonly #kept = new Map<string, Kept>();
  #session: AgentSession | undefined;

  constructor(port: AgentPort, timing: Timing) {
    this.#port = port;
    this.#timing = timing;
  }

  /** For `hello.open`. */
  open(): FieldsOf<"hello">["open"] {
    return [
      ...[...this.#kept.keys()].map((id) => ({ id, state: "done" as const })),
      ...[...this.#running].map((id) => ({ id, state: "running" as const })),
    ].slice(0, OPEN_IDS);
  }

  /**
   * The link is ready: calls may come, and what waited is sent: what the gateway asked for, and what ended since
   * `hello` told it what was `open`. Returns the taker of the link's messages.
   */
  attach(link: Link, hello: FieldsOf<"hello">["open"], welcome: FieldsOf<"welcome">): AgentSession {
    for (const id of welcome.forget) this.#kept.delete(id);
    const session = new AgentSession(this.#port, this.#timing, link, this);
    this.#session = session;
    const told = new Set(hello.filter(({ state }) => state === "done").map(({ id }) => id));
    const wanted = new Set(welcome.resend);
    for (const [id, kept] of this.#kept) if (wanted.has(id) || !told.has(id)) session.sendLate(id, kept);
    return session;
  }

  detach(session: AgentSession): void {
    session.ended();
    if (this.#session === session) this.#session = undefined;
  }

  started(request: CallRequest): void {
    if (request.kind === "write") this.#running.add(request.id);
  }

  /** A write's outcome is kept until acknowledged; one whose link is gone is sent on the present one. */
  finished(request: CallRequest, outcome: Kept, from: AgentSession): void {
    if (request.kind !== "write") return;
    this.#running.delete(request.id);
    this.#kept.set(request.id, outcome);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_RESULTS && oldest !== undefined) this.#kept.delete(oldest);
    if (this.#session !== undefined && this.#session !== from) this.#session.sendLate(request.id, outcome);
  }

  acknowledged(id: string, delivered: boolean): void {
    this.#kept.delete(id);
    this.#port.acknowledge(id, delivered);
  }
}

/** One link's worth of serving. */
export class AgentSession {
  readonly #port: AgentPort;
  readonly #timing: Timing;
  readonly #link: Link;
  readonly #end: AgentEnd;
  readonly #assembly = new Assembly();
  readonly #batches = new Map<number, FieldsOf<"batch">>();
  readonly #running = new Map<number, AbortController>();
  readonly #streamOf = new Map<string, number>();
  readonly #unsubscribe: () => void;
  #lastStream = 0;

  readonly #handlers: FrameHandlers = {
    // #call answers its own failures
    call: (frame) => void this.#call(frame),
    ack: ({ id, delivered }) => this.#end.acknowledged(id, delivered),
    cancel: ({ id, what }) => (what === "batch" ? this.#port.cancelBatch(id) : this.#cancel(id)),
    batch: (frame) => this.#announceBatch(frame),
    "op.ack": ({ batch, index }) => this.#port.acknowledgeOperation(batch, index),
    "manifest.get": ({ stream }) =>
      this.#link.sendBody(stream, { type: "json", isError: false, body: this.#port.manifest() }),
    welcome: () => {
      throw new EdgeError("PROTOCOL_ERROR", "welcome may be sent once.");
    },
  };

  constructor(port: AgentPort, timing: Timing, link: Link, end: AgentEnd) {
    this.#port = port;
    this.#timing = timing;
    this.#link = link;
    this.#end = end;
    this.#unsubscribe = port.operations((update) => this.#sendOperation(update));
  }

  frame(frame: Frame): void {
    dispatch(this.#handlers, frame);
  }

  chunk(chunk: Chunk): void {
    const header = this.#batches.get(chunk.stream);
    if (header === undefined) return;
    const body = this.#assembly.add(chunk, header.size);
    if (body === undefined) return;
    this.#batches.delete(chunk.stream);
    // #batch answers its own failures
    void this.#batch(header, body.body);
  }

  /** The link is gone: reads are stopped since nobody waits, writes run on and are told later. */
  ended(): void {
    this.#unsubscribe();
    for (const controller of this.#running.values()) controller.abort();
    this.#running.clear();
  }

  sendLate(id: string, outcome: Kept): void {
    const stream = this.#nextStream();
    if ("error" in outcome) this.#link.send(encodeFrame("res", { id, stream, err: toFailure(outcome.error) }));
    else this.#link.sendBody(stream, outcome.result, encodeFrame("res", { id, stream }));
  }

  async #call(frame: FieldsOf<"call">): Promise<void> {
    const { id, stream } = frame;
    const request = requestOf(frame);
    const controller = new AbortController();
    let progressAt = Number.NEGATIVE_INFINITY;
    if (request.kind === "read") this.#running.set(stream, controller);
    this.#streamOf.set(id, stream);
    this.#end.started(request);
    try {
      const result = await this.#port.call(request, {
        accepted: () => this.#link.send(encodeFrame("accepted", { stream })),
        progress: ({ done, total, note }) => {
          const now = this.#timing.now();
          if (now - progressAt < PROGRESS_MS) return;
          progressAt = now;
          this.#link.send(
            encodeFrame("progress", {
              stream,
              done,
              ...(total === undefined ? {} : { total }),
              ...(note === undefined ? {} : { note: note.slice(0, 512) }),
            }),
          );
        },
        signal: controller.signal,
      });
      if (result.body.length > RESULT_BYTES) throw tooLarge(request);
      this.#link.sendBody(stream, result);
      this.#end.finished(request, { result }, this);
    } catch (thrown) {
      const err = toFailure(thrown);
      this.#link.send(encodeFrame("res", { stream, err }));
      this.#end.finished(request, { error: thrown as EdgeError }, this);
    } finally {
      this.#running.delete(stream);
      if (this.#streamOf.get(id) === stream) this.#streamOf.delete(id);
    }
  }

  #cancel(id: string): void {
    this.#port.cancel(id);
    const stream = this.#streamOf.get(id);
    if (stream !== undefined) this.#running.get(stream)?.abort();
  }

  #announceBatch(header: FieldsOf<"batch">): void {
    if (this.#batches.size >= AGENT_STREAMS) throw new EdgeError("PROTOCOL_ERROR", "Too many batches at once.");
    this.#batches.set(header.stream, header);
  }

  async #batch(header: FieldsOf<"batch">, body: Buffer): Promise<void> {
    const { stream } = header;
    try {
      const request: BatchRequest = {
        id: header.id,
        operations: operationsOf(body),
        ttlMs: header.ttl_ms,
        owner: header.owner,
        ...(header.confirm_token === undefined ? {} : { confirmToken: header.confirm_token }),
      };
      const answer = await this.#port.batch(request);
      if (answer.accepted) this.#link.send(encodeFrame("accepted", { stream }));
      else this.#link.sendBody(stream, { type: "json", isError: false, body: answer.preview });
    } catch (thrown) {
      this.#link.send(encodeFrame("res", { stream, err: toFailure(thrown) }));
    }
  }

  #sendOperation(update: OperationUpdate): void {
    const { result } = update;
    const stream = result === undefined ? undefined : this.#nextStream();
    const header = encodeFrame("op", {
      batch: update.batch,
      index: update.index,
      tool: update.tool,
      state: update.state,
      owner: update.owner,
      ...(update.startedAtMs === undefined ? {} : { started_at: update.startedAtMs }),
      ...(update.completedAtMs === undefined ? {} : { completed_at: update.completedAtMs }),
      ...(stream === undefined ? {} : { stream }),
    });
    if (result === undefined || stream === undefined) this.#link.send(header);
    else this.#link.sendBody(stream, result, header);
  }

  #nextStream(): number {
    this.#lastStream = (this.#lastStream + 1) % STREAM_COUNT;
    return FIRST_AGENT_STREAM + this.#lastStream;
  }
}

function requestOf(frame: FieldsOf<"call">): CallRequest {
  return {
    id: frame.id,
    tool: frame.tool,
    args: frame.args,
    kind: frame.kind,
    ttlMs: frame.ttl_ms,
    owner: frame.owner,
    ...(frame.console === undefined ? {} : { console: frame.console }),
    ...(frame.site === undefined ? {} : { site: frame.site }),
    ...(frame.repeat === undefined ? {} : { repeat: frame.repeat }),
    ...(frame.trace === undefined ? {} : { trace: frame.trace }),
  };
}

function operationsOf(body: Buffer): readonly BatchOperation[] {
  const text = body.toString();
  let operations: unknown;
  if (!nestsDeeperThan(text, HEADER_DEPTH)) {
    try {
      operations = JSON.parse(text);
    } catch {
      // refused below like any other wrong shape
    }
  }
  if (!checkOperations.Check(operations)) {
    throw new EdgeError(
      "ARGUMENTS_INVALID",
      "A batch is a list of 1 to 500 operations, each with index, tool and args.",
    );
  }
  return operations as readonly BatchOperation[]; // just checked; TypeBox's optional differs from ours in undefined only
}

function tooLarge(request: CallRequest): EdgeError {
  return new EdgeError("TOO_LARGE", `The result has more than ${RESULT_BYTES} bytes.`, {
    hint: "Ask a narrower question: limit, fields or filter.",
    executed: request.kind === "write" ? "yes" : "no",
  });
}
