/** Checks arguments of known tools against the manifest's schema: forgiving in form, strict in names and types. */
import { Compile, type Validator } from "typebox/compile";
import { EdgeError } from "../errors.ts";
import { assertBounds, MAX_ARGUMENT_DEPTH, MAX_ARGUMENT_SIZE } from "./bounds.ts";
import { type JsonSchema, propertiesOf } from "./manifest.ts";
import { printable } from "./printable.ts";
import { problemsOf } from "./problems.ts";

export type Arguments = { readonly [name: string]: unknown };

/** What the check needs to know of a tool. */
export interface ArgumentRules {
  readonly name: string;
  readonly schema: { readonly input: JsonSchema };
  readonly aliases?: Readonly<Record<string, string>>;
  readonly macs?: readonly string[];
}

export interface Bounds {
  readonly depth: number;
  readonly size: number;
}

export const ARGUMENT_BOUNDS: Bounds = { depth: MAX_ARGUMENT_DEPTH, size: MAX_ARGUMENT_SIZE };

/** The check of one table of tools. A tool's validator is compiled at its first call and kept. */
export function createArgumentCheck(
  tools: ReadonlyMap<string, ArgumentRules>,
  nearest: (name: string) => readonly string[],
  bounds: Bounds = ARGUMENT_BOUNDS,
): (name: string, args: unknown) => Arguments {
  const compiled = new Map<string, Validator>();

  function validatorOf(tool: ArgumentRules): Validator {
    const known = compiled.get(tool.name);
    if (known !== undefined) return known;
    const validator = Compile(tool.schema.input);
    compiled.set(tool.name, validator);
    return validator;
  }

  return (name, args) => {
    const tool = tools.get(name);
    if (tool === undefined) throw toolNotFound(name, nearest(name));
    const named = withDeclaredForms(tool, argumentsObject(args, bounds), bounds);
    const validator = validatorOf(tool);
    if (validator.Check(named)) return named;
    throw argumentsInvalid(tool, problemsOf(validator.Errors(named), tool.schema.input));
  };
}

/** TOOL_NOT_FOUND with the three nearest names, for every path on which a tool's name arrives. */
export function toolNotFound(name: string, nearest: readonly string[]): EdgeError {
  const known = nearest.join(", ");
  return new EdgeError("TOOL_NOT_FOUND", `There is no tool named "${printable(name, 100)}". Nearest: ${known}.`, {
    hint: "Search the tool index for the right name.",
    details: { nearest },
  });
}

export function argumentsInvalid(tool: ArgumentRules, problems: readonly string[]): EdgeError {
  const valid = Object.keys(propertiesOf(tool.schema.input));
  const names = valid.length === 0 ? "It takes no arguments." : `Its arguments: ${valid.join(", ")}.`;
  return new EdgeError("ARGUMENTS_INVALID", `${tool.name}: ${problems.join("; ")}. ${names}`, {
    details: { valid_arguments: valid },
  });
}

/** An object, or JSON text of one; undefined counts as `{}`. Bounded in depth and size. */
export function argumentsObject(args: unknown, bounds: Bounds = ARGUMENT_BOUNDS): Arguments {
  const value = typeof args === "string" ? fromText(args, "arguments", bounds) : (args ?? {});
  if (typeof value !== "object" || Array.isArray(value) || value === null) {
    throw new EdgeError("ARGUMENTS_INVALID", "arguments must be an object, or the JSON text of one.");
  }
  assertBounds(value, "arguments", bounds.depth, bounds.size);
  // an object that is neither null nor an array is a record of unknown values
  return value as Arguments;
}

/**
 * Aliases become declared names, JSON text of objects and arrays is read, MACs and listed values take their declared
 * form. Nothing is invented.
 */
function withDeclaredForms(tool: ArgumentRules, args: Arguments, bounds: Bounds): Arguments {
  const properties = propertiesOf(tool.schema.input);
  const declared = (name: string) => {
    const target = Object.hasOwn(properties, name) ? undefined : ownValue(tool.aliases, name);
    return target === undefined || Object.hasOwn(args, target) ? name : target;
  };
  return Object.fromEntries(
    Object.entries(args).map(([given, value]) => {
      const name = declared(given);
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const read = listedForm(schema, withReadText(schema, name, value, bounds));
      return [name, tool.macs?.includes(name) === true ? macForm(tool, name, read) : read];
    }),
  );
}

function ownValue(record: Readonly<Record<string, string>> | undefined, name: string): string | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** JSON text where an object or array is declared: models send it so; text that is no JSON fails the type check. */
function withReadText(schema: JsonSchema | undefined, name: string, value: unknown, bounds: Bounds): unknown {
  if (typeof value !== "string" || !isStructured(schema?.type)) return value;
  const read = fromText(value, name, bounds);
  assertBounds(read, name, bounds.depth - 1, bounds.size);
  return read;
}

/** An object or array, also one that may be null instead; where text is allowed too, text stays text. */
function isStructured(type: unknown): boolean {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.some((one) => one === "object" || one === "array") && !types.includes("string");
}

/** `get` where GET is listed: models mind no case, and no list of ours holds two values that differ in it alone. */
function listedForm(schema: JsonSchema | undefined, value: unknown): unknown {
  if (typeof value !== "string" || !Array.isArray(schema?.enum)) return value;
  const listed: readonly unknown[] = schema.enum;
  if (listed.includes(value)) return value;
  return listed.find((one) => typeof one === "string" && one.toLowerCase() === value.toLowerCase()) ?? value;
}

function fromText(text: string, what: string, bounds: Bounds): unknown {
  if (text.length > bounds.size) {
    throw new EdgeError("TOO_LARGE", `${what} is larger than ${bounds.size} characters.`);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new EdgeError("ARGUMENTS_INVALID", `${what} is text that is not JSON.`, { cause });
  }
}

const MAC_SEPARATORS = /[\s:._-]/g;
const MAC_DIGITS = /^[0-9a-f]{12}$/;

function macForm(tool: ArgumentRules, name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => macForm(tool, name, one));
  if (typeof value !== "string") return value;
  const digits = value.replace(MAC_SEPARATORS, "").toLowerCase();
  if (!MAC_DIGITS.test(digits)) {
    throw argumentsInvalid(tool, [`"${name}" is not a MAC address (six pairs of hexadecimal digits)`]);
  }
  return digits.replace(/..(?!$)/g, "$&:");
}
