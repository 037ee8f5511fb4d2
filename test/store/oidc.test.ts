/** The authorization server's records: ends, grants, and that nothing in the store is a secret. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findGrant, type GrantRecord, listGrants, removeGrant, saveGrant } from "../../src/store/grants.ts";
import { createOidcRecords } from "../../src/store/oidc.ts";
import { fakeClock } from "../support/deterministic.ts";
import { describeOnEveryStore } from "../support/stores.ts";

const GRANT: GrantRecord = {
  id: "g1",
  subject: "acc_1",
  org: "home",
  client: "client",
  clientName: "Client",
  locations: "all",
  scopes: ["unifi:read"],
  createdAtMs: 0,
  endsAtMs: 0,
};

describeOnEveryStore("Authorization records", (open) => {
  test("a record is found by its id with what was put, until its end", async (t) => {
    const now = fakeClock();
    const records = createOidcRecords(await open(t), now);
    await records.put("Interaction", "id", { params: { a: 1 } }, { ttlSeconds: 60 });

    assert.deepEqual(await records.find("Interaction", "id"), { params: { a: 1 }, jti: "id" });
    assert.equal(await records.find("AuthorizationCode", "id"), undefined);
    now.advance(60_000);
    assert.equal(await records.find("Interaction", "id"), undefined);
    assert.equal(await records.consume("Interaction", "id"), false);
  });

  test("a spent code is still found, as spent, so that its reuse can be told", async (t) => {
    const now = fakeClock();
    const records = createOidcRecords(await open(t), now);
    await records.put("AuthorizationCode", "code", { grantId: "g1" }, { ttlSeconds: 60, grantId: "g1" });

    const spent = await Promise.all([
      records.consume("AuthorizationCode", "code"),
      records.consume("AuthorizationCode", "code"),
    ]);

    assert.deepEqual(spent.sort(), [false, true]);
    assert.deepEqual(await records.find("AuthorizationCode", "code"), {
      grantId: "g1",
      jti: "code",
      consumed: Math.floor(now() / 1000),
    });
  });

  test("removing a grant's records removes what is unspent of that grant and nothing else", async (t) => {
    const records = createOidcRecords(await open(t), fakeClock());
    const put = (id: string, grantId: string) =>
      records.put("RefreshToken", id, { grantId }, { ttlSeconds: 60, grantId });
    await put("one", "g1");
    await put("two", "g1");
    await put("other", "g2");

    await records.removeOfGrant("g1");

    assert.equal(await records.find("RefreshToken", "one"), undefined);
    assert.equal(await records.find("RefreshToken", "two"), undefined);
    assert.equal((await records.find("RefreshToken", "other"))?.grantId, "g2");
  });

  test("grants are listed newest first for their own organisation, ended and removed ones not", async (t) => {
    const store = await open(t);
    const now = fakeClock();
    const save = (id: string, org: string, livesMs: number) =>
      saveGrant(store, { ...GRANT, id, org, createdAtMs: now(), endsAtMs: now() + livesMs }, now());
    await save("short", "home", 1000);
    now.advance(1);
    await save("long", "home", 60_000);
    now.advance(1);
    await save("gone", "home", 60_000);
    await save("foreign", "work", 60_000);
    await removeGrant(store, "gone");

    assert.deepEqual(
      (await listGrants(store, "home", now())).map(({ id }) => id),
      ["long", "short"],
    );
    now.advance(1000);
    assert.deepEqual(
      (await listGrants(store, "home", now())).map(({ id }) => id),
      ["long"],
    );
    assert.equal(await findGrant(store, "gone"), undefined);
    assert.equal((await findGrant(store, "long"))?.org, "home");
  });
});
