/** The register's birth, and the set-up token of a first start. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountsKey } from "../../src/store/keys.ts";
import { openRegister } from "../../src/store/register.ts";
import { ensureSetup, isSetupToken, spendSetupToken } from "../../src/store/setup.ts";
import { countingRandom, fakeClock } from "../support/deterministic.ts";
import { describeOnEveryStore } from "../support/stores.ts";

const ACCOUNT = { putFields: [{ key: accountsKey(), fields: { acc_1: "{}" } }] };

describeOnEveryStore("First start", (open) => {
  test("replicas that start at once share one register, and its birth stays", async (t) => {
    const store = await open(t);
    const parts = { random: countingRandom(), now: fakeClock() };
    const bornAtMs = parts.now();

    const opened = await Promise.all([openRegister(store, parts), openRegister(store, parts)]);
    parts.now.advance(1000);
    const later = await openRegister(store, parts);

    assert.deepEqual(opened, [later, later]);
    assert.equal(later.bornAtMs, bornAtMs);
  });

  test("without an account there is a set-up link whose token is good", async (t) => {
    const store = await open(t);
    const parts = { publicUrl: "https://edge.example.com", random: countingRandom(), now: fakeClock() };

    const setup = await ensureSetup(store, parts);

    assert.match(setup?.link ?? "", /^https:\/\/edge\.example\.com\/setup\?token=ues_[\w-]{43}$/);
    assert.equal(await isSetupToken(store, setup?.token ?? ""), true);
    assert.equal(await isSetupToken(store, "ues_guess"), false);
  });

  test("one of eight spends the token, and no other link works after it", async (t) => {
    const store = await open(t);
    const parts = { publicUrl: "https://edge.example.com", random: countingRandom(), now: fakeClock() };
    const first = (await ensureSetup(store, parts))?.token ?? "";
    const second = (await ensureSetup(store, parts))?.token ?? "";

    const spent = await Promise.all(
      Array.from({ length: 8 }, () => store.commit({ ...spendSetupToken(first), ...ACCOUNT })),
    );

    assert.equal(spent.filter(Boolean).length, 1);
    assert.equal(await isSetupToken(store, second), false);
    assert.equal(await store.commit({ ...spendSetupToken(second), ...ACCOUNT }), false);
    assert.equal(await ensureSetup(store, parts), undefined);
  });
});
