/** What every list tool does alike: `filter`, `fields`, `limit` and `offset` on redacted rows, and saying what was cut. */
import { type TProperties, Type } from "typebox";
import type { Row } from "../controller/controller.ts";
import { EdgeError } from "../errors.ts";
import { redact } from "../redaction/redact.ts";
import { normalMac } from "./arguments.ts";
import { type RowTable, rowSchema } from "./rows.ts";
import type { Payload } from "./tool.ts";

const MOST_ROWS = 1000;

/** The values of the arguments that listArguments() declares. */
export interface ListArguments {
  readonly limit?: number;
  readonly offset?: number;
  readonly fields?: string;
  readonly filter?: string;
}

/** Arguments of a list tool; `defaultLimit` keeps an unasked answer small. */
export function listArguments(defaultLimit: number) {
  return {
    limit: Type.Optional(
      Type.Integer({ description: "Most rows to return", minimum: 1, maximum: MOST_ROWS, default: defaultLimit }),
    ),
    offset: Type.Optional(
      Type.Integer({ description: "Rows to skip, for the next page", minimum: 0, maximum: 1_000_000, default: 0 }),
    ),
    fields: Type.Optional(
      Type.String({ description: "Comma list of row fields to keep; none = all", maxLength: 1000 }),
    ),
    filter: Type.Optional(
      Type.String({ description: "Text found in any field, or field=value for an exact match", maxLength: 200 }),
    ),
  } satisfies TProperties;
}

/** Argument names that the answer repeats, and under which name (a reference answer names its filters). */
export type Echo = Readonly<Record<string, string>>;

/** Output properties of a list answer whose rows stand under `rowsName`. */
export function listOutput(rowsName: string, table: RowTable, echo?: Echo): TProperties {
  return {
    ...(echo === undefined ? {} : echoOutput(echo)),
    site: Type.Optional(Type.String()),
    count: Type.Optional(Type.Integer()),
    total: Type.Optional(Type.Integer()),
    returned: Type.Optional(Type.Integer()),
    truncated: Type.Optional(Type.Boolean()),
    hint: Type.Optional(Type.String()),
    unknown_fields: Type.Optional(Type.Array(Type.String())),
    valid_fields: Type.Optional(Type.Array(Type.String())),
    [rowsName]: Type.Optional(Type.Array(rowSchema(table))),
  };
}

function echoOutput(echo: Echo): TProperties {
  const names = Object.values(echo).map((name) => [name, Type.Optional(Type.Unknown())] as const);
  return {
    ...Object.fromEntries(names),
    total_count: Type.Optional(Type.Integer()),
    returned_count: Type.Optional(Type.Integer()),
    limit: Type.Optional(Type.Integer()),
  };
}

interface Listing {
  readonly site: string;
  readonly rowsName: string;
  readonly table: RowTable;
  readonly rows: readonly Row[];
  /** The tool's own filters. */
  readonly select?: (row: Row) => boolean;
  readonly args: ListArguments & Row;
  readonly defaultLimit: number;
  /** Set for the lists whose reference answer repeats its filters and counts under older names. */
  readonly echo?: Echo;
}

/**
 * The list's payload: `{site, count, total, returned, truncated?, hint?, unknown_fields?, <rowsName>}`; `total` counts
 * what matched, `returned` (and the reference's `count`) what is here.
 */
export function listPayload({ site, rowsName, table, rows, select, args, defaultLimit, echo }: Listing): Payload {
  // Redacted before anything is looked for: a filter on secrets would tell them, guess by guess
  const visible = redact(rows) as readonly Row[]; // a list of objects stays one
  const selected = select === undefined ? visible : visible.filter(select);
  const matching = args.filter === undefined ? selected : filterRows(selected, args.filter, table);
  const offset = args.offset ?? 0;
  const page = matching.slice(offset, offset + (args.limit ?? defaultLimit));
  const { kept, unknown } = pickFields(page, args.fields, table);
  const next = offset + page.length;
  const cut = page.length < matching.length;
  return {
    site,
    ...(echo === undefined ? {} : echoed(echo, args, matching.length, page.length, args.limit ?? defaultLimit)),
    count: page.length,
    total: matching.length,
    returned: page.length,
    ...(cut ? { truncated: true, hint: cutHint(next, matching.length) } : {}),
    ...(unknown.length === 0 ? {} : { unknown_fields: unknown, valid_fields: Object.keys(table) }),
    [rowsName]: kept,
  };
}

function echoed(echo: Echo, args: Row, total: number, returned: number, limit: number): Row {
  const given = Object.entries(echo).flatMap(([argument, name]) => {
    const value = args[argument];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(given), total_count: total, returned_count: returned, limit };
}

function cutHint(next: number, total: number): string {
  const narrower = "Narrow with filter, drop columns with fields";
  return next < total ? `${narrower}, or go on with offset=${next}.` : `${narrower}, or start again with offset=0.`;
}

/** `field=value` compares one field without regard to case; anything else is looked for in every field's text. */
function filterRows(rows: readonly Row[], filter: string, table: RowTable): readonly Row[] {
  const named = /^\s*([A-Za-z_][\w-]*)\s*=\s*(.*?)\s*$/.exec(filter);
  if (named === null) {
    const needle = filter.trim().toLowerCase();
    return rows.filter((row) => Object.values(row).some((value) => textOf(value).includes(needle)));
  }
  const [, field = "", value = ""] = named;
  if (!(field in table)) {
    throw new EdgeError("ARGUMENTS_INVALID", `filter names no field of these rows: ${field}`, {
      hint: "Use field=value with one of valid_fields, or plain text.",
      details: { valid_fields: Object.keys(table) },
    });
  }
  // A MAC address may be asked for in any spelling
  const wanted = [value.toLowerCase(), normalMac(value)];
  return rows.filter((row) => wanted.includes(textOf(row[field])));
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return (typeof value === "object" ? JSON.stringify(value) : String(value)).toLowerCase();
}

function pickFields(rows: readonly Row[], fields: string | undefined, table: RowTable) {
  const asked = (fields ?? "")
    .split(",")
    .map((field) => field.trim())
    .filter((field) => field !== "");
  const unknown = asked.filter((field) => !(field in table));
  const known = asked.filter((field) => field in table);
  if (known.length === 0) return { kept: rows, unknown };
  const kept = rows.map((row) =>
    Object.fromEntries(known.flatMap((field) => (row[field] === undefined ? [] : [[field, row[field]]]))),
  );
  return { kept, unknown };
}
