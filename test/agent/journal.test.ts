/** The ledger's file: one process, one identity, bounded, and honest about what it no longer knows. */
import assert from "node:assert/strict";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { v7 } from "uuid";
import { type Journal, openJournal } from "../../src/agent/journal.ts";
import { failing, manualClock, temporaryFolder } from "./agent-under-test.ts";

const RESULT = { isError: false, type: "json", body: Buffer.from('{"success":true}') } as const;
const random = (size: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(size)));

function write(journal: Journal, id: string, text = id): void {
  const key = { id, fingerprint: journal.hmac(text) };
  journal.transaction(() => journal.start(key, "unifi_create_note"));
  journal.finish(id, RESULT, false);
}

test("a second process on the same file is refused in words", (t) => {
  const path = join(temporaryFolder(t), "journal.sqlite");
  const options = { path, now: () => 0, random };
  const journal = openJournal(options);
  t.after(() => journal.close());

  assert.throws(() => openJournal(options), /held by another running agent/);
});

test("a file that is no journal is refused in words", (t) => {
  const path = join(temporaryFolder(t), "journal.sqlite");
  writeFileSync(path, "not a database, but long enough to look at ".repeat(100));

  assert.throws(() => openJournal({ path, now: () => 0, random }), {
    code: "CONFIG_INVALID",
    hint: /a new journal begins/,
  });
});

test("nobody but its owner may read the journal or what SQLite keeps beside it", (t) => {
  const folder = join(temporaryFolder(t), "state");
  const path = join(folder, "journal.sqlite");
  const first = openJournal({ path, now: () => 0, random });
  const modes = () => readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
  const fresh = modes();
  first.close();
  writeFileSync(`${path}-wal`, "", { mode: 0o644 });

  const { close } = openJournal({ path, now: () => 0, random });
  t.after(close);

  const expected = [
    ["journal.sqlite", 0o600],
    ["journal.sqlite-wal", 0o600],
  ];
  assert.deepEqual([fresh, modes()], [expected, expected]);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
});

test("a journal whose tables are not ours is refused in words, and let go", (t) => {
  const path = join(temporaryFolder(t), "journal.sqlite");
  const strange = new DatabaseSync(path);
  strange.exec("CREATE TABLE meta (name TEXT PRIMARY KEY) STRICT");
  strange.close();

  for (const start of [1, 2]) {
    assert.throws(
      () => openJournal({ path, now: () => 0, random }),
      { code: "CONFIG_INVALID", message: /cannot be used: no such column/ },
      `start ${start}`,
    );
  }
});

test("every commit is on disk before it returns", (t) => {
  const path = join(temporaryFolder(t), "journal.sqlite");
  const { database, close } = openJournal({ path, now: () => 0, random });
  t.after(close);

  assert.equal(database.prepare("PRAGMA journal_mode").get()?.journal_mode, "wal");
  assert.equal(database.prepare("PRAGMA synchronous").get()?.synchronous, 2);
  assert.equal(database.prepare("PRAGMA locking_mode").get()?.locking_mode, "exclusive");
});

test("journal id, keys and epoch are born with the file; each start has its own boot id", (t) => {
  const path = join(temporaryFolder(t), "journal.sqlite");
  const first = openJournal({ path, now: () => 1, random });
  const hash = first.hmac("x");
  first.setLastEpoch(7);
  first.close();

  const second = openJournal({ path, now: () => 1, random });
  t.after(() => second.close());

  assert.equal(second.journalId, first.journalId);
  assert.notEqual(second.bootId, first.bootId);
  assert.deepEqual(second.hmac("x"), hash);
  assert.equal(second.lastEpoch(), 7);
});

test("rows past their time go at the next start, and their ids are stale, never new", (t) => {
  const path = join(temporaryFolder(t), "journal.sqlite");
  const clock = manualClock();
  const now = () => clock.nowMs;
  const id = v7({ msecs: clock.nowMs });
  const first = openJournal({ path, now, random });
  write(first, id);
  first.close();
  clock.pass(73 * 3_600_000);

  const second = openJournal({ path, now, random });
  t.after(() => second.close());

  assert.equal(second.outcome(id).state, "new");
  assert.throws(() => second.find({ id, fingerprint: second.hmac(id) }), failing("STALE_CALL"));
});

test("over the bound the oldest rows go first, and ids up to theirs are stale although they are young", (t) => {
  const path = join(temporaryFolder(t), "journal.sqlite");
  const clock = manualClock();
  const now = () => clock.nowMs;
  const first = openJournal({ path, now, random });
  const ids = Array.from({ length: 6 }, () => {
    clock.pass(1000);
    const id = v7({ msecs: clock.nowMs });
    write(first, id);
    return id;
  });
  first.close();

  const second = openJournal({ path, now, random, maxRows: 4 });
  t.after(() => second.close());

  assert.deepEqual(
    ids.map((id) => second.outcome(id).state),
    ["new", "new", "done", "done", "done", "done"],
  );
  for (const id of ids.slice(0, 2)) {
    assert.throws(() => second.find({ id, fingerprint: second.hmac(id) }), failing("STALE_CALL"));
  }
});

test("a tombstone holds across a restart, and a started call is never entombed", (t) => {
  const path = join(temporaryFolder(t), "journal.sqlite");
  const clock = manualClock();
  const options = { path, now: () => clock.nowMs, random };
  const [dead, alive] = [v7({ msecs: clock.nowMs }), v7({ msecs: clock.nowMs })];
  const first = openJournal(options);
  write(first, alive);
  const entombed = [first.entomb(dead), first.entomb(alive)];
  first.close();

  const second = openJournal(options);
  t.after(() => second.close());

  assert.deepEqual(entombed, [true, false]);
  assert.equal(second.outcome(dead).state, "cancelled");
  assert.equal(second.outcome(alive).state, "done");
});

test("calls that were not acknowledged are told for the tunnel's greeting, newest first", (t) => {
  const clock = manualClock();
  const journal = openJournal({ path: ":memory:", now: () => clock.nowMs, random });
  t.after(() => journal.close());
  const [first, second, third] = [1, 2, 3].map(() => {
    clock.pass(1);
    const id = v7({ msecs: clock.nowMs });
    write(journal, id);
    return id;
  });
  journal.acknowledge(String(second), true);

  assert.deepEqual(journal.open(10), [
    { id: third, state: "done" },
    { id: first, state: "done" },
  ]);
});
