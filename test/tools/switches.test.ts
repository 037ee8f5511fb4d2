/** Ports of a switch: what is refused before it is sent, what others keep, and what the preview warns of. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../../src/controller/controller.ts";
import { fakeNetwork } from "../support/fake-network.ts";
import { planOf, withCode } from "./support.ts";

const MAC = "02:00:5e:10:00:02";
const SWITCH: Row = {
  _id: "sw1",
  mac: MAC,
  name: "Core",
  type: "usw",
  stp_priority: "32768",
  stp_version: "rstp",
  switch_caps: { max_mirror_sessions: 1, max_aggregate_sessions: 2 },
  uplink: { port_idx: 8 },
  port_table: Array.from({ length: 8 }, (_, at) => ({ port_idx: at + 1, port_poe: at < 4 })),
  port_overrides: [
    { port_idx: 1, name: "Camera", poe_mode: "auto" },
    { port_idx: 5, op_mode: "aggregate", aggregate_members: [5, 6] },
  ],
};

function network() {
  return fakeNetwork({
    rows: {
      "/stat/device": [SWITCH],
      "/rest/device": [SWITCH],
      "/rest/portconf": [{ _id: "cameras", name: "Cameras" }],
    },
  });
}

const set = (tool: string, overrides: readonly Row[]) =>
  planOf(network().context, tool, { device_mac: MAC, port_overrides: [...overrides] });

test("other ports, and fields that are not named, keep what they have", async () => {
  const { context, writes } = network();
  const plan = await planOf(context, "unifi_set_switch_port_profile", {
    device_mac: MAC,
    port_overrides: [
      { port_idx: 1, portconf_id: "cameras" },
      { port_idx: 2, poe_mode: "off" },
    ],
  });

  await plan.apply();

  assert.deepEqual(plan.current, { port_1: {}, port_2: {} });
  assert.deepEqual(plan.proposed, { port_1: { portconf_id: "cameras" }, port_2: { poe_mode: "off" } });
  assert.deepEqual(writes().at(-1)?.body, {
    port_overrides: [
      { port_idx: 1, name: "Camera", poe_mode: "auto", portconf_id: "cameras" },
      { port_idx: 5, op_mode: "aggregate", aggregate_members: [5, 6] },
      { port_idx: 2, poe_mode: "off" },
    ],
  });
});

test("a mirrored port says that a mirror is wanted", async () => {
  const plan = await set("unifi_configure_port_mirror", [{ port_idx: 3, mirror_port_idx: 1 }]);

  assert.deepEqual(plan.proposed, { port_3: { mirror_port_idx: 1, op_mode: "mirror" } });
});

for (const [name, tool, overrides, words] of [
  [
    "a port that is not there",
    "set_switch_port_profile",
    [{ port_idx: 9, poe_mode: "off" }],
    /port_overrides\[0\]\.port_idx: this switch has ports 1 to 8/,
  ],
  [
    "a port named twice",
    "set_switch_port_profile",
    [
      { port_idx: 1, name: "a" },
      { port_idx: 1, name: "b" },
    ],
    /\[1\]\.port_idx names port 1 a second time/,
  ],
  ["a port without a change", "set_switch_port_profile", [{ port_idx: 1 }], /\[0\] changes nothing/],
  [
    "an unknown profile",
    "set_switch_port_profile",
    [
      { port_idx: 1, name: "a" },
      { port_idx: 2, portconf_id: "x" },
    ],
    /port_overrides\[1\]\.portconf_id/,
  ],
  [
    "a LAG by the mirror's tool",
    "configure_port_mirror",
    [{ port_idx: 1, op_mode: "aggregate", aggregate_members: [1, 2] }],
    /op_mode: give "mirror"/,
  ],
  [
    "a mirror by the LAG's tool",
    "configure_port_aggregation",
    [{ port_idx: 1, op_mode: "mirror", mirror_port_idx: 2 }],
    /op_mode: give "aggregate"/,
  ],
  [
    "a field of another mode",
    "set_switch_port_profile",
    [{ port_idx: 1, op_mode: "switch", mirror_port_idx: 2 }],
    /mirror_port_idx goes with op_mode "mirror"/,
  ],
  ["a port that mirrors itself", "configure_port_mirror", [{ port_idx: 1, mirror_port_idx: 1 }], /cannot copy itself/],
  [
    "more mirrors than the switch has",
    "configure_port_mirror",
    [
      { port_idx: 1, mirror_port_idx: 8 },
      { port_idx: 2, mirror_port_idx: 8 },
    ],
    /has 1 mirror sessions, and 2 would be in use/,
  ],
  [
    "a LAG without itself",
    "configure_port_aggregation",
    [{ port_idx: 1, aggregate_members: [2, 3] }],
    /must hold port_idx itself/,
  ],
  ["a LAG of one", "configure_port_aggregation", [{ port_idx: 1, aggregate_members: [1] }], /at least two ports/],
  [
    "a member of another LAG",
    "configure_port_aggregation",
    [{ port_idx: 4, aggregate_members: [4, 6] }],
    /Port 6 already serves another LAG/,
  ],
] as const) {
  test(`${name} is refused before anything is sent`, async () => {
    await assert.rejects(set(`unifi_${tool}`, overrides), withCode("ARGUMENTS_INVALID", words));
  });
}

test("the uplink is warned of, as a port and as a member of a LAG", async () => {
  const port = await set("unifi_set_switch_port_profile", [{ port_idx: 8, poe_mode: "off" }]);
  const member = await set("unifi_configure_port_aggregation", [{ port_idx: 7, aggregate_members: [7, 8] }]);
  const other = await set("unifi_set_switch_port_profile", [{ port_idx: 2, poe_mode: "off" }]);

  for (const { warnings } of [port, member]) assert.match(String(warnings), /uplink/);
  assert.deepEqual(other.warnings, []);
});

test("spanning tree: what is not named is not sent", async () => {
  const { context, writes } = network();
  const plan = await planOf(context, "unifi_update_switch_stp", { device_mac: MAC, stp_priority: 4096 });

  await plan.apply();

  assert.deepEqual(plan.current, { stp_priority: 32_768 });
  assert.deepEqual(writes().at(-1)?.body, { stp_priority: "4096", port_overrides: SWITCH.port_overrides });
});

test("a port without PoE is not power-cycled", async () => {
  const plan = planOf(network().context, "unifi_power_cycle_port", { device_mac: MAC, port_idx: 7 });

  await assert.rejects(plan, withCode("ARGUMENTS_INVALID", /gives no power/));
});

test("LAGs that overlap on the console do not stand in the way of another change", async () => {
  const overlapping = [1, 2].map((port) => ({ port_idx: port, op_mode: "aggregate", aggregate_members: [1, 2] }));
  const { context } = fakeNetwork({ rows: { "/stat/device": [{ ...SWITCH, port_overrides: overlapping }] } });

  const plan = await planOf(context, "unifi_set_switch_port_profile", {
    device_mac: MAC,
    port_overrides: [{ port_idx: 7, name: "Desk" }],
  });

  assert.deepEqual(plan.proposed, { port_7: { name: "Desk" } });
});
