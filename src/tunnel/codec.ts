/** Bytes to frames and back: pure. Malformed input throws PROTOCOL_ERROR; unknown frames are undefined. */
import { Compile } from "typebox/compile";
import { EdgeError } from "../errors.ts";
import type { CallResult } from "./calls.ts";
import { type FieldsOf, FRAMES, type Frame, type FrameType, type Side } from "./frame.ts";
import { HEADER_DEPTH } from "./limits.ts";

/** Binary message: u8 kind, u8 flags, u32 stream, u32 seq (big endian), then body bytes. */
const CHUNK_KIND = 1;
export const CHUNK_HEADER_BYTES = 10;
const LAST = 0b0001;
const IS_ERROR = 0b0010;
const TYPE_SHIFT = 2;
const BODY_TYPES = ["json", "image/jpeg", "image/png"] as const satisfies readonly CallResult["type"][];

export interface Chunk {
  readonly stream: number;
  readonly seq: number;
  readonly last: boolean;
  readonly isError: boolean;
  readonly type: CallResult["type"];
  readonly bytes: Buffer;
}

type Validator = { Check(value: unknown): boolean };
/** Compiled at first use: a command that opens no tunnel pays for none. */
const validators = new Map<FrameType, Validator>();

function validatorOf(type: FrameType): Validator {
  const known = validators.get(type);
  if (known !== undefined) return known;
  const made = Compile(FRAMES[type].fields);
  validators.set(type, made);
  return made;
}

export function encodeFrame<T extends FrameType>(type: T, fields: FieldsOf<T>): string {
  return JSON.stringify({ t: type, ...(fields as object) });
}

/** One text message of `sender`. Returns undefined for a frame that this version does not know. */
export function decodeFrame(text: string, sender: Side): Frame | undefined {
  if (nestsDeeperThan(text, HEADER_DEPTH)) throw malformed(`a header nests deeper than ${HEADER_DEPTH} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed("a text message is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed("a header is not an object");
  const type = (value as { t?: unknown }).t;
  if (typeof type !== "string") throw malformed("a header has no type");
  if (!Object.hasOwn(FRAMES, type)) return undefined;
  const known = type as FrameType; // hasOwn has just shown it
  const { from } = FRAMES[known];
  if (from !== "both" && from !== sender) throw malformed(`the ${sender} may not send ${known}`);
  if (!validatorOf(known).Check(value)) throw malformed(`${known} has a missing or wrong field`);
  return value as Frame; // the schema of its type has just been checked
}

/** Cuts off the header's flags; unknown kinds of binary messages are undefined. */
export function decodeChunk(message: Buffer): Chunk | undefined {
  if (message.length < CHUNK_HEADER_BYTES) throw malformed("a binary message is shorter than its header");
  if (message[0] !== CHUNK_KIND) return undefined;
  const flags = message[1] ?? 0;
  const type = BODY_TYPES[flags >> TYPE_SHIFT];
  if (type === undefined) throw malformed("a chunk has unknown flags");
  return {
    stream: message.readUInt32BE(2),
    seq: message.readUInt32BE(6),
    last: (flags & LAST) !== 0,
    isError: (flags & IS_ERROR) !== 0,
    type,
    bytes: message.subarray(CHUNK_HEADER_BYTES),
  };
}

export function encodeChunk(chunk: Chunk): Buffer {
  const message = Buffer.allocUnsafe(CHUNK_HEADER_BYTES + chunk.bytes.length);
  message[0] = CHUNK_KIND;
  message[1] =
    (chunk.last ? LAST : 0) | (chunk.isError ? IS_ERROR : 0) | (BODY_TYPES.indexOf(chunk.type) << TYPE_SHIFT);
  message.writeUInt32BE(chunk.stream, 2);
  message.writeUInt32BE(chunk.seq, 6);
  chunk.bytes.copy(message, CHUNK_HEADER_BYTES);
  return message;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Looks at brackets outside strings only; cheaper than parsing, and it cannot recurse. */
export function nestsDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > limit) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return false;
}

function malformed(what: string): EdgeError {
  return new EdgeError("PROTOCOL_ERROR", `Malformed tunnel message: ${what}.`);
}
