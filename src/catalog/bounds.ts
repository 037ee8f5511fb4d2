/** Limits of a JSON value that a stranger sent: how deep and how large, found in one walk that stops at the limit. */
import { EdgeError } from "../errors.ts";

export const MAX_ARGUMENT_DEPTH = 32;
/** Characters of all names and values together. */
export const MAX_ARGUMENT_SIZE = 256 * 1024;

/** What an object, array, number or literal adds to the size beside its names and strings. */
const NODE_SIZE = 4;

/** Throws ARGUMENTS_INVALID (too deep) or TOO_LARGE; `what` names the value in the text. */
export function assertBounds(value: unknown, what: string, maxDepth: number, maxSize: number): void {
  let size = 0;

  const walk = (node: unknown, depth: number): void => {
    size += typeof node === "string" ? node.length : NODE_SIZE;
    if (size > maxSize) throw new EdgeError("TOO_LARGE", `${what} is larger than ${maxSize} characters.`);
    if (typeof node !== "object" || node === null) return;
    if (depth >= maxDepth)
      throw new EdgeError("ARGUMENTS_INVALID", `${what} is nested deeper than ${maxDepth} levels.`);
    // every request passes here: no list of pairs is made for it
    const fields = node as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(fields)) {
      size += name.length;
      walk(fields[name], depth + 1);
    }
  };

  walk(value, 0);
}
