/** Reads one JSON record of the store: the schema check that every stored byte passes where it enters. */
import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { EdgeError } from "../errors.ts";

/**
 * A reader of records of this schema: undefined stays undefined; anything that is not such a record is an error,
 * since a register that cannot be read must not be taken for an empty one.
 */
export function recordReader<Schema extends TSchema>(what: string, schema: Schema) {
  const validator = Compile(schema);
  return (text: string | undefined): Static<Schema> | undefined => {
    if (text === undefined) return undefined;
    const value = parseJson(text);
    if (!validator.Check(value)) throw new EdgeError("INTERNAL", `The store holds a damaged ${what} record.`);
    return value as Static<Schema>; // checked on the line above; the validator's own type is wider than Static
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
