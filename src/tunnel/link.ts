/** One WebSocket as both ends use it: frames and bodies out, frames and chunks in, heartbeats, and one end. */
import type { Writable } from "node:stream";
import type { RawData, WebSocket } from "ws";
import { asEdgeError } from "../errors.ts";
import type { CallResult } from "./calls.ts";
import { type Chunk, decodeChunk, decodeFrame, encodeChunk, encodeFrame } from "./codec.ts";
import type { Frame, Side } from "./frame.ts";
import {
  BULK_BUFFER_BYTES,
  CHUNK_BYTES,
  CLOSE,
  CLOSE_GRACE_MS,
  type LinkTimings,
  QUEUED_BODY_BYTES,
  SOCKET_BUFFER_BYTES,
} from "./limits.ts";
import type { Timing } from "./timing.ts";

/** RFC 6455 §7.4.1: no close frame was received. Also our own word for a silent or stuck peer. */
export const ABNORMAL = 1006;

/** RFC 6455 §5.5 leaves 123 bytes; a letter cut in half becomes a replacement character of up to three. */
const CLOSE_REASON_BYTES = 120;

export interface LinkEnd {
  readonly code: number;
  readonly reason: string;
}

export interface LinkOptions {
  readonly socket: WebSocket;
  /** What the socket writes to, where it is at hand: messages of one moment then leave together. */
  readonly stream?: Pick<Writable, "cork" | "uncork">;
  /** Who sits at the other end. */
  readonly peer: Side;
  readonly timing: Timing;
  readonly timings: LinkTimings;
  readonly random: () => number;
  frame(frame: Frame): void;
  chunk(chunk: Chunk): void;
  /** Runs exactly once, at the moment the link is given up and not when the peer agrees. */
  ended(end: LinkEnd): void;
}

export interface Body {
  readonly type: CallResult["type"];
  readonly isError: boolean;
  readonly body: Buffer;
}

interface OutgoingBody extends Body {
  readonly stream: number;
  /** Announces the stream; sent right before its first chunk, so no peer holds announcements of waiting bodies. */
  readonly header: string | undefined;
  seq: number;
}

/** So many bodies take turns; the rest wait in line, so a peer never holds more halves than this. */
const TURNS = 16;

export class Link {
  readonly #options: LinkOptions;
  readonly #socket: WebSocket;
  /** Bodies that wait for room; the first ones take turns, one chunk each, so that none starves. */
  readonly #bodies: OutgoingBody[] = [];
  #queuedBytes = 0;
  #unflushed = 0;
  #gathering = false;
  #flushedAt: number;
  #heardAt: number;
  #heartbeatAt: number;
  #cancelLook: () => void;
  #ended = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#socket = options.socket;
    const now = options.timing.now();
    this.#flushedAt = now;
    this.#heardAt = now;
    this.#heartbeatAt = now + this.#nextHeartbeat();
    this.#cancelLook = options.timing.after(options.timings.lookMs, this.#look);
    this.#socket.on("message", this.#received);
    this.#socket.on("close", (code: number, reason: Buffer) => this.#finish({ code, reason: reason.toString() }));
    // `ws` emits close after every error; the close carries the code
    this.#socket.on("error", () => undefined);
  }

  /** False when the frame was certainly not handed to the network: the link has ended or its buffer is full. */
  send(text: string): boolean {
    if (this.#ended || this.#socket.readyState !== this.#socket.OPEN) return false;
    if (this.#socket.bufferedAmount + text.length > SOCKET_BUFFER_BYTES) return false;
    this.#hand(text);
    return true;
  }

  /** For what may not be lost while the link lives: a full buffer ends it, and both sides know where they stand. */
  mustSend(text: string): void {
    if (!this.send(text)) this.terminate("the peer reads too slowly");
  }

  /** Sends a body as chunks; at once when small and the way is free. */
  sendBody(stream: number, body: Body, header?: string): void {
    if (this.#ended) return;
    this.#queuedBytes += body.body.length;
    if (this.#queuedBytes > QUEUED_BODY_BYTES) {
      this.terminate("the peer reads too slowly: too many bodies wait for it");
      return;
    }
    this.#bodies.push({ type: body.type, isError: body.isError, body: body.body, stream, header, seq: 0 });
    this.#pump();
  }

  /** Ends the link now and tells the peer why; a peer that does not answer has its socket destroyed. */
  end(code: number, reason: string): void {
    if (this.#ended) return;
    this.#socket.close(code, Buffer.from(reason).subarray(0, CLOSE_REASON_BYTES).toString());
    const cancel = this.#options.timing.after(CLOSE_GRACE_MS, () => this.#socket.terminate());
    this.#socket.once("close", cancel);
    this.#finish({ code, reason });
  }

  /** For a peer that is silent or stuck: `close()` would wait 30 s for its answer. */
  terminate(reason: string): void {
    if (this.#ended) return;
    this.#finish({ code: ABNORMAL, reason });
    this.#socket.terminate();
  }

  #finish(end: LinkEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancelLook();
    this.#bodies.length = 0;
    this.#options.ended(end);
  }

  readonly #received = (data: RawData, isBinary: boolean): void => {
    this.#heardAt = this.#options.timing.now();
    if (this.#ended) return;
    try {
      const message = data as Buffer; // binaryType is nodebuffer, ws's default
      if (isBinary) {
        const chunk = decodeChunk(message);
        if (chunk !== undefined) this.#options.chunk(chunk);
        return;
      }
      const frame = decodeFrame(message.toString(), this.#options.peer);
      if (frame?.t === "hb") this.send(encodeFrame("hb.ack", { at: frame.at }));
      else if (frame !== undefined && frame.t !== "hb.ack") this.#options.frame(frame);
    } catch (error) {
      this.end(CLOSE.protocol, asEdgeError(error).message);
    }
  };

  #hand(message: string | Buffer): void {
    if (this.#unflushed === 0) this.#flushedAt = this.#options.timing.now();
    this.#unflushed += 1;
    this.#gather();
    this.#socket.send(message, this.#flushed);
  }

  /** One write for all messages of this turn of the event loop: the system call costs more than making a message. */
  #gather(): void {
    const { stream } = this.#options;
    if (stream === undefined || this.#gathering) return;
    this.#gathering = true;
    stream.cork();
    setImmediate(() => {
      this.#gathering = false;
      stream.uncork();
    });
  }

  readonly #flushed = (): void => {
    this.#unflushed -= 1;
    this.#flushedAt = this.#options.timing.now();
    if (this.#bodies.length > 0) this.#pump();
  };

  #pump(): void {
    while (!this.#ended && this.#bodies.length > 0 && this.#socket.bufferedAmount < BULK_BUFFER_BYTES) {
      const next = this.#bodies.shift();
      if (next === undefined || this.#socket.readyState !== this.#socket.OPEN) return;
      const from = next.seq * CHUNK_BYTES;
      const bytes = next.body.subarray(from, from + CHUNK_BYTES);
      const last = from + bytes.length >= next.body.length;
      this.#queuedBytes -= bytes.length;
      if (next.seq === 0 && next.header !== undefined) this.#hand(next.header);
      this.#hand(
        encodeChunk({ stream: next.stream, seq: next.seq, last, isError: next.isError, type: next.type, bytes }),
      );
      next.seq += 1;
      if (!last) this.#bodies.splice(TURNS - 1, 0, next);
    }
  }

  #nextHeartbeat(): number {
    return this.#options.timings.heartbeatMs * (0.9 + 0.2 * this.#options.random());
  }

  readonly #look = (): void => {
    const { timing, timings } = this.#options;
    const now = timing.now();
    if (now - this.#heardAt >= timings.deadMs) {
      this.terminate(`nothing was heard for ${Math.round((now - this.#heardAt) / 1000)} s`);
      return;
    }
    if (this.#unflushed > 0 && now - this.#flushedAt >= timings.stuckMs) {
      this.terminate("the peer takes no bytes");
      return;
    }
    if (now >= this.#heartbeatAt) {
      this.#heartbeatAt = now + this.#nextHeartbeat();
      this.send(encodeFrame("hb", { at: timing.wallClock() }));
    }
    this.#cancelLook = timing.after(timings.lookMs, this.#look);
  };
}
