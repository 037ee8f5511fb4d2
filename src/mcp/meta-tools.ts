/** The meta-tools as a table over the apps: names, words for the model, schemas and hints (design 3.1). */
import { type TProperties, Type } from "typebox";
import type { ArgumentRules } from "../catalog/arguments.ts";
import { type App, type JsonSchema, PREFIX_OF_APP, type ToolAnnotations } from "../catalog/manifest.ts";

export type MetaKind = "tool_index" | "execute" | "batch" | "batch_status" | "load_tools" | "list_locations";

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
}

export interface MetaTool {
  readonly kind: MetaKind;
  /** Undefined for the gateway's own. */
  readonly app: App | undefined;
  readonly rules: ArgumentRules;
  listed(readonly: boolean): ListedTool;
}

export const MAX_OPERATIONS = 500;
export const MAX_WAIT_SECONDS = 25;
export const MAX_LOADED = 40;
const MAX_INDEX_LIMIT = 1000;

const READ: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const RUN: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
};

const TITLE_OF_APP: Readonly<Record<App, string>> = {
  network: "UniFi Network",
  protect: "UniFi Protect",
  access: "UniFi Access",
};

interface Row {
  readonly kind: Exclude<MetaKind, "list_locations">;
  readonly title: string;
  /** `{app}` and `{prefix}` are filled in. */
  readonly description: string;
  readonly input: (located: boolean) => TProperties;
  readonly aliases?: Readonly<Record<string, string>>;
  /** Runs tools, so its hints follow what the connection may do. */
  readonly runs?: true;
}

const text = (description?: string) => Type.Optional(Type.String(description === undefined ? {} : { description }));
const LOCATION = { location: text("Location id or name") };

const OPERATION = {
  tool: Type.String(),
  arguments: Type.Optional(Type.Object({})),
  location: Type.Optional(Type.String()),
  site: Type.Optional(Type.String()),
  after: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { description: "Indices that must succeed first" })),
  deadline_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600 })),
  repeat: Type.Optional(Type.Boolean()),
} satisfies TProperties;

const ROWS: readonly Row[] = [
  {
    kind: "tool_index",
    title: "tool index",
    description: "Finds {app} tools. Start here: search by words, then run the tool by name with {prefix}_execute.",
    input: (located) => ({
      category: text(),
      search: text("Words, e.g. block client"),
      include_schemas: Type.Optional(Type.Boolean({ description: "Adds argument schemas", default: false })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_INDEX_LIMIT })),
      cursor: text(),
      ...(located ? LOCATION : {}),
    }),
    aliases: { query: "search", __location: "location" },
  },
  {
    kind: "execute",
    title: "execute",
    description: "Runs one {app} tool. Writes answer with a preview first; call again as it says to confirm.",
    input: (located) => ({
      tool: Type.String({ description: "Name from {prefix}_tool_index" }),
      arguments: Type.Optional(Type.Object({})),
      ...(located
        ? {
            location: Type.Optional(
              Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: 100 })], {
                description: 'Location id or name; reads also take a list or "*"',
              }),
            ),
          }
        : {}),
      site: text("UniFi site"),
      repeat: Type.Optional(Type.Boolean({ description: "Runs a write again although its twin is unresolved" })),
    }),
    aliases: { tool_name: "tool", name: "tool", args: "arguments", __location: "location" },
    runs: true,
  },
  {
    kind: "batch",
    title: "batch",
    description: `Starts up to ${MAX_OPERATIONS} {app} operations as jobs that run on without you; follow them with {prefix}_batch_status.`,
    input: () => ({
      operations: Type.Optional(Type.Array(Type.Object(OPERATION), { maxItems: MAX_OPERATIONS })),
      confirm_token: text("From the batch's preview"),
      cancel: text("batchId to stop"),
    }),
    aliases: { calls: "operations" },
    runs: true,
  },
  {
    kind: "batch_status",
    title: "batch status",
    description: "State and results of jobs started by {prefix}_batch.",
    input: () => ({
      jobId: text(),
      jobIds: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: MAX_OPERATIONS })),
      batchId: text(),
      wait_seconds: Type.Optional(
        Type.Number({ minimum: 0, maximum: MAX_WAIT_SECONDS, description: "Waits for the end" }),
      ),
    }),
    aliases: { job_id: "jobId", job_ids: "jobIds", batch_id: "batchId" },
  },
  {
    kind: "load_tools",
    title: "load tools",
    description: `Adds up to ${MAX_LOADED} {app} tools to your tool list, until 24 h after the last load. {prefix}_execute runs any tool without it.`,
    input: () => ({ tools: Type.Array(Type.String(), { minItems: 1, maxItems: MAX_LOADED }) }),
    aliases: { names: "tools" },
  },
];

/** The five of one app, in the order of the list. `located` = the gateway flavour, whose tools take a location. */
export function metaToolsOf(app: App, located: boolean): readonly MetaTool[] {
  return ROWS.map((row) => metaTool(row, app, located));
}

function metaTool(row: Row, app: App, located: boolean): MetaTool {
  const prefix = PREFIX_OF_APP[app];
  const fill = (words: string) => words.replaceAll("{app}", TITLE_OF_APP[app]).replaceAll("{prefix}", prefix);
  const name = `${prefix}_${row.kind}`;
  const input = JSON.parse(fill(JSON.stringify(closed(row.input(located))))) as JsonSchema;
  const shown = {
    name,
    title: `${TITLE_OF_APP[app]} ${row.title}`,
    description: fill(row.description),
    inputSchema: input,
  };
  return {
    kind: row.kind,
    app,
    rules: { name, schema: { input: checked(row, input) }, aliases: row.aliases ?? {} },
    listed: (readonly) => ({ ...shown, annotations: row.runs === true && !readonly ? RUN : READ }),
  };
}

/** What is accepted beside what is shown: an operation may use the other spellings, which batch.ts reads. */
function checked(row: Row, shown: JsonSchema): JsonSchema {
  if (row.kind !== "batch") return shown;
  const properties = { ...(shown.properties as object), operations: { type: "array" } };
  return { ...shown, properties };
}

const LIST_LOCATIONS_INPUT = closed({});

/** The gateway's own: which places there are and whether they can be reached. */
export const LIST_LOCATIONS: MetaTool = {
  kind: "list_locations",
  app: undefined,
  rules: { name: "unifi_list_locations", schema: { input: LIST_LOCATIONS_INPUT } },
  listed: () => ({
    name: "unifi_list_locations",
    title: "UniFi locations",
    description: "Lists your locations: id, name, organisation, online or offline since, apps.",
    inputSchema: LIST_LOCATIONS_INPUT,
    annotations: READ,
  }),
};

function closed(properties: TProperties): JsonSchema {
  // a TypeBox object is its JSON Schema; serialising drops what only the compiler needs
  return JSON.parse(JSON.stringify(Type.Object(properties, { additionalProperties: false }))) as JsonSchema;
}
