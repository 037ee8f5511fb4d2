/** A small site for the fake console: one row of every kind, and the ones that special cases need. */
import type { Row } from "../../src/controller/controller.ts";

export const LAPTOP = "02:00:5e:10:01:01";
export const NAS = "02:00:5e:10:01:02";
export const TABLET = "02:00:5e:10:01:03";
export const VISITOR = "02:00:5e:10:01:04";
export const AP = "02:00:5e:10:00:03";
export const GATEWAY = "02:00:5e:10:00:01";

export const WLAN: Row = {
  _id: "wlan1",
  name: "Demo WiFi",
  enabled: true,
  security: "wpapsk",
  x_passphrase: "demo-passphrase-1",
  networkconf_id: "lan",
  usergroup_id: "ug1",
  ap_group_ids: ["apg1"],
  hide_ssid: false,
  schedule_with_duration: [{ start_hour: 1 }],
};

export const FORWARD: Row = {
  _id: "pf1",
  site_id: "site",
  name: "Web",
  enabled: true,
  dst_port: "443",
  fwd_port: "8443",
  fwd: "192.168.1.10",
  proto: "tcp",
  src: "any",
  pfwd_interface: "wan",
};

export const RECORD: Row = {
  _id: "dns1",
  key: "nas.example.com",
  value: "192.168.1.10",
  record_type: "A",
  enabled: true,
  ttl: 0,
};

export const IOT: Row = {
  _id: "iot",
  name: "IoT",
  purpose: "corporate",
  networkgroup: "LAN",
  enabled: true,
  ip_subnet: "192.168.20.1/24",
  vlan_enabled: true,
  vlan: 20,
  dhcpd_enabled: true,
  dhcpd_start: "192.168.20.6",
  dhcpd_stop: "192.168.20.254",
};

export const ROWS: Readonly<Record<string, readonly Row[]>> = {
  "/stat/sta": [
    {
      _id: "1",
      user_id: "1",
      mac: LAPTOP,
      hostname: "laptop-01",
      ip: "192.168.1.31",
      is_wired: false,
      is_guest: false,
      essid: "Demo WiFi",
      channel: 44,
      radio: "na",
      signal: -55,
      last_seen: 1_796_025_595,
      first_seen: 1_787_025_600,
      tx_bytes: 10,
      rx_bytes: 20,
    },
    {
      _id: "2",
      user_id: "2",
      mac: NAS.toUpperCase(),
      ip: "192.168.1.10",
      is_wired: true,
      is_guest: false,
      last_seen: 1_796_025_595,
      "wired-tx_bytes": 500,
      "wired-rx_bytes": 5,
    },
    {
      _id: "4",
      user_id: "4",
      mac: VISITOR,
      ip: "192.168.30.5",
      is_wired: false,
      is_guest: true,
      authorized: false,
      essid: "Guests",
    },
  ],
  "/rest/user": [
    {
      _id: "1",
      mac: LAPTOP,
      hostname: "laptop-01",
      is_wired: false,
      last_ip: "192.168.1.31",
      last_seen: 1_796_025_600,
    },
    {
      _id: "2",
      mac: NAS,
      name: "NAS",
      hostname: "nas-01",
      is_wired: true,
      noted: true,
      use_fixedip: true,
      fixed_ip: "192.168.1.10",
    },
    {
      _id: "3",
      mac: TABLET,
      hostname: "tablet-09",
      is_wired: false,
      last_ip: "192.168.1.33",
      last_seen: 1_796_025_480,
      blocked: true,
    },
    { _id: "4", mac: VISITOR, hostname: "visitor", is_guest: true },
  ],
  "/stat/device": [
    {
      _id: "d1",
      mac: GATEWAY,
      name: "Gateway",
      model: "UDMPRO",
      type: "udm",
      state: 1,
      uptime: 9000,
      num_sta: 4,
      "system-stats": { cpu: "5.6", mem: "67.2" },
      wan1: { ip: "203.0.113.7", up: true },
      network_table: [{}, {}],
    },
    {
      _id: "d2",
      mac: AP,
      name: "AP Hall",
      model: "U7PRO",
      type: "uap",
      state: 6,
      version: "8.0.1",
      last_seen: 1_796_025_000,
      locating: false,
      x_authkey: "topsecret",
      sys_stats: { loadavg_1: "0.15", mem_used: 30, mem_total: 120 },
      radio_table: [{ radio: "ng", channel: "auto" }],
      radio_table_stats: [{ radio: "ng", channel: 6, tx_power: 20 }],
      vap_table: [{}],
      satisfaction: 98,
    },
    {
      _id: "d3",
      mac: "02:00:5e:10:00:09",
      name: "Power strip",
      model: "USPPDUP",
      type: "usw",
      state: 0,
      outlet_table: [{}],
    },
  ],
  "/stat/event": [],
  "/stat/sysinfo": [{ name: "UniFi", version: "10.0.162", hostname: "console", uptime: 2138, update_available: false }],
  "/stat/health": [
    {
      subsystem: "wlan",
      status: "ok",
      num_user: 7,
      num_ap: 2,
      num_adopted: 2,
      num_disconnected: 1,
      "rx_bytes-r": 326.4,
    },
  ],
  "/rest/networkconf": [
    {
      _id: "lan",
      name: "Default",
      purpose: "corporate",
      attr_no_delete: true,
      attr_hidden_id: "LAN",
      ip_subnet: "192.168.1.1/24",
      dhcpd_enabled: true,
      dhcpd_start: "192.168.1.6",
      dhcpd_stop: "192.168.1.254",
    },
    IOT,
    { _id: "wan", name: "Internet 1", purpose: "wan", wan_type: "dhcp", wan_networkgroup: "WAN" },
  ],
  "/rest/wlanconf": [WLAN],
  "/rest/usergroup": [
    { _id: "ug0", name: "Slow" },
    { _id: "ug1", name: "Default", attr_hidden_id: "Default" },
  ],
  "/apgroups": [
    { _id: "apg1", name: "All APs", attr_hidden_id: "default", attr_no_delete: true, device_macs: [AP] },
    { _id: "apg2", name: "Hall", device_macs: [AP] },
  ],
  "/rest/portforward": [FORWARD],
  "/static-dns": [RECORD],
  "/aggregated-dashboard": [{ clients: { total: 3 }, wan_history: [1, 2, 3] }],
};
