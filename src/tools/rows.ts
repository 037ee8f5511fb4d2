/** Rows as data: one table of field names and kinds gives both the output schema and the projection onto it. */
import { type TProperties, type TSchema, Type } from "typebox";
import type { Row } from "../controller/controller.ts";

/** `time` is epoch seconds or milliseconds on the console and ISO 8601 UTC in our answers. */
export type FieldKind = "string" | "integer" | "number" | "boolean" | "time" | "strings" | "object" | "objects" | "any";

/** Field names of an answer's row, in the order in which they are shown. */
export type RowTable = Readonly<Record<string, FieldKind>>;

const SCHEMA_OF_KIND: Readonly<Record<FieldKind, () => TSchema>> = {
  string: () => Type.String(),
  integer: () => Type.Integer(),
  number: () => Type.Number(),
  boolean: () => Type.Boolean(),
  time: () => Type.String({ format: "date-time" }),
  strings: () => Type.Array(Type.String()),
  object: () => Type.Object({}),
  objects: () => Type.Array(Type.Object({})),
  any: () => Type.Unknown(),
};

/** Brings a console's value to the kind, or gives undefined where it is not one: rows never break their schema. */
const READ_KIND: Readonly<Record<FieldKind, (value: unknown) => unknown>> = {
  string: (value) => (typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined),
  integer: (value) => {
    const number = numberOf(value);
    return number === undefined ? undefined : Math.trunc(number);
  },
  number: numberOf,
  boolean: (value) => (typeof value === "boolean" ? value : undefined),
  time: isoTime,
  strings: (value) => (Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined),
  object: (value) => (isRow(value) ? value : undefined),
  objects: (value) => (Array.isArray(value) ? value.filter(isRow) : undefined),
  any: (value) => value ?? undefined,
};

/** True for a JSON object that is no array. */
export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A finite number, also one that the console wrote as text (`"5.6"`). */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Epoch seconds or milliseconds as ISO 8601 UTC. Seconds stay below 1e11 until the year 5138. */
export function isoTime(value: unknown): string | undefined {
  const number = numberOf(value);
  if (number === undefined || number <= 0 || number > 8.64e15) return undefined;
  return new Date(number < 1e11 ? number * 1000 : number).toISOString();
}

/** The row that the table names, absent and ill-typed fields left out. */
export function project(source: Row, table: RowTable): Row {
  return projectFirst([source], table);
}

/**
 * The same over several records of one thing: of each field, the first record's that has it. Records have a hundred
 * fields and more, so they are not merged for the few that are shown.
 */
export function projectFirst(sources: readonly (Row | undefined)[], table: RowTable): Row {
  const row: Record<string, unknown> = {};
  for (const [field, read] of readersOf(table)) {
    const source = sources.find((candidate) => candidate !== undefined && Object.hasOwn(candidate, field));
    const value = source === undefined ? undefined : read(source[field]);
    if (value !== undefined) row[field] = value;
  }
  return row;
}

type Readers = readonly (readonly [field: string, read: (value: unknown) => unknown])[];

const READERS = new WeakMap<RowTable, Readers>();

/** A table's readers, made once: lists project hundreds of rows. */
function readersOf(table: RowTable): Readers {
  const known = READERS.get(table);
  if (known !== undefined) return known;
  const made = Object.entries(table).map(([field, kind]) => [field, READ_KIND[kind]] as const);
  READERS.set(table, made);
  return made;
}

/** A copy in which the named epoch fields are ISO 8601; for answers that hold a console's whole object. */
export function withIsoTimes(source: Row, fields: readonly string[]): Row {
  const times = fields.flatMap((field) => {
    const time = isoTime(source[field]);
    return time === undefined ? [] : [[field, time] as const];
  });
  return { ...source, ...Object.fromEntries(times) };
}

/** JSON Schema of such a row; every field is optional, since `fields` narrows and consoles leave out. */
export function rowSchema(table: RowTable): TSchema {
  return Type.Object(rowProperties(table));
}

/** The same as properties, for answers whose fields stand at top level. */
export function rowProperties(table: RowTable): TProperties {
  return Object.fromEntries(
    Object.entries(table).map(([field, kind]) => [field, Type.Optional(SCHEMA_OF_KIND[kind]())]),
  );
}
