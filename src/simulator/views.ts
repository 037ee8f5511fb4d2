/** Rows as the console shows them now: live values are computed from the stored ones and the clock. */
import type { Row } from "./exchange.ts";
import type { Site } from "./site.ts";
import type { World } from "./world.ts";
import { nowSeconds } from "./world.ts";

/** Fields of a known client (rest/user) that its live row (stat/sta) repeats. */
const SHARED_CLIENT_FIELDS = [
  "name",
  "hostname",
  "note",
  "noted",
  "usergroup_id",
  "use_fixedip",
  "fixed_ip",
  "local_dns_record",
  "local_dns_record_enabled",
  "network_members_group_ids",
] as const;

/** Device states (unifi-api.md section 3.1). */
export const DEVICE_STATE = { offline: 0, connected: 1, heartbeatMissed: 6 } as const;

/** Online clients: everyone with a live row who is not blocked. */
export function stationRows(world: World, site: Site): Row[] {
  const users = new Map(site.tables.user.map((user) => [user.mac, user]));
  return site.tables.sta
    .filter((station) => users.get(station.mac)?.blocked !== true)
    .map((station) => stationRow(world, station, users.get(station.mac) ?? {}));
}

function stationRow(world: World, station: Row, user: Row): Row {
  const seconds = nowSeconds(world);
  const uptime = Math.max(0, seconds - Number(station.assoc_time));
  const by = station.is_wired === true ? "usw" : "uap";
  const shared = SHARED_CLIENT_FIELDS.flatMap((key) => (key in user ? [[key, user[key]] as const] : []));
  return {
    ...station,
    ...Object.fromEntries(shared),
    last_seen: seconds,
    uptime,
    [`_uptime_by_${by}`]: uptime,
    [`_last_seen_by_${by}`]: seconds,
  };
}

/** Known clients; those online were last seen now. */
export function userRows(world: World, site: Site): Row[] {
  const online = new Set(site.tables.sta.map((station) => station.mac));
  const seconds = nowSeconds(world);
  return site.tables.user.map((user) =>
    online.has(user.mac) && user.blocked !== true ? { ...user, last_seen: seconds } : user,
  );
}

/** Devices with uptime, state and client counts of this moment. */
export function deviceRows(world: World, site: Site): Row[] {
  const clients = clientsByDevice(stationRows(world, site));
  return site.tables.device.map((device) => deviceRow(world, device, clients.get(device.mac) ?? NOBODY));
}

interface ClientCount {
  readonly all: number;
  readonly guests: number;
}
const NOBODY: ClientCount = { all: 0, guests: 0 };

function clientsByDevice(stations: readonly Row[]): Map<unknown, ClientCount> {
  const counts = new Map<unknown, ClientCount>();
  for (const station of stations) {
    const mac = station.last_uplink_mac;
    const { all, guests } = counts.get(mac) ?? NOBODY;
    counts.set(mac, { all: all + 1, guests: guests + (station.is_guest === true ? 1 : 0) });
  }
  return counts;
}

function deviceRow(world: World, device: Row, clients: ClientCount): Row {
  const state = stateOf(world, device);
  const connected = state === DEVICE_STATE.connected;
  const { all, guests } = connected ? clients : NOBODY;
  const uptime = connected ? Math.floor((world.now() - Number(device.start_connected_millis)) / 1000) : 0;
  return {
    ...device,
    state,
    uptime,
    _uptime: uptime,
    ...(connected ? heartbeat(nowSeconds(world)) : {}),
    num_sta: all,
    "user-num_sta": all - guests,
    "guest-num_sta": guests,
  };
}

/** Devices report every 20 s and count as lost after two minutes. */
function heartbeat(seconds: number): Row {
  return { last_seen: seconds, next_heartbeat_at: seconds + 20, considered_lost_at: seconds + 120 };
}

/** A device that restarts is connected again from the moment that cmd/devmgr noted. */
function stateOf(world: World, device: Row): number {
  if (device.state !== DEVICE_STATE.connected) return Number(device.state);
  return world.now() < Number(device.start_connected_millis) ? DEVICE_STATE.heartbeatMissed : DEVICE_STATE.connected;
}
