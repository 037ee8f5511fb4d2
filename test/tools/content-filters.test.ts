/** Content filters: names that differ on the console, schedules and targets. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../../src/controller/controller.ts";
import { fakeNetwork } from "../support/fake-network.ts";
import { planOf, problemsOf, read, withCode } from "./support.ts";

const FILTER: Row = {
  _id: "f1",
  name: "Family",
  enabled: true,
  categories: ["FAMILY"],
  safe_search: [],
  client_macs: [],
  network_ids: ["lan"],
  schedule: { mode: "ALWAYS", time_all_day: false },
};

function site(filter: Row = FILTER) {
  return fakeNetwork({ rows: { "/content-filtering": [filter], "/rest/networkconf": [{ _id: "lan", name: "LAN" }] } });
}

test("blocked_categories goes out as categories, which is all that the console knows (unifi-mcp#462)", async () => {
  const { context, writes } = site();
  const args = { filter_id: "f1", filter_data: { blocked_categories: ["ADVERTISEMENT"] } };

  const plan = await planOf(context, "unifi_update_content_filter", args);
  await plan.apply();

  assert.deepEqual(
    [plan.current, plan.proposed],
    [{ blocked_categories: ["FAMILY"] }, { blocked_categories: ["ADVERTISEMENT"] }],
  );
  assert.deepEqual(writes()[0]?.body, { ...FILTER, categories: ["ADVERTISEMENT"] });
});

test("a filter is found in the list: the console does not answer GET by id", async () => {
  const { context, requests } = site();

  const { details } = await read(context, "unifi_get_content_filter_details", { filter_id: "f1" });

  assert.deepEqual(details, FILTER);
  assert.deepEqual(requests, [{ method: "GET", path: "/v2/api/site/default/content-filtering" }]);
});

test("a schedule that lacks its hours or days is refused by name", async () => {
  const { context, writes } = site();
  const weekly = { filter_id: "f1", filter_data: { schedule_mode: "EVERY_WEEK" } };

  const refused = planOf(context, "unifi_update_content_filter", weekly);

  await assert.rejects(refused, withCode("ARGUMENTS_INVALID", /repeat_on_days, time_range_start, time_range_end/));
  assert.deepEqual(writes(), []);
});

test("a schedule mode keeps the stored hours", async () => {
  const schedule = { mode: "ALWAYS", time_range_start: "08:00", time_range_end: "20:00" };
  const { context, writes } = site({ ...FILTER, schedule });
  const daily = { filter_id: "f1", filter_data: { schedule_mode: "EVERY_DAY" } };

  const plan = await planOf(context, "unifi_update_content_filter", daily);
  await plan.apply();

  assert.deepEqual([plan.current, plan.proposed], [{ schedule_mode: "ALWAYS" }, { schedule_mode: "EVERY_DAY" }]);
  assert.deepEqual(writes()[0]?.body, { ...FILTER, schedule: { ...schedule, mode: "EVERY_DAY" } });
});

test("what is no MAC address and no network is refused by its place in the list", async () => {
  const { context } = site();
  const change = (filter_data: Row) => planOf(context, "unifi_update_content_filter", { filter_id: "f1", filter_data });

  await assert.rejects(change({ client_macs: ["tablet"] }), withCode("ARGUMENTS_INVALID", /client_macs\.0/));
  await assert.rejects(
    change({ network_ids: ["lan", "nope"] }),
    withCode("ARGUMENTS_INVALID", /filter_data\.network_ids\.1/),
  );
});

test("a filter that would hold for nobody is warned of", async () => {
  const { context } = site();

  const plan = await planOf(context, "unifi_update_content_filter", {
    filter_id: "f1",
    filter_data: { network_ids: [] },
  });

  assert.match(String(plan.warnings), /nobody/);
});

test("an unknown field, also the console's own name, is refused and not dropped", () => {
  const problems = problemsOf("unifi_update_content_filter", { filter_id: "f1", filter_data: { categories: [] } });

  assert.notDeepEqual(problems, []);
});

test("deleting says that the API cannot make it again", async () => {
  const { context, writes } = site();

  const plan = await planOf(context, "unifi_delete_content_filter", { filter_id: "f1" });
  await plan.apply();

  assert.match(String(plan.warnings), /cannot make it again/);
  assert.deepEqual(writes(), [{ method: "DELETE", path: "/v2/api/site/default/content-filtering/f1" }]);
});
