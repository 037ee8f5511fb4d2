/** Reads what another replica published: a hint that cannot be read is a lost hint, and never an error. */
import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";

/** JSON of this schema, or undefined. */
export function hintReader<Schema extends TSchema>(schema: Schema) {
  const validator = Compile(schema);
  return (text: string): Static<Schema> | undefined => {
    try {
      const value: unknown = JSON.parse(text);
      return validator.Check(value) ? (value as Static<Schema>) : undefined; // just checked
    } catch {
      return undefined;
    }
  };
}
