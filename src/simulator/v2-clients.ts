/** v2 clients: the live and the known ones in the newer field set. */
import shapes from "./data/templates.json" with { type: "json" };
import type { Row, SiteExchange } from "./exchange.ts";
import { stationRows, userRows } from "./views.ts";

const COPIED = [
  "mac",
  "hostname",
  "name",
  "note",
  "is_wired",
  "is_guest",
  "oui",
  "site_id",
  "usergroup_id",
  "first_seen",
  "last_seen",
  "last_ip",
  "last_connection_network_id",
  "last_connection_network_name",
  "last_uplink_mac",
  "last_uplink_name",
  "use_fixedip",
  "fixed_ip",
  "local_dns_record",
  "local_dns_record_enabled",
] as const;

const COPIED_LIVE = [
  "ip",
  "assoc_time",
  "latest_assoc_time",
  "uptime",
  "ap_mac",
  "sw_mac",
  "sw_port",
  "bssid",
  "channel",
  "essid",
  "wlanconf_id",
  "network_id",
  "radio",
  "radio_proto",
  "signal",
  "rssi",
  "noise",
  "rx_bytes",
  "tx_bytes",
  "rx_rate",
  "tx_rate",
  "authorized",
] as const;

export function activeClients(x: SiteExchange): Row[] {
  return stationRows(x.world, x.site).map((station) => ({
    ...(station.is_wired === true ? shapes.activeWired : shapes.activeWireless),
    ...common(station),
    ...copy(station, COPIED_LIVE),
    // an integer in v1, text here (unifi-api.md 3.1, type traps)
    ...(station.channel_width === undefined ? {} : { channel_width: String(station.channel_width) }),
    network_name: station.network,
    uplink_mac: station.last_uplink_mac,
    blocked: false,
    status: "online",
  }));
}

export function offlineClients(x: SiteExchange): Row[] {
  const online = new Set(stationRows(x.world, x.site).map((station) => station.mac));
  return userRows(x.world, x.site)
    .filter((user) => !online.has(user.mac))
    .map((user) => ({ ...shapes.historyClient, ...common(user), blocked: user.blocked === true, status: "offline" }));
}

function common(row: Row): Row {
  return {
    ...copy(row, COPIED),
    id: row._id,
    user_id: row._id,
    display_name: row.name ?? row.hostname,
    noted: row.noted === true,
    type: row.is_wired === true ? "WIRED" : "WIRELESS",
  };
}

function copy(row: Row, keys: readonly string[]): Row {
  return Object.fromEntries(keys.filter((key) => row[key] !== undefined).map((key) => [key, row[key]]));
}
