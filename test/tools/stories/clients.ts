/** Clients: found, named, addressed, blocked, let in as guests, forgotten. */
import assert from "node:assert/strict";
import type { Row } from "../../../src/controller/controller.ts";
import { isRow } from "../../../src/tools/rows.ts";
import type { Scene, Sent, Story } from "./story.ts";

const command = (body: Row): Sent => ({ method: "POST", path: "/api/s/default/cmd/stamgr", body });

async function clientWhere(scene: Scene, fits: (client: Row) => boolean, args: Row = {}): Promise<Row> {
  const { clients } = await scene.read("unifi_list_clients", args);
  const found = Array.isArray(clients) ? clients.filter(isRow).find(fits) : undefined;
  assert.ok(found, "the console has such a client");
  return found;
}

/** The same wireless client all along. */
async function plain(scene: Scene): Promise<{ readonly mac_address: unknown }> {
  scene.kept.mac ??= (await clientWhere(scene, (one) => one.is_guest !== true && one.is_wired === false)).mac;
  return { mac_address: scene.kept.mac };
}

async function guest(scene: Scene): Promise<{ readonly mac_address: unknown }> {
  scene.kept.guest ??= (await clientWhere(scene, (one) => one.is_guest === true)).mac;
  return { mac_address: scene.kept.guest };
}

const clients: Story = {
  about: "clients",
  steps: [
    {
      tool: "unifi_list_clients",
      args: { limit: 5 },
      holds: ({ clients, returned }) => {
        assert.ok(Array.isArray(clients));
        assert.equal(clients.length, returned);
        assert.ok(Number(returned) > 0);
      },
    },
    {
      tool: "unifi_get_client_details",
      args: plain,
      holds: ({ client }, { kept }) => assert.equal(isRow(client) && client.mac, kept.mac),
    },
    {
      tool: "unifi_lookup_by_ip",
      args: async (scene) => {
        const { ip } = await clientWhere(scene, ({ mac, ip }) => mac === scene.kept.mac && typeof ip === "string");
        return { ip_address: ip };
      },
      holds: ({ mac }, { kept }) => assert.equal(mac, kept.mac),
    },
    {
      tool: "unifi_rename_client",
      args: async (scene) => ({ ...(await plain(scene)), name: "Renamed" }),
      sent: [{ method: "PUT", path: /^\/api\/s\/default\/rest\/user\/\w+$/, body: { name: "Renamed" } }],
    },
    {
      tool: "unifi_set_client_ip_settings",
      args: async (scene) => ({
        ...(await plain(scene)),
        fixed_ip: "192.168.1.77",
        local_dns_record: "renamed.example.com",
      }),
      sent: [{ method: "PUT", path: /\/rest\/user\/\w+$/ }],
    },
    {
      tool: "unifi_set_client_ip_settings",
      args: async (scene) => ({ ...(await plain(scene)), use_fixedip: false }),
      sent: [{ method: "PUT", path: /\/rest\/user\/\w+$/ }],
    },
    {
      tool: "unifi_force_reconnect_client",
      args: plain,
      sent: ({ kept }) => [command({ cmd: "kick-sta", mac: kept.mac })],
    },
    {
      tool: "unifi_block_client",
      args: plain,
      sent: ({ kept }) => [command({ cmd: "block-sta", mac: kept.mac })],
    },
    {
      tool: "unifi_list_blocked_clients",
      holds: ({ blocked_clients: blocked }, { kept }) => {
        assert.ok(Array.isArray(blocked) && blocked.some((one) => isRow(one) && one.mac === kept.mac));
      },
    },
    {
      tool: "unifi_unblock_client",
      args: plain,
      sent: ({ kept }) => [command({ cmd: "unblock-sta", mac: kept.mac })],
    },
    {
      tool: "unifi_unauthorize_guest",
      args: guest,
      sent: ({ kept }) => [command({ cmd: "unauthorize-guest", mac: kept.guest })],
    },
    {
      tool: "unifi_authorize_guest",
      args: async (scene) => ({ ...(await guest(scene)), minutes: 60, down_kbps: 2000, bytes_quota: 5_000_000 }),
      sent: ({ kept }) => [command({ cmd: "authorize-guest", mac: kept.guest, minutes: 60, down: 2000, bytes: 5 })],
    },
    {
      tool: "unifi_forget_client",
      args: async (scene) => {
        const offline = await clientWhere(scene, ({ status }) => status === "offline", { include_offline: true });
        scene.kept.offline = offline.mac;
        return { mac_address: offline.mac };
      },
      sent: ({ kept }) => [command({ cmd: "forget-sta", macs: [kept.offline] })],
    },
  ],
};

export default clients;
