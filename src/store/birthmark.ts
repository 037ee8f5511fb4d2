/** A file beside the embedded store that names its register: a store that was lost is told, never begun anew in silence. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { EdgeError } from "../errors.ts";
import type { Register } from "./register.ts";

/**
 * Writes the mark at the first start, and compares it at each later one. `path` is the mark's file.
 *
 * @throws EdgeError STORE_UNAVAILABLE where the mark names another register: the store's file was lost, emptied or
 * swapped; or where the mark can neither be read nor written
 */
export function checkBirthmark(path: string, register: Register): void {
  const marked = told(path, () => readMark(path));
  if (marked === register.id) return;
  if (marked === undefined) {
    told(path, () => writeMark(path, register.id));
    return;
  }
  throw new EdgeError(
    "STORE_UNAVAILABLE",
    `The store is not the one that was here: its file was lost or emptied, or is another gateway's (${path}).`,
    {
      hint: `Restore store.sqlite and store.sqlite-wal from a backup. To begin anew without accounts, places and agents' keys, remove store.sqlite, store.sqlite-wal and ${path}.`,
    },
  );
}

function readMark(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Whole or not at all: half a mark would refuse a good store. */
function writeMark(path: string, id: string): void {
  const beside = `${path}.new`;
  const file = openSync(beside, "w", 0o600);
  try {
    writeSync(file, `${id}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(beside, path);
}

function told<Result>(path: string, step: () => Result): Result {
  try {
    return step();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "unknown fault";
    throw new EdgeError("STORE_UNAVAILABLE", `The store's mark ${path} cannot be used: ${why}.`, { cause });
  }
}
