/** What the tunnel keeps: epochs, spent proofs, and who holds which agent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nextEpoch } from "../../src/store/epochs.ts";
import { spendJti } from "../../src/store/jti.ts";
import { epochKey, ownerKey } from "../../src/store/keys.ts";
import { claimOwner, findOwner, type Owner, releaseOwner, renewOwner } from "../../src/store/owners.ts";
import { describeOnEveryStore } from "../support/stores.ts";

function owner(replica: string, epoch: number, agentId = "agt"): Owner {
  return { replica, address: `${replica}:9`, agentId, epoch };
}

describeOnEveryStore("Tunnel records", (open) => {
  test("an epoch is greater than the stored one and the agent's own", async (t) => {
    const store = await open(t);

    const given = [
      await nextEpoch(store, "acme", "agt", 0),
      await nextEpoch(store, "acme", "agt", 0),
      await nextEpoch(store, "acme", "agt", 40),
      await nextEpoch(store, "acme", "agt", 7),
      await nextEpoch(store, "acme", "other", 0),
    ];

    assert.deepEqual(given, [1, 2, 41, 42, 1]);
  });

  test("eight hellos at once get eight epochs", async (t) => {
    const store = await open(t);

    const given = await Promise.all(Array.from({ length: 8 }, () => nextEpoch(store, "acme", "agt", 3)));

    assert.deepEqual(
      given.toSorted((a, b) => a - b),
      [4, 5, 6, 7, 8, 9, 10, 11],
    );
  });

  test("a damaged epoch is an error: it must never fall", async (t) => {
    const store = await open(t);
    await store.commit({ set: [{ key: epochKey("acme", "agt"), value: "many" }] });

    await assert.rejects(nextEpoch(store, "acme", "agt", 3), { code: "INTERNAL" });
  });

  test("a proof's id is spent once, by one of eight", async (t) => {
    const store = await open(t);

    const spent = await Promise.all(Array.from({ length: 8 }, () => spendJti(store, "proof-1")));

    assert.equal(spent.filter(Boolean).length, 1);
    assert.equal(await spendJti(store, "proof-2"), true);
  });

  test("a newer connection takes the lease, an older one does not", async (t) => {
    const store = await open(t);

    const claims = [
      await claimOwner(store, "acme", "north", owner("a", 2)),
      await claimOwner(store, "acme", "north", owner("b", 3)),
      await claimOwner(store, "acme", "north", owner("a", 2)),
    ];

    assert.deepEqual(claims, [true, true, false]);
    assert.deepEqual(await findOwner(store, "acme", "north"), owner("b", 3));
    assert.equal(await findOwner(store, "acme", "south"), undefined);
  });

  test("an approved agent takes the lease of the one it replaced, whatever their epochs", async (t) => {
    const store = await open(t);
    await claimOwner(store, "acme", "north", owner("a", 90, "old-agent"));

    assert.equal(await claimOwner(store, "acme", "north", owner("b", 1, "new-agent")), true);
  });

  test("a lease is renewed by its holder only, and again after the store lost it", async (t) => {
    const store = await open(t);
    await claimOwner(store, "acme", "north", owner("a", 2));

    const own = await renewOwner(store, "acme", "north", owner("a", 2));
    const foreign = await renewOwner(store, "acme", "north", owner("b", 1));
    await store.commit({ delete: [ownerKey("acme", "north")] });
    const lost = await renewOwner(store, "acme", "north", owner("a", 2));

    assert.deepEqual([own, foreign, lost], [true, false, true]);
    assert.deepEqual(await findOwner(store, "acme", "north"), owner("a", 2));
  });

  test("a late close of an old connection leaves the new lease alone", async (t) => {
    const store = await open(t);
    await claimOwner(store, "acme", "north", owner("a", 2));
    await claimOwner(store, "acme", "north", owner("b", 3));

    await releaseOwner(store, "acme", "north", owner("a", 2));
    const kept = await findOwner(store, "acme", "north");
    await releaseOwner(store, "acme", "north", owner("b", 3));

    assert.deepEqual(kept, owner("b", 3));
    assert.equal(await findOwner(store, "acme", "north"), undefined);
  });
});
