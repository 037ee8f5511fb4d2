/** Personal access tokens. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACCESS_TOKEN_MAX_TTL_MS,
  findAccessToken,
  issueAccessToken,
  listAccessTokens,
  revokeAccessToken,
} from "../../src/store/access-tokens.ts";
import { accessTokensOfKey } from "../../src/store/keys.ts";
import { countingRandom, fakeClock } from "../support/deterministic.ts";
import { describeOnEveryStore } from "../support/stores.ts";

const WANTED = {
  owner: "acc_1",
  org: "home",
  locations: "all",
  scopes: ["unifi:read"],
  ttlMs: 60_000,
  label: "n8n",
} as const;

describeOnEveryStore("Personal access tokens", (open) => {
  test("a token is found by its text, which is stored nowhere", async (t) => {
    const store = await open(t);
    const now = fakeClock();

    const { token, id } = await issueAccessToken(store, WANTED, { random: countingRandom(), now });

    assert.match(token, /^uep_[\w-]{43}$/);
    assert.equal((await findAccessToken(store, token, now()))?.id, id);
    assert.equal(await findAccessToken(store, `${token}x`, now()), undefined);
    const listed = await listAccessTokens(store, "home");
    assert.deepEqual(listed, [
      {
        id,
        label: "n8n",
        owner: "acc_1",
        org: "home",
        locations: "all",
        scopes: ["unifi:read"],
        createdAtMs: now(),
        endsAtMs: now() + 60_000,
      },
    ]);
    assert.ok(![...(await store.getMap(accessTokensOfKey("home"))).values()].some((text) => text.includes(token)));
  });

  test("an id can be typed after `token revoke`: it never starts with a dash", async (t) => {
    const store = await open(t);
    const random = (bytes: number) => Buffer.alloc(bytes, 0xf8); // base64url of it starts with "-"

    const { id } = await issueAccessToken(store, WANTED, { random, now: fakeClock() });

    assert.match(id, /^[0-9a-f]{18}$/);
  });

  test("a token ends at its time", async (t) => {
    const store = await open(t);
    const now = fakeClock();
    const { token, endsAtMs } = await issueAccessToken(store, WANTED, { random: countingRandom(), now });

    assert.equal(await findAccessToken(store, token, endsAtMs), undefined);
  });

  test("a revoked token is gone, and only its own organisation can revoke it", async (t) => {
    const store = await open(t);
    const now = fakeClock();
    const { token, id } = await issueAccessToken(store, WANTED, { random: countingRandom(), now });

    const foreign = await revokeAccessToken(store, "work", id);
    const stillThere = await findAccessToken(store, token, now());
    const own = await revokeAccessToken(store, "home", id);

    assert.deepEqual([foreign, stillThere?.id, own], [false, id, true]);
    assert.equal(await findAccessToken(store, token, now()), undefined);
    assert.deepEqual(await listAccessTokens(store, "home"), []);
  });

  test("a token for more than a year, for no time or without a scope is refused", async (t) => {
    const store = await open(t);
    const parts = { random: countingRandom(), now: fakeClock() };

    for (const wrong of [{ ttlMs: ACCESS_TOKEN_MAX_TTL_MS + 1 }, { ttlMs: 0 }, { ttlMs: Number.NaN }, { scopes: [] }]) {
      await assert.rejects(issueAccessToken(store, { ...WANTED, ...wrong }, parts), { code: "ARGUMENTS_INVALID" });
    }
  });
});
