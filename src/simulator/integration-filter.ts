/** The `filter` argument of integration lists: `name.like('AP*')`, joined by and(…), or(…), not(…) (unifi-api.md section 2). */
import type { Row } from "./exchange.ts";
import { isRow } from "./world.ts";

export type Predicate = (row: Row) => boolean;

const MAX_FILTER_LENGTH = 2000;
const MAX_DEPTH = 10;

type Compare = (actual: unknown, wanted: readonly string[]) => boolean;

const FUNCTIONS: Readonly<Record<string, Compare>> = {
  eq: (actual, [wanted]) => textOf(actual) === wanted,
  ne: (actual, [wanted]) => textOf(actual) !== wanted,
  gt: (actual, [wanted]) => compare(actual, wanted) > 0,
  ge: (actual, [wanted]) => compare(actual, wanted) >= 0,
  lt: (actual, [wanted]) => compare(actual, wanted) < 0,
  le: (actual, [wanted]) => compare(actual, wanted) <= 0,
  like: (actual, [wanted = ""]) => isLike(textOf(actual), wanted),
  in: (actual, wanted) => wanted.includes(textOf(actual)),
  notIn: (actual, wanted) => !wanted.includes(textOf(actual)),
  isNull: (actual) => actual === undefined || actual === null,
  isNotNull: (actual) => actual !== undefined && actual !== null,
  isEmpty: (actual) => listOf(actual).length === 0,
  contains: (actual, [wanted = ""]) => listOf(actual).includes(wanted),
  containsAny: (actual, wanted) => wanted.some((item) => listOf(actual).includes(item)),
  containsAll: (actual, wanted) => wanted.every((item) => listOf(actual).includes(item)),
  containsExactly: (actual, wanted) => [...listOf(actual)].sort().join() === [...wanted].sort().join(),
};

/** Reads a filter; undefined when it is not one. */
export function parseFilter(text: string): Predicate | undefined {
  if (text.length > MAX_FILTER_LENGTH) return undefined;
  const parsed = parseExpression(text.trim(), 0);
  return parsed !== undefined && parsed.rest === "" ? parsed.predicate : undefined;
}

interface Parsed {
  readonly predicate: Predicate;
  readonly rest: string;
}

function parseExpression(text: string, depth: number): Parsed | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const joined = /^(and|or|not)\(/.exec(text);
  return joined === null ? parseCall(text) : parseJoined(joined[1] ?? "", text.slice(joined[0].length), depth);
}

function parseJoined(word: string, text: string, depth: number): Parsed | undefined {
  const parts: Predicate[] = [];
  let rest = text;
  for (;;) {
    const part = parseExpression(rest.trimStart(), depth + 1);
    if (part === undefined) return undefined;
    parts.push(part.predicate);
    rest = part.rest.trimStart();
    if (rest.startsWith(")")) break;
    if (!rest.startsWith(",")) return undefined;
    rest = rest.slice(1);
  }
  if (word === "not" && parts.length !== 1) return undefined;
  return { predicate: joinParts(word, parts), rest: rest.slice(1).trimStart() };
}

function joinParts(word: string, parts: readonly Predicate[]): Predicate {
  if (word === "and") return (row) => parts.every((part) => part(row));
  const any: Predicate = (row) => parts.some((part) => part(row));
  return word === "or" ? any : (row) => !any(row);
}

/** `property.path.fn('text', 3, true)`. */
function parseCall(text: string): Parsed | undefined {
  const head = /^([A-Za-z][\w.]*)\.(\w+)\(/.exec(text);
  if (head === null) return undefined;
  const [whole, property = "", name = ""] = head;
  const test = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  const tail = /^((?:\s*(?:'[^']*'|[^',()\s]+)\s*,?)*)\)\s*/.exec(text.slice(whole.length));
  if (test === undefined || tail === null) return undefined;
  const wanted = [...(tail[1] ?? "").matchAll(/'([^']*)'|([^',\s]+)/g)].map((match) => match[1] ?? match[2] ?? "");
  return {
    predicate: (row) => test(valueAt(row, property.split(".")), wanted),
    rest: text.slice(whole.length + tail[0].length),
  };
}

function valueAt(row: Row, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isRow(inner) ? inner[key] : undefined), row);
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function compare(actual: unknown, wanted = ""): number {
  const numeric = typeof actual === "number" ? actual - Number(wanted) : Number.NaN;
  return Number.isNaN(numeric) ? textOf(actual).localeCompare(wanted) : numeric;
}

/** `*` stands for any text, `.` for one character. */
function isLike(text: string, pattern: string): boolean {
  const escaped = pattern.replace(/[\\^$+?()[\]{}|]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${escaped}$`).test(text);
}
