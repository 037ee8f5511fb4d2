/** Devices: radios, outlets, lights, commands and what they measured. */
import assert from "node:assert/strict";
import type { Row } from "../../../src/controller/controller.ts";
import { isRow } from "../../../src/tools/rows.ts";
import type { Scene, Story } from "./story.ts";

const rows = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isRow) : []);

function find({ simulator }: Scene, what: (device: Row) => boolean): Row {
  const device = simulator.state.sites.get("default")?.tables.device.find(what);
  assert.ok(device);
  return device;
}

const radioAp = (scene: Scene) => find(scene, (device) => device.type === "uap" && rows(device.radio_table).length > 0);
const strip = (scene: Scene) => find(scene, ({ outlet_table: outlets }) => rows(outlets).length > 0);
const gateway = (scene: Scene) => find(scene, ({ type }) => ["ugw", "udm", "uxg", "ucg"].includes(String(type)));
const command = (cmd: string, device: Row) => [
  { method: "POST", path: "/api/s/default/cmd/devmgr", body: { cmd, mac: device.mac } },
];
const put = (device: Row, body: Row) => [
  { method: "PUT", path: `/api/s/default/rest/device/${String(device._id)}`, body },
];

const devices: Story = {
  about: "devices",
  steps: [
    {
      tool: "unifi_list_devices",
      args: { include_details: true, device_type: "ap" },
      holds: ({ devices: found }, scene) => {
        assert.ok(rows(found).some(({ mac }) => mac === radioAp(scene).mac));
      },
    },
    {
      tool: "unifi_get_device_details",
      args: (scene) => ({
        mac_address: String(radioAp(scene).mac).toUpperCase().replaceAll(":", "-"),
        summary: true,
        include: "all",
      }),
      holds: ({ device }) => assert.ok(isRow(device)),
    },
    {
      tool: "unifi_rename_device",
      args: (scene) => ({ mac_address: radioAp(scene).mac, name: "AP north" }),
      sent: (scene) => put(radioAp(scene), { name: "AP north" }),
    },
    {
      tool: "unifi_locate_device",
      args: (scene) => ({ device_mac: radioAp(scene).mac, enabled: true }),
      sent: (scene) => command("set-locate", radioAp(scene)),
      holds: (_answer, scene) => assert.equal(radioAp(scene).locating, true),
    },
    {
      tool: "unifi_get_device_radio",
      args: (scene) => ({ mac_address: radioAp(scene).mac }),
      holds: ({ radios }, scene) => {
        assert.equal(rows(radios).length, rows(radioAp(scene).radio_table).length);
        assert.ok(rows(radios).every(({ current_channel: channel }) => typeof channel === "number"));
      },
    },
    {
      tool: "unifi_update_device_radio",
      args: (scene) => {
        scene.kept.radios = structuredClone(radioAp(scene).radio_table);
        return { mac_address: radioAp(scene).mac, radio: "na", channel: 149 };
      },
      sent: (scene) =>
        put(radioAp(scene), {
          radio_table: rows(scene.kept.radios).map((row) => (row.radio === "na" ? { ...row, channel: 149 } : row)),
        }),
      holds: ({ updated_fields: fields }) => assert.deepEqual(fields, ["channel"]),
    },
    {
      tool: "unifi_get_pdu_outlets",
      before: (scene) => {
        const outlets = [1, 2, 5].map((index) => ({
          index,
          name: `Outlet ${index}`,
          relay_state: true,
          outlet_caps: 3,
        }));
        Object.assign(
          find(scene, ({ type }) => type === "usw"),
          { outlet_table: outlets, outlet_overrides: [{ index: 1, name: "Outlet 1", relay_state: true }] },
        );
      },
      args: (scene) => ({ mac_address: strip(scene).mac }),
      holds: ({ outlets }, scene) => assert.equal(rows(outlets).length, rows(strip(scene).outlet_table).length),
    },
    {
      tool: "unifi_set_outlet_state",
      args: (scene) => {
        scene.kept.others = structuredClone(rows(strip(scene).outlet_overrides).filter(({ index }) => index !== 5));
        return { mac_address: strip(scene).mac, outlet_index: 5, relay_state: false };
      },
      sent: (scene) => [{ method: "PUT", path: `/api/s/default/rest/device/${String(strip(scene)._id)}` }],
      holds: (_, scene) => {
        const after = rows(strip(scene).outlet_overrides);
        assert.equal(after.find(({ index }) => index === 5)?.relay_state, false);
        assert.deepEqual(
          after.filter(({ index }) => index !== 5),
          scene.kept.others,
        );
      },
    },
    {
      tool: "unifi_set_device_led",
      args: (scene) => ({ device_mac: radioAp(scene).mac, led_state: "off" }),
      sent: (scene) => put(radioAp(scene), { led_override: "off" }),
    },
    {
      tool: "unifi_set_site_leds",
      args: { enabled: false },
      sent: [{ method: "PUT", path: "/api/s/default/set/setting/mgmt", body: { led_enabled: false } }],
    },
    {
      tool: "unifi_toggle_device",
      args: (scene) => ({ device_mac: radioAp(scene).mac, disabled: true }),
      sent: (scene) => put(radioAp(scene), { disabled: true }),
    },
    {
      tool: "unifi_adopt_device",
      before: (scene) => {
        Object.assign(radioAp(scene), { adopted: false, state: 2 });
      },
      args: (scene) => ({ mac_address: radioAp(scene).mac }),
      sent: (scene) => command("adopt", radioAp(scene)),
    },
    {
      tool: "unifi_force_provision_device",
      args: (scene) => ({ device_mac: radioAp(scene).mac }),
      sent: (scene) => command("force-provision", radioAp(scene)),
    },
    {
      tool: "unifi_upgrade_device",
      before: (scene) => {
        Object.assign(radioAp(scene), { upgradable: true, upgrade_to_firmware: "9.9.9" });
      },
      args: (scene) => ({ mac_address: radioAp(scene).mac }),
      sent: (scene) => command("upgrade", radioAp(scene)),
    },
    {
      tool: "unifi_trigger_rf_scan",
      args: (scene) => ({ ap_mac: radioAp(scene).mac }),
      sent: (scene) => command("spectrum-scan", radioAp(scene)),
    },
    {
      tool: "unifi_get_rf_scan_results",
      args: (scene) => ({ ap_mac: radioAp(scene).mac }),
      holds: ({ scan_results: results }) => assert.equal(rows(results)[0]?.spectrum_scanning, true),
    },
    {
      tool: "unifi_list_available_channels",
      holds: ({ channels }) => assert.ok(rows(rows(channels)).length === 1),
    },
    {
      tool: "unifi_list_rogue_aps",
      args: { channel: 44 },
      holds: ({ rogue_aps: found }) =>
        assert.partialDeepStrictEqual(rows(found)[0], { ssid: "Neighbour", bandwidth: 80 }),
    },
    {
      tool: "unifi_trigger_speedtest",
      args: (scene) => ({ gateway_mac: gateway(scene).mac }),
      sent: (scene) => command("speedtest", gateway(scene)),
    },
    {
      tool: "unifi_get_speedtest_status",
      args: (scene) => ({ gateway_mac: gateway(scene).mac }),
      holds: ({ status }) => assert.partialDeepStrictEqual(status, { xput_download: 941.2, latency: 9 }),
    },
    {
      tool: "unifi_reboot_device",
      args: (scene) => ({ mac_address: radioAp(scene).mac }),
      sent: (scene) => command("restart", radioAp(scene)),
    },
  ],
};

export default devices;
