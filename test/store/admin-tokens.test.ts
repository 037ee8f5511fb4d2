/** Administration tokens. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findAccessToken } from "../../src/store/access-tokens.ts";
import {
  ADMIN_TOKEN_MAX_TTL_MS,
  ADMIN_TOKEN_TTL_MS,
  ADMIN_TOKENS_MAX,
  findAdminToken,
  issueAdminToken,
  listAdminTokens,
  revokeAdminToken,
} from "../../src/store/admin-tokens.ts";
import { adminTokensKey } from "../../src/store/keys.ts";
import { countingRandom, fakeClock } from "../support/deterministic.ts";
import { describeOnEveryStore } from "../support/stores.ts";

describeOnEveryStore("Administration tokens", (open) => {
  test("a token lives for 30 days unless told otherwise, is found by its text, and is stored nowhere", async (t) => {
    const store = await open(t);
    const now = fakeClock();

    const { token, ...record } = await issueAdminToken(store, { label: "CI" }, { random: countingRandom(), now });

    assert.match(token, /^uea_[\w-]{43}$/);
    assert.equal(record.endsAtMs - now(), ADMIN_TOKEN_TTL_MS);
    assert.deepEqual(await findAdminToken(store, token, now()), record);
    assert.deepEqual(await listAdminTokens(store, now()), [record]);
    const stored = JSON.stringify([...(await store.getMap(adminTokensKey()))]);
    assert.equal(stored.includes(token.slice(4)), false);
  });

  test("what is no such token is not found: another text, another length, a hash, a token of MCP", async (t) => {
    const store = await open(t);
    const now = fakeClock();
    const { token } = await issueAdminToken(store, { label: "CI" }, { random: countingRandom(), now });
    const [hashed = ""] = (await store.getMap(adminTokensKey())).keys();

    for (const wrong of ["", "uea_", `${token}x`, `${token.slice(0, -1)}!`, `uep_${token.slice(4)}`, `uea_${hashed}`]) {
      assert.equal(await findAdminToken(store, wrong, now()), undefined, wrong);
    }
    assert.equal(await findAccessToken(store, token, now()), undefined);
  });

  test("a token ends at its time, and is cleared away when the next one is issued", async (t) => {
    const store = await open(t);
    const now = fakeClock();
    const parts = { random: countingRandom(), now };
    const { token, endsAtMs } = await issueAdminToken(store, { label: "short", ttlMs: 60_000 }, parts);
    now.advance(endsAtMs - now());

    const found = await findAdminToken(store, token, now());
    const listed = await listAdminTokens(store, now());
    const next = await issueAdminToken(store, { label: "next" }, parts);

    assert.deepEqual([found, listed], [undefined, []]);
    assert.deepEqual(
      [...(await store.getMap(adminTokensKey())).values()].map((text) => JSON.parse(text).id),
      [next.id],
    );
  });

  test("a revoked token is gone; the others stay", async (t) => {
    const store = await open(t);
    const now = fakeClock();
    const parts = { random: countingRandom(), now };
    const first = await issueAdminToken(store, { label: "first" }, parts);
    now.advance(1000);
    const second = await issueAdminToken(store, { label: "second" }, parts);

    const before = (await listAdminTokens(store, now())).map(({ label }) => label);
    const revoked = [await revokeAdminToken(store, first.id), await revokeAdminToken(store, first.id)];

    assert.deepEqual(before, ["second", "first"]);
    assert.deepEqual(revoked, [true, false]);
    assert.equal(await findAdminToken(store, first.token, now()), undefined);
    assert.equal((await findAdminToken(store, second.token, now()))?.label, "second");
  });

  test("a token for more than a year or for no time is refused, and so is one too many", async (t) => {
    const store = await open(t);
    const parts = { random: countingRandom(), now: fakeClock() };

    for (const ttlMs of [ADMIN_TOKEN_MAX_TTL_MS + 1, 0, -1, Number.NaN]) {
      await assert.rejects(issueAdminToken(store, { label: "x", ttlMs }, parts), { code: "ARGUMENTS_INVALID" });
    }
    assert.deepEqual(await listAdminTokens(store, parts.now()), []);
    for (let made = 0; made < ADMIN_TOKENS_MAX; made += 1) await issueAdminToken(store, { label: "x" }, parts);
    await assert.rejects(issueAdminToken(store, { label: "x" }, parts), /100 administration tokens already/);
  });
});
