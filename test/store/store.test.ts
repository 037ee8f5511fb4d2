/** The promises of the Store interface, kept alike by every maker. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { describeOnCluster, describeOnEveryStore, type OpenStore } from "../support/stores.ts";

const PARALLEL = 8;

function storeSuite(open: OpenStore): void {
  test("a value that was set is read back, and an absent key is undefined", async (t) => {
    const store = await open(t);

    await store.commit({ set: [{ key: "ue:{a}:one", value: "1" }] });

    assert.equal(await store.get("ue:{a}:one"), "1");
    assert.equal(await store.get("ue:{a}:two"), undefined);
  });

  test("many values come in the order asked, with gaps", async (t) => {
    const store = await open(t);
    await store.commit({
      set: [
        { key: "ue:{a}:one", value: "1" },
        { key: "ue:{a}:two", value: "2" },
      ],
    });

    const values = await store.getMany(["ue:{a}:two", "ue:{a}:none", "ue:{a}:one"]);

    assert.deepEqual(values, ["2", undefined, "1"]);
    assert.deepEqual(await store.getMany([]), []);
  });

  test("one of eight parallel takers of a key wins", async (t) => {
    const store = await open(t);
    await store.commit({ set: [{ key: "ue:{a}:code", value: "secret" }] });

    const taken = await Promise.all(
      Array.from({ length: PARALLEL }, () =>
        store.commit({ if: [{ key: "ue:{a}:code", is: "present" }], delete: ["ue:{a}:code"] }),
      ),
    );

    assert.equal(taken.filter(Boolean).length, 1);
    assert.equal(await store.get("ue:{a}:code"), undefined);
  });

  test("one of eight parallel creators of a key wins, and its value stays", async (t) => {
    const store = await open(t);

    const created = await Promise.all(
      Array.from({ length: PARALLEL }, (_, index) =>
        store.commit({
          if: [{ key: "ue:{a}:new", is: "absent" }],
          set: [{ key: "ue:{a}:new", value: String(index) }],
        }),
      ),
    );

    assert.equal(created.filter(Boolean).length, 1);
    assert.equal(await store.get("ue:{a}:new"), String(created.indexOf(true)));
  });

  test("a commit whose condition fails changes nothing at all", async (t) => {
    const store = await open(t);
    await store.commit({
      set: [{ key: "ue:{a}:kept", value: "old" }],
      putFields: [{ key: "ue:{a}:map", fields: { kept: "old" } }],
    });

    const done = await store.commit({
      if: [
        { key: "ue:{a}:kept", is: "present" },
        { key: "ue:{a}:kept", equals: "other" },
      ],
      set: [{ key: "ue:{a}:kept", value: "new" }],
      delete: ["ue:{a}:kept"],
      putFields: [{ key: "ue:{a}:map", fields: { kept: "new", more: "new" } }],
      removeFields: [{ key: "ue:{a}:map", fields: ["kept"] }],
    });

    assert.equal(done, false);
    assert.equal(await store.get("ue:{a}:kept"), "old");
    assert.deepEqual(await store.getMap("ue:{a}:map"), new Map([["kept", "old"]]));
  });

  test("conditions see values, absence and maps", async (t) => {
    const store = await open(t);
    await store.commit({
      set: [{ key: "ue:{a}:value", value: "v" }],
      putFields: [{ key: "ue:{a}:map", fields: { f: "1" } }],
    });

    const held = await Promise.all(
      [
        { key: "ue:{a}:value", equals: "v" },
        { key: "ue:{a}:value", equals: "w" },
        { key: "ue:{a}:none", equals: "" },
        { key: "ue:{a}:map", is: "present" as const },
        { key: "ue:{a}:map", is: "absent" as const },
        { key: "ue:{a}:none", is: "absent" as const },
      ].map((condition) => store.commit({ if: [condition] })),
    );

    assert.deepEqual(held, [true, false, false, true, false, true]);
  });

  test("conditions see single fields of a map", async (t) => {
    const store = await open(t);
    const key = "ue:{a}:map";
    await store.commit({ putFields: [{ key, fields: { f: "1" } }] });

    const held = await Promise.all(
      [
        { key, field: "f", equals: "1" },
        { key, field: "f", equals: "2" },
        { key, field: "g", equals: "" },
        { key, field: "f", is: "present" as const },
        { key, field: "g", is: "absent" as const },
        { key, field: "g", is: "present" as const },
        { key: "ue:{a}:none", field: "f", is: "absent" as const },
      ].map((condition) => store.commit({ if: [condition] })),
    );

    assert.deepEqual(held, [true, false, false, true, true, false, true]);
  });

  test("fields are put, overwritten and removed, and a map without fields is absent", async (t) => {
    const store = await open(t);
    const key = "ue:{a}:map";
    await store.commit({ putFields: [{ key, fields: { a: "1", b: "2", __proto__field: "3" } }] });

    await store.commit({
      removeFields: [{ key, fields: ["a", "never"] }],
      putFields: [{ key, fields: { b: "two" } }],
    });
    const left = await store.getMap(key);
    await store.commit({ removeFields: [{ key, fields: ["b", "__proto__field"] }] });

    assert.deepEqual(Object.fromEntries(left), { b: "two", __proto__field: "3" });
    assert.equal(await store.getField(key, "b"), undefined);
    assert.equal((await store.getMap(key)).size, 0);
    assert.equal(await store.commit({ if: [{ key, is: "absent" }] }), true);
  });

  test("field names that are special to JavaScript objects are ordinary", async (t) => {
    const store = await open(t);
    const names = ["__proto__", "constructor", "toString", ""];

    await store.commit({
      putFields: [{ key: "ue:{a}:map", fields: Object.fromEntries(names.map((name) => [name, `of ${name}`])) }],
    });

    const read = await store.getMap("ue:{a}:map");
    assert.deepEqual(
      names.map((name) => read.get(name)),
      names.map((name) => `of ${name}`),
    );
  });

  test("one field is read alone, and is undefined without field, without map, and after its end", async (t) => {
    const store = await open(t);
    await store.commit({ putFields: [{ key: "ue:{a}:map", fields: { f: "1" }, ttlMs: 30 }] });

    const read = [
      await store.getField("ue:{a}:map", "f"),
      await store.getField("ue:{a}:map", "g"),
      await store.getField("ue:{a}:none", "f"),
    ];
    while ((await store.getField("ue:{a}:map", "f")) !== undefined) await delay(10);

    assert.deepEqual(read, ["1", undefined, undefined]);
  });

  test("deleting and putting a map in one commit replaces it", async (t) => {
    const store = await open(t);
    await store.commit({ putFields: [{ key: "ue:{a}:map", fields: { old: "1" } }] });

    await store.commit({ delete: ["ue:{a}:map"], putFields: [{ key: "ue:{a}:map", fields: { new: "1" } }] });

    assert.deepEqual(await store.getMap("ue:{a}:map"), new Map([["new", "1"]]));
  });

  test("values and maps end with their lifetime, and a value set anew without one stays", async (t) => {
    const store = await open(t);
    await store.commit({
      set: [
        { key: "ue:{a}:short", value: "1", ttlMs: 30 },
        { key: "ue:{a}:renewed", value: "1", ttlMs: 30 },
        { key: "ue:{a}:long", value: "1", ttlMs: 60_000 },
      ],
      putFields: [{ key: "ue:{a}:map", fields: { f: "1" }, ttlMs: 30 }],
    });
    await store.commit({ set: [{ key: "ue:{a}:renewed", value: "2" }] });

    while ((await store.get("ue:{a}:short")) !== undefined) await delay(10);
    while ((await store.getMap("ue:{a}:map")).size > 0) await delay(10);

    assert.deepEqual(await store.getMany(["ue:{a}:renewed", "ue:{a}:long"]), ["2", "1"]);
    assert.equal(await store.commit({ if: [{ key: "ue:{a}:short", is: "absent" }] }), true);
  });

  test("fields put without a lifetime leave the map's own", async (t) => {
    const store = await open(t);
    await store.commit({ putFields: [{ key: "ue:{a}:map", fields: { f: "1" }, ttlMs: 40 }] });

    await store.commit({ putFields: [{ key: "ue:{a}:map", fields: { g: "2" } }] });
    const before = (await store.getMap("ue:{a}:map")).size;
    while ((await store.getMap("ue:{a}:map")).size > 0) await delay(10);
    await store.commit({ putFields: [{ key: "ue:{a}:map", fields: { h: "3" } }] });

    assert.equal(before, 2);
    assert.deepEqual(await store.getMap("ue:{a}:map"), new Map([["h", "3"]]));
  });

  test("values of any text and of 1 MiB come back unchanged", async (t) => {
    const store = await open(t);
    const texts = ["", "π ≠ 3 🛰️ \u0000 \r\n", "x".repeat(1024 * 1024), "ß".repeat(512 * 1024)];

    await store.commit({ set: texts.map((value, index) => ({ key: `ue:{a}:${index}`, value })) });

    const read = await store.getMany(texts.map((_, index) => `ue:{a}:${index}`));
    assert.ok(texts.every((text, index) => text === read[index]));
  });

  test("a map of 500 fields is put in one commit", async (t) => {
    const store = await open(t);
    const fields = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [String(index), `state ${index}`]));

    await store.commit({ putFields: [{ key: "ue:{a}:map", fields }] });

    assert.deepEqual(Object.fromEntries(await store.getMap("ue:{a}:map")), fields);
  });

  test("a message reaches every subscriber of its channel, and none after unsubscribing", async (t) => {
    const store = await open(t);
    const heard: string[] = [];
    const first = Promise.withResolvers<void>();
    const last = Promise.withResolvers<void>();
    const stop = await store.subscribe("ue:{_}:news", (message) => {
      heard.push(`one ${message}`);
    });
    await store.subscribe("ue:{_}:news", (message) => {
      heard.push(`two ${message}`);
      (message === "last" ? last : first).resolve();
    });

    await store.publish("ue:{_}:other", "not for us");
    await store.publish("ue:{_}:news", "first");
    await first.promise;
    await stop();
    await store.publish("ue:{_}:news", "last");
    await last.promise;

    assert.deepEqual(heard, ["one first", "two first", "two last"]);
  });

  test("ping answers and close is final", async (t) => {
    const store = await open(t);

    await store.ping();
    await store.close();

    await assert.rejects(store.get("ue:{a}:any"), { code: "STORE_UNAVAILABLE" });
  });
}

describeOnEveryStore("Store", storeSuite);
describeOnCluster("Store", storeSuite);
