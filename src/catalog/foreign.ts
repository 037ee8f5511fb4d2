/**
 * Tools that the gateway's own manifest does not know, read from an agent's: a closed subset of JSON Schema, checked by
 * an interpreter of ours, so that no regular expression, reference or combinator of a stranger is ever run (design 2).
 */
import { type Arguments, argumentsInvalid, argumentsObject } from "./arguments.ts";
import type { App, JsonSchema, ManifestTool } from "./manifest.ts";
import { printable } from "./printable.ts";

export const MAX_FOREIGN_SCHEMA_DEPTH = 8;
export const MAX_FOREIGN_SCHEMA_BYTES = 64 * 1024;
const MAX_TITLE = 80;
const MAX_SUMMARY = 100;
const MAX_DESCRIPTION = 1000;
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;
type SchemaType = (typeof TYPES)[number];

/** The whole language. Any other keyword drops the tool; descriptions are kept for people. */
const BOUNDS = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const;
const KEYWORDS = new Set<string>([
  ...BOUNDS,
  "type",
  "properties",
  "required",
  "enum",
  "items",
  "additionalProperties",
  "description",
  "title",
  "default",
]);

/** A schema of the subset: what `readForeignSchema` lets through. */
interface ForeignSchema {
  readonly type: SchemaType;
  readonly properties?: Readonly<Record<string, ForeignSchema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: ForeignSchema;
  readonly additionalProperties?: boolean;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/**
 * An agent's tool as it may be shown, or undefined where its schema leaves the subset. It counts as a destructive write
 * whatever it says of itself; texts are one line, capped, without control characters; output schemas are not passed on.
 */
export function readForeignTool(
  tool: Pick<ManifestTool, "name" | "title" | "summary" | "description" | "category" | "schema"> & {
    readonly app: App;
  },
): ManifestTool | undefined {
  if (!TOOL_NAME.test(tool.name)) return undefined;
  if (Buffer.byteLength(JSON.stringify(tool.schema.input)) > MAX_FOREIGN_SCHEMA_BYTES) return undefined;
  const input = readForeignSchema(tool.schema.input, 1);
  if (input?.type !== "object") return undefined;
  return {
    name: tool.name,
    title: printable(tool.title, MAX_TITLE),
    summary: printable(tool.summary, MAX_SUMMARY),
    description: printable(tool.description, MAX_DESCRIPTION),
    app: tool.app,
    category: printable(tool.category, MAX_TITLE),
    permission_category: "foreign",
    permission_action: "delete",
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    confirm: "token",
    // a ForeignSchema is a JsonSchema whose keywords are known; only the index signature differs
    schema: { input: input as unknown as JsonSchema, output: { type: "object" } },
  };
}

/** Arguments for a tool that `readForeignTool` returned. Throws ARGUMENTS_INVALID naming the paths. */
export function checkForeignArguments(tool: ManifestTool, args: unknown): Arguments {
  const value = argumentsObject(args);
  // made by readForeignTool above, which is the only maker of foreign tools
  const problems = problemsIn(value, tool.schema.input as unknown as ForeignSchema, "");
  if (problems.length > 0) throw argumentsInvalid(tool, problems.slice(0, 8));
  return value;
}

function readForeignSchema(schema: unknown, depth: number): ForeignSchema | undefined {
  if (depth > MAX_FOREIGN_SCHEMA_DEPTH || typeof schema !== "object" || schema === null || Array.isArray(schema))
    return undefined;
  const given = schema as JsonSchema;
  if (Object.keys(given).some((keyword) => !KEYWORDS.has(keyword))) return undefined;
  const { type, description } = given;
  if (!TYPES.some((known) => known === type)) return undefined;
  if (BOUNDS.some((bound) => given[bound] !== undefined && typeof given[bound] !== "number")) return undefined;
  const { required, enum: values, additionalProperties } = given;
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === "string")))
    return undefined;
  if (values !== undefined && !(Array.isArray(values) && values.every(isScalar))) return undefined;
  if (additionalProperties !== undefined && typeof additionalProperties !== "boolean") return undefined;

  const properties = readProperties(given.properties, depth);
  const items = given.items === undefined ? undefined : readForeignSchema(given.items, depth + 1);
  if (properties === undefined || (given.items !== undefined && items === undefined)) return undefined;

  return {
    // one of TYPES, as tested above
    type: type as SchemaType,
    ...(typeof description === "string" ? { description: printable(description, MAX_DESCRIPTION) } : {}),
    ...(given.properties === undefined ? {} : { properties }),
    ...(required === undefined ? {} : { required }),
    ...(values === undefined ? {} : { enum: values }),
    ...(items === undefined ? {} : { items }),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
    ...Object.fromEntries(BOUNDS.flatMap((bound) => (given[bound] === undefined ? [] : [[bound, given[bound]]]))),
  };
}

function readProperties(properties: unknown, depth: number): Readonly<Record<string, ForeignSchema>> | undefined {
  if (properties === undefined) return {};
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return undefined;
  const read = Object.entries(properties).map(
    ([name, schema]) => [name, readForeignSchema(schema, depth + 1)] as const,
  );
  if (read.some(([, schema]) => schema === undefined)) return undefined;
  return Object.fromEntries(read) as Readonly<Record<string, ForeignSchema>>;
}

const isScalar = (value: unknown) => value === null || ["string", "number", "boolean"].includes(typeof value);

/** Every fault as a sentence with its dotted path. `value` is bounded in depth by argumentsObject. */
function problemsIn(value: unknown, schema: ForeignSchema, at: string): string[] {
  const name = at === "" ? "arguments" : `"${printable(at, 80)}"`;
  if (!isOfType(value, schema.type)) return [`${name} must be ${schema.type}`];
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return [`${name} must be one of ${schema.enum.slice(0, 24).join(", ")}`];
  const broken = boundsOf(value, schema)
    .filter(({ holds }) => !holds)
    .map(({ says }) => `${name} ${says}`);
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? broken
      : [...broken, ...value.flatMap((item, index) => problemsIn(item, items, join(at, String(index))))];
  }
  if (schema.type !== "object") return broken;
  return [...broken, ...problemsInObject(value as Arguments, schema, at)];
}

function problemsInObject(value: Arguments, schema: ForeignSchema, at: string): string[] {
  const properties = schema.properties ?? {};
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name));
  return [
    ...missing.map((name) => `"${printable(join(at, name), 80)}" is missing`),
    ...Object.entries(value).flatMap(([name, child]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (known !== undefined) return problemsIn(child, known, join(at, name));
      return schema.additionalProperties === true ? [] : [`unknown argument "${printable(join(at, name), 80)}"`];
    }),
  ];
}

function isOfType(value: unknown, type: SchemaType): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (type === "integer") return Number.isSafeInteger(value);
  return typeof value === type;
}

function boundsOf(
  value: unknown,
  schema: ForeignSchema,
): readonly { readonly holds: boolean; readonly says: string }[] {
  const low = (actual: number, bound: number | undefined, unit: string) =>
    bound === undefined ? [] : [{ holds: actual >= bound, says: `must be at least ${bound}${unit}` }];
  const high = (actual: number, bound: number | undefined, unit: string) =>
    bound === undefined ? [] : [{ holds: actual <= bound, says: `must be at most ${bound}${unit}` }];
  if (typeof value === "number") return [...low(value, schema.minimum, ""), ...high(value, schema.maximum, "")];
  if (typeof value === "string") {
    return [
      ...low(value.length, schema.minLength, " characters long"),
      ...high(value.length, schema.maxLength, " characters long"),
    ];
  }
  if (Array.isArray(value))
    return [...low(value.length, schema.minItems, " items"), ...high(value.length, schema.maxItems, " items")];
  return [];
}

const join = (at: string, name: string) => (at === "" ? name : `${at}.${name}`);
