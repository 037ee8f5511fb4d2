/** Catalogue tools as `tools/list` shows them: their own schema, plus where to run. */
import { mildestAction } from "../catalog/classify.ts";
import { type JsonSchema, type ManifestTool, propertiesOf } from "../catalog/manifest.ts";
import type { ListedTool } from "./meta-tools.ts";

export interface Placement {
  /** The gateway flavour: tools take a location. `local` has one place and adds only `site`. */
  readonly located: boolean;
  /** Several are visible, so a write must name its own. */
  readonly several: boolean;
}

const SITE: JsonSchema = { type: "string", description: "UniFi site; the console's default if absent" };
const ONE_LOCATION: JsonSchema = { type: "string", description: "Location id or name" };
const LOCATIONS: JsonSchema = {
  anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
  description: 'Location id or name, a list, or "*"; all if absent',
};

/** The listed form. Arguments that the tool declares itself are never replaced. */
export function listedTool(tool: ManifestTool, placement: Placement): ListedTool {
  const { name, title, description, annotations, schema } = tool;
  return {
    name,
    title,
    description,
    inputSchema: withPlace(tool, placement),
    outputSchema: openOutput(schema.output, placement),
    annotations,
  };
}

/** Takes `location` and `site` (and `__location`) out of a direct call's arguments, unless the tool declares them. */
export function splitPlace(
  tool: ManifestTool,
  args: Readonly<Record<string, unknown>>,
): { readonly own: Readonly<Record<string, unknown>>; readonly location: unknown; readonly site: unknown } {
  const declared = propertiesOf(tool.schema.input);
  const place = (name: string) =>
    Object.hasOwn(args, name) && !Object.hasOwn(declared, name) ? args[name] : undefined;
  const own = Object.entries(args).filter(
    ([name]) => Object.hasOwn(declared, name) || !["location", "__location", "site"].includes(name),
  );
  return { own: Object.fromEntries(own), location: place("location") ?? place("__location"), site: place("site") };
}

function withPlace(tool: ManifestTool, { located, several }: Placement): JsonSchema {
  const input = tool.schema.input;
  const writes = mildestAction(tool) !== "read";
  const place = { ...(located ? { location: writes ? ONE_LOCATION : LOCATIONS } : {}), site: SITE };
  const required = (input.required ?? []) as readonly string[];
  const named = located && several && writes && !required.includes("location") ? [...required, "location"] : required;
  return { ...input, properties: { ...place, ...propertiesOf(input) }, required: named };
}

/**
 * Clients reject an answer that does not conform, so the schema names and types the rows but demands none: `fields`
 * leaves columns out, a preview or a failure has its own shape, and a fan-out wraps one answer a location.
 */
function openOutput(output: JsonSchema, { located }: Placement): JsonSchema {
  const open = demandingNothing(output) as JsonSchema;
  const own = propertiesOf(open);
  const fanOut = {
    location: { type: "string" },
    locations: {
      type: "array",
      items: {
        type: "object",
        properties: { location: { type: "string" }, success: { type: "boolean" }, data: { type: "object" } },
      },
    },
    partial: { type: "boolean" },
  };
  return { ...open, type: "object", properties: located ? { ...fanOut, ...own } : own };
}

function demandingNothing(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(demandingNothing);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(
        ([keyword, value]) =>
          !(keyword === "required" && Array.isArray(value)) && !(keyword === "additionalProperties" && value === false),
      )
      .map(([keyword, value]) => [keyword, demandingNothing(value)]),
  );
}
