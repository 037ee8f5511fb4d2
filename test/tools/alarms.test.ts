/** Alarms: only what can be seen put away counts as put away, and an empty list is not taken for a missing one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../../src/controller/controller.ts";
import { fakeNetwork } from "../support/fake-network.ts";
import { planOf, read, withCode } from "./support.ts";

const RADAR: Row = { _id: "a1", key: "EVT_AP_RadarDetected", msg: "Radar on channel 100", time: 1_796_022_600_000 };

function networkOf(alarms: readonly Row[]) {
  return fakeNetwork({ rows: { "/stat/alarm": alarms } }).context;
}

test("an alarm without the field is open: a swallowed write does not pass for an archived one", async () => {
  const context = networkOf([RADAR]);
  const { alarms } = await read(context, "unifi_list_alarms");
  const plan = await planOf(context, "unifi_archive_alarm", { alarm_id: "a1" });

  assert.partialDeepStrictEqual(alarms, [{ id: "a1", msg: "Radar on channel 100", archived: false }]);
  assert.deepEqual(plan.current, { archived: false });
  assert.deepEqual(await plan.readBack?.({}), { archived: false });
});

test("an alarm that has gone from the list is put away, and so is one that says it", async () => {
  let listed: readonly Row[] = [RADAR];
  const context = networkOf([]);
  const network = { ...context.network, v1: async () => listed };
  const plan = await planOf({ ...context, network }, "unifi_archive_alarm", { alarm_id: "a1" });

  listed = [];
  const gone = await plan.readBack?.({});
  listed = [{ ...RADAR, archived: true }];
  const told = await plan.readBack?.({});

  assert.deepEqual([gone, told], [{ archived: true }, { archived: true }]);
});

test("an alarm that is not there is named as such", async () => {
  const plan = planOf(networkOf([RADAR]), "unifi_archive_alarm", { alarm_id: "other" });

  await assert.rejects(plan, withCode("NOT_FOUND", /No alarm has this id/));
});
