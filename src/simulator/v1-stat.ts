/** v1 `stat`: what the console measures. */
import type { Endpoint, SiteExchange } from "./exchange.ts";
import { healthRows } from "./health.ts";
import { ok, v1Error } from "./replies.ts";
import { reportRows } from "./reports.ts";
import { sysinfoRow } from "./sysinfo.ts";
import { v1Reads } from "./v1.ts";
import { deviceRows, stationRows, userRows } from "./views.ts";
import { nowSeconds, textOf, textsOf } from "./world.ts";

const BASIC_DEVICE_FIELDS = ["adopted", "disabled", "mac", "model", "name", "state", "type"] as const;

export const V1_STAT: readonly Endpoint[] = v1Reads([
  ["GET", "stat/sta", (x) => ok(stationRows(x.world, x.site))],
  ["GET", "stat/sta/:mac", oneStation],
  ["GET", "stat/user/:mac", oneUser],
  ["GET", "stat/alluser", (x) => ok(userRows(x.world, x.site))],
  ["POST", "stat/alluser", (x) => ok(userRows(x.world, x.site))],
  ["GET", "stat/guest", guests],
  ["POST", "stat/guest", guests],
  ["GET", "stat/device", (x) => ok(deviceRows(x.world, x.site))],
  ["POST", "stat/device", devicesNamed],
  ["GET", "stat/device-basic", basicDevices],
  ["GET", "stat/device/:mac", oneDevice],
  ["GET", "stat/sysinfo", (x) => ok([sysinfoRow(x.world, x.headers.host)])],
  ["GET", "stat/health", (x) => ok(healthRows(x.world, x.site))],
  ["GET", "stat/dashboard", (x) => ok(reportRows(x, "hourly", "site", ["rx_bytes-r", "tx_bytes-r"]) ?? [])],
  ["GET", "stat/alarm", alarms],
  ["POST", "stat/alarm", alarms],
  [
    "GET",
    "cnt/alarm",
    (x) => ok([{ archived: false, count: x.site.tables.alarm.filter((row) => row.archived !== true).length }]),
  ],
  ["GET", "stat/event", events],
  ["POST", "stat/event", events],
  ["POST", "stat/ips/event", events],
  ["GET", "stat/rogueap", rogueAccessPoints],
  ["POST", "stat/rogueap", rogueAccessPoints],
  ["GET", "stat/voucher", (x) => ok(x.site.tables.voucher)],
  ["POST", "stat/voucher", (x) => ok(x.site.tables.voucher)],
  ["GET", "stat/portforward", (x) => ok(x.site.tables.portforward)],
  ["GET", "stat/current-channel", () => ok([CHANNELS])],
  ["GET", "stat/spectrum-scan/:mac", spectrumScan],
  ["GET", "stat/routing", routes],
  ["POST", "stat/session", sessions],
  ["GET", "stat/anomalies", () => ok([])],
  ["POST", "stat/anomalies", () => ok([])],
  ["POST", "stat/sitedpi", (x) => ok([{ [textOf(x.body.type) || "by_app"]: dpiRows(x, 20) }])],
  [
    "POST",
    "stat/stadpi",
    (x) => ok(textsOf(x.body.macs).map((mac) => ({ mac, [textOf(x.body.type)]: dpiRows(x, 1) }))),
  ],
  ["POST", "stat/report/:report", report],
]);

/** Three applications of three categories; `share` scales a client to its site. */
function dpiRows(x: SiteExchange, share: number) {
  return [5, 94, 133].map((app, index) => ({
    ...(textOf(x.body.type) === "by_cat" ? {} : { app }),
    cat: [4, 13, 18][index],
    rx_bytes: 7_000_000 * share * (index + 1),
    tx_bytes: 400_000 * share * (index + 1),
    rx_packets: 6000 * share * (index + 1),
    tx_packets: 2500 * share * (index + 1),
  }));
}

/** Legal channels per band, as stat/current-channel lists them. */
const CHANNELS = {
  code: "840",
  key: "US",
  name: "United States",
  channels_ng: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  channels_na: [36, 40, 44, 48, 149, 153, 157, 161, 165],
  channels_na_dfs: [52, 56, 60, 64, 100, 104, 108, 112, 116],
  channels_6e: [5, 21, 37, 53, 69, 85],
};

function oneStation(x: SiteExchange) {
  const mac = x.param("mac").toLowerCase();
  const found = stationRows(x.world, x.site).filter((station) => station.mac === mac);
  // the error repeats the path segment as sent, lower case, not decoded (unifi-client#646)
  const sent = x.rawPath.slice(x.rawPath.lastIndexOf("/") + 1).toLowerCase();
  return found.length > 0 ? ok(found) : v1Error("UnknownStation", { mac: sent });
}

function oneUser(x: SiteExchange) {
  const mac = x.param("mac").toLowerCase();
  const found = userRows(x.world, x.site).filter((user) => user.mac === mac);
  return found.length > 0 ? ok(found) : v1Error("UnknownUser", { mac });
}

function guests(x: SiteExchange) {
  return ok(stationRows(x.world, x.site).filter((station) => station.is_guest === true));
}

function devicesNamed(x: SiteExchange) {
  const macs = textsOf(x.body.macs).map((mac) => mac.toLowerCase());
  const devices = deviceRows(x.world, x.site);
  return ok(macs.length === 0 ? devices : devices.filter((device) => macs.includes(textOf(device.mac))));
}

function oneDevice(x: SiteExchange) {
  const mac = x.param("mac").toLowerCase();
  const found = deviceRows(x.world, x.site).filter((device) => device.mac === mac);
  return found.length > 0 ? ok(found) : v1Error("UnknownDevice", { mac });
}

function basicDevices(x: SiteExchange) {
  return ok(
    deviceRows(x.world, x.site).map((device) => ({
      ...Object.fromEntries(BASIC_DEVICE_FIELDS.map((field) => [field, device[field]])),
      in_gateway_mode: false,
    })),
  );
}

function alarms(x: SiteExchange) {
  const archived = x.query.get("archived") ?? String(x.body.archived ?? "");
  const rows = x.site.tables.alarm.filter((row) => archived === "" || String(row.archived === true) === archived);
  return ok(rows, { count: rows.length });
}

/** Gone since 10.2.105 (unpoller#987); before that a list, newest first. */
function events(x: SiteExchange) {
  if (!versionBelow(x.world.networkVersion, [10, 2, 105])) return v1Error("NotFound");
  const limit = Number(x.body._limit ?? 3000);
  const start = Number(x.body._start ?? 0);
  const rows = [...x.site.tables.event].reverse().slice(start, start + limit);
  return ok(rows, { count: rows.length });
}

function versionBelow(version: string, limit: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, wanted] of limit.entries()) {
    const actual = parts[index] ?? 0;
    if (actual !== wanted) return actual < wanted;
  }
  return false;
}

function rogueAccessPoints(x: SiteExchange) {
  const within = Number(x.body.within ?? x.query.get("within") ?? 24);
  const since = nowSeconds(x.world) - within * 3600;
  return ok(x.site.tables.rogueap.filter((row) => Number(row.last_seen) >= since));
}

function spectrumScan(x: SiteExchange) {
  const mac = x.param("mac").toLowerCase();
  const device = x.site.tables.device.find((row) => row.mac === mac);
  if (device === undefined) return v1Error("UnknownDevice", { mac });
  return ok([{ mac, spectrum_scanning: device.spectrum_scanning === true, spectrum_table: [] }]);
}

function routes(x: SiteExchange) {
  const connected = x.site.tables.networkconf
    .filter((network) => typeof network.ip_subnet === "string")
    .map((network) => ({ pfx: network.ip_subnet, nh: [{ intf: "br0", via: "0.0.0.0", metric: "1/0", t: "C>*" }] }));
  const fixed = x.site.tables.routing
    .filter((route) => route.enabled === true)
    .map((route) => ({
      pfx: route["static-route_network"],
      nh: [{ intf: "br0", via: route["static-route_nexthop"], metric: "1/0", t: "S>*" }],
    }));
  return ok([...connected, ...fixed]);
}

function sessions(x: SiteExchange) {
  if (Object.keys(x.body).length === 0) return v1Error("InvalidArgs");
  const mac = textOf(x.body.mac).toLowerCase();
  const limit = Number(x.body._limit ?? 3000);
  const rows = stationRows(x.world, x.site)
    .filter((station) => mac === "" || station.mac === mac)
    .slice(0, limit)
    .map((station) => ({
      _id: station._id,
      o: "user",
      oid: station.mac,
      mac: station.mac,
      hostname: station.hostname,
      name: station.name ?? null,
      ip: station.ip,
      is_guest: station.is_guest,
      is_wired: station.is_wired,
      assoc_time: station.assoc_time,
      duration: station.uptime,
      rx_bytes: station.rx_bytes,
      tx_bytes: station.tx_bytes,
      roaming_sessions: [],
      ...(station.is_wired === true
        ? { sw_mac: station.sw_mac, sw_port: String(station.sw_port) }
        : { ap_mac: station.ap_mac }),
    }));
  return ok(rows);
}

/** `{interval}.{kind}`, or `archive.speedtest`. */
function report(x: SiteExchange) {
  const [interval = "", kind = ""] = x.param("report").split(".");
  const rows = reportRows(x, interval, kind, textsOf(x.body.attrs));
  return rows === undefined ? v1Error("InvalidArgs") : ok(rows);
}
