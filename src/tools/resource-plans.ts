/** How the objects of one resource are found, and what creating, replacing and removing one of them would do. */
import type { Row } from "../controller/controller.ts";
import { EdgeError } from "../errors.ts";
import { createRow, idOf, listRows, type Place, removeRow, replaceRow } from "./collection.ts";
import { mergeDeep, pick, sameJson, without } from "./merge.ts";
import { project, type RowTable } from "./rows.ts";
import type { Plan, ToolContext } from "./tool.ts";

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
  /** Which of the collection's objects are of this kind, where it holds several (VPNs among networks). */
  readonly belongs?: (raw: Row) => boolean;
  /** Argument name to console name, where they differ. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Argument values to console values, before renaming. */
  readonly encode?: (data: Row) => Row;
  /** Console values to argument values, after renaming back. */
  readonly decode?: (data: Row) => Row;
  /** Fields that the console shows and does not take back. */
  readonly readOnly?: readonly string[];
  /** What a console lacks whose path is not there: a sentence for the error. */
  readonly lacking?: string;
  /** The answer's name of a created object; default `details`. */
  readonly detailsName?: string;
}

/** A change as it will be sent, after the resource's own rules looked at it. */
export interface Prepared {
  /** In the argument's names; shown as `proposed`. */
  readonly data: Row;
  /** Console fields that no argument names (defaults of a create). */
  readonly extra?: Row;
  readonly warnings?: readonly string[];
  readonly unverifiable?: readonly string[];
  /** Paths of console fields that the change takes away, e.g. `["source", "ips"]`. */
  readonly drops?: readonly (readonly string[])[];
}

/** Finding and planning for one resource. Plans show the arguments' names and send the console's. */
export function resourcePlans(facts: ResourceFacts) {
  const names = new Map(Object.entries(facts.rename ?? {}));
  const argumentNames = new Map([...names].map(([argument, field]) => [field, argument]));

  const encode = (data: Row): Row => renamed(facts.encode?.(data) ?? data, names);
  const decode = (raw: Row): Row => {
    const data = renamed(raw, argumentNames);
    return facts.decode?.(data) ?? data;
  };
  const rowOf = (raw: Row): Row => project(facts.row?.(raw) ?? raw, facts.table);
  const subjectOf = (raw: Row) => {
    const name = raw.name ?? raw.key ?? raw.description;
    return { resourceType: facts.resourceType, ...(typeof name === "string" ? { resourceName: name } : {}) };
  };

  /** All objects of this kind, fresh from the console. */
  async function list(context: ToolContext): Promise<readonly Row[]> {
    const { belongs } = facts;
    const rows = await listRows(context.network, facts).catch((thrown: unknown) => {
      if (facts.lacking === undefined || !isUnsupported(thrown)) throw thrown;
      throw new EdgeError("CONTROLLER_UNSUPPORTED", facts.lacking, { cause: thrown });
    });
    return belongs === undefined ? rows : rows.filter(belongs);
  }

  /** All objects, and the one with this id if it is there. */
  async function find(context: ToolContext, id: unknown) {
    const siblings = await list(context);
    return { siblings, current: siblings.find((row) => idOf(row) === id) };
  }

  async function findOrThrow(context: ToolContext, id: unknown) {
    const { siblings, current } = await find(context, id);
    if (current !== undefined) return { siblings, current };
    throw new EdgeError("NOT_FOUND", `No ${facts.noun} has this id.`, { hint: `${facts.listTool} lists the ids.` });
  }

  function creation(context: ToolContext, siblings: readonly Row[], prepared: Prepared): Plan {
    const body = mergeDeep(prepared.extra ?? {}, encode(prepared.data));
    return {
      ...subjectOf(body),
      action: "create",
      proposed: prepared.data,
      warnings: prepared.warnings ?? [],
      unverifiable: prepared.unverifiable ?? [],
      async apply() {
        const created = await createRow(context.network, facts, body);
        const id = (created && idOf(created)) ?? (await newcomer(context, siblings));
        return { [facts.idArgument]: id, ...(created && { [facts.detailsName ?? "details"]: rowOf(created) }) };
      },
      async readBack(applied) {
        const { current } = await find(context, applied[facts.idArgument]);
        return current && pick(decode(current), Object.keys(prepared.data));
      },
    };
  }

  /** Some consoles answer a create with nothing: the new object is the one that was not there before. */
  async function newcomer(context: ToolContext, before: readonly Row[]): Promise<string | undefined> {
    const known = new Set(before.map(idOf));
    return (await list(context)).map(idOf).find((id) => !known.has(id));
  }

  /** The whole object put back with the change laid over it. */
  function replacement(context: ToolContext, current: Row, prepared: Prepared, action: "update" | "toggle"): Plan {
    const id = idOf(current) ?? "";
    const laid = mergeDeep(current, mergeDeep(prepared.extra ?? {}, encode(prepared.data)));
    const merged = without(laid, prepared.drops ?? []);
    const readOnly = (facts.readOnly ?? []).map((field) => [field]);
    const before = decode(current);
    const after = decode(merged);
    const keys = Object.keys(prepared.data).filter((key) => !sameJson(before[key], after[key]));
    return {
      ...subjectOf(current),
      action,
      resourceId: id,
      current: pick(before, keys),
      proposed: pick(after, keys),
      warnings: prepared.warnings ?? [],
      unverifiable: (prepared.unverifiable ?? []).filter((key) => keys.includes(key)),
      unchanged: sameJson(current, merged),
      async apply() {
        await replaceRow(context.network, facts, id, without(merged, readOnly));
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

  function removal(context: ToolContext, current: Row, warnings: readonly string[]): Plan {
    const id = idOf(current) ?? "";
    return {
      ...subjectOf(current),
      action: "delete",
      resourceId: id,
      current: rowOf(current),
      warnings,
      async apply() {
        await removeRow(context.network, facts, id);
        return { [facts.idArgument]: id };
      },
      async readBack() {
        const after = await find(context, id);
        return after.current && rowOf(after.current);
      },
    };
  }

  return { rowOf, list, findOrThrow, creation, replacement, removal };
}

/** True where the console has no such path. */
export function isUnsupported(thrown: unknown): boolean {
  return thrown instanceof EdgeError && thrown.code === "CONTROLLER_UNSUPPORTED";
}

function renamed(row: Row, names: ReadonlyMap<string, string>): Row {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [names.get(key) ?? key, value]));
}
