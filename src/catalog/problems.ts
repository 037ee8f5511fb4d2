/** A validator's findings as short sentences that name the path, for people and models. */
import type { TLocalizedValidationError } from "typebox/error";
import { type JsonSchema, propertiesOf } from "./manifest.ts";
import { printable } from "./printable.ts";

const MAX_PROBLEMS = 8;
const MAX_VALUES = 24;

/** At most eight, in the validator's order. With the schema, an unknown name inside an object is told beside the valid ones. */
export function problemsOf(errors: readonly TLocalizedValidationError[], schema: JsonSchema = {}): string[] {
  return errors.flatMap((error) => problemsOfOne(error, schema)).slice(0, MAX_PROBLEMS);
}

function problemsOfOne(error: TLocalizedValidationError, schema: JsonSchema): string[] {
  const at = pathOf(error.instancePath);
  // repeats what additionalProperties says, once for each name
  if (error.keyword === "boolean") return [];
  if (error.keyword === "additionalProperties") {
    const valid = at === "" ? "" : validNames(schema, error.instancePath);
    return error.params.additionalProperties.map((name) => `unknown argument ${quoted(join(at, name))}${valid}`);
  }
  if (error.keyword === "required") {
    return error.params.requiredProperties.map((name) => `${quoted(join(at, name))} is missing`);
  }
  if (error.keyword === "enum") {
    return [`${quoted(at)} must be one of ${error.params.allowedValues.slice(0, MAX_VALUES).join(", ")}`];
  }
  return [at === "" ? `arguments ${error.message}` : `${quoted(at)} ${error.message}`];
}

/** The top level's names are told once, by argumentsInvalid. */
function validNames(schema: JsonSchema, pointer: string): string {
  const inner = pointer.split("/").slice(1).reduce<JsonSchema | undefined>(stepInto, schema);
  const names = Object.keys(propertiesOf(inner ?? {}));
  return names.length === 0 ? "" : ` (${pathOf(pointer)} takes ${names.slice(0, MAX_VALUES).join(", ")})`;
}

function stepInto(schema: JsonSchema | undefined, step: string): JsonSchema | undefined {
  const properties = propertiesOf(schema ?? {});
  return Object.hasOwn(properties, step) ? properties[step] : (schema?.items as JsonSchema | undefined);
}

/** JSON pointer to the dotted path that people write: `/rules/0/port` is `rules.0.port`. */
function pathOf(pointer: string): string {
  return pointer.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
}

const join = (at: string, name: string) => (at === "" ? name : `${at}.${name}`);
const quoted = (path: string) => `"${printable(path, 80)}"`;
