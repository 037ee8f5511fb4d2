/** Schemas of several tools in one answer: what they have in common stands once in `$defs`, since a model reads it all. */
import { type JsonSchema, type ManifestTool, propertiesOf } from "./manifest.ts";

export interface SharedSchemas {
  /** JSON Schema 2020-12: a `$ref` may stand beside other keywords, and points into the answer itself. */
  readonly $defs: Readonly<Record<string, JsonSchema>>;
  /** In the order of the tools. */
  readonly schemas: readonly { readonly input: JsonSchema; readonly output: JsonSchema }[];
}

/** Parts of answers that many tools have, by the name under which `$defs` shows them. The wider group is tried first. */
const OUTPUT_GROUPS: Readonly<Record<string, readonly string[]>> = {
  list_answer: [
    ...["success", "location", "message", "error", "code", "site", "count", "total", "returned", "truncated", "hint"],
    ...["unknown_fields", "valid_fields"],
  ],
  answer: ["success", "location", "message", "error", "code"],
};
/** A shorter schema is not worth a reference. */
const MIN_BYTES = 70;
/** An object of fewer fields is shown where it stands. */
const MIN_FIELDS = 4;

/** One tool alone is shown as it is; of several, bounds that no model runs into are left to `tools/list` and to the check. */
const MILLION = 1_000_000;
const UNTOLD = new Set(["maxLength", "minLength", "maxItems"]);

export function shareSchemas(given: readonly ManifestTool[]): SharedSchemas {
  const [only, ...others] = given;
  if (only !== undefined && others.length === 0) return { $defs: {}, schemas: [only.schema] };
  const tools = given.map(({ schema: { input, output } }) => ({
    schema: { input: told(input), output: told(output) },
  }));
  const defs = new Map<string, JsonSchema>();
  const names = new Map<string, string>();
  const repeated = countFields(tools);

  /** The name in `$defs` under which this very schema stands. */
  function nameOf(wanted: string, schema: JsonSchema): string {
    const text = JSON.stringify(schema);
    const known = names.get(text);
    if (known !== undefined) return known;
    let name = wanted;
    for (let next = 2; defs.has(name); next += 1) name = `${wanted}_${next}`;
    defs.set(name, schema);
    names.set(text, name);
    return name;
  }

  const refTo = (name: string) => ({ $ref: `#/$defs/${name}` });

  function sharedField(name: string, schema: JsonSchema): JsonSchema {
    const { properties, required, additionalProperties, type, description, minProperties, ...rest } = schema;
    const fields = fieldsKey(schema);
    if (fields !== undefined && (repeated.get(fields) ?? 0) > 1 && Object.keys(rest).length === 0) {
      const shape = { type, properties: sharedFields(propertiesOf(schema)), additionalProperties };
      return {
        ...refTo(nameOf(name, shape)),
        ...defined({ required, description, minProperties }),
      };
    }
    const text = JSON.stringify(schema);
    if (text.length >= MIN_BYTES && (repeated.get(text) ?? 0) > 1) return refTo(nameOf(name, schema));
    return properties === undefined ? schema : { ...schema, properties: sharedFields(propertiesOf(schema)) };
  }

  function sharedFields(fields: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, sharedField(name, schema)]));
  }

  function sharedOutput(schema: JsonSchema): JsonSchema {
    const fields = propertiesOf(schema);
    const group = Object.entries(OUTPUT_GROUPS).find(([, parts]) => parts.every((part) => part in fields));
    if (group === undefined) return schema;
    const [name, parts] = group;
    const common = Object.fromEntries(
      parts.flatMap((part) => (fields[part] === undefined ? [] : [[part, fields[part]]])),
    );
    const own = Object.entries(fields).filter(([field]) => !parts.includes(field));
    return {
      ...refTo(nameOf(name, { type: "object", properties: common })),
      ...(own.length === 0 ? {} : { properties: sharedFields(Object.fromEntries(own)) }),
    };
  }

  const schemas = tools.map(({ schema: { input, output } }) => ({
    input: { ...input, properties: sharedFields(propertiesOf(input)) },
    output: sharedOutput(output),
  }));
  return { $defs: Object.fromEntries(defs), schemas };
}

/** What makes two objects the same shape, whatever they require: their fields. */
function fieldsKey(schema: JsonSchema): string | undefined {
  const fields = propertiesOf(schema);
  return Object.keys(fields).length < MIN_FIELDS ? undefined : JSON.stringify(fields);
}

/** How often each field's schema, and each object's set of fields, would be shown; a shared set counts its fields once. */
function countFields(tools: readonly Pick<ManifestTool, "schema">[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (key: string) => {
    const times = (counts.get(key) ?? 0) + 1;
    counts.set(key, times);
    return times;
  };
  const visit = (schema: JsonSchema) => {
    for (const field of Object.values(propertiesOf(schema))) {
      const fields = fieldsKey(field);
      const again = fields !== undefined && count(fields) > 1;
      count(JSON.stringify(field));
      if (!again) visit(field);
    }
  };
  for (const { schema } of tools) {
    visit(schema.input);
    visit(schema.output);
  }
  return counts;
}

function defined(keywords: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}

function told(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), function (this: unknown, keyword: string, value: unknown) {
    const numeric = typeof value === "number" && (UNTOLD.has(keyword) || (keyword === "maximum" && value >= MILLION));
    const implied = keyword === "type" && value === "string" && isEnum(this);
    return numeric || implied ? undefined : value;
  }) as JsonSchema;
}

/** The values say the type. */
function isEnum(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && "enum" in schema;
}
