/** Local accounts, their roles, and how sign-in slows guessing down. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EdgeError } from "../../src/errors.ts";
import {
  createAccount,
  findAccount,
  listAccounts,
  members,
  removeAccount,
  setMember,
  setPassword,
} from "../../src/store/accounts.ts";
import { createEmbeddedStore } from "../../src/store/embedded.ts";
import { verifyPassword } from "../../src/store/sign-in.ts";
import { countingRandom, fakeClock } from "../support/deterministic.ts";
import { describeOnEveryStore } from "../support/stores.ts";

const PASSWORD = "correct horse battery";

function parts() {
  const waits: number[] = [];
  const now = fakeClock();
  const wait = async (milliseconds: number) => {
    waits.push(milliseconds);
  };
  return { random: countingRandom(), now, waits, options: { address: "192.0.2.1", now, wait } };
}

describeOnEveryStore("Accounts", (open) => {
  test("an account signs in with its name in any case, and is listed without its hash", async (t) => {
    const store = await open(t);
    const given = parts();
    const account = await createAccount(store, { name: "Ada", password: PASSWORD, email: "ada@example.com" }, given);

    const signedIn = await verifyPassword(store, " aDA ", PASSWORD, given.options);

    assert.deepEqual(signedIn, account);
    assert.deepEqual(await listAccounts(store), [account]);
    assert.deepEqual(await findAccount(store, account.id), account);
    assert.deepEqual(Object.keys(account).sort(), ["createdAtMs", "email", "id", "name"]);
  });

  test("of eight accounts of one name made at once, one is made", async (t) => {
    const store = await open(t);
    const given = parts();
    const names = ["ada", "Ada", "ADA", "aDa", "adA", "ada", "ada", "ada"];

    const made = await Promise.allSettled(
      names.map((name) => createAccount(store, { name, password: PASSWORD }, given)),
    );

    assert.equal(made.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal((await listAccounts(store)).length, 1);
  });

  test("a wrong password and an unknown name are both just not the account", async (t) => {
    const store = await open(t);
    const given = parts();
    await createAccount(store, { name: "ada", password: PASSWORD }, given);

    assert.equal(await verifyPassword(store, "ada", "wrong", given.options), undefined);
    assert.equal(await verifyPassword(store, "eve", PASSWORD, given.options), undefined);
    assert.equal(await verifyPassword(store, "", "", given.options), undefined);
  });

  test("a new password replaces the old one", async (t) => {
    const store = await open(t);
    const given = parts();
    await createAccount(store, { name: "ada", password: PASSWORD }, given);

    await setPassword(store, "ADA", "another good password", given.random);

    assert.equal(await verifyPassword(store, "ada", PASSWORD, given.options), undefined);
    assert.equal((await verifyPassword(store, "ada", "another good password", given.options))?.name, "ada");
  });

  test("a removed account neither signs in nor holds a role, and its name is free again", async (t) => {
    const store = await open(t);
    const given = parts();
    const account = await createAccount(store, { name: "ada", password: PASSWORD }, given);
    await setMember(store, "home", account.id, "admin");

    await removeAccount(store, "ada", ["home"]);

    assert.equal(await verifyPassword(store, "ada", PASSWORD, given.options), undefined);
    assert.equal((await members(store, "home")).size, 0);
    assert.notEqual((await createAccount(store, { name: "ada", password: PASSWORD }, given)).id, account.id);
  });

  test("roles are per organisation and can be changed", async (t) => {
    const store = await open(t);
    await setMember(store, "home", "acc_1", "viewer");
    await setMember(store, "home", "acc_1", "operator");
    await setMember(store, "work", "acc_1", "admin");

    assert.deepEqual([...(await members(store, "home"))], [["acc_1", "operator"]]);
    assert.deepEqual([...(await members(store, "work"))], [["acc_1", "admin"]]);
  });

  test("guesses at one account are delayed ever longer, but its owner still gets in", async (t) => {
    const store = await open(t);
    const given = parts();
    await createAccount(store, { name: "ada", password: PASSWORD }, given);
    for (let guess = 0; guess < 10; guess += 1) {
      await verifyPassword(store, "ada", "wrong", { ...given.options, address: `192.0.2.${guess}` });
    }

    const owner = await verifyPassword(store, "ada", PASSWORD, { ...given.options, address: "198.51.100.7" });
    const again = await verifyPassword(store, "ada", PASSWORD, { ...given.options, address: "198.51.100.7" });

    assert.equal(owner?.name, "ada");
    assert.equal(again?.name, "ada");
    assert.deepEqual(given.waits, [250, 500, 1000, 2000, 4000, 4000, 4000]);
  });

  test("signing in to one's own account does not wipe out an address's failures at others", async (t) => {
    const store = await open(t);
    const given = parts();
    await createAccount(store, { name: "eve", password: PASSWORD }, given);
    for (let tries = 0; tries < 20; tries += 1) await verifyPassword(store, `name${tries}`, "wrong", given.options);
    given.now.advance(1000);
    assert.equal((await verifyPassword(store, "eve", PASSWORD, given.options))?.name, "eve");

    await verifyPassword(store, "ada", "wrong", given.options);

    await assert.rejects(verifyPassword(store, "ada", "wrong", given.options), { code: "RATE_LIMITED" });
  });

  test("an address that keeps failing has to pause, and may go on afterwards", async (t) => {
    const store = await open(t);
    const given = parts();
    const guess = (name: string) => verifyPassword(store, name, "wrong", given.options);
    for (let tries = 0; tries < 20; tries += 1) await guess(`name${tries}`);

    await assert.rejects(guess("one-more"), (error) => {
      assert.ok(error instanceof EdgeError);
      assert.deepEqual([error.code, error.retryAfterSeconds], ["RATE_LIMITED", 1]);
      return true;
    });
    given.now.advance(1000);
    assert.equal(await guess("one-more"), undefined);
  });
});

const REFUSED = [
  { name: "ada", password: "too short" },
  { name: "ada", password: "x".repeat(257) },
  { name: "  ", password: PASSWORD },
  { name: "a\nb", password: PASSWORD },
];

test("odd names and passwords that are too short or too long are refused", async (t) => {
  const store = createEmbeddedStore({ path: ":memory:", now: Date.now });
  t.after(() => store.close());

  for (const account of REFUSED) {
    await assert.rejects(createAccount(store, account, parts()), { code: "ARGUMENTS_INVALID" });
  }
  assert.deepEqual(await listAccounts(store), []);
});
