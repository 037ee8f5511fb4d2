/** Finds the names that are most like a wrong one, by the pairs of letters they share. */
import { PREFIX_OF_APP } from "./manifest.ts";

const NEAREST = 3;
const MAX_NAME_LENGTH = 128;
const PREFIX = new RegExp(`^(?:${Object.values(PREFIX_OF_APP).join("|")})(?=[^a-z]|$)`);

/** Builds the finder for one list of names. Equal scores keep the list's order. */
export function createNearest(names: readonly string[]): (wrong: string) => readonly string[] {
  const entries = names.map((name) => ({ name, pairs: pairsOf(name) }));
  return (wrong) => {
    const pairs = pairsOf(wrong.slice(0, MAX_NAME_LENGTH));
    return entries
      .map(({ name, pairs: other }) => ({ name, score: likeness(pairs, other) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, NEAREST)
      .map(({ name }) => name);
  };
}

/** Letter pairs of the name without app prefix, case and punctuation: `listClients` equals `unifi_list_clients`. */
function pairsOf(name: string): ReadonlySet<string> {
  const plain = `^${name
    .toLowerCase()
    .replace(PREFIX, "")
    .replace(/[^a-z0-9]/g, "")}$`;
  return new Set(Array.from({ length: plain.length - 1 }, (_, index) => plain.slice(index, index + 2)));
}

/** Dice's coefficient, 0 to 1. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return (2 * shared) / (a.size + b.size);
}
