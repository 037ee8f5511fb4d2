/** One ready agent as the gateway's other rooms see it: calls, batches, acknowledgements, the manifest. */
import { createHash } from "node:crypto";
import { EdgeError } from "../errors.ts";
import { faultAsAnswer, faultAtStart, faultOf } from "./answer-body.ts";
import { Assembly } from "./assembly.ts";
import type {
  AgentConnection,
  AgentDescription,
  BatchAnswer,
  BatchRequest,
  CallEvents,
  CallRequest,
  CallResult,
  OperationUpdate,
} from "./calls.ts";
import { type Chunk, encodeFrame, nestsDeeperThan } from "./codec.ts";
import { dispatch, type FrameHandlers } from "./dispatch.ts";
import { fromFailure } from "./failure.ts";
import { FIRST_AGENT_STREAM, type FieldsOf, type Frame } from "./frame.ts";
import {
  AGENT_STREAMS,
  ARGUMENTS_BYTES,
  BATCH_ANSWER_MS,
  BATCH_BYTES,
  BATCH_OPERATIONS,
  CLOSE,
  HEADER_DEPTH,
  MANIFEST_MS,
  RESULT_BYTES,
} from "./limits.ts";
import type { LinkEnd } from "./link.ts";
import { Questions, type QuestionsOptions } from "./questions.ts";
import type { KnownAgent } from "./upgrade.ts";

export interface ConnectionOptions extends Omit<QuestionsOptions, "forgotten"> {
  readonly agent: KnownAgent;
  readonly description: AgentDescription;
  readonly epoch: number;
  /** A copy of this agent is alive too: reads go on, writes wait for an operator. */
  writesHeld(): boolean;
  operation(update: OperationUpdate): void;
}

export class GatewayConnection implements AgentConnection {
  readonly org: string;
  readonly location: string;
  readonly description: AgentDescription;
  readonly epoch: number;
  readonly connectedAtMs: number;
  readonly closed: AbortSignal;
  readonly #options: ConnectionOptions;
  readonly #questions: Questions;
  /** Bodies that the agent announced: late results and operations. */
  readonly #announced = new Map<number, (body: CallResult) => void>();
  readonly #assembly = new Assembly();
  readonly #closing = new AbortController();
  #manifest: Promise<Buffer> | undefined;

  readonly #handlers: FrameHandlers = {
    accepted: ({ stream }) => this.#questions.accepted(stream),
    progress: ({ stream, done, total, note }) =>
      this.#questions.progress(stream, {
        done,
        ...(total === undefined ? {} : { total }),
        ...(note === undefined ? {} : { note }),
      }),
    res: (frame) => this.#result(frame),
    op: (frame) => this.#operation(frame),
    hello: () => refuse("hello may be sent once."),
    ready: () => refuse("ready may be sent once."),
  };

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#questions = new Questions({
      link: options.link,
      timing: options.timing,
      lateResult: options.lateResult,
      forgotten: (stream) => this.#assembly.drop(stream),
    });
    this.org = options.agent.org;
    this.location = options.agent.location;
    this.description = options.description;
    this.epoch = options.epoch;
    this.connectedAtMs = options.timing.wallClock();
    this.closed = this.#closing.signal;
  }

  async call(request: CallRequest, events: CallEvents): Promise<CallResult> {
    const { id, ttlMs } = request;
    const write = request.kind === "write";
    if (write) this.#refuseHeldWrites();
    this.#questions.refuseIfBusy();
    const stream = this.#questions.nextStream();
    const text = encodeCall(request, stream);
    const answer = await this.#questions.ask({ id, stream, text, what: "call", write, ttlMs, events });
    if (answer === undefined) throw new EdgeError("PROTOCOL_ERROR", "The agent answered a call without a body.");
    const fault = faultAtStart(answer, write ? "maybe" : "no");
    if (fault !== undefined) throw fault;
    return answer;
  }

  async batch(request: BatchRequest): Promise<BatchAnswer> {
    this.#refuseHeldWrites();
    this.#questions.refuseIfBusy();
    const body = Buffer.from(JSON.stringify(request.operations));
    if (body.length > BATCH_BYTES || request.operations.length > BATCH_OPERATIONS) {
      throw new EdgeError("TOO_LARGE", `A batch may have ${BATCH_OPERATIONS} operations and ${BATCH_BYTES} bytes.`);
    }
    const stream = this.#questions.nextStream();
    const text = encodeFrame("batch", {
      id: request.id,
      stream,
      size: body.length,
      ttl_ms: request.ttlMs,
      owner: request.owner,
      ...(request.confirmToken === undefined ? {} : { confirm_token: request.confirmToken }),
    });
    const answer = await this.#questions.ask({
      id: request.id,
      stream,
      text,
      body,
      what: "batch",
      write: true,
      ttlMs: Math.min(request.ttlMs, BATCH_ANSWER_MS),
      events: {},
    });
    return answer === undefined ? { accepted: true } : { accepted: false, preview: answer.body };
  }

  manifest(): Promise<Buffer> {
    this.#manifest ??= this.#fetchManifest().catch((error: unknown) => {
      this.#manifest = undefined;
      throw error;
    });
    return this.#manifest;
  }

  acknowledge(id: string, delivered: boolean): void {
    this.#options.link.send(encodeFrame("ack", { id, delivered }));
  }

  acknowledgeOperation(batch: string, index: number): void {
    this.#options.link.send(encodeFrame("op.ack", { batch, index }));
  }

  cancelBatch(id: string): void {
    this.#options.link.send(encodeFrame("cancel", { id, what: "batch" }));
  }

  close(code: number, reason: string): void {
    this.#options.link.end(code, reason);
  }

  /** Takes the link's frames from `ready` on. Throws PROTOCOL_ERROR, at which the link ends. */
  frame(frame: Frame): void {
    dispatch(this.#handlers, frame);
  }

  /** Takes the link's chunks; those of streams that nobody waits for are dropped. */
  chunk(chunk: Chunk): void {
    const { stream } = chunk;
    const announced = this.#announced.get(stream);
    if (announced === undefined && !this.#questions.has(stream)) return;
    try {
      const body = this.#assembly.add(chunk, RESULT_BYTES);
      if (body === undefined) return;
      this.#announced.delete(stream);
      if (announced === undefined) this.#questions.complete(stream, body);
      else announced(sound(body));
    } catch (error) {
      if (!(error instanceof EdgeError) || error.code !== "TOO_LARGE") throw error;
      this.#announced.delete(stream);
      const executed = this.#questions.isWrite(stream) ? "maybe" : "no";
      this.#questions.fail(stream, new EdgeError(error.code, error.message, { executed, cause: error }));
    }
  }

  /** The link ended: every pending question is rejected now, not at its deadline. */
  ended(end: LinkEnd): void {
    this.#announced.clear();
    this.#questions.ended(end);
    this.#closing.abort(end);
  }

  #refuseHeldWrites(): void {
    if (!this.#options.writesHeld()) return;
    throw new EdgeError("AGENT_CONFLICT", "Two agents use the key of this location in turn; writes are held.", {
      hint: "Stop one of them, or enrol it with a token of its own.",
    });
  }

  #result(frame: FieldsOf<"res">): void {
    const { id, stream, err } = frame;
    if (stream < FIRST_AGENT_STREAM) {
      if (err === undefined) refuse("res of a call has no error.");
      else this.#failStream(stream, fromFailure(err));
    } else if (id === undefined) refuse("a late result does not say whose it is.");
    else if (err === undefined) this.#announce(stream, (body) => this.#questions.settleById(id, body));
    else this.#questions.settleById(id, fromFailure(err));
  }

  #failStream(stream: number, error: EdgeError): void {
    this.#assembly.drop(stream);
    this.#questions.fail(stream, error);
  }

  #operation(frame: FieldsOf<"op">): void {
    const update: OperationUpdate = {
      batch: frame.batch,
      index: frame.index,
      tool: frame.tool,
      state: frame.state,
      owner: frame.owner,
      ...(frame.started_at === undefined ? {} : { startedAtMs: frame.started_at }),
      ...(frame.completed_at === undefined ? {} : { completedAtMs: frame.completed_at }),
    };
    if (frame.stream === undefined) this.#options.operation(update);
    else this.#announce(frame.stream, (result) => this.#options.operation({ ...update, result }));
  }

  #announce(stream: number, take: (body: CallResult) => void): void {
    if (stream < FIRST_AGENT_STREAM || this.#announced.has(stream) || this.#announced.size >= AGENT_STREAMS) {
      refuse("an announced stream is in use, out of range or one too many.");
    }
    this.#announced.set(stream, take);
  }

  async #fetchManifest(): Promise<Buffer> {
    this.#questions.refuseIfBusy();
    const stream = this.#questions.nextStream();
    const answer = await this.#questions.ask({
      id: this.description.manifestDigest,
      stream,
      text: encodeFrame("manifest.get", { stream }),
      what: "manifest",
      write: false,
      ttlMs: MANIFEST_MS,
      events: {},
    });
    const bytes = answer?.body ?? Buffer.alloc(0);
    if (createHash("sha256").update(bytes).digest("hex") !== this.description.manifestDigest) {
      this.close(CLOSE.protocol, "the manifest does not have the digest that hello named");
      throw new EdgeError("PROTOCOL_ERROR", "The agent's manifest does not have the digest that it announced.");
    }
    return bytes;
  }
}

/** Operations and late results are kept for whoever asks, so a fault is told there too. */
function sound(body: CallResult): CallResult {
  const fault = faultOf(body, "maybe");
  return fault === undefined ? body : faultAsAnswer(fault);
}

function encodeCall(request: CallRequest, stream: number): string {
  const text = encodeFrame("call", {
    id: request.id,
    stream,
    tool: request.tool,
    args: request.args,
    kind: request.kind,
    ttl_ms: request.ttlMs,
    owner: request.owner,
    ...(request.console === undefined ? {} : { console: request.console }),
    ...(request.site === undefined ? {} : { site: request.site }),
    ...(request.repeat === undefined ? {} : { repeat: request.repeat }),
    ...(request.trace === undefined ? {} : { trace: request.trace }),
    ...(request.maxBytes === undefined ? {} : { max_bytes: request.maxBytes }),
  });
  if (Buffer.byteLength(text) > ARGUMENTS_BYTES) {
    throw new EdgeError("TOO_LARGE", `The arguments of one call may have ${ARGUMENTS_BYTES} bytes.`);
  }
  if (nestsDeeperThan(text, HEADER_DEPTH)) {
    throw new EdgeError("ARGUMENTS_INVALID", `Arguments may nest ${HEADER_DEPTH - 2} levels.`);
  }
  return text;
}

function refuse(what: string): never {
  throw new EdgeError("PROTOCOL_ERROR", `Malformed tunnel message: ${what}`);
}
