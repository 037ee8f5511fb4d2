/** What agents may report on, and how much of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { REBUILT_PER_MINUTE } from "../../src/batch/reported.ts";
import { fakeConnection } from "../support/fake-agents.ts";
import { ID, setUp, update } from "./rig.ts";

const otherId = (at: number) => `019af5d0-0000-7000-8000-${String(at).padStart(12, "0")}`;

test("an operation past the most that a batch may have is not taken", async () => {
  const home = fakeConnection({ location: "home" });
  const { batches, records } = await setUp([home]);

  await batches.report(home, update("home", 500));
  await batches.report(home, update("home", 499));

  assert.deepEqual(
    records.headers.get(ID)?.operations.map(({ index }) => index),
    [499],
  );
  assert.deepEqual(home.acknowledgedOperations, [`${ID}@home:499`]);
});

test("operations of an emptied index that are told at once are all listed again", async () => {
  const home = fakeConnection({ location: "home" });
  const { batches, records } = await setUp([home]);

  await Promise.all([0, 1, 2].map((index) => batches.report(home, update("home", index))));

  assert.deepEqual(
    records.headers.get(ID)?.operations.map(({ index }) => index),
    [0, 1, 2],
  );
});

test("a link brings back so many unknown batches in a minute and no more, and more in the next", async () => {
  const home = fakeConnection({ location: "home" });
  const clock = { now: 5_000 };
  const { batches, records } = await setUp([home], undefined, clock);
  const bring = (at: number) => batches.report(home, update("home", 0, { batch: `${otherId(at)}@home` }));

  for (let at = 0; at < REBUILT_PER_MINUTE + 5; at++) await bring(at);
  const within = records.headers.size;
  clock.now += 60_000;
  await bring(REBUILT_PER_MINUTE + 6);

  assert.deepEqual([within, records.headers.size], [REBUILT_PER_MINUTE, REBUILT_PER_MINUTE + 1]);
});
