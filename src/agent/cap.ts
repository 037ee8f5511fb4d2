/** Keeps an answer within its size: rows of the largest list go, and the answer says how many and what to ask instead. */
import { EdgeError } from "../errors.ts";
import { isRecord } from "./canonical.ts";

/** Default size of an answer in bytes (design 3.1). */
export const MAX_ANSWER_BYTES = 64 * 1024;

/** Room for the note of what was cut. */
const NOTE_BYTES = 1024;
/** Answers have a handful of lists; more rounds than that cannot help. */
const MAX_ROUNDS = 8;

type Mutable = Record<string, unknown>;

interface Cut {
  readonly shown: number;
  readonly total: number;
}

/**
 * The answer as JSON bytes of at most `limit`; what was left out stands in `cut`, a name that no tool uses. `narrowing` names the tool's arguments that would make it smaller.
 * Throws TOO_LARGE where cutting lists does not suffice.
 */
export function capped(answer: Readonly<Record<string, unknown>>, limit: number, narrowing: readonly string[]): Buffer {
  const whole = Buffer.from(JSON.stringify(answer));
  if (whole.length <= limit) return whole;

  const copy = JSON.parse(whole.toString()) as Mutable;
  const cuts: Record<string, Cut> = {};
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const excess = sizeOf(copy) + NOTE_BYTES - limit;
    if (excess <= 0) return Buffer.from(JSON.stringify({ ...copy, cut: noteOf(cuts, limit, narrowing) }));
    const largest = largestList(copy, "");
    if (largest === undefined) break;
    const total = cuts[largest.path]?.total ?? largest.list.length;
    largest.holder[largest.name] = shortened(largest.list, excess);
    cuts[largest.path] = { shown: (largest.holder[largest.name] as readonly unknown[]).length, total };
  }
  throw new EdgeError("TOO_LARGE", `The answer is larger than ${limit} bytes.`, { hint: adviceOf(narrowing) });
}

function noteOf(lists: Readonly<Record<string, Cut>>, limit: number, narrowing: readonly string[]) {
  return { lists, limit_bytes: limit, hint: adviceOf(narrowing) };
}

function adviceOf(narrowing: readonly string[]): string {
  return narrowing.length === 0
    ? "Ask for one object by its id instead of the whole list."
    : `Ask again with a narrower ${narrowing.join(", ")}.`;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

/** The first rows that leave out at least `excess` bytes; whole rows only. */
function shortened(list: readonly unknown[], excess: number): readonly unknown[] {
  let freed = 0;
  let kept = list.length;
  while (kept > 0 && freed < excess) {
    kept -= 1;
    freed += sizeOf(list[kept]) + 1;
  }
  return list.slice(0, kept);
}

interface List {
  readonly holder: Mutable;
  readonly name: string;
  readonly path: string;
  readonly list: readonly unknown[];
}

/** The largest list that is a field, or a field of a field; lists within rows belong to their row. */
function largestList(value: Mutable, prefix: string): List | undefined {
  const lists = Object.entries(value).flatMap(([name, inner]): List[] => {
    const path = `${prefix}${name}`;
    if (Array.isArray(inner)) return inner.length > 0 ? [{ holder: value, name, path, list: inner }] : [];
    if (!isRecord(inner)) return [];
    // the copy is our own, fresh from JSON.parse
    const nested = largestList(inner as Mutable, `${path}.`);
    return nested === undefined ? [] : [nested];
  });
  return lists.sort((a, b) => sizeOf(b.list) - sizeOf(a.list))[0];
}
