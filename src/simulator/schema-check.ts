/** Checks written fields as the console does: it compares the value's text with a pattern, and drops names it does not know. */
import type { Row } from "./exchange.ts";
import { isRow } from "./world.ts";

/** One field in the vocabulary of data/schemas.json (`SOURCES.md` there explains it). */
export interface Field {
  readonly type?: string;
  readonly enum?: readonly (string | number)[];
  readonly values?: readonly number[];
  readonly literals?: readonly string[];
  readonly alsoAllows?: readonly (string | number)[];
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly allowEmpty?: boolean;
  readonly format?: string;
  readonly regex?: string;
  readonly negatable?: boolean;
  readonly orId?: boolean;
  readonly orInteger?: { readonly min?: number; readonly max?: number };
  readonly items?: Field;
  readonly fields?: Fields;
  readonly readOnly?: boolean;
}
export type Fields = Readonly<Record<string, Field>>;

/** A refused value: the dotted field name and what it had to look like. */
export interface Refusal {
  readonly field: string;
  readonly pattern: string;
}

type Result = { readonly value: unknown } | { readonly refusal: Refusal };

const OCTET = "(25[0-5]|2[0-4]\\d|1\\d\\d|\\d{1,2})";
const IPV4 = `(${OCTET}\\.){3}${OCTET}`;
const PORT = "\\d{1,5}(-\\d{1,5})?";

const FORMATS: Readonly<Record<string, string>> = {
  mac: "([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}",
  ipv4: IPV4,
  "ipv4-cidr": `${IPV4}/(3[0-2]|[12]?\\d)`,
  ipv6: "[0-9A-Fa-f:.]{2,45}",
  id: "[0-9a-f]{24}",
  "port-or-port-list": `${PORT}(,${PORT})*`,
  date: "\\d{4}-\\d{2}-\\d{2}",
  "HH:MM": "([01]\\d|2[0-3]):[0-5]\\d",
  "mac-bitmask": "([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}",
};

const CHECKS: Readonly<Record<string, (field: Field, value: unknown, name: string) => Result>> = {
  integer: checkInteger,
  boolean: checkBoolean,
  array: checkArray,
  object: checkObject,
  string: checkText,
};

/** The known, writable, valid part of `body`, or the first refusal. Null leaves a field alone. */
export function checkFields(fields: Fields, body: Row, prefix = ""): { row: Row } | { refusal: Refusal } {
  const row: Row = {};
  for (const [key, value] of Object.entries(body)) {
    const field = fields[key];
    if (field === undefined || field.readOnly === true || value === null) continue;
    const checked = checkField(field, value, `${prefix}${key}`);
    if ("refusal" in checked) return checked;
    row[key] = checked.value;
  }
  return { row };
}

function checkField(field: Field, value: unknown, name: string): Result {
  const check = field.type === undefined ? undefined : CHECKS[field.type];
  return check === undefined ? { value } : check(field, value, name);
}

function checkInteger(field: Field, value: unknown, name: string): Result {
  if (value === "" && field.allowEmpty === true) return { value };
  const number = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
  const listed = [...(field.values ?? []), ...(field.alsoAllows ?? []), ...(field.enum ?? [])];
  if (typeof number === "number" && Number.isInteger(number)) {
    if (listed.includes(number)) return { value: number };
    const closed = field.values !== undefined || field.enum !== undefined;
    if (!closed && number >= (field.min ?? -Infinity) && number <= (field.max ?? Infinity)) return { value: number };
  }
  return refuse(field, name);
}

function checkBoolean(field: Field, value: unknown, name: string): Result {
  if (typeof value === "boolean") return { value };
  return value === "true" || value === "false" ? { value: value === "true" } : refuse(field, name);
}

function checkArray(field: Field, value: unknown, name: string): Result {
  if (!Array.isArray(value)) return refuse(field, name);
  const { items } = field;
  if (items === undefined) return { value };
  const checked = value.map((item: unknown, index) => checkField(items, item, `${name}[${index}]`));
  const refused = checked.find((result) => "refusal" in result);
  return refused ?? { value: checked.map((result) => ("value" in result ? result.value : undefined)) };
}

function checkObject(field: Field, value: unknown, name: string): Result {
  if (!isRow(value)) return refuse(field, name);
  if (field.fields === undefined) return { value };
  const checked = checkFields(field.fields, value, `${name}.`);
  return "refusal" in checked ? checked : { value: checked.row };
}

function checkText(field: Field, value: unknown, name: string): Result {
  if (typeof value === "number" && field.orInteger !== undefined) return { value };
  if (typeof value !== "string" && typeof value !== "number") return refuse(field, name);
  const text = String(value);
  return textFits(field, text) ? { value: text } : refuse(field, name);
}

function textFits(field: Field, text: string): boolean {
  if (text === "" && (field.allowEmpty === true || field.minLength === 0)) return true;
  const listed: readonly (string | number)[] = [
    ...(field.enum ?? []),
    ...(field.literals ?? []),
    ...(field.alsoAllows ?? []),
  ];
  if (listed.map(String).includes(text)) return true;
  if (field.orId === true && matches(FORMATS.id ?? "", text)) return true;
  if (field.orInteger !== undefined && /^\d+$/.test(text)) return true;
  const patterns = patternsOf(field);
  const bare = field.negatable === true && text.startsWith("!") ? text.slice(1) : text;
  if (patterns.length > 0) return patterns.some((pattern) => matches(pattern, bare));
  if (listed.length > 0) return false;
  return text.length >= (field.minLength ?? 0) && text.length <= (field.maxLength ?? Infinity);
}

function patternsOf(field: Field): string[] {
  const formats = (field.format ?? "").split("|").flatMap((format) => FORMATS[format] ?? []);
  return field.regex === undefined ? formats : [...formats, field.regex];
}

function matches(pattern: string, text: string): boolean {
  return new RegExp(`^(?:${pattern})$`).test(text);
}

function refuse(field: Field, name: string): { refusal: Refusal } {
  return { refusal: { field: name, pattern: describePattern(field) } };
}

/** The pattern in the words of the error: what the console would have matched against. */
function describePattern(field: Field): string {
  const listed = [...(field.enum ?? []), ...(field.values ?? []), ...(field.literals ?? [])];
  if (listed.length > 0) return listed.join("|");
  if (field.min !== undefined || field.max !== undefined) return `${field.min ?? ""}..${field.max ?? ""}`;
  const patterns = patternsOf(field);
  if (patterns.length > 0) return patterns.join("|");
  if (field.maxLength !== undefined) return `.{${field.minLength ?? 0},${field.maxLength}}`;
  return field.type === "boolean" ? "true|false" : (field.type ?? ".*");
}
