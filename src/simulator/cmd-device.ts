/** cmd/devmgr: restart, locate, adopt, upgrade, provision, scan and test devices. */

import type { Commands } from "./commands.ts";
import type { Reply, Row, SiteExchange } from "./exchange.ts";
import { eventRow } from "./log.ts";
import { ok, v1Error } from "./replies.ts";
import { findByMac } from "./site.ts";
import { nowSeconds, textOf } from "./world.ts";

/** How long a device is away when it restarts. */
const RESTART_MS = 60_000;

export const DEVICE_COMMANDS: Commands = {
  restart: onDevice("restart", restart, "Restarted"),
  "set-locate": onDevice("set-locate", () => ({ locating: true })),
  "unset-locate": onDevice("unset-locate", () => ({ locating: false })),
  upgrade: onDevice("upgrade", upgrade, "Upgraded"),
  "force-provision": onDevice("force-provision", (x) => ({ provisioned_at: nowSeconds(x.world) })),
  "power-cycle": onDevice("power-cycle", () => ({})),
  "spectrum-scan": onDevice("spectrum-scan", () => ({ spectrum_scanning: true })),
  adopt,
  speedtest,
  "speedtest-status": speedtestStatus,
  "set-rollupgrade": () => ok([]),
  "unset-rollupgrade": () => ok([]),
};

function onDevice(cmd: string, change: (x: SiteExchange, device: Row) => Row, event?: string) {
  return (x: SiteExchange): Reply => {
    const mac = textOf(x.body.mac).toLowerCase();
    const device = findByMac(x.site, "device", mac);
    if (device === undefined) return v1Error("UnknownDevice", { mac });
    Object.assign(device, change(x, device));
    x.effect(`${cmd} ${mac}`);
    x.announce(x.site, "device:update", [device]);
    if (event !== undefined) x.announce(x.site, "events", [deviceEvent(x, event, device)]);
    return ok([]);
  };
}

/** How events call each kind of device: `EVT_AP_Restarted {ap, ap_name}`. */
const EVENT_NAME: Readonly<Record<string, string>> = { uap: "ap", usw: "sw", ugw: "gw" };

function deviceEvent(x: SiteExchange, event: string, device: Row): Row {
  const kind = EVENT_NAME[textOf(device.type)] ?? "sw";
  return eventRow(x, `EVT_${kind.toUpperCase()}_${event}`, { [kind]: device.mac, [`${kind}_name`]: device.name });
}

function restart(x: SiteExchange): Row {
  return { start_connected_millis: x.world.now() + RESTART_MS };
}

function upgrade(x: SiteExchange, device: Row): Row {
  return { ...restart(x), version: device.upgrade_to_firmware ?? device.version, upgradable: false };
}

function adopt(x: SiteExchange): Reply {
  const mac = textOf(x.body.mac).toLowerCase();
  const device = findByMac(x.site, "device", mac);
  if (device === undefined) return v1Error("CanNotAdoptUnknownDevice", { mac });
  Object.assign(device, { adopted: true, state: 1 });
  x.effect(`adopt ${mac}`);
  x.announce(x.site, "device:update", [device]);
  return ok([]);
}

function speedtest(x: SiteExchange): Reply {
  x.effect("speedtest");
  x.announce(x.site, "speed-test:update", [statusRow(x)]);
  return ok([]);
}

function speedtestStatus(x: SiteExchange): Reply {
  return ok([statusRow(x)]);
}

function statusRow(x: SiteExchange): Row {
  return {
    latency: 9,
    rundate: nowSeconds(x.world),
    runtime: 20,
    status_download: 2,
    status_ping: 2,
    status_summary: 2,
    status_upload: 2,
    xput_download: 941.2,
    xput_upload: 480.7,
  };
}
