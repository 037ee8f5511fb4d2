/** Joins the chunks of one peer's bodies, in order and within a byte budget. */
import { EdgeError } from "../errors.ts";
import type { Chunk } from "./codec.ts";
import { ASSEMBLY_BYTES } from "./limits.ts";
import type { Body } from "./link.ts";

interface Partial {
  readonly parts: Buffer[];
  bytes: number;
}

export class Assembly {
  readonly #open = new Map<number, Partial>();
  #bytes = 0;

  /**
   * Takes one chunk of an announced stream. Returns the whole body after its last chunk, else undefined.
   * Throws PROTOCOL_ERROR for a chunk out of order and TOO_LARGE past `limit` or past what one peer may have open;
   * the stream is forgotten then.
   */
  add(chunk: Chunk, limit: number): Body | undefined {
    if (chunk.last && chunk.seq === 0) return { type: chunk.type, isError: chunk.isError, body: chunk.bytes };
    const partial = this.#open.get(chunk.stream) ?? { parts: [], bytes: 0 };
    if (chunk.seq !== partial.parts.length) {
      this.drop(chunk.stream);
      throw new EdgeError("PROTOCOL_ERROR", "Malformed tunnel message: a chunk is out of order.");
    }
    partial.parts.push(chunk.bytes);
    partial.bytes += chunk.bytes.length;
    this.#bytes += chunk.bytes.length;
    this.#open.set(chunk.stream, partial);
    if (partial.bytes > limit || this.#bytes > ASSEMBLY_BYTES) {
      this.drop(chunk.stream);
      throw new EdgeError(
        "TOO_LARGE",
        `One answer may have ${limit} bytes, and unfinished ones ${ASSEMBLY_BYTES} together.`,
        {
          hint: "Ask a narrower question: limit, fields or filter.",
        },
      );
    }
    if (!chunk.last) return undefined;
    this.drop(chunk.stream);
    return { type: chunk.type, isError: chunk.isError, body: Buffer.concat(partial.parts, partial.bytes) };
  }

  drop(stream: number): void {
    this.#bytes -= this.#open.get(stream)?.bytes ?? 0;
    this.#open.delete(stream);
  }
}
