/** Creates, changes and removes a row of a resource: schema, required fields, rules, then the table. Envelopes are the caller's. */
import type { Row, SiteExchange } from "./exchange.ts";
import type { Resource } from "./resources.ts";
import { checkFields, type Refusal } from "./schema-check.ts";
import { findRow, insertRow, removeRow } from "./site.ts";
import { isRow } from "./world.ts";

/** Why a write was refused: a field, a code, or no such row. */
export type Refused = { readonly refusal: Refusal } | { readonly code: string };
export type Outcome = { readonly row: Row } | Refused;

export function createRow(x: SiteExchange, resource: Resource, idField: "_id" | "id" = "_id"): Outcome {
  const checked = checkFields(resource.fields, x.body);
  if ("refusal" in checked) return checked;
  const missing = resource.required.find((field) => checked.row[field] === undefined);
  if (missing !== undefined) return { refusal: { field: missing, pattern: "required" } };

  const row: Row = { ...structuredClone(resource.defaults), ...checked.row, [idField]: x.world.newId() };
  if (typeof row.mac === "string") row.mac = row.mac.toLowerCase();
  if (resource.namesSite) row.site_id = x.site.id;
  const code = firstBrokenRule(x, resource, row, undefined);
  if (code !== undefined) return { code };
  insertRow(x.site, resource.table, row);
  announce(x, resource, "add", row);
  return { row };
}

/** Overlays the fields of the body; a list is replaced whole. */
export function updateRow(x: SiteExchange, resource: Resource, id: string): Outcome {
  const before = findRow(x.site, resource.table, id);
  if (before === undefined) return { code: "IdInvalid" };
  if (before.attr_no_edit === true) return { code: "NoEdit" };
  const checked = checkFields(resource.fields, x.body);
  if ("refusal" in checked) return checked;
  const change = { ...checked.row, ...mergedLists(resource, before, checked.row) };
  const after = { ...before, ...change };
  const code = firstBrokenRule(x, resource, after, before);
  if (code !== undefined) return { code };
  Object.assign(before, change);
  announce(x, resource, "sync", before);
  return { row: before };
}

export function deleteRow(x: SiteExchange, resource: Resource, id: string): Outcome {
  const row = findRow(x.site, resource.table, id);
  if (row === undefined) return { code: "IdInvalid" };
  if (row.attr_no_delete === true) return { code: "NoDelete" };
  removeRow(x.site, resource.table, row);
  announce(x, resource, "delete", row);
  return { row };
}

/** `radio_table` is configuration and report in one: an item keeps the fields that no client may write. */
function mergedLists(resource: Resource, before: Row, written: Row): Row {
  const merged: Row = {};
  for (const [field, name] of Object.entries(resource.mergedLists)) {
    if (!Array.isArray(written[field]) || !Array.isArray(before[field])) continue;
    const known = before[field].filter(isRow);
    merged[field] = written[field]
      .filter(isRow)
      .map((item) => ({ ...known.find((old) => old[name] === item[name]), ...item }));
  }
  return merged;
}

function firstBrokenRule(x: SiteExchange, resource: Resource, row: Row, before: Row | undefined): string | undefined {
  for (const rule of resource.rules) {
    const code = rule({ site: x.site, row, before });
    if (code !== undefined) return code;
  }
  return undefined;
}

function announce(x: SiteExchange, resource: Resource, change: "add" | "sync" | "delete", row: Row): void {
  const key = "always" in resource.event ? resource.event.always : `${resource.event.prefix}:${change}`;
  x.announce(x.site, key, [row]);
}
