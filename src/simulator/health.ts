/** stat/health: one row per subsystem, counted from the site's devices and clients. */
import shapes from "./data/console.json" with { type: "json" };
import type { Row } from "./exchange.ts";
import type { Site } from "./site.ts";
import { DEVICE_STATE, deviceRows, stationRows } from "./views.ts";
import type { World } from "./world.ts";

export function healthRows(world: World, site: Site): Row[] {
  const devices = deviceRows(world, site);
  const stations = stationRows(world, site);
  const gateway = devices.find((device) => device.type === "ugw");
  const wireless = stations.filter((station) => station.is_wired !== true);
  const wired = stations.filter((station) => station.is_wired === true);
  const gatewayFacts = { gw_mac: gateway?.mac, gw_name: gateway?.name, gw_version: gateway?.version };

  return [
    {
      ...shapes.health.wlan,
      ...people(wireless),
      ...counted(devices, "uap", "num_ap"),
      num_disabled: disabled(devices),
    },
    {
      ...shapes.health.wan,
      ...gatewayFacts,
      ...counted(devices, "ugw", "num_gw"),
      wan_ip: (gateway?.wan1 as Row | undefined)?.ip ?? shapes.health.wan.wan_ip,
      num_sta: stations.length,
    },
    { ...shapes.health.www, gw_mac: gateway?.mac },
    { ...shapes.health.lan, ...people(wired), ...counted(devices, "usw", "num_sw") },
    { ...shapes.health.vpn },
  ];
}

function people(stations: readonly Row[]): Row {
  const guests = stations.filter((station) => station.is_guest === true).length;
  return { num_user: stations.length - guests, num_guest: guests, num_iot: 0 };
}

function disabled(devices: readonly Row[]): number {
  return devices.filter((device) => device.type === "uap" && device.disabled === true).length;
}

function counted(devices: readonly Row[], type: string, total: string): Row {
  const these = devices.filter((device) => device.type === type);
  const lost = these.filter((device) => device.state !== DEVICE_STATE.connected).length;
  return {
    [total]: these.length,
    num_adopted: these.filter((device) => device.adopted === true).length,
    num_disconnected: lost,
    num_pending: these.filter((device) => device.adopted !== true).length,
    status: these.length === 0 ? "unknown" : lost > 0 ? "warning" : "ok",
  };
}
