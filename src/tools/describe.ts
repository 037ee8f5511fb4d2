/** The manifest of a set of tools: what gateway, index, api-reference and documentation read (design 2). */
import { type TObject, Type } from "typebox";
import type { JsonSchema, Manifest, ManifestTool, ReferenceEndpoint } from "../catalog/manifest.ts";
import { ENDPOINTS } from "./network/endpoints.ts";
import type { Endpoint, Tool } from "./tool.ts";

/** Answers that every tool may give besides its own fields: failure, preview, fan-out. */
const COMMON_OUTPUT = {
  success: Type.Optional(Type.Boolean()),
  location: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
};

/** Deterministic: the same tools give the same object, key by key. */
export function manifestOf(tools: readonly Tool[], generatedBy: string): Manifest {
  return {
    format: 1,
    generated_by: generatedBy,
    count: tools.length,
    reference: { network: referenceOf(tools) },
    tools: tools.map(manifestTool),
  };
}

function manifestTool(tool: Tool): ManifestTool {
  return {
    name: tool.name,
    title: tool.title,
    summary: tool.summary,
    description: tool.description,
    ...(tool.asks === undefined ? {} : { asks: tool.asks }),
    app: tool.app,
    category: tool.category,
    permission_category: tool.permission.category,
    permission_action: tool.permission.action,
    ...(tool.classedBy === undefined ? {} : { classed_by: tool.classedBy }),
    annotations: tool.annotations,
    confirm: tool.confirm,
    ...(tool.aliases === undefined ? {} : { aliases: tool.aliases }),
    ...(tool.macs === undefined ? {} : { macs: tool.macs }),
    schema: { input: plain(tool.input), output: plain(Type.Object({ ...COMMON_OUTPUT, ...tool.output })) },
  };
}

/** The schema as JSON holds it: the schema library's own marks are not enumerable and fall away. */
function plain(schema: TObject): JsonSchema {
  return JSON.parse(JSON.stringify(schema)) as JsonSchema;
}

/** Every endpoint that the tools name, sorted by path, with what is known of it and the tools that use it. */
function referenceOf(tools: readonly Tool[]): readonly ReferenceEndpoint[] {
  const users = new Map<Endpoint, string[]>();
  for (const tool of tools) {
    for (const endpoint of [...tool.reads, ...(tool.writes ?? [])]) {
      users.set(endpoint, [...(users.get(endpoint) ?? []), tool.name]);
    }
  }
  return [...users]
    .map(([endpoint, names]) => {
      const [method = "", path = ""] = endpoint.split(" ");
      return { method, path, ...(ENDPOINTS[endpoint] ?? { purpose: "" }), tools: [...new Set(names)] };
    })
    .sort((left, right) => compare(left.path, right.path) || compare(left.method, right.method));
}

/** Code-unit order: the same on every machine, whatever its locale. */
function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
