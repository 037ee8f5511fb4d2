/** Radios, outlets and speed tests: what the reference broke, and what makes no sense. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeNetwork } from "../support/fake-network.ts";
import { planOf, read, withCode } from "./support.ts";

const AP = "02:00:5e:10:00:21";
const STRIP = "02:00:5e:10:00:22";
const GATEWAY = "02:00:5e:10:00:23";

const ROWS = {
  "/stat/device": [
    {
      _id: "a1",
      mac: AP,
      type: "uap",
      model: "U7PRO",
      state: 1,
      adopted: true,
      radio_table: [
        { name: "wifi0", radio: "ng", channel: 1, ht: 20, tx_power_mode: "auto", min_txpower: 6, max_txpower: 22 },
        { name: "wifi1", radio: "na", channel: 36, ht: 80, tx_power_mode: "auto" },
      ],
    },
    {
      _id: "p1",
      mac: STRIP,
      type: "usw",
      model: "USPPDUP",
      state: 1,
      outlet_table: [
        { index: 1, name: "Modem", relay_state: true, outlet_caps: 1 },
        { index: 2, name: "Meter", relay_state: true, outlet_caps: 2 },
      ],
      outlet_overrides: [{ index: 2, name: "Meter", relay_state: true }],
    },
    { _id: "g1", mac: GATEWAY, type: "udm", model: "UDMPRO", state: 1 },
  ],
};

test("channel 0 is sent as auto, the width as the console's number, and the other radio as it was", async () => {
  const { context, requests } = fakeNetwork({ rows: ROWS });

  const plan = await planOf(context, "unifi_update_device_radio", {
    mac_address: AP,
    radio: "na",
    channel: 0,
    ht: "40",
  });
  await plan.apply();

  const [other, target] = ROWS["/stat/device"][0]?.radio_table ?? [];
  assert.deepEqual(requests.at(-1)?.body, { radio_table: [other, { ...target, channel: "auto", ht: 40 }] });
});

test("power in dBm needs the custom mode and stays within what the radio can", async () => {
  const { context } = fakeNetwork({ rows: ROWS });
  const args = { mac_address: AP, radio: "ng" };

  await assert.rejects(
    planOf(context, "unifi_update_device_radio", { ...args, tx_power: 10 }),
    withCode("ARGUMENTS_INVALID"),
  );
  await assert.rejects(
    planOf(context, "unifi_update_device_radio", { ...args, tx_power_mode: "custom", tx_power: 30 }),
    withCode("ARGUMENTS_INVALID"),
  );
});

test("switching one outlet keeps the others' settings, and one without a relay is refused", async () => {
  const { context, requests } = fakeNetwork({ rows: ROWS });
  const args = { mac_address: STRIP, relay_state: false };

  await (await planOf(context, "unifi_set_outlet_state", { ...args, outlet_index: 1 })).apply();

  assert.deepEqual(requests.at(-1)?.body, {
    outlet_overrides: [
      { index: 1, name: "Modem", relay_state: false },
      { index: 2, name: "Meter", relay_state: true },
    ],
  });
  await assert.rejects(
    planOf(context, "unifi_set_outlet_state", { ...args, outlet_index: 2 }),
    withCode("ARGUMENTS_INVALID"),
  );
});

test("the speed test's status is the console's first row and not empty", async () => {
  const { context } = fakeNetwork({
    rows: ROWS,
    answers: { "POST /cmd/devmgr": () => [{ xput_download: 941.2, rundate: 1_796_025_600 }] },
  });

  const { status } = await read(context, "unifi_get_speedtest_status", { gateway_mac: GATEWAY });

  assert.deepEqual(status, { xput_download: 941.2, rundate: "2026-11-30T08:00:00.000Z" });
});

test("a device that is adopted is not adopted again, and one without newer firmware not upgraded", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  for (const tool of ["unifi_adopt_device", "unifi_upgrade_device"]) {
    await assert.rejects(planOf(context, tool, { mac_address: AP }), withCode("ARGUMENTS_INVALID"));
  }
});
