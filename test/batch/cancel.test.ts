/** Who may cancel a batch: its person, through a grant that covers its places and may change what it changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EdgeError } from "../../src/errors.ts";
import { fakeConnection, principal } from "../support/fake-agents.ts";
import { ID, setUp } from "./rig.ts";

const READS = [{ location: "home" }, { location: "office" }];
const WRITES = READS.map((place) => ({ ...place, tool: "unifi_block_client" }));

async function started(operations: readonly object[]) {
  const cancelled: string[] = [];
  const at = (location: string) => ({
    ...fakeConnection({ location }),
    cancelBatch: (id: string) => void cancelled.push(id),
  });
  const rig = await setUp([at("home"), at("office")]);
  await rig.start(operations);
  return { ...rig, cancelled };
}

const whole = [`${ID}@home`, `${ID}@office`];

for (const { told, operations, who, code } of [
  {
    told: "a grant narrowed to one of its places",
    operations: READS,
    who: principal({ grant: "g2", locations: ["office"] }),
    code: "PERMISSION_DENIED",
  },
  {
    told: "a grant that covers none of its places",
    operations: READS,
    who: principal({ grant: "g2", locations: ["attic"] }),
    code: "NOT_FOUND",
  },
  {
    told: "a read-only grant, where it writes,",
    operations: WRITES,
    who: principal({ grant: "g2", scopes: new Set(["unifi:read"] as const) }),
    code: "INSUFFICIENT_SCOPE",
  },
  {
    told: "a viewer, where it writes,",
    operations: WRITES,
    who: principal({ role: "viewer" }),
    code: "PERMISSION_DENIED",
  },
]) {
  test(`a batch is not cancelled by ${told} and no agent is told`, async () => {
    const { batches, asking, cancelled } = await started(operations);

    await assert.rejects(batches.cancel(ID, asking(who)), (error) => error instanceof EdgeError && error.code === code);

    assert.deepEqual(cancelled, []);
  });
}

test("a batch that only reads is cancelled by a read-only grant of its person", async () => {
  const { batches, asking, cancelled } = await started(READS);

  await batches.cancel(ID, asking(principal({ grant: "g2", role: "viewer", scopes: new Set(["unifi:read"]) })));

  assert.deepEqual(cancelled, whole);
});

test("a batch that writes is cancelled at all of its places by a grant that may write there", async () => {
  const { batches, asking, cancelled } = await started(WRITES);

  await batches.cancel(ID, asking(principal({ scopes: new Set(["unifi:write"]), locations: ["home", "office"] })));

  assert.deepEqual(cancelled, whole);
});
