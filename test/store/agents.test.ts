/** Enrolment and the life of an agent's key. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import {
  type AgentChange,
  approveAgent,
  findAgent,
  listAgents,
  readAgentChange,
  revokeAgent,
  revokeAgentsOf,
} from "../../src/store/agents.ts";
import { redeemEnrolment } from "../../src/store/enrolment.ts";
import { issueEnrolmentToken, type NewEnrolmentToken } from "../../src/store/enrolment-tokens.ts";
import { agentsChangedChannel, DAY_MS, enrolmentTokenKey, MINUTE_MS } from "../../src/store/keys.ts";
import { createLocation, removeLocation } from "../../src/store/locations.ts";
import type { Store } from "../../src/store/store.ts";
import { countingRandom, fakeClock } from "../support/deterministic.ts";
import { describeOnEveryStore } from "../support/stores.ts";

const PLACE = { org: "acme", location: "north" };

function setUp(store: Store) {
  const parts = { random: countingRandom(), now: fakeClock() };
  return {
    now: parts.now,
    place: (location = "north") => createLocation(store, "acme", { id: location, name: location }, parts.now),
    issue: async (wanted: Partial<NewEnrolmentToken> = {}) => {
      const { token } = await issueEnrolmentToken(store, { ...PLACE, ...wanted }, parts);
      return createHash("sha256").update(token).digest("hex");
    },
    redeem: (tokenHash: string, key: string) =>
      redeemEnrolment(store, { tokenHash, thumbprint: key, jwk: { kty: "OKP", crv: "Ed25519", x: key } }, parts),
  };
}

describeOnEveryStore("Agents", (open) => {
  test("the first key of a location is active and found by its thumbprint", async (t) => {
    const store = await open(t);
    const { place, issue, redeem, now } = setUp(store);
    await place();

    const agent = await redeem(await issue(), "key-1");

    assert.deepEqual(agent, {
      ...PLACE,
      agentId: agent.agentId,
      thumbprint: "key-1",
      publicJwk: { kty: "OKP", crv: "Ed25519", x: "key-1" },
      state: "active",
      enrolledAtMs: now(),
    });
    assert.match(agent.agentId, /^agt_[\w-]{16}$/);
    assert.deepEqual(await findAgent(store, "key-1"), agent);
    assert.deepEqual(await listAgents(store, "acme"), [agent]);
    assert.deepEqual(await listAgents(store, "other"), []);
  });

  test("a token is stored hashed, with its lifetime", async (t) => {
    const store = await open(t);
    const parts = { random: countingRandom(), now: fakeClock() };

    const { token, endsAtMs } = await issueEnrolmentToken(store, PLACE, parts);

    const hash = createHash("sha256").update(token).digest("hex");
    assert.match(token, /^uee_[\w-]{43}$/);
    assert.equal(endsAtMs - parts.now(), 15 * MINUTE_MS);
    assert.equal((await store.get(enrolmentTokenKey(hash)))?.includes(token), false);
  });

  for (const wanted of [{ ttlMs: 31 * DAY_MS }, { ttlMs: 0 }, { uses: 0 }, { uses: 101 }, { uses: 1.5 }]) {
    test(`a token with ${JSON.stringify(wanted)} is refused`, async (t) => {
      const store = await open(t);

      await assert.rejects(setUp(store).issue(wanted), { code: "ARGUMENTS_INVALID" });
    });
  }

  test("the same token and key repeat harmlessly, eight at once too", async (t) => {
    const store = await open(t);
    const { place, issue, redeem } = setUp(store);
    await place();
    const token = await issue();

    const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(token, "key-1")));
    const later = await redeem(token, "key-1");

    assert.equal(new Set([...answers, later].map(({ agentId }) => agentId)).size, 1);
    assert.equal((await listAgents(store, "acme")).length, 1);
  });

  test("of eight keys with one single-use token at once, one enrols", async (t) => {
    const store = await open(t);
    const { place, issue, redeem } = setUp(store);
    await place();
    const token = await issue();

    const results = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => redeem(token, `key-${index}`)));

    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    const agents = await listAgents(store, "acme");
    assert.deepEqual(
      agents.map(({ state }) => state),
      ["active"],
    );
    await assert.rejects(redeem(token, "key-9"), { code: "UNAUTHENTICATED" });
  });

  test("a token of three uses takes three keys, of which one is active", async (t) => {
    const store = await open(t);
    const { place, issue, redeem } = setUp(store);
    await place();
    const token = await issue({ uses: 3 });

    const agents = [await redeem(token, "a"), await redeem(token, "b"), await redeem(token, "c")];

    assert.deepEqual(
      agents.map(({ state }) => state),
      ["active", "held", "held"],
    );
    await assert.rejects(redeem(token, "d"), { code: "UNAUTHENTICATED" });
  });

  test("an unknown token and one that is over are refused alike", async (t) => {
    const store = await open(t);
    const { place, issue, redeem, now } = setUp(store);
    await place();
    const token = await issue();

    now.advance(15 * MINUTE_MS);

    const refusals = await Promise.all([token, "0".repeat(64)].map((hash) => redeem(hash, "k").catch((e: Error) => e)));
    assert.equal(new Set(refusals.map(String)).size, 1);
    assert.match(String(refusals[0]), /unknown, used up or has ended/);
  });

  test("a token for a location that was removed is refused", async (t) => {
    const store = await open(t);
    const { place, issue, redeem } = setUp(store);
    await place();
    const token = await issue();

    await removeLocation(store, "acme", "north");

    await assert.rejects(redeem(token, "k"), { code: "LOCATION_UNKNOWN" });
  });

  test("a token of a removed location opens no later one of the same id", async (t) => {
    const store = await open(t);
    const { place, issue, redeem, now } = setUp(store);
    await place();
    const old = await issue({ ttlMs: DAY_MS });

    await removeLocation(store, "acme", "north");
    now.advance(MINUTE_MS);
    await place();

    await assert.rejects(redeem(old, "k"), { code: "LOCATION_UNKNOWN" });
    assert.equal((await redeem(await issue(), "k")).state, "active");
  });

  test("a key that speaks for one location cannot be enrolled for another", async (t) => {
    const store = await open(t);
    const { place, issue, redeem } = setUp(store);
    await place("north");
    await place("south");
    await redeem(await issue(), "key");

    await assert.rejects(redeem(await issue({ location: "south" }), "key"), { code: "AGENT_CONFLICT" });
  });

  test("approving a held key makes it active, revokes the former, and tells the replicas", async (t) => {
    const store = await open(t);
    const { place, issue, redeem } = setUp(store);
    await place();
    const first = await redeem(await issue(), "old");
    const second = await redeem(await issue(), "new");
    const told: (AgentChange | undefined)[] = [];
    const both = Promise.withResolvers<void>();
    await store.subscribe(agentsChangedChannel(), (message) => {
      told.push(readAgentChange(message));
      if (told.length === 2) both.resolve();
    });

    const { approved, replaced } = await approveAgent(store, "acme", second.agentId);
    await both.promise;

    assert.deepEqual([second.state, approved.state, replaced?.state], ["held", "active", "revoked"]);
    assert.equal((await findAgent(store, "old"))?.state, "revoked");
    assert.equal((await findAgent(store, "new"))?.state, "active");
    assert.deepEqual(told, [
      { ...PLACE, agentId: first.agentId, state: "revoked" },
      { ...PLACE, agentId: second.agentId, state: "active" },
    ]);
  });

  test("a revoked key is final, and the next one enrols as active", async (t) => {
    const store = await open(t);
    const { place, issue, redeem } = setUp(store);
    await place();
    const agent = await redeem(await issue(), "old");

    const revoked = await revokeAgent(store, "acme", agent.agentId);
    const again = await revokeAgent(store, "acme", agent.agentId);

    assert.deepEqual([revoked.state, again.state], ["revoked", "revoked"]);
    await assert.rejects(approveAgent(store, "acme", agent.agentId), { code: "AGENT_CONFLICT" });
    await assert.rejects(redeem(await issue(), "old"), { code: "PERMISSION_DENIED" });
    assert.equal((await redeem(await issue(), "new")).state, "active");
  });

  test("an agent is changed by its own organisation only", async (t) => {
    const store = await open(t);
    const { place, issue, redeem } = setUp(store);
    await place();
    const agent = await redeem(await issue(), "key");

    await assert.rejects(revokeAgent(store, "other", agent.agentId), { code: "NOT_FOUND" });
    await assert.rejects(approveAgent(store, "other", agent.agentId), { code: "NOT_FOUND" });
  });

  test("removing a location's agents revokes active and held keys", async (t) => {
    const store = await open(t);
    const { place, issue, redeem } = setUp(store);
    await place();
    await redeem(await issue(), "a");
    await redeem(await issue(), "b");

    await revokeAgentsOf(store, "acme", "north");

    assert.deepEqual(
      (await listAgents(store, "acme")).map(({ state }) => state),
      ["revoked", "revoked"],
    );
  });
});
