import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createLeases } from "../../src/gateway/leases.ts";
import { watchRevocations } from "../../src/gateway/revocations.ts";
import { revokeAgent } from "../../src/store/agents.ts";
import { createEmbeddedStore } from "../../src/store/embedded.ts";
import { redeemEnrolment } from "../../src/store/enrolment.ts";
import { issueEnrolmentToken } from "../../src/store/enrolment-tokens.ts";
import { createLocation } from "../../src/store/locations.ts";
import { createOrganisation } from "../../src/store/organisations.ts";
import { findOwner } from "../../src/store/owners.ts";
import { hashEnrolmentToken } from "../../src/tunnel/enrolment.ts";
import { fakeConnection } from "../support/fake-agents.ts";

const parts = { random: randomBytes, now: Date.now };
const unexpected = (error: unknown) => assert.fail(String(error));

test("the store names the replica that holds an agent's link, until the link closes", async (t) => {
  const store = createEmbeddedStore({ path: ":memory:", now: Date.now });
  const leases = createLeases(store, { id: "replica-1", address: "https://edge.example.com" }, unexpected);
  t.after(async () => {
    leases.close();
    await store.close();
  });
  const connection = fakeConnection({ location: "house" });

  await leases.hold(connection);
  const held = await findOwner(store, "home", "house");
  connection.disconnect();
  await new Promise((resolve) => setImmediate(resolve));

  assert.deepEqual(held, {
    replica: "replica-1",
    address: "https://edge.example.com",
    agentId: "agent-house",
    epoch: 1,
  });
  assert.equal(await findOwner(store, "home", "house"), undefined);
});

test("an agent whose key is revoked loses its open link, another keeps its own", async (t) => {
  const store = createEmbeddedStore({ path: ":memory:", now: Date.now });
  await createOrganisation(store, { name: "Home" }, Date.now);
  await createLocation(store, "home", { name: "House" }, Date.now);
  const { token } = await issueEnrolmentToken(store, { org: "home", location: "house" }, parts);
  const jwk = { kty: "OKP" as const, crv: "Ed25519" as const, x: "an-agent's-public-key" };
  const agent = await redeemEnrolment(
    store,
    { tokenHash: hashEnrolmentToken(token), thumbprint: "thumbprint", jwk },
    parts,
  );
  const house = fakeConnection({ location: "house" });
  const mine = { ...house, description: { ...house.description, agentId: agent.agentId } };
  const other = fakeConnection({ location: "office" });
  const unwatch = await watchRevocations(store, () => [mine, other], unexpected);
  t.after(async () => {
    await unwatch();
    await store.close();
  });

  await revokeAgent(store, "home", agent.agentId);

  assert.deepEqual([mine.closed.aborted, other.closed.aborted], [true, false]);
});
