/** The deny list: told at once, found by polling when the telling was lost, forgotten after its time. */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { test } from "node:test";
import { openDeniedGrants } from "../../src/store/denied.ts";
import { deniedChannel, deniedGrantsKey } from "../../src/store/keys.ts";
import type { Store } from "../../src/store/store.ts";
import { fakeClock } from "../support/deterministic.ts";
import { describeOnEveryStore } from "../support/stores.ts";

/** The same store for a replica that hears nothing. */
function deaf(store: Store): Store {
  return { ...store, subscribe: async () => async () => undefined };
}

describeOnEveryStore("Denied grants", (open) => {
  test("a denied grant is denied where it was denied, at once, and elsewhere as soon as the hint arrives", async (t) => {
    const store = await open(t);
    const now = fakeClock();
    const events = new EventEmitter();
    const here = await openDeniedGrants(store, { now, onDenied: () => undefined });
    const there = await openDeniedGrants(store, { now, onDenied: (grant) => events.emit("denied", grant) });
    t.after(() => Promise.all([here.close(), there.close()]));
    const heard = once(events, "denied");

    await here.deny("g1", now() + 1000);

    assert.equal(here.has("g1"), true);
    assert.deepEqual(await heard, ["g1"]);
    assert.equal(there.has("g1"), true);
    assert.equal(there.has("g2"), false);
  });

  test("a replica that missed the hint finds it at its next poll, and tells of it once", async (t) => {
    const store = await open(t);
    const now = fakeClock();
    const told: string[] = [];
    const here = await openDeniedGrants(store, { now, onDenied: () => undefined });
    const there = await openDeniedGrants(deaf(store), { now, onDenied: (grant) => told.push(grant) });
    t.after(() => here.close());
    await here.deny("g1", now() + 1000);
    assert.equal(there.has("g1"), false);

    await there.poll();
    await there.poll();

    assert.equal(there.has("g1"), true);
    assert.deepEqual(told, ["g1"]);
  });

  test("a replica that starts later knows it, and all forget it after its time", async (t) => {
    const store = await open(t);
    const now = fakeClock();
    const here = await openDeniedGrants(store, { now, onDenied: () => undefined });
    t.after(() => here.close());
    await here.deny("g1", now() + 1000);
    const later = await openDeniedGrants(store, { now, onDenied: () => undefined });
    t.after(() => later.close());
    assert.equal(later.has("g1"), true);

    now.advance(1000);
    await here.deny("g2", now() + 1000);

    assert.equal(later.has("g1"), false);
    assert.deepEqual([...(await store.getMap(deniedGrantsKey())).keys()], ["g2"]);
  });

  test("senseless hints are ignored", async (t) => {
    const store = await open(t);
    const now = fakeClock();
    const told: string[] = [];
    const here = await openDeniedGrants(store, { now, onDenied: (grant) => told.push(grant) });
    t.after(() => here.close());

    for (const hint of ["", "{", "[]", '["g1"]', '[1,"x"]', '["g1",0]']) await store.publish(deniedChannel(), hint);
    await here.deny("last", now() + 1000);

    assert.deepEqual(told, ["last"]);
  });
});
