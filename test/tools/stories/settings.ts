/** Settings sections and backups. */
import assert from "node:assert/strict";
import { isRow } from "../../../src/tools/rows.ts";
import type { Scene, Story } from "./story.ts";

const BACKUP = "/api/s/default/cmd/backup";

function section({ simulator }: Scene, key: string) {
  return simulator.state.sites.get("default")?.settings.get(key) ?? {};
}

const settings: Story = {
  about: "settings and backups",
  steps: [
    {
      tool: "unifi_get_site_settings",
      holds: ({ site_settings: row }) => assert.ok(isRow(row) && typeof row.site_id === "string"),
    },
    {
      tool: "unifi_update_snmp_settings",
      args: { enabled: true, community: "planted-community" },
      sent: (scene) => [
        {
          method: "PUT",
          path: "/api/s/default/set/setting/snmp",
          body: { enabled: true, community: "planted-community", key: "snmp", _id: section(scene, "snmp")._id },
        },
      ],
      before: (scene) => {
        const site = scene.simulator.state.sites.get("default");
        site?.settings.set("snmp", { _id: "snmp1", key: "snmp", enabled: false, community: "planted-public" });
      },
      holds: (_answer, scene) => assert.equal(section(scene, "snmp").community, "planted-community"),
    },
    {
      tool: "unifi_get_snmp_settings",
      holds: ({ snmp_settings: row }) => assert.deepEqual(row, { enabled: true }),
    },
    {
      tool: "unifi_get_autobackup_settings",
      holds: ({ autobackup_settings: row }) => assert.ok(isRow(row)),
    },
    {
      tool: "unifi_update_autobackup_settings",
      args: { update_data: { autobackup_enabled: true, autobackup_cron_expr: "0 3 * * 1", autobackup_max_files: 9 } },
      before: (scene) => {
        const site = scene.simulator.state.sites.get("default");
        site?.settings.set("super_mgmt", { ...section(scene, "super_mgmt"), autobackup_enabled: false });
      },
      sent: [{ method: "PUT", path: "/api/s/default/set/setting/super_mgmt" }],
      holds: (_answer, scene) => {
        assert.partialDeepStrictEqual(section(scene, "super_mgmt"), {
          autobackup_enabled: true,
          autobackup_cron_expr: "0 3 * * 1",
          autobackup_max_files: 9,
        });
      },
    },
    {
      tool: "unifi_create_backup",
      sent: [{ method: "POST", path: BACKUP, body: { cmd: "backup" } }],
      holds: ({ backup }, { kept }) => {
        assert.ok(isRow(backup) && typeof backup.filename === "string");
        kept.filename = backup.filename;
      },
    },
    {
      tool: "unifi_list_backups",
      holds: ({ backups }, { kept }) => {
        const rows = Array.isArray(backups) ? backups.filter(isRow) : [];
        const made = rows.find(({ filename }) => filename === kept.filename);
        assert.ok(typeof made?.size === "number" && typeof made.version === "string");
        assert.match(String(made.created_at), /^\d{4}-\d\d-\d\dT/);
      },
    },
    {
      tool: "unifi_delete_backup",
      args: ({ kept }) => ({ filename: kept.filename }),
      sent: ({ kept }) => [{ method: "POST", path: BACKUP, body: { cmd: "delete-backup", filename: kept.filename } }],
    },
    {
      tool: "unifi_update_gateway_settings",
      args: {
        update_data: { upnp_enabled: true, geo_ip_filtering_enabled: true, geo_ip_filtering_countries: "KP,RU" },
      },
      before: (scene) => {
        const site = scene.simulator.state.sites.get("default");
        site?.settings.set("usg", { ...section(scene, "usg"), upnp_enabled: false, ftp_module: true });
      },
      sent: [{ method: "PUT", path: "/api/s/default/set/setting/usg" }],
      holds: (_answer, scene) => {
        assert.partialDeepStrictEqual(section(scene, "usg"), { upnp_enabled: true, ftp_module: true });
      },
    },
    {
      tool: "unifi_get_gateway_settings",
      holds: ({ settings: row }) => {
        assert.partialDeepStrictEqual(row, { upnp_enabled: true, geo_ip_filtering_countries: "KP,RU" });
      },
    },
  ],
};

export default settings;
