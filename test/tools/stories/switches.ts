/** Switches: ports read and set one by one, profiles, spanning tree, power. */
import assert from "node:assert/strict";
import type { Row } from "../../../src/controller/controller.ts";
import { isRow } from "../../../src/tools/rows.ts";
import type { Scene, Sent, Story } from "./story.ts";

const PROFILES = "/api/s/default/rest/portconf";

/** The simulated device behind a MAC address, as the console keeps it. */
function deviceOf({ simulator, kept }: Scene): Row {
  const device = simulator.state.sites.get("default")?.tables.device.find(({ mac }) => mac === kept.mac);
  assert.ok(device);
  return device;
}

const overrides = (scene: Scene): readonly Row[] => {
  const { port_overrides: list } = deviceOf(scene);
  return Array.isArray(list) ? list.filter(isRow) : [];
};

/** The switch that can mirror and aggregate. */
async function switchMac(scene: Scene): Promise<{ readonly device_mac: unknown }> {
  const devices = scene.simulator.state.sites.get("default")?.tables.device ?? [];
  scene.kept.mac ??= devices.find(
    ({ switch_caps: caps }) => isRow(caps) && Number(caps.max_aggregate_sessions) > 0,
  )?.mac;
  return { device_mac: scene.kept.mac };
}

const put = (scene: Scene): readonly Sent[] => [
  { method: "PUT", path: `/api/s/default/rest/device/${String(deviceOf(scene)._id)}` },
];

const portOf = (scene: Scene, number: number) => overrides(scene).find(({ port_idx: at }) => at === number);

const switches: Story = {
  about: "switches",
  steps: [
    {
      tool: "unifi_get_switch_ports",
      args: switchMac,
      holds: ({ details }) => assert.ok(isRow(details) && Number(details.port_count) > 0),
    },
    {
      tool: "unifi_get_port_stats",
      args: switchMac,
      holds: ({ details }) => {
        const ports = isRow(details) && Array.isArray(details.port_table) ? details.port_table : [];
        assert.ok(ports.some((port) => isRow(port) && typeof port.rx_bytes === "number"));
      },
    },
    {
      tool: "unifi_get_lldp_neighbors",
      args: switchMac,
      holds: ({ details }) => assert.ok(isRow(details) && Array.isArray(details.lldp_table)),
    },
    {
      tool: "unifi_get_switch_capabilities",
      args: switchMac,
      holds: ({ details }) => assert.ok(isRow(details) && isRow(details.switch_caps)),
    },
    { tool: "unifi_list_port_profiles", holds: ({ count }) => assert.ok(Number(count) > 0) },
    {
      tool: "unifi_create_port_profile",
      args: async ({ first, kept }) => {
        kept.network = (await first("unifi_list_networks", "networks", { purpose: "corporate" }))._id;
        return {
          name: "Cameras",
          forward: "native",
          native_networkconf_id: kept.network,
          tagged_vlan_mgmt: "block_all",
          stp_edge_state: "",
        };
      },
      sent: ({ kept }) => [
        {
          method: "POST",
          path: PROFILES,
          body: {
            isolation: false,
            poe_mode: "auto",
            stp_port_mode: true,
            name: "Cameras",
            forward: "native",
            native_networkconf_id: kept.network,
            tagged_vlan_mgmt: "block_all",
          },
        },
      ],
      holds: ({ profile_id: id }, { kept }) => {
        assert.equal(typeof id, "string");
        kept.profile = id;
      },
    },
    {
      tool: "unifi_get_port_profile_details",
      args: ({ kept }) => ({ profile_id: kept.profile }),
      holds: ({ details }) => assert.partialDeepStrictEqual(details, { name: "Cameras", forward: "native" }),
    },
    {
      tool: "unifi_update_port_profile",
      args: ({ kept }) => ({ profile_id: kept.profile, profile_data: { isolation: true } }),
      sent: ({ kept }) => [{ method: "PUT", path: `${PROFILES}/${String(kept.profile)}` }],
    },
    {
      tool: "unifi_set_switch_port_profile",
      args: async (scene) => ({
        ...(await switchMac(scene)),
        port_overrides: [{ port_idx: 2, name: "Camera", portconf_id: scene.kept.profile }],
      }),
      before: async (scene) => {
        await switchMac(scene);
        scene.kept.others = overrides(scene).filter(({ port_idx: at }) => at !== 2);
      },
      sent: put,
      holds: (_answer, scene) => {
        assert.partialDeepStrictEqual(portOf(scene, 2), { name: "Camera", portconf_id: scene.kept.profile });
        assert.deepEqual(
          overrides(scene).filter(({ port_idx: at }) => at !== 2),
          scene.kept.others,
        );
      },
    },
    {
      tool: "unifi_configure_port_mirror",
      args: async (scene) => ({
        ...(await switchMac(scene)),
        port_overrides: [{ port_idx: 3, op_mode: "mirror", mirror_port_idx: 1 }],
      }),
      sent: put,
    },
    {
      tool: "unifi_configure_port_mirror",
      args: async (scene) => ({ ...(await switchMac(scene)), port_overrides: [{ port_idx: 3, op_mode: "switch" }] }),
      sent: put,
      holds: (_answer, scene) => assert.equal("mirror_port_idx" in (portOf(scene, 3) ?? {}), false),
    },
    {
      tool: "unifi_configure_port_aggregation",
      args: async (scene) => ({
        ...(await switchMac(scene)),
        port_overrides: [{ port_idx: 5, op_mode: "aggregate", aggregate_members: [5, 6] }],
      }),
      sent: put,
      holds: (_answer, scene) => {
        assert.equal(portOf(scene, 2)?.name, "Camera");
        assert.partialDeepStrictEqual(portOf(scene, 5), { op_mode: "aggregate", aggregate_members: [5, 6] });
      },
    },
    {
      tool: "unifi_power_cycle_port",
      args: async (scene) => {
        const { device_mac: mac } = await switchMac(scene);
        const { port_table: ports } = deviceOf(scene);
        const powered = Array.isArray(ports)
          ? ports.filter(isRow).find(({ port_poe: poe }) => poe === true)
          : undefined;
        scene.kept.powered = powered?.port_idx;
        return { device_mac: mac, port_idx: powered?.port_idx };
      },
      sent: ({ kept }) => [
        {
          method: "POST",
          path: "/api/s/default/cmd/devmgr",
          body: { cmd: "power-cycle", mac: kept.mac, port_idx: kept.powered },
        },
      ],
    },
    {
      tool: "unifi_set_jumbo_frames",
      args: async (scene) => ({
        ...(await switchMac(scene)),
        enabled: deviceOf(scene).jumboframe_enabled !== true,
      }),
      sent: put,
      holds: (_answer, scene) => assert.equal(portOf(scene, 2)?.name, "Camera"),
    },
    {
      tool: "unifi_update_switch_stp",
      before: async (scene) => {
        await switchMac(scene);
        scene.kept.version = deviceOf(scene).stp_version;
      },
      args: async (scene) => ({ ...(await switchMac(scene)), stp_priority: 4096 }),
      sent: put,
      holds: (_answer, scene) => {
        assert.equal(Number(deviceOf(scene).stp_priority), 4096);
        assert.equal(deviceOf(scene).stp_version, scene.kept.version);
        const [request] = scene.simulator.requests.slice(-2).filter(({ method }) => method === "PUT");
        assert.deepEqual(Object.keys(request?.body ?? {}), ["stp_priority", "port_overrides"]);
      },
    },
    {
      tool: "unifi_delete_port_profile",
      args: ({ kept }) => ({ profile_id: kept.profile }),
      sent: ({ kept }) => [{ method: "DELETE", path: `${PROFILES}/${String(kept.profile)}` }],
    },
  ],
};

export default switches;
