/** What calls and batches keep: write intents, batch states, loaded tools. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createBatchRecords, type StoredBatchHeader } from "../../src/store/batches.ts";
import { createIntents } from "../../src/store/intents.ts";
import { batchKey, listChangedChannel } from "../../src/store/keys.ts";
import { addLoadedTools, getLoadedTools, LOADED_TOOLS_MAX, readListChange } from "../../src/store/loaded-tools.ts";
import { describeOnEveryStore } from "../support/stores.ts";

const INTENT = { id: "call-1", journalId: "journal-1", fingerprint: "print-1", sentAtMs: 1 };

const HEADER: StoredBatchHeader = {
  id: "batch-1",
  org: "acme",
  subject: "acc_1",
  grant: "grant-1",
  app: "network",
  createdAtMs: 1,
  writes: true,
  operations: [{ index: 0, tool: "unifi_list_clients", location: "north" }],
};

describeOnEveryStore("Call records", (open) => {
  test("a delivered write whose record could not be removed is no twin for this process", async (t) => {
    const store = await open(t);
    let away = false;
    const commit: typeof store.commit = async (change) => {
      if (away) throw new Error("away");
      return store.commit(change);
    };
    const intents = createIntents({ ...store, commit });
    await intents.open("acme", INTENT);
    away = true;
    await assert.rejects(intents.settle("acme", INTENT));

    assert.equal(await intents.twin("acme", "print-1"), undefined);
    assert.equal(await intents.byId("acme", "call-1"), undefined);
    assert.deepEqual(await createIntents(store).byId("acme", "call-1"), INTENT);
  });

  test("an open write is found by id and by fingerprint, in its organisation", async (t) => {
    const intents = createIntents(await open(t));

    await intents.open("acme", INTENT);

    assert.deepEqual(await intents.byId("acme", "call-1"), INTENT);
    assert.deepEqual(await intents.twin("acme", "print-1"), INTENT);
    assert.equal(await intents.twin("other", "print-1"), undefined);
  });

  test("the twin is the newest write with the fingerprint, until that is settled", async (t) => {
    const intents = createIntents(await open(t));
    const newer = { ...INTENT, id: "call-2" };
    await intents.open("acme", INTENT);
    await intents.open("acme", newer);

    const twin = await intents.twin("acme", "print-1");
    await intents.settle("acme", newer);

    assert.deepEqual(twin, newer);
    assert.equal(await intents.twin("acme", "print-1"), undefined);
    assert.equal(await intents.byId("acme", "call-2"), undefined);
    assert.deepEqual(await intents.byId("acme", "call-1"), INTENT);
  });

  test("a batch's header and the states of its operations are read back", async (t) => {
    const batches = createBatchRecords(await open(t));
    await batches.saveHeader(HEADER);

    await batches.saveOperation(HEADER, 0, { state: "running", startedAtMs: 5 });
    await batches.saveOperation(HEADER, 1, { state: "done", isError: false, body: '{"success":true}' });

    assert.deepEqual(await batches.header("acme", "batch-1"), HEADER);
    assert.deepEqual(
      await batches.operations("acme", "batch-1"),
      new Map([
        [0, { state: "running", startedAtMs: 5 }],
        [1, { state: "done", isError: false, body: '{"success":true}' }],
      ]),
    );
    assert.equal(await batches.header("other", "batch-1"), undefined);
  });

  test("a final state never changes, and no state goes back", async (t) => {
    const batches = createBatchRecords(await open(t));
    const states = ["queued", "running", "queued", "error", "running", "done", "cancelled"] as const;
    const seen: (string | undefined)[] = [];

    for (const state of states) {
      await batches.saveOperation(HEADER, 0, { state });
      seen.push((await batches.operations("acme", "batch-1")).get(0)?.state);
    }

    assert.deepEqual(seen, ["queued", "running", "running", "error", "error", "error", "error"]);
  });

  test("reports of one operation at once end in one final state", async (t) => {
    const batches = createBatchRecords(await open(t));
    const states = ["queued", "running", "done", "running", "queued", "running"] as const;

    await Promise.all(states.map((state) => batches.saveOperation(HEADER, 0, { state })));

    assert.equal((await batches.operations("acme", "batch-1")).get(0)?.state, "done");
  });

  test("a report brings back a header that the store has lost", async (t) => {
    const store = await open(t);
    const batches = createBatchRecords(store);
    await batches.saveHeader(HEADER);
    await store.commit({ delete: [batchKey("acme", "batch-1")] });

    await batches.saveOperation(HEADER, 0, { state: "running" });

    assert.deepEqual(await batches.header("acme", "batch-1"), HEADER);
  });

  test("loaded tools add up in order, without repeats, and changes are told", async (t) => {
    const store = await open(t);
    const told = Promise.withResolvers<unknown>();
    await store.subscribe(listChangedChannel(), (message) => told.resolve(readListChange(message)));

    await addLoadedTools(store, "acme", "g1", ["b", "a"]);
    const list = await addLoadedTools(store, "acme", "g1", ["a", "c"]);

    assert.deepEqual(list, ["b", "a", "c"]);
    assert.deepEqual(await getLoadedTools(store, "acme", "g1"), ["b", "a", "c"]);
    assert.deepEqual(await getLoadedTools(store, "acme", "g2"), []);
    assert.deepEqual(await told.promise, { org: "acme", grant: "g1" });
  });

  test("loads at once lose nothing, and the list never grows past its bound", async (t) => {
    const store = await open(t);
    const names = (from: number) => Array.from({ length: 10 }, (_, index) => `tool-${from + index}`);

    await Promise.all([0, 10, 20].map((from) => addLoadedTools(store, "acme", "g", names(from))));
    const before = await getLoadedTools(store, "acme", "g");
    const after = await addLoadedTools(store, "acme", "g", [...names(30), ...names(40)]);

    assert.equal(before.length, 30);
    assert.equal(after.length, LOADED_TOOLS_MAX);
    assert.deepEqual(after.slice(0, 30), before);
  });
});
