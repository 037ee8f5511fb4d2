/** Opens the journal's file: SQLite in WAL mode, every commit on disk, one process alone, its tables made or checked. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EdgeError } from "../errors.ts";

const FORMAT = 1;

/** Times are Unix milliseconds; `result` is the redacted answer; arguments stand here only as keyed hashes. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS calls (
    id TEXT PRIMARY KEY, id_ms INTEGER NOT NULL, fingerprint BLOB NOT NULL, tool TEXT NOT NULL,
    state TEXT NOT NULL, boot_id TEXT NOT NULL, started_ms INTEGER NOT NULL, completed_ms INTEGER,
    delivered INTEGER NOT NULL DEFAULT 0, acked INTEGER NOT NULL DEFAULT 0,
    unresolved INTEGER NOT NULL DEFAULT 0, is_error INTEGER NOT NULL DEFAULT 0,
    type TEXT NOT NULL DEFAULT 'json', result BLOB
  ) STRICT;
  CREATE INDEX IF NOT EXISTS calls_by_fingerprint ON calls (fingerprint, started_ms);
  CREATE INDEX IF NOT EXISTS calls_by_age ON calls (started_ms);
  CREATE TABLE IF NOT EXISTS tokens (
    id TEXT PRIMARY KEY, bound BLOB NOT NULL, seen TEXT NOT NULL, expires_ms INTEGER NOT NULL, spent_by TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS batches (
    id TEXT PRIMARY KEY, digest BLOB NOT NULL, owner TEXT NOT NULL, accepted_ms INTEGER NOT NULL,
    deadline_ms INTEGER NOT NULL, writes INTEGER NOT NULL, cancelled INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS operations (
    batch TEXT NOT NULL, position INTEGER NOT NULL, tool TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL,
    sealed BLOB, started_ms INTEGER, completed_ms INTEGER, is_error INTEGER NOT NULL DEFAULT 0,
    type TEXT NOT NULL DEFAULT 'json', result BLOB, acked INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (batch, position)
  ) STRICT;
`;

/**
 * Opens the file and makes something of it. Throws CONFIG_INVALID in words, with the file closed again: the folder cannot
 * be written, another process holds the file, it is no journal, or `make` met a full disk or a damaged table.
 */
export function openJournalFile<Made>(path: string, make: (database: DatabaseSync) => Made): Made {
  let database: DatabaseSync | undefined;
  try {
    if (path !== ":memory:") keepPrivate(path);
    database = new DatabaseSync(path);
    // The lock mode comes first: WAL opened in exclusive mode needs no shared memory, and a second process meets the lock.
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    // erased seals and pruned results are overwritten, not only unlinked
    database.exec("PRAGMA secure_delete = ON; BEGIN IMMEDIATE");
    const format = database.prepare("PRAGMA user_version").get()?.user_version;
    if (format !== 0 && format !== FORMAT) throw new Error(`its format is ${format}, this version reads ${FORMAT}`);
    database.exec(`${TABLES} PRAGMA user_version = ${FORMAT}; COMMIT`);
    return make(database);
  } catch (cause) {
    database?.close();
    throw unusable(path, cause);
  }
}

/** Before SQLite sees it: its own files follow the mode of the main one, and would be readable by everyone. */
function keepPrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, 0o600);
}

function unusable(path: string, cause: unknown): EdgeError {
  const why = cause instanceof Error ? cause.message : String(cause);
  if (/locked|busy/i.test(why)) {
    return new EdgeError("CONFIG_INVALID", `The journal ${path} is held by another running agent.`, {
      hint: "Stop that agent, or give this one its own UNIFI_EDGE_STATE_DIR: two agents on one journal could write twice.",
      details: { held: true },
      cause,
    });
  }
  return new EdgeError("CONFIG_INVALID", `The journal ${path} cannot be used: ${why}.`, {
    hint:
      HINTS[resultCodeOf(cause)] ?? "UNIFI_EDGE_STATE_DIR must name a folder on a local disk that this user may write.",
    cause,
  });
}

const DAMAGED =
  "Move the file and its -wal away and start again: a new journal begins, and writes whose answer is still open are told as OUTCOME_UNKNOWN.";
/** By SQLite's primary result codes. */
const HINTS: Readonly<Record<number, string>> = {
  11: DAMAGED,
  13: "Free disk space in the agent's UNIFI_EDGE_STATE_DIR, then start it again.",
  26: DAMAGED,
};

function resultCodeOf(cause: unknown): number {
  return cause instanceof Error && "errcode" in cause ? Number(cause.errcode) & 0xff : 0;
}
