/** Fetch, merge, put whole: how a partial change meets the object that the console holds. */
import type { Row } from "../controller/controller.ts";
import { isRow } from "./rows.ts";

/** `base` with `change` laid over it: objects merge deep, lists and scalars replace. */
export function mergeDeep(base: Row, change: Row): Row {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(change)) {
    const before = base[key];
    merged[key] = isRow(before) && isRow(value) ? mergeDeep(before, value) : value;
  }
  return merged;
}

/** `row` without the fields that the paths name; objects that a path does not meet stay as they are. */
export function without(row: Row, paths: readonly (readonly string[])[]): Row {
  return Object.fromEntries(
    Object.entries(row).flatMap(([key, value]) => {
      const below = paths.filter(([first]) => first === key).map(([, ...rest]) => rest);
      if (below.some((rest) => rest.length === 0)) return [];
      return [[key, isRow(value) && below.length > 0 ? without(value, below) : value]];
    }),
  );
}

/** Deep equality of JSON values; key order does not count, list order does. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  if (!isRow(left) || !isRow(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length && keys.every((key) => key in right && sameJson(left[key], right[key]))
  );
}

/** Only the named keys, in their order; absent ones stay absent. */
export function pick(row: Row, keys: readonly string[]): Row {
  return Object.fromEntries(keys.flatMap((key) => (row[key] === undefined ? [] : [[key, row[key]]])));
}
