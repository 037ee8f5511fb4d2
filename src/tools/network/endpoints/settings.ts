/** Endpoints of settings sections and backups. */
import type { Endpoint } from "../../tool.ts";
import type { EndpointNote } from "../endpoints.ts";

const SECTION = "the named fields with the section's _id and key";

export const SETTING_ENDPOINTS: { readonly [endpoint: Endpoint]: EndpointNote } = {
  "GET /api/s/{site}/get/setting": { purpose: "All sections of the site's settings", answer: "key, _id, fields" },
  "GET /api/s/{site}/get/setting/snmp": { purpose: "SNMP settings", answer: "enabled, enabledV3, username" },
  "PUT /api/s/{site}/set/setting/snmp": { purpose: "Change SNMP settings", body: SECTION },
  "GET /api/s/{site}/get/setting/super_mgmt": {
    purpose: "Settings of the whole console",
    answer: "autobackup_enabled, autobackup_cron_expr, autobackup_days, autobackup_max_files, backup_to_cloud_enabled",
  },
  "PUT /api/s/{site}/set/setting/super_mgmt": { purpose: "Change settings of the whole console", body: SECTION },
  "GET /api/s/{site}/get/setting/usg": {
    purpose: "Settings of the gateway",
    answer: "geo_ip_filtering_*, upnp_*, *_module, *_timeout, mss_clamp",
  },
  "PUT /api/s/{site}/set/setting/usg": {
    purpose: "Replace the gateway's settings",
    body: "the whole section as it was read, changed",
  },
  "POST /api/s/{site}/cmd/backup": {
    purpose: "Command on backups: list-backups, backup, delete-backup",
    body: '{"cmd": "list-backups"} or {"cmd": "delete-backup", "filename": "10.4.57_1796000000.unf"}',
    answer: "filename, size, time, version; backup answers url",
  },
};
