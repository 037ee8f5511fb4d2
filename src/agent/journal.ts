/** The agent's ledger: a write's row is on disk before the console is touched, so one call id never runs twice. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { v7 } from "uuid";
import { EdgeError } from "../errors.ts";
import type { CallResult } from "../tunnel/calls.ts";
import { type RandomBytes, timeOfId } from "./call-id.ts";
import { canonicalJson } from "./canonical.ts";
import { openJournalFile } from "./journal-file.ts";

const HOUR_MS = 3_600_000;
/** How long a finished write answers a repeat of its id. */
const KEEP_MS = 72 * HOUR_MS;
/** Ids may be this far ahead of our clock; further ahead they could outlive their row. */
const CLOCK_LEAD_MS = HOUR_MS;
/** An identical write within this time of an unresolved or undelivered one gets that one's outcome. */
const TWIN_MS = 600_000;
/** Rows kept at most; an answer is at most 64 KiB, the usual one about 1 KiB. */
const MAX_ROWS = 100_000;
const MAX_RESULT_BYTES = 256 * 1024 * 1024;
/** In `delivered`, beside 0 and 1: the client asked for another run in full knowledge of this one. */
const SUPERSEDED = 2;
/** Pruning runs once in so many new rows. */
const PRUNE_EVERY = 512;

export interface CallKey {
  readonly id: string;
  readonly fingerprint: Buffer;
}

/** What the journal knows of a call id, or of an identical write. */
export type Found =
  | { readonly state: "new" }
  /** Started by this process and not finished: attach to it. */
  | { readonly state: "running"; readonly id: string }
  | { readonly state: "done"; readonly id: string; readonly result: CallResult; readonly unresolved: boolean }
  /** Started, and nobody is left who knows how it ended. */
  | { readonly state: "unknown"; readonly id: string }
  | { readonly state: "cancelled"; readonly id: string };

export interface JournalOptions {
  /** File path, or `:memory:`. */
  readonly path: string;
  readonly now: () => number;
  readonly random: RandomBytes;
  readonly keepMs?: number;
  readonly maxRows?: number;
}

export interface Journal {
  /** Born with the file: a write is only ever resent to the journal that first got it. */
  readonly journalId: string;
  readonly bootId: string;
  /** For the tables of tokens and batches, which live in the same file and commit together with calls. */
  readonly database: DatabaseSync;
  /** Keyed hash of any value: equal values can be recognised, never read. */
  hmac(...parts: readonly unknown[]): Buffer;
  /** Runs `work` in one durable transaction. Throws JOURNAL_UNAVAILABLE where the disk refuses. */
  transaction<Result>(work: () => Result): Result;
  /**
   * Looks a call id up. Throws STALE_CALL for an id whose row may be gone; CONFIRM_TOKEN_INVALID where the id belongs
   * to another call.
   */
  find(key: CallKey): Found;
  /** What became of an id of our own (a batch's operation); no checks. */
  outcome(id: string): Found;
  /** Throws STALE_CALL for an id older than what is kept, far ahead of the clock, or without a time in it. */
  assertCurrent(id: string): void;
  /** The newest identical write that is unresolved or whose answer never reached the client, within ten minutes. */
  twin(key: CallKey): Found;
  /**
   * The caller asked to run although an identical write may be open: those that ended, or that nobody can tell of any
   * more, are no twins from now on. Call it within transaction().
   */
  supersede(key: CallKey): void;
  /** Inserts the `started` row; call it within transaction(). */
  start(key: CallKey, tool: string): void;
  /** `unresolved` = the answer says that the write may or may not have taken effect. */
  finish(id: string, result: CallResult, unresolved: boolean): void;
  /** The gateway stored the outcome; `delivered` = the client got it, so an identical write may run again. */
  acknowledge(id: string, delivered: boolean): void;
  /** Writes a tombstone for an id that never started; a late call with it is refused. False = it had started. */
  entomb(id: string): boolean;
  /** Unacknowledged calls, newest first: for the tunnel's hello. */
  open(limit: number): readonly { readonly id: string; readonly state: "started" | "done" }[];
  lastEpoch(): number;
  setLastEpoch(epoch: number): void;
  close(): void;
}

/** Opens (or creates) the journal. A second process on the same file is refused with CONFIG_INVALID in words. */
export function openJournal(options: JournalOptions): Journal {
  return openJournalFile(options.path, (database) => journalOn(database, options));
}

function journalOn(database: DatabaseSync, options: JournalOptions): Journal {
  const { now, random } = options;
  const keepMs = options.keepMs ?? KEEP_MS;
  const bootId = v7({ msecs: now(), random: random(16) });
  const meta = metaOf(database);
  const journalId = meta.once("journal_id", () => Buffer.from(v7({ msecs: now(), random: random(16) }))).toString();
  const secret = meta.once("hmac_key", () => random(32));
  const prune = createPrune(database, { keepMs, maxRows: options.maxRows ?? MAX_ROWS, now, bootId });
  const running = new Set<string>();
  let sincePrune = 0;

  const byId = database.prepare("SELECT * FROM calls WHERE id = ?");
  const byFingerprint = database.prepare(
    `SELECT * FROM calls WHERE fingerprint = ? AND id <> ? AND instr(id, ?) <> 1 AND started_ms > ?
     AND delivered < ${SUPERSEDED}
     AND (state = 'started' OR unresolved = 1 OR (state = 'done' AND delivered = 0 AND is_error = 0))
     ORDER BY started_ms DESC LIMIT 1`,
  );
  const insert = database.prepare(
    "INSERT INTO calls (id, id_ms, fingerprint, tool, state, boot_id, started_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const end = database.prepare(
    `UPDATE calls SET state = 'done', completed_ms = ?, unresolved = ?, is_error = ?, type = ?, result = ?
     WHERE id = ? AND state = 'started'`,
  );
  const acknowledge = database.prepare("UPDATE calls SET acked = 1, delivered = max(delivered, ?) WHERE id = ?");
  const supersede = database.prepare(
    `UPDATE calls SET delivered = ${SUPERSEDED} WHERE fingerprint = ? AND id <> ? AND (state = 'done' OR boot_id <> ?)`,
  );
  const openCalls = database.prepare(
    "SELECT id, state FROM calls WHERE acked = 0 AND state <> 'cancelled' ORDER BY started_ms DESC LIMIT ?",
  );

  function transaction<Result>(work: () => Result): Result {
    try {
      database.exec("BEGIN IMMEDIATE");
    } catch (cause) {
      throw unavailable(cause);
    }
    try {
      const result = work();
      database.exec("COMMIT");
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error instanceof EdgeError ? error : unavailable(error);
    }
  }

  function foundIn(row: Record<string, unknown> | undefined): Found {
    if (row === undefined) return { state: "new" };
    const id = String(row.id);
    if (row.state === "cancelled") return { state: "cancelled", id };
    if (row.state === "started") return { state: running.has(id) ? "running" : "unknown", id };
    return { state: "done", id, result: resultOf(row), unresolved: row.unresolved === 1 };
  }

  /** Within the transaction that added a row. */
  function grown(): void {
    sincePrune += 1;
    if (sincePrune < PRUNE_EVERY) return;
    sincePrune = 0;
    prune();
  }

  function isCurrent(id: string): boolean {
    const idMs = timeOfId(id);
    const horizon = Math.max(now() - keepMs + CLOCK_LEAD_MS, meta.number("pruned_through"));
    return idMs !== undefined && idMs > horizon && idMs < now() + CLOCK_LEAD_MS;
  }

  function assertCurrent(id: string): void {
    if (isCurrent(id)) return;
    throw new EdgeError("STALE_CALL", "This call's id is older than the agent's journal keeps, or carries no time.", {
      hint: "Ask for a fresh preview or send the call anew; if this came at once, compare the clocks of gateway and agent.",
    });
  }

  prune();
  return {
    journalId,
    bootId,
    database,
    hmac: (...parts) => createHmac("sha256", secret).update(canonicalJson(parts)).digest(),
    transaction,
    find(key) {
      const row = byId.get(key.id);
      if (row === undefined) {
        assertCurrent(key.id);
        return { state: "new" };
      }
      // An id that belongs to another call must not hand out that call's answer. A tombstone has no fingerprint.
      if (row.state !== "cancelled" && !timingSafeEqual(blob(row.fingerprint), key.fingerprint)) {
        throw new EdgeError("CONFIRM_TOKEN_INVALID", "This id or confirm_token belongs to a different call.", {
          hint: "Ask for a preview of exactly this call and use the token that it gives.",
        });
      }
      return foundIn(row);
    },
    outcome: (id) => foundIn(byId.get(id)),
    assertCurrent,
    twin: (key) => foundIn(byFingerprint.get(key.fingerprint, key.id, siblingsOf(key.id), now() - TWIN_MS)),
    supersede: (key) => void supersede.run(key.fingerprint, key.id, bootId),
    start(key, tool) {
      insert.run(key.id, timeOfId(key.id) ?? now(), key.fingerprint, tool, "started", bootId, now());
      running.add(key.id);
      grown();
    },
    finish(id, result, unresolved) {
      running.delete(id);
      transaction(() => end.run(now(), Number(unresolved), Number(result.isError), result.type, result.body, id));
    },
    acknowledge: (id, delivered) => void transaction(() => acknowledge.run(Number(delivered), id)),
    entomb: (id) =>
      transaction(() => {
        if (byId.get(id) !== undefined) return false;
        // an id that find() refuses as stale needs no tombstone, and one from the future would move the horizon
        if (isCurrent(id)) insert.run(id, timeOfId(id) ?? 0, Buffer.alloc(0), "", "cancelled", bootId, now());
        grown();
        return true;
      }),
    open: (limit) => openCalls.all(limit).map((row) => ({ id: String(row.id), state: openState(row.state) })),
    lastEpoch: () => meta.number("last_epoch"),
    setLastEpoch: (epoch) => transaction(() => meta.set("last_epoch", Buffer.from(String(epoch)))),
    close: () => void (database.isOpen && database.close()),
  };
}

/** What the ids of the same batch begin with: two equal operations of one batch are two, not one and its repetition. */
function siblingsOf(id: string): string {
  return id.includes(":") ? id.slice(0, id.lastIndexOf(":") + 1) : `${id}:`;
}

function openState(state: unknown): "started" | "done" {
  return state === "started" ? "started" : "done";
}

export function unavailable(cause: unknown): EdgeError {
  return new EdgeError("JOURNAL_UNAVAILABLE", "The agent's journal cannot be written, so it makes no writes now.", {
    hint: "Free disk space in the agent's UNIFI_EDGE_STATE_DIR; reads go on meanwhile.",
    cause,
  });
}

/** A stored answer; rows are our own, so their types are known. */
export function resultOf(row: Record<string, unknown>): CallResult {
  return {
    isError: row.is_error === 1,
    type: row.type as CallResult["type"],
    body: blob(row.result),
  };
}

function blob(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.alloc(0);
}

interface Meta {
  once(name: string, make: () => Buffer): Buffer;
  number(name: string): number;
  set(name: string, value: Buffer): void;
}

function metaOf(database: DatabaseSync): Meta {
  const select = database.prepare("SELECT value FROM meta WHERE name = ?");
  const put = database.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)");
  return {
    once(name, make) {
      const row = select.get(name);
      if (row !== undefined) return blob(row.value);
      const value = make();
      put.run(name, value);
      return value;
    },
    number: (name) => Number(blob(select.get(name)?.value).toString() || 0),
    set: (name, value) => void put.run(name, value),
  };
}

/** Drops what is past its time or over the bounds, and remembers how far, so that a pruned id is stale and never new. */
function createPrune(
  database: DatabaseSync,
  bounds: { readonly keepMs: number; readonly maxRows: number; readonly now: () => number; readonly bootId: string },
): () => void {
  const counts = database.prepare("SELECT count(*) AS rows, sum(length(result)) AS bytes FROM calls");
  const doomed = `(state <> 'started' OR boot_id <> ?)
    AND (started_ms < ? OR id IN (SELECT id FROM calls ORDER BY started_ms LIMIT ?))`;
  const through = database.prepare(`SELECT max(id_ms) AS id_ms FROM calls WHERE ${doomed}`);
  const drop = database.prepare(`DELETE FROM calls WHERE ${doomed}`);
  const dropTokens = database.prepare("DELETE FROM tokens WHERE expires_ms < ?");
  const meta = metaOf(database);
  return () => {
    const oldest = bounds.now() - bounds.keepMs;
    const { rows, bytes } = counts.get() ?? {};
    const over = Number(rows) - bounds.maxRows;
    const surplus = Math.max(over, Number(bytes ?? 0) > MAX_RESULT_BYTES ? Math.ceil(Number(rows) / 4) : 0, 0);
    const prunedMs = Number(through.get(bounds.bootId, oldest, surplus)?.id_ms ?? 0);
    if (prunedMs > 0)
      meta.set("pruned_through", Buffer.from(String(Math.max(prunedMs, meta.number("pruned_through")))));
    drop.run(bounds.bootId, oldest, surplus);
    // a spent token outlives its validity with the row of the call that it became
    dropTokens.run(oldest);
  };
}
