/** Ready-made list, get, create, update, toggle and delete tools for regular resources of the Network application. */
import { type TProperties, Type } from "typebox";
import type { Row } from "../controller/controller.ts";
import { EdgeError } from "../errors.ts";
import { createRow, endpointOf, idOf, listRows, type Place, removeRow, replaceRow } from "./collection.ts";
import { type Echo, type ListArguments, listArguments, listOutput, listPayload } from "./listing.ts";
import { mergeDeep, pick, sameJson } from "./merge.ts";
import { project, type RowTable, rowSchema } from "./rows.ts";
import { defineTool, type Endpoint, type Plan, type Tool, type ToolContext, type ToolWords } from "./tool.ts";

/** A change as it will be sent, after the resource's own rules looked at it. */
export interface Prepared {
  /** In the argument's names; shown as `proposed`. */
  readonly data: Row;
  /** Console fields that no argument names (defaults of a create). */
  readonly extra?: Row;
  readonly warnings?: readonly string[];
  readonly unverifiable?: readonly string[];
}

/** What a rule may look at: the console, the object now (in console names) and its siblings. */
export interface Circumstances {
  readonly context: ToolContext;
  readonly current?: Row;
  readonly siblings: readonly Row[];
}

export interface ResourceFacts extends Place {
  readonly category: string;
  /** Gate key in lower case. */
  readonly gate: string;
  /** `dns_record`, shown in previews. */
  readonly resourceType: string;
  /** Singular for sentences: `DNS record`. */
  readonly noun: string;
  readonly idArgument: string;
  /** Name of the tool that lists the ids, for hints. */
  readonly listTool: string;
  /** Row fields of the list answer. */
  readonly table: RowTable;
  /** Console object to list row, where names differ; projected onto `table` afterwards. */
  readonly row?: (raw: Row) => Row;
  /** Argument name to console name, where they differ. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Argument values to console values, before renaming. */
  readonly encode?: (data: Row) => Row;
  /** Console values to argument values, after renaming back. */
  readonly decode?: (data: Row) => Row;
}

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
  readonly bodyArgument: string;
  readonly bodyDescription: string;
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
  const names = new Map(Object.entries(facts.rename ?? {}));
  const argumentNames = new Map([...names].map(([argument, field]) => [field, argument]));

  const encode = (data: Row): Row => renamed(facts.encode?.(data) ?? data, names);
  const decode = (raw: Row): Row => {
    const data = renamed(raw, argumentNames);
    return facts.decode?.(data) ?? data;
  };
  const rowOf = (raw: Row): Row => project(facts.row?.(raw) ?? raw, facts.table);
  const idInput = {
    [facts.idArgument]: Type.String({ description: `Id of the ${facts.noun}`, minLength: 1, maxLength: 64 }),
  };
  const common = {
    app: "network",
    category: facts.category,
    aliases: { id: facts.idArgument, _id: facts.idArgument },
  } as const;
  const list = endpointOf("GET", facts);
  const item = { put: endpointOf("PUT", facts, true), remove: endpointOf("DELETE", facts, true) };

  async function find(context: ToolContext, id: unknown) {
    const siblings = await listRows(context.network, facts);
    const current = siblings.find((row) => idOf(row) === id);
    return { siblings, current };
  }

  async function findOrThrow(context: ToolContext, id: unknown) {
    const { siblings, current } = await find(context, id);
    if (current !== undefined) return { siblings, current };
    throw new EdgeError("NOT_FOUND", `No ${facts.noun} has this id.`, { hint: `${facts.listTool} lists the ids.` });
  }

  function nameOf(raw: Row): { resourceName: string } | Record<never, never> {
    const name = raw.name ?? raw.key;
    return typeof name === "string" ? { resourceName: name } : {};
  }

  return {
    find,
    findOrThrow,

    list({ rowsName, defaultLimit, input = {}, select, echo, ...words }: ListWords): Tool {
      return defineTool({
        ...words,
        app: "network",
        category: facts.category,
        permission: { category: facts.gate, action: "read" },
        input: { ...input, ...listArguments(defaultLimit) },
        output: listOutput(rowsName, facts.table, echo),
        reads: [list],
        async run(context, args: Row & ListArguments) {
          const rows = (await listRows(context.network, facts)).map(rowOf);
          const { site } = context.network;
          return listPayload({
            site,
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
        ...common,
        permission: { category: facts.gate, action: "read" },
        input: { ...idInput, ...input },
        output: {
          site: Type.Optional(Type.String()),
          [facts.idArgument]: Type.Optional(Type.String()),
          details: Type.Optional(Type.Object({})),
          ...output,
        },
        reads: [list],
        async run(context, args: Row) {
          const id = args[facts.idArgument];
          const { current } = await findOrThrow(context, id);
          const { site } = context.network;
          return { site, [facts.idArgument]: id, ...(details?.(current, args) ?? { details: current }) };
        },
      });
    },

    create({ bodyArgument, bodyDescription, fields, prepare, aliases, reads = [], ...words }: WriteWords): Tool {
      return defineTool({
        ...words,
        app: "network",
        category: facts.category,
        permission: { category: facts.gate, action: "create" },
        input: { [bodyArgument]: Type.Object(fields, { description: bodyDescription, additionalProperties: false }) },
        output: { [facts.idArgument]: Type.Optional(Type.String()), details: Type.Optional(rowSchema(facts.table)) },
        reads: [list, ...reads],
        writes: [endpointOf("POST", facts)],
        ...(aliases === undefined ? {} : { aliases }),
        async plan(context, args: Row): Promise<Plan> {
          const siblings = await listRows(context.network, facts);
          const asked = args[bodyArgument] as Row; // an object by the schema above
          const prepared = (await prepare?.(asked, { context, siblings })) ?? { data: asked };
          const body = { ...prepared.extra, ...encode(prepared.data) };
          return {
            action: "create",
            resourceType: facts.resourceType,
            ...nameOf(body),
            proposed: prepared.data,
            warnings: prepared.warnings ?? [],
            unverifiable: prepared.unverifiable ?? [],
            async apply() {
              const created = await createRow(context.network, facts, body);
              const id = (created && idOf(created)) ?? (await newcomer(context, siblings));
              return { [facts.idArgument]: id, ...(created && { details: rowOf(created) }) };
            },
            async readBack(applied) {
              const { current } = await find(context, applied[facts.idArgument]);
              return current && pick(decode(current), Object.keys(prepared.data));
            },
          };
        },
      });
    },

    update({ bodyArgument, bodyDescription, fields, prepare, aliases, reads = [], ...words }: WriteWords): Tool {
      return defineTool({
        ...words,
        ...common,
        aliases: { ...common.aliases, ...aliases },
        permission: { category: facts.gate, action: "update" },
        input: {
          ...idInput,
          [bodyArgument]: Type.Object(optional(fields), {
            description: bodyDescription,
            additionalProperties: false,
            minProperties: 1,
          }),
        },
        output: {
          [facts.idArgument]: Type.Optional(Type.String()),
          updated_fields: Type.Optional(Type.Array(Type.String())),
        },
        reads: [list, ...reads],
        writes: [item.put],
        async plan(context, args: Row): Promise<Plan> {
          const { siblings, current } = await findOrThrow(context, args[facts.idArgument]);
          const asked = args[bodyArgument] as Row; // an object by the schema above
          const prepared = (await prepare?.(asked, { context, siblings, current })) ?? { data: asked };
          return replacement(context, current, prepared, "update");
        },
      });
    },

    /** Flips `enabled`, the rest of the object untouched; an object without the field counts as enabled. */
    toggle(words: ToolWords): Tool {
      return defineTool({
        ...words,
        ...common,
        permission: { category: facts.gate, action: "update" },
        annotations: { idempotentHint: false },
        input: idInput,
        output: { [facts.idArgument]: Type.Optional(Type.String()), enabled: Type.Optional(Type.Boolean()) },
        reads: [list],
        writes: [item.put],
        async plan(context, args: Row): Promise<Plan> {
          const { current } = await findOrThrow(context, args[facts.idArgument]);
          const enabled = current.enabled === false;
          return replacement(context, { enabled: !enabled, ...current }, { data: { enabled } }, "toggle");
        },
      });
    },

    delete({ check, reads = [], ...words }: DeleteWords): Tool {
      return defineTool({
        ...words,
        ...common,
        permission: { category: facts.gate, action: "delete" },
        input: idInput,
        output: { [facts.idArgument]: Type.Optional(Type.String()) },
        reads: [list, ...reads],
        writes: [item.remove],
        async plan(context, args: Row): Promise<Plan> {
          const { siblings, current } = await findOrThrow(context, args[facts.idArgument]);
          refuseUndeletable(current, facts.noun);
          const id = String(args[facts.idArgument]);
          return {
            action: "delete",
            resourceType: facts.resourceType,
            resourceId: id,
            ...nameOf(current),
            current: rowOf(current),
            warnings: (await check?.({ context, siblings, current })) ?? [],
            async apply() {
              await removeRow(context.network, facts, id);
              return { [facts.idArgument]: id };
            },
            async readBack() {
              const after = await find(context, id);
              return after.current && rowOf(after.current);
            },
          };
        },
      });
    },
  };

  /** The plan that puts the whole object back with the change laid over it. */
  function replacement(context: ToolContext, current: Row, prepared: Prepared, action: "update" | "toggle"): Plan {
    const id = idOf(current) ?? "";
    const merged = mergeDeep(current, { ...prepared.extra, ...encode(prepared.data) });
    const before = decode(current);
    const after = decode(merged);
    const keys = Object.keys(prepared.data).filter((key) => !sameJson(before[key], after[key]));
    return {
      action,
      resourceType: facts.resourceType,
      resourceId: id,
      ...nameOf(current),
      current: pick(before, keys),
      proposed: pick(after, keys),
      warnings: prepared.warnings ?? [],
      unverifiable: (prepared.unverifiable ?? []).filter((key) => keys.includes(key)),
      unchanged: sameJson(current, merged),
      async apply() {
        await replaceRow(context.network, facts, id, merged);
        return action === "toggle"
          ? { [facts.idArgument]: id, enabled: merged.enabled }
          : { [facts.idArgument]: id, updated_fields: keys };
      },
      async readBack() {
        const found = await find(context, id);
        return found.current && pick(decode(found.current), keys);
      },
    };
  }

  /** Some consoles answer a create with nothing: the new object is the one that was not there before. */
  async function newcomer(context: ToolContext, before: readonly Row[]): Promise<string | undefined> {
    const known = new Set(before.map(idOf));
    return (await listRows(context.network, facts)).map(idOf).find((id) => !known.has(id));
  }
}

function renamed(row: Row, names: ReadonlyMap<string, string>): Row {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [names.get(key) ?? key, value]));
}

function optional(fields: TProperties): TProperties {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]));
}

function refuseUndeletable(current: Row, noun: string): void {
  if (current.attr_no_delete !== true) return;
  throw new EdgeError("ARGUMENTS_INVALID", `The console keeps this ${noun}: it is marked as not deletable.`);
}
