/** Compares what a write asked for with what the console has afterwards: persisted, coerced, dropped, or unverifiable. */
import type { Row } from "../controller/controller.ts";
import { canonicalJson, isRecord } from "./canonical.ts";

export interface Verification {
  readonly persisted: readonly string[];
  /** The console kept its old value, or none: accepted but not saved. */
  readonly dropped: readonly string[];
  /** The console saved something else than was asked. */
  readonly coerced: Readonly<Record<string, { readonly asked: unknown; readonly saved: unknown }>>;
  /** Secrets, which consoles do not show, and everything where the read-back failed. */
  readonly unverifiable: readonly string[];
}

/**
 * Field by field, only those that were asked for. `isWithheld` tells the names whose values consoles do not
 * show; one that came back equal still counts as persisted.
 */
export function verify(
  asked: Row,
  before: Row | undefined,
  after: Row,
  isWithheld: (name: string) => boolean,
): Verification {
  const persisted: string[] = [];
  const dropped: string[] = [];
  const unverifiable: string[] = [];
  const coerced: Record<string, { asked: unknown; saved: unknown }> = {};
  for (const [name, wanted] of Object.entries(asked)) {
    if (wanted === undefined) continue;
    const saved = after[name];
    if (covers(wanted, saved)) persisted.push(name);
    else if (isWithheld(name)) unverifiable.push(name);
    else if (saved === undefined || (before !== undefined && canonicalJson(before[name]) === canonicalJson(saved))) {
      dropped.push(name);
    } else coerced[name] = { asked: wanted, saved };
  }
  return { persisted, dropped, coerced, unverifiable };
}

/** The write went through and could not be looked at: nothing is claimed of any field. */
export function unverified(asked: Row | undefined): Verification {
  return { persisted: [], dropped: [], coerced: {}, unverifiable: Object.keys(asked ?? {}) };
}

/** True when `saved` holds what was asked: numbers equal their text, objects may have further fields, lists are exact. */
function covers(wanted: unknown, saved: unknown): boolean {
  if (isRecord(wanted) && isRecord(saved)) {
    return Object.entries(wanted).every(([name, value]) => value === undefined || covers(value, saved[name]));
  }
  if (Array.isArray(wanted) && Array.isArray(saved)) {
    return wanted.length === saved.length && wanted.every((value, index) => covers(value, saved[index]));
  }
  if (typeof wanted === "number" || typeof saved === "number") return String(wanted) === String(saved);
  // an emptied field may come back as no field at all
  if (wanted === null || wanted === "") return saved === undefined || saved === null || saved === "";
  return wanted === saved;
}
