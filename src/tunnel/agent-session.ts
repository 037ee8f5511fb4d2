/** One link's worth of serving at the agent: calls and batches to its port, outcomes and operations back. */
import { Compile } from "typebox/compile";
import { asEdgeError, EdgeError } from "../errors.ts";
import { Assembly } from "./assembly.ts";
import type {
  AgentPort,
  BatchOperation,
  BatchRequest,
  CallEvents,
  CallRequest,
  CallResult,
  OperationUpdate,
} from "./calls.ts";
import { type Chunk, encodeFrame, nestsDeeperThan } from "./codec.ts";
import { dispatch, type FrameHandlers } from "./dispatch.ts";
import { toFailure } from "./failure.ts";
import { BatchOperations, FIRST_AGENT_STREAM, type FieldsOf, type Frame } from "./frame.ts";
import { AGENT_STREAMS, HEADER_DEPTH, PROGRESS_MS, RESULT_BYTES } from "./limits.ts";
import type { Link } from "./link.ts";
import type { Timing } from "./timing.ts";

const checkOperations = Compile(BatchOperations);
const STREAM_COUNT = 0x8000_0000;
/** As frame.ts allows it. */
const NOTE_LENGTH = 512;

/** What outlives a link, told by the sessions. Implemented by agent-end.ts. */
export interface Outcomes {
  started(request: CallRequest): void;
  finished(request: CallRequest, outcome: Outcome, from: AgentSession): void;
  acknowledged(id: string, delivered: boolean): void;
}

export type Outcome = { readonly result: CallResult } | { readonly error: EdgeError };

export class AgentSession {
  readonly #port: AgentPort;
  readonly #timing: Timing;
  readonly #link: Link;
  readonly #outcomes: Outcomes;
  readonly #assembly = new Assembly();
  readonly #batches = new Map<number, FieldsOf<"batch">>();
  readonly #running = new Map<number, AbortController>();
  readonly #streamOf = new Map<string, number>();
  readonly #unsubscribe: () => void;
  #active = 0;
  #lastStream = 0;

  readonly #handlers: FrameHandlers = {
    // #call answers its own failures
    call: (frame) => void this.#call(frame),
    ack: ({ id, delivered }) => this.#outcomes.acknowledged(id, delivered),
    cancel: ({ id, what }) => (what === "batch" ? this.#port.cancelBatch(id) : this.#cancel(id)),
    batch: (frame) => this.#announceBatch(frame),
    "op.ack": ({ batch, index }) => this.#port.acknowledgeOperation(batch, index),
    "manifest.get": ({ stream }) =>
      this.#link.sendBody(stream, { type: "json", isError: false, body: this.#port.manifest() }),
    welcome: () => {
      throw new EdgeError("PROTOCOL_ERROR", "welcome may be sent once.");
    },
  };

  constructor(port: AgentPort, timing: Timing, link: Link, outcomes: Outcomes) {
    this.#port = port;
    this.#timing = timing;
    this.#link = link;
    this.#outcomes = outcomes;
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

  /** True while a call under this id is to be answered here. */
  serves(id: string): boolean {
    return this.#streamOf.has(id);
  }

  sendLate(id: string, outcome: Outcome): void {
    const stream = this.#nextStream();
    if ("error" in outcome) this.#link.mustSend(encodeFrame("res", { id, stream, err: toFailure(outcome.error) }));
    else this.#link.sendBody(stream, outcome.result, encodeFrame("res", { id, stream }));
  }

  async #call(frame: FieldsOf<"call">): Promise<void> {
    const { id, stream } = frame;
    if (this.#active >= AGENT_STREAMS) {
      const busy = new EdgeError("OVERLOADED", "This agent runs as many calls as it may.", { retryAfterSeconds: 1 });
      this.#link.mustSend(encodeFrame("res", { stream, err: toFailure(busy) }));
      return;
    }
    const request = requestOf(frame);
    const controller = new AbortController();
    this.#active += 1;
    if (request.kind === "read") this.#running.set(stream, controller);
    this.#streamOf.set(id, stream);
    this.#outcomes.started(request);
    try {
      const result = await this.#port.call(request, this.#eventsOf(stream, controller.signal));
      if (result.body.length > RESULT_BYTES) throw tooLarge(request);
      this.#link.sendBody(stream, result);
      this.#outcomes.finished(request, { result }, this);
    } catch (thrown) {
      this.#link.mustSend(encodeFrame("res", { stream, err: toFailure(thrown) }));
      this.#outcomes.finished(request, { error: asEdgeError(thrown) }, this);
    } finally {
      this.#active -= 1;
      this.#running.delete(stream);
      if (this.#streamOf.get(id) === stream) this.#streamOf.delete(id);
    }
  }

  #eventsOf(stream: number, signal: AbortSignal): CallEvents {
    let progressAt = Number.NEGATIVE_INFINITY;
    return {
      signal,
      accepted: () => this.#link.mustSend(encodeFrame("accepted", { stream })),
      progress: ({ done, total, note }) => {
        const now = this.#timing.now();
        if (now - progressAt < PROGRESS_MS) return;
        progressAt = now;
        this.#link.send(
          encodeFrame("progress", {
            stream,
            done,
            ...(total === undefined ? {} : { total }),
            ...(note === undefined ? {} : { note: note.slice(0, NOTE_LENGTH) }),
          }),
        );
      },
    };
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
      if (answer.accepted) this.#link.mustSend(encodeFrame("accepted", { stream }));
      else this.#link.sendBody(stream, { type: "json", isError: false, body: answer.preview });
    } catch (thrown) {
      this.#link.mustSend(encodeFrame("res", { stream, err: toFailure(thrown) }));
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
    if (result === undefined || stream === undefined) this.#link.mustSend(header);
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
    ...(frame.max_bytes === undefined ? {} : { maxBytes: frame.max_bytes }),
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
