/** The store of one process: a SQLite file (or memory), with the same promises as the one on Redis. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { EdgeError } from "../errors.ts";
import type { Commit, Condition, Store } from "./store.ts";

export interface EmbeddedStoreOptions {
  /** A file, of mode 0600 from the start, or `:memory:`. */
  readonly path: string;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Expired rows are invisible at once and removed by commits: at most this many, at most this often. */
const SWEEP_ROWS = 200;
const SWEEP_EVERY_MS = 1000;

/** The exclusive lock makes a second process fail at start instead of disagreeing later. */
const SCHEMA = `
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL, ends INTEGER);
CREATE TABLE IF NOT EXISTS maps (key TEXT PRIMARY KEY, ends INTEGER);
CREATE TABLE IF NOT EXISTS fields (key TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (key, field));
CREATE INDEX IF NOT EXISTS entries_end ON entries (ends) WHERE ends IS NOT NULL;
CREATE INDEX IF NOT EXISTS maps_end ON maps (ends) WHERE ends IS NOT NULL;
CREATE TRIGGER IF NOT EXISTS map_gone AFTER DELETE ON maps BEGIN DELETE FROM fields WHERE key = old.key; END;
BEGIN IMMEDIATE;
COMMIT;
`;

const STATEMENTS = {
  value: "SELECT value FROM entries WHERE key = ? AND (ends IS NULL OR ends > ?)",
  map: "SELECT 1 FROM maps WHERE key = ? AND (ends IS NULL OR ends > ?)",
  field: "SELECT value FROM fields WHERE key = ? AND field = ?",
  fields: "SELECT field, value FROM fields WHERE key = ?",
  set: "INSERT INTO entries VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, ends = excluded.ends",
  deleteEntry: "DELETE FROM entries WHERE key = ?",
  deleteMap: "DELETE FROM maps WHERE key = ?",
  addMap: "INSERT OR IGNORE INTO maps VALUES (?, NULL)",
  endMap: "UPDATE maps SET ends = ? WHERE key = ?",
  putField: "INSERT INTO fields VALUES (?, ?, ?) ON CONFLICT (key, field) DO UPDATE SET value = excluded.value",
  removeField: "DELETE FROM fields WHERE key = ? AND field = ?",
  dropEmptyMap: "DELETE FROM maps WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM fields WHERE key = ?1)",
  sweepEntries: `DELETE FROM entries WHERE key IN (SELECT key FROM entries WHERE ends <= ? LIMIT ${SWEEP_ROWS})`,
  sweepMaps: `DELETE FROM maps WHERE key IN (SELECT key FROM maps WHERE ends <= ? LIMIT ${SWEEP_ROWS})`,
} as const;

type Statements = Readonly<Record<keyof typeof STATEMENTS, StatementSync>>;

/** Throws STORE_UNAVAILABLE when the file cannot be opened or another process holds it. */
export function createEmbeddedStore({ path, now }: EmbeddedStoreOptions): Store {
  const database = told(() => open(path));
  const statements = told(() =>
    Object.fromEntries(Object.entries(STATEMENTS).map(([name, sql]) => [name, database.prepare(sql)])),
  ) as Statements; // the keys are those of STATEMENTS
  const listeners = new Map<string, Set<(message: string) => void>>();
  let sweptAtMs = now();

  function read(key: string): string | undefined {
    return statements.value.get(key, now())?.value as string | undefined; // the column is TEXT NOT NULL
  }

  function readField(key: string, field: string): string | undefined {
    if (statements.map.get(key, now()) === undefined) return undefined;
    return statements.field.get(key, field)?.value as string | undefined; // likewise
  }

  function sweep(atMs: number): void {
    if (atMs - sweptAtMs < SWEEP_EVERY_MS) return;
    sweptAtMs = atMs;
    statements.sweepEntries.run(atMs);
    statements.sweepMaps.run(atMs);
  }

  return {
    kind: "embedded",
    get: async (key) => told(() => read(key)),
    getMany: async (keys) => told(() => keys.map(read)),
    getField: async (key, field) => told(() => readField(key, field)),
    getMap: async (key) =>
      told(() => {
        if (statements.map.get(key, now()) === undefined) return new Map();
        const rows = statements.fields.all(key) as { field: string; value: string }[]; // both TEXT NOT NULL
        return new Map(rows.map(({ field, value }) => [field, value]));
      }),
    commit: async (commit) =>
      told(() => {
        const atMs = now();
        sweep(atMs);
        return inTransaction(database, () => {
          if (!(commit.if ?? []).every((condition) => holds(statements, condition, atMs))) return false;
          apply(statements, commit, atMs);
          return true;
        });
      }),
    publish: async (channel, message) => {
      // after the publisher's own step, as over a network
      for (const listener of listeners.get(channel) ?? []) queueMicrotask(() => listener(message));
    },
    subscribe: async (channel, listener) => {
      // wrapped: the same function may be subscribed twice
      const heard = (message: string) => listener(message);
      listeners.set(channel, (listeners.get(channel) ?? new Set()).add(heard));
      return async () => {
        const others = listeners.get(channel);
        others?.delete(heard);
        if (others?.size === 0) listeners.delete(channel);
      };
    },
    ping: async () => {
      told(() => read("ping"));
    },
    close: async () => {
      listeners.clear();
      if (database.isOpen) database.close();
    },
  };
}

function open(path: string): DatabaseSync {
  if (path !== ":memory:") keepPrivate(path);
  const database = new DatabaseSync(path);
  try {
    database.exec(SCHEMA);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** SQLite's own files follow the mode of the main one, and that would be readable by everyone. */
function keepPrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, 0o600);
}

function inTransaction(database: DatabaseSync, step: () => boolean): boolean {
  database.exec("BEGIN IMMEDIATE");
  try {
    const done = step();
    database.exec("COMMIT");
    return done;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function holds(statements: Statements, condition: Condition, atMs: number): boolean {
  const { key, field } = condition;
  const mapIsThere = () => statements.map.get(key, atMs) !== undefined;
  const value =
    field === undefined
      ? statements.value.get(key, atMs)?.value
      : mapIsThere() && statements.field.get(key, field)?.value;
  if (!("is" in condition)) return value === condition.equals;
  const present = typeof value === "string" || (field === undefined && mapIsThere());
  return present === (condition.is === "present");
}

function apply(statements: Statements, commit: Commit, atMs: number): void {
  const endOf = (ttlMs: number) => atMs + Math.max(1, Math.ceil(ttlMs));
  for (const key of commit.delete ?? []) {
    statements.deleteEntry.run(key);
    statements.deleteMap.run(key);
  }
  for (const { key, value, ttlMs } of commit.set ?? []) {
    statements.set.run(key, value, ttlMs === undefined ? null : endOf(ttlMs));
  }
  for (const { key, fields } of commit.removeFields ?? []) {
    for (const field of fields) statements.removeField.run(key, field);
    statements.dropEmptyMap.run(key);
  }
  for (const { key, fields, ttlMs } of commit.putFields ?? []) {
    const entries = Object.entries(fields);
    if (entries.length === 0) continue;
    // an expired map that was not swept yet must not give its old fields to the new one
    if (statements.map.get(key, atMs) === undefined) statements.deleteMap.run(key);
    statements.addMap.run(key);
    for (const [field, value] of entries) statements.putField.run(key, field, value);
    if (ttlMs !== undefined) statements.endMap.run(endOf(ttlMs), key);
  }
}

/** SQLite's primary result codes. */
const REASONS: Readonly<Record<number, string>> = {
  5: "is held by another process (one gateway per embedded store)",
  6: "is held by another process (one gateway per embedded store)",
  8: "may not be written to",
  10: "could not be read or written (disk error)",
  11: "is damaged",
  13: "cannot grow: the disk is full",
  14: "cannot be opened (does its directory exist, and may we write there?)",
  26: "is not a store of ours",
};

function told<Result>(step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
    const reason = REASONS[code] ?? (error instanceof Error ? `failed: ${error.message}` : "failed");
    throw new EdgeError("STORE_UNAVAILABLE", `The store is unavailable: its file ${reason}.`, { cause: error });
  }
}
