/** Ready-made list, get, create, update, toggle and delete tools for regular resources of the Network application. */
import { type TProperties, Type } from "typebox";
import type { Row } from "../controller/controller.ts";
import { EdgeError } from "../errors.ts";
import { invalid } from "./arguments.ts";
import { endpointOf } from "./collection.ts";
import { type Echo, type ListArguments, listArguments, listOutput, listPayload } from "./listing.ts";
import { type Prepared, type ResourceFacts, resourcePlans } from "./resource-plans.ts";
import { rowSchema } from "./rows.ts";
import { defineTool, type Endpoint, type Tool, type ToolContext, type ToolWords } from "./tool.ts";

export type { Prepared } from "./resource-plans.ts";

/** What a rule may look at: the console, the object now (in console names) and its siblings. */
export interface Circumstances {
  readonly context: ToolContext;
  readonly current?: Row;
  readonly siblings: readonly Row[];
  /** The call's arguments, for those that stand beside the object. */
  readonly args: Row;
}

/** Arguments of the frame, which are no fields of the object. */
const CONFIRMATION_NAMES: readonly string[] = ["confirm", "confirm_token"];

interface ListWords extends ToolWords {
  readonly rowsName: string;
  readonly defaultLimit: number;
  /** Further arguments and what they select, looking at finished rows. */
  readonly input?: TProperties;
  readonly select?: (row: Row, args: Row) => boolean;
  readonly echo?: Echo;
}

interface GetWords extends ToolWords {
  readonly input?: TProperties;
  readonly output?: TProperties;
  /** Shapes the details; default: the console's object whole. */
  readonly details?: (raw: Row, args: Row) => Row;
}

interface WriteWords extends ToolWords {
  /** The argument that holds the fields as one object; absent = every field is an argument of its own. */
  readonly bodyArgument?: string;
  readonly bodyDescription?: string;
  /** Further arguments beside the body argument. */
  readonly input?: TProperties;
  /** In an update all become optional; fields that are arguments of their own may then be null, which leaves them alone. */
  readonly fields: TProperties;
  readonly aliases?: Readonly<Record<string, string>>;
  /** Checks and completes; throws ARGUMENTS_INVALID. */
  readonly prepare?: (data: Row, circumstances: Circumstances) => Promise<Prepared>;
  /** Endpoints that `prepare` asks, besides the resource's own. */
  readonly reads?: readonly Endpoint[];
}

interface DeleteWords extends ToolWords {
  /** Throws where deleting is wrong; returns warnings. */
  readonly check?: (circumstances: Circumstances & { readonly current: Row }) => Promise<readonly string[]>;
  readonly reads?: readonly Endpoint[];
}

/** The tool makers of one resource; see src/tools/network/dns.ts for the shortest use. */
export function resource(facts: ResourceFacts) {
  const { idArgument, noun } = facts;
  const { rowOf, list, findOrThrow, creation, replacement, removal } = resourcePlans(facts);
  const idInput = { [idArgument]: Type.String({ description: `Id of the ${noun}`, minLength: 1, maxLength: 64 }) };
  const idOutput = { [idArgument]: Type.Optional(Type.String()) };
  const idAliases = { id: idArgument, _id: idArgument };
  const place = { app: "network", category: facts.category } as const;
  const endpoints = {
    list: endpointOf("GET", facts),
    create: endpointOf("POST", facts),
    replace: endpointOf("PUT", facts, true),
    remove: endpointOf("DELETE", facts, true),
  };

  return {
    list({ rowsName, defaultLimit, input = {}, select, echo, ...words }: ListWords): Tool {
      return defineTool({
        ...words,
        ...place,
        permission: { category: facts.gate, action: "read" },
        input: { ...input, ...listArguments(defaultLimit) },
        output: listOutput(rowsName, facts.table, echo),
        reads: [endpoints.list],
        async run(context, args: Row & ListArguments) {
          const { network } = context;
          const rows = (await list(context)).map(rowOf);
          return listPayload({
            site: network.site,
            rowsName,
            table: facts.table,
            rows,
            args,
            defaultLimit,
            ...(select && { select: (row) => select(row, args) }),
            ...(echo && { echo }),
          });
        },
      });
    },

    get({ input = {}, output = {}, details, ...words }: GetWords): Tool {
      return defineTool({
        ...words,
        ...place,
        aliases: idAliases,
        permission: { category: facts.gate, action: "read" },
        input: { ...idInput, ...input },
        output: {
          site: Type.Optional(Type.String()),
          ...idOutput,
          details: Type.Optional(Type.Object({})),
          ...output,
        },
        reads: [endpoints.list],
        async run(context, args: Row) {
          const id = args[idArgument];
          const { current } = await findOrThrow(context, id);
          const { site } = context.network;
          return { site, [idArgument]: id, ...(details?.(current, args) ?? { details: current }) };
        },
      });
    },

    create({
      bodyArgument,
      bodyDescription = "",
      input = {},
      fields,
      prepare,
      aliases,
      reads = [],
      ...words
    }: WriteWords): Tool {
      return defineTool({
        ...words,
        ...place,
        ...(aliases && { aliases }),
        permission: { category: facts.gate, action: "create" },
        input:
          bodyArgument === undefined
            ? fields
            : {
                [bodyArgument]: Type.Object(fields, { description: bodyDescription, additionalProperties: false }),
                ...input,
              },
        output: { ...idOutput, [facts.detailsName ?? "details"]: Type.Optional(rowSchema(facts.table)) },
        reads: [endpoints.list, ...reads],
        writes: [endpoints.create],
        async plan(context, args: Row) {
          const siblings = await list(context);
          const asked = askedOf(args, bodyArgument);
          const prepared = await prepare?.(asked, { context, siblings, args });
          return creation(context, siblings, prepared ?? { data: asked });
        },
      });
    },

    update({
      bodyArgument,
      bodyDescription = "",
      input = {},
      fields,
      prepare,
      aliases,
      reads = [],
      ...words
    }: WriteWords): Tool {
      // Where an argument beside the object says what to change, the object may be empty
      const alone = Object.keys(input).length === 0;
      const change = { description: bodyDescription, additionalProperties: false, minProperties: alone ? 1 : 0 };
      return defineTool({
        ...words,
        ...place,
        aliases: { ...idAliases, ...aliases },
        permission: { category: facts.gate, action: "update" },
        input:
          bodyArgument === undefined
            ? { ...idInput, ...nullable(optional(fields)) }
            : { ...idInput, [bodyArgument]: Type.Object(optional(fields), change), ...input },
        output: { ...idOutput, updated_fields: Type.Optional(Type.Array(Type.String())) },
        reads: [endpoints.list, ...reads],
        writes: [endpoints.replace],
        async plan(context, args: Row) {
          const { siblings, current } = await findOrThrow(context, args[idArgument]);
          const asked = askedOf(args, bodyArgument, idArgument);
          if (alone && Object.keys(asked).length === 0) throw invalid("Give at least one field to change.");
          const prepared = await prepare?.(asked, { context, siblings, current, args });
          return replacement(context, current, prepared ?? { data: asked }, "update");
        },
      });
    },

    /** Flips `enabled`, the rest of the object untouched; an object without the field counts as enabled. */
    toggle(words: ToolWords): Tool {
      return defineTool({
        ...words,
        ...place,
        aliases: idAliases,
        permission: { category: facts.gate, action: "update" },
        annotations: { idempotentHint: false },
        input: idInput,
        output: { ...idOutput, enabled: Type.Optional(Type.Boolean()) },
        reads: [endpoints.list],
        writes: [endpoints.replace],
        async plan(context, args: Row) {
          const { current } = await findOrThrow(context, args[idArgument]);
          const enabled = current.enabled === false;
          return replacement(context, { enabled: !enabled, ...current }, { data: { enabled } }, "toggle");
        },
      });
    },

    delete({ check, reads = [], ...words }: DeleteWords): Tool {
      return defineTool({
        ...words,
        ...place,
        aliases: idAliases,
        permission: { category: facts.gate, action: "delete" },
        input: idInput,
        output: idOutput,
        reads: [endpoints.list, ...reads],
        writes: [endpoints.remove],
        async plan(context, args: Row) {
          const { siblings, current } = await findOrThrow(context, args[idArgument]);
          refuseUndeletable(current, noun);
          return removal(context, current, (await check?.({ context, siblings, current, args })) ?? []);
        },
      });
    },
  };
}

/** What a write asks for: the body argument, or every argument but the id; null leaves a field alone. */
function askedOf(args: Row, bodyArgument: string | undefined, idArgument?: string): Row {
  if (bodyArgument !== undefined) return args[bodyArgument] as Row; // an object by the schema
  const given = Object.entries(args).filter(([name, value]) => name !== idArgument && value !== null);
  return Object.fromEntries(given.filter(([name]) => !CONFIRMATION_NAMES.includes(name)));
}

/** The same fields, null allowed too: clients of the catalogue send it for what they leave alone. */
function nullable(fields: TProperties): TProperties {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      const { type, enum: values } = schema as { readonly type?: string; readonly enum?: readonly unknown[] };
      if (type === undefined) return [name, schema];
      const choice = values === undefined ? {} : { enum: [...values, null] };
      return [name, Type.Optional(Type.Unsafe({ ...schema, ...choice, type: [type, "null"] }))];
    }),
  );
}

function optional(fields: TProperties): TProperties {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]));
}

function refuseUndeletable(current: Row, noun: string): void {
  if (current.attr_no_delete !== true) return;
  throw new EdgeError("ARGUMENTS_INVALID", `The console keeps this ${noun}: it is marked as not deletable.`);
}
