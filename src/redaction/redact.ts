/** Takes secrets out of any value before it leaves the agent: by key name, by field path, and by the shape of a text. */
import { verdictOf } from "./secret-names.ts";
import { cleanText, maskShapes, REDACTED } from "./text.ts";

export { cleanText, REDACTED, redactText } from "./text.ts";

export interface RedactOptions {
  /** Field paths that are secret whatever they are called, e.g. `data.*.voucher_code`; `*` stands for any key or row. */
  readonly paths?: readonly string[];
  /** Cleans every text (control characters, invisible marks) and cuts it at this many characters. */
  readonly maxText?: number;
}

/** Deeper is nothing that a console sends; beyond it everything counts as secret. */
const MAX_DEPTH = 64;
/** Values looked at in one call; a 32 MiB body has at most about 3 million. */
const MAX_NODES = 4_000_000;

/**
 * A copy of a JSON value without its secrets. Keys stay and their values become REDACTED; true, false, null and empty
 * text stay as they are, since they only tell whether a secret is set. Fails closed: what is too deep, too much or no
 * JSON value is redacted.
 */
export function redact(value: unknown, options: RedactOptions = {}): unknown {
  const patterns = (options.paths ?? []).map((path) => path.split("."));
  return new Walk(options.maxText).copy(value, patterns, 0);
}

/** Patterns that still match below here: each with the segments that are left. */
type Patterns = readonly (readonly string[])[];

class Walk {
  readonly #maxText: number | undefined;
  #nodes = 0;

  constructor(maxText: number | undefined) {
    this.#maxText = maxText;
  }

  copy(value: unknown, patterns: Patterns, depth: number): unknown {
    this.#nodes += 1;
    if (typeof value === "string") return this.#text(value);
    if (value === null || typeof value === "number" || typeof value === "boolean" || value === undefined) return value;
    if (depth >= MAX_DEPTH || this.#nodes > MAX_NODES) return REDACTED;
    if (Array.isArray(value)) return value.map((item) => this.#item("*", item, patterns, depth));
    if (!isPlainObject(value)) return value instanceof Date ? value.toISOString() : REDACTED;
    const copied: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      setOwn(copied, this.#key(key), this.#field(key, value[key], patterns, depth));
    }
    return copied;
  }

  #field(key: string, item: unknown, patterns: Patterns, depth: number): unknown {
    const verdict = verdictOf(key);
    if (verdict === "secret") return hide(item);
    if (verdict === "inside" && !isStructure(item)) return hide(item);
    return this.#item(key, item, patterns, depth);
  }

  #item(key: string, item: unknown, patterns: Patterns, depth: number): unknown {
    if (patterns.length === 0) return this.copy(item, patterns, depth + 1);
    const below = patterns.filter(([head]) => head === key || head === "*").map((pattern) => pattern.slice(1));
    if (below.some((pattern) => pattern.length === 0)) return hide(item);
    return this.copy(item, below, depth + 1);
  }

  #text(text: string): string {
    const masked = maskShapes(text);
    if (this.#maxText === undefined) return masked;
    const cleaned = cleanText(masked, this.#maxText);
    // invisible marks may have hidden a shape until they were taken out
    return cleaned === masked ? masked : maskShapes(cleaned);
  }

  #key(key: string): string {
    return this.#maxText === undefined ? key : cleanText(key, this.#maxText);
  }
}

/** Assignment to `__proto__` would set the prototype; as an own property it stays a key like any other. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/** Whether something is set stays visible, what it is does not. */
function hide(item: unknown): unknown {
  const tellsNothing = item === null || item === undefined || item === "" || typeof item === "boolean";
  return tellsNothing || isEmptyList(item) ? item : REDACTED;
}

function isEmptyList(item: unknown): boolean {
  return Array.isArray(item) && item.length === 0;
}

/** An object, or a list of objects: something with field names of its own. A list of bare texts is a list of secrets. */
function isStructure(item: unknown): boolean {
  if (Array.isArray(item)) return item.every((row) => isPlainObject(row));
  return isPlainObject(item);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Path (`a.b.0.c`) of the first value that contains the redaction marker; undefined when there is none. An argument that
 * sends a marker back would overwrite the secret with it, so the agent refuses it.
 */
export function containsMarker(value: unknown): string | undefined {
  return markerBelow(value, "", 0);
}

function markerBelow(value: unknown, path: string, depth: number): string | undefined {
  if (typeof value === "string") return value.includes(REDACTED) ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  // arguments that deep are refused elsewhere; here they count as suspicious
  if (depth >= MAX_DEPTH) return path;
  for (const [key, item] of Object.entries(value)) {
    const here = path === "" ? key : `${path}.${key}`;
    if (key.includes(REDACTED)) return here;
    const found = markerBelow(item, here, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
