/** What the api-reference says of each endpoint that a tool uses; the tools' names are added when it is generated. */
import type { Endpoint } from "../tool.ts";
import { DEVICE_ENDPOINTS } from "./endpoints/devices.ts";
import { FIREWALL_ENDPOINTS } from "./endpoints/firewall.ts";
import { GROUP_ENDPOINTS } from "./endpoints/groups.ts";
import { SETTING_ENDPOINTS } from "./endpoints/settings.ts";
import { STATS_ENDPOINTS } from "./endpoints/stats.ts";
import { SWITCH_ENDPOINTS } from "./endpoints/switches.ts";
import { TRAFFIC_ENDPOINTS } from "./endpoints/traffic.ts";

export interface EndpointNote {
  readonly purpose: string;
  /** Query options. */
  readonly query?: string;
  /** What a request holds. */
  readonly body?: string;
  /** What an answer's rows hold, in short. */
  readonly answer?: string;
}

const WHOLE = "the whole object as it was read, changed";

export const ENDPOINTS: { readonly [endpoint: Endpoint]: EndpointNote } = {
  "GET /api/self/sites": { purpose: "Sites of the console that the account sees", answer: "_id, name, desc, role" },

  "GET /api/s/{site}/stat/sta": {
    purpose: "Clients connected now",
    answer: "_id, mac, ip, hostname, name, is_wired, essid, signal, tx_bytes, rx_bytes, last_seen …",
  },
  "GET /api/s/{site}/rest/user": {
    purpose: "Clients the console remembers, connected or not",
    answer: "_id, mac, name, hostname, last_ip, blocked, use_fixedip, fixed_ip, last_seen …",
  },
  "PUT /api/s/{site}/rest/user/{id}": {
    purpose: "Change a remembered client",
    body: '{"name": "Printer"} or {"use_fixedip": true, "fixed_ip": "192.168.1.20", "network_id": "…"}',
  },
  "POST /api/s/{site}/cmd/stamgr": {
    purpose: "Command on a client: block-sta, unblock-sta, kick-sta, forget-sta, authorize-guest, unauthorize-guest",
    body: '{"cmd": "block-sta", "mac": "aa:bb:cc:dd:ee:ff"}; forget-sta takes macs; authorize-guest minutes, up, down, bytes (MB)',
  },

  "GET /api/s/{site}/stat/device": {
    purpose: "UniFi devices of the site, with all their tables",
    answer: "_id, mac, name, model, type, state, ip, version, uptime, port_table, radio_table, uplink …",
  },
  "PUT /api/s/{site}/rest/device/{id}": {
    purpose: "Change a device; lists such as port_overrides are replaced whole",
    body: '{"name": "Switch hall"}',
  },
  "POST /api/s/{site}/cmd/devmgr": {
    purpose: "Command on a device: restart, adopt, set-locate, unset-locate, force-provision, upgrade, power-cycle …",
    body: '{"cmd": "restart", "mac": "aa:bb:cc:dd:ee:ff"}',
  },

  "GET /api/s/{site}/stat/sysinfo": { purpose: "The Network application", answer: "name, version, hostname, uptime …" },
  "GET /api/s/{site}/stat/health": { purpose: "Health per subsystem", answer: "subsystem, status, num_user, …" },
  "POST /api/s/{site}/stat/report/{interval}.user": {
    purpose: "Figures per client over time; interval 5minutes, hourly, daily or monthly",
    body: '{"attrs": ["tx_bytes", "rx_bytes", "time"], "start": 1796000000000, "end": 1796086400000}',
    answer: "time, user (MAC), the attrs",
  },
  "POST /v2/api/site/{site}/system-log/all": {
    purpose: "Event log, page by page (at most 100 rows)",
    body: '{"timestampFrom": 1796000000000, "timestampTo": 1796086400000, "severities": ["HIGH"], "categories": ["SECURITY"], "type": "GENERAL", "pageNumber": 0, "pageSize": 100}',
    answer: "data [id, key, severity, timestamp, message_raw, parameters …], total_element_count",
  },
  "POST /api/s/{site}/stat/event": {
    purpose: "Event log of older consoles",
    body: '{"within": 24, "_limit": 100, "_start": 0}',
    answer: "_id, key, msg, time, user, ap …",
  },
  "GET /v2/api/site/{site}/aggregated-dashboard": {
    purpose: "The dashboard's figures in one object",
    query: "historySeconds",
  },

  "GET /api/s/{site}/rest/networkconf": {
    purpose: "Networks: LANs, VLANs, WANs, VPNs",
    answer: "_id, name, purpose, ip_subnet, vlan, dhcpd_enabled, dhcpd_start, dhcpd_stop …",
  },
  "POST /api/s/{site}/rest/networkconf": {
    purpose: "Create a network",
    body: '{"name": "IoT", "purpose": "corporate", "vlan_enabled": true, "vlan": 20, "ip_subnet": "192.168.20.1/24", …}',
  },
  "PUT /api/s/{site}/rest/networkconf/{id}": { purpose: "Replace a network", body: WHOLE },
  "DELETE /api/s/{site}/rest/networkconf/{id}": { purpose: "Remove a network" },

  "GET /api/s/{site}/rest/wlanconf": {
    purpose: "Wireless networks",
    answer: "_id, name, enabled, security, networkconf_id, usergroup_id, ap_group_ids …",
  },
  "POST /api/s/{site}/rest/wlanconf": {
    purpose: "Create a wireless network; ap_group_ids is required",
    body: '{"name": "Guests", "security": "wpapsk", "x_passphrase": "…", "ap_group_ids": ["…"], "networkconf_id": "…"}',
  },
  "PUT /api/s/{site}/rest/wlanconf/{id}": { purpose: "Replace a wireless network", body: WHOLE },
  "DELETE /api/s/{site}/rest/wlanconf/{id}": { purpose: "Remove a wireless network" },
  "GET /api/s/{site}/rest/usergroup": {
    purpose: "User groups with bandwidth limits",
    answer: "_id, name, qos_rate_max_*",
  },

  "GET /v2/api/site/{site}/apgroups": { purpose: "Access-point groups", answer: "_id, name, device_macs" },
  "POST /v2/api/site/{site}/apgroups": {
    purpose: "Create an access-point group",
    body: '{"name": "Upstairs", "device_macs": ["aa:bb:cc:dd:ee:ff"]}',
  },
  "PUT /v2/api/site/{site}/apgroups/{id}": { purpose: "Replace an access-point group", body: WHOLE },
  "DELETE /v2/api/site/{site}/apgroups/{id}": { purpose: "Remove an access-point group" },

  "GET /v2/api/site/{site}/static-dns": {
    purpose: "Static DNS records",
    answer: "_id, key, value, record_type, enabled, ttl",
  },
  "POST /v2/api/site/{site}/static-dns": {
    purpose: "Add a static DNS record",
    body: '{"record_type": "A", "key": "nas.example.com", "value": "192.168.1.10", "enabled": true}',
  },
  "PUT /v2/api/site/{site}/static-dns/{id}": { purpose: "Replace a static DNS record", body: WHOLE },
  "DELETE /v2/api/site/{site}/static-dns/{id}": { purpose: "Remove a static DNS record" },

  "GET /api/s/{site}/rest/portforward": {
    purpose: "Port forwards",
    answer: "_id, name, enabled, dst_port, fwd, fwd_port, proto, src",
  },
  "POST /api/s/{site}/rest/portforward": {
    purpose: "Create a port forward",
    body: '{"name": "Web", "dst_port": "443", "fwd": "192.168.1.10", "fwd_port": "443", "proto": "tcp", "src": "any"}',
  },
  "PUT /api/s/{site}/rest/portforward/{id}": { purpose: "Replace a port forward", body: WHOLE },
  "DELETE /api/s/{site}/rest/portforward/{id}": { purpose: "Remove a port forward" },

  ...TRAFFIC_ENDPOINTS,
  ...FIREWALL_ENDPOINTS,
  ...GROUP_ENDPOINTS,
  ...SWITCH_ENDPOINTS,
  ...STATS_ENDPOINTS,
  ...SETTING_ENDPOINTS,
  ...DEVICE_ENDPOINTS,
};
