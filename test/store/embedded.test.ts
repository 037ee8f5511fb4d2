/** What only the embedded store promises: a file that lasts, one process, expiry by a clock that is handed in. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { createEmbeddedStore } from "../../src/store/embedded.ts";

function directory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "unifi-edge-store-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test("what was committed is there after closing and opening again", async (t) => {
  const path = join(directory(t), "deeper", "edge.db");
  const first = createEmbeddedStore({ path, now: Date.now });
  await first.commit({
    set: [{ key: "ue:{a}:k", value: "v" }],
    putFields: [{ key: "ue:{a}:m", fields: { f: "1" } }],
  });
  await first.close();

  const second = createEmbeddedStore({ path, now: Date.now });
  t.after(() => second.close());

  assert.equal(await second.get("ue:{a}:k"), "v");
  assert.deepEqual(await second.getMap("ue:{a}:m"), new Map([["f", "1"]]));
});

test("nobody but its owner may read the file", async (t) => {
  const path = join(directory(t), "edge.db");

  const store = createEmbeddedStore({ path, now: Date.now });
  t.after(() => store.close());
  await store.commit({ set: [{ key: "ue:{a}:k", value: "v" }] });

  for (const file of [path, `${path}-wal`]) assert.equal(statSync(file).mode & 0o777, 0o600, file);
});

test("a file that was readable by others, with what a dead process left beside it, is so no more", async (t) => {
  const path = join(directory(t), "edge.db");
  for (const file of [path, `${path}-wal`, `${path}-shm`]) writeFileSync(file, "", { mode: 0o644 });

  const store = createEmbeddedStore({ path, now: Date.now });
  t.after(() => store.close());
  await store.commit({ set: [{ key: "ue:{a}:k", value: "v" }] });

  for (const file of [path, `${path}-wal`]) assert.equal(statSync(file).mode & 0o777, 0o600, file);
});

test("a second opener of the same file is refused in words", async (t) => {
  const path = join(directory(t), "edge.db");
  const store = createEmbeddedStore({ path, now: Date.now });
  t.after(() => store.close());

  assert.throws(() => createEmbeddedStore({ path, now: Date.now }), {
    code: "STORE_UNAVAILABLE",
    message: /held by another process/,
  });
});

test("a file that is no database is refused in words", async (t) => {
  const path = join(directory(t), "edge.db");
  writeFileSync(path, "this is a letter to my aunt, not a database".repeat(100));

  assert.throws(() => createEmbeddedStore({ path, now: Date.now }), {
    code: "STORE_UNAVAILABLE",
    message: /is not a store of ours/,
  });
});

test("a lifetime ends exactly when the clock says so", async (t) => {
  let nowMs = 1_000;
  const store = createEmbeddedStore({ path: ":memory:", now: () => nowMs });
  t.after(() => store.close());
  await store.commit({ set: [{ key: "ue:{a}:k", value: "v", ttlMs: 500 }] });

  nowMs = 1_499;
  const before = await store.get("ue:{a}:k");
  nowMs = 1_500;

  assert.equal(before, "v");
  assert.equal(await store.get("ue:{a}:k"), undefined);
});

test("an expired map gives none of its fields to the one put after it", async (t) => {
  let nowMs = 0;
  const store = createEmbeddedStore({ path: ":memory:", now: () => nowMs });
  t.after(() => store.close());
  await store.commit({ putFields: [{ key: "ue:{a}:m", fields: { old: "1" }, ttlMs: 10 }] });

  nowMs = 20;
  await store.commit({ putFields: [{ key: "ue:{a}:m", fields: { new: "2" } }] });

  assert.deepEqual(await store.getMap("ue:{a}:m"), new Map([["new", "2"]]));
});

test("commits remove what has expired, a bounded number at a time", async (t) => {
  const path = join(directory(t), "edge.db");
  let nowMs = 0;
  const store = createEmbeddedStore({ path, now: () => nowMs });
  for (let index = 0; index < 300; index += 1) {
    await store.commit({
      set: [{ key: `ue:{a}:v${index}`, value: "v", ttlMs: 10 }],
      putFields: [{ key: `ue:{a}:m${index}`, fields: { f: "1" }, ttlMs: 10 }],
    });
  }

  nowMs = 5_000;
  await store.commit({});
  await store.close();

  const database = new DatabaseSync(path);
  t.after(() => database.close());
  const counts = ["entries", "maps", "fields"].map((table) =>
    database.prepare(`SELECT count(*) n FROM ${table}`).get(),
  );
  assert.deepEqual(
    counts.map((row) => row?.n),
    [100, 100, 100],
  );
});
