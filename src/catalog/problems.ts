/** A validator's findings as short sentences that name the path, for people and models. */
import type { TLocalizedValidationError } from "typebox/error";
import { printable } from "./printable.ts";

const MAX_PROBLEMS = 8;
const MAX_VALUES = 24;

/** At most eight, in the validator's order. */
export function problemsOf(errors: readonly TLocalizedValidationError[]): string[] {
  return errors.flatMap(problemsOfOne).slice(0, MAX_PROBLEMS);
}

function problemsOfOne(error: TLocalizedValidationError): string[] {
  const at = pathOf(error.instancePath);
  // repeats what additionalProperties says, once for each name
  if (error.keyword === "boolean") return [];
  if (error.keyword === "additionalProperties") {
    return error.params.additionalProperties.map((name) => `unknown argument ${quoted(join(at, name))}`);
  }
  if (error.keyword === "required") {
    return error.params.requiredProperties.map((name) => `${quoted(join(at, name))} is missing`);
  }
  if (error.keyword === "enum") {
    return [`${quoted(at)} must be one of ${error.params.allowedValues.slice(0, MAX_VALUES).join(", ")}`];
  }
  return [at === "" ? `arguments ${error.message}` : `${quoted(at)} ${error.message}`];
}

/** JSON pointer to the dotted path that people write: `/rules/0/port` is `rules.0.port`. */
function pathOf(pointer: string): string {
  return pointer.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
}

const join = (at: string, name: string) => (at === "" ? name : `${at}.${name}`);
const quoted = (path: string) => `"${printable(path, 80)}"`;
