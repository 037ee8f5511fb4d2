/** cmd/stamgr: block, unblock, kick and forget clients; let guests in and out. */

import type { Commands } from "./commands.ts";
import type { Reply, Row, SiteExchange } from "./exchange.ts";
import { eventRow } from "./log.ts";
import { ok, v1Error } from "./replies.ts";
import { findByMac, removeRow } from "./site.ts";
import { nowSeconds, textOf, textsOf } from "./world.ts";

export const CLIENT_COMMANDS: Commands = {
  "block-sta": (x) => setBlocked(x, "block-sta", true),
  "unblock-sta": (x) => setBlocked(x, "unblock-sta", false),
  "kick-sta": kick,
  "forget-sta": forget,
  "authorize-guest": (x) => setAuthorized(x, "authorize-guest", true),
  "unauthorize-guest": (x) => setAuthorized(x, "unauthorize-guest", false),
};

function macOf(x: SiteExchange): string {
  return textOf(x.body.mac).toLowerCase();
}

/** A blocked client leaves stat/sta and comes back when it is unblocked. */
function setBlocked(x: SiteExchange, cmd: string, blocked: boolean): Reply {
  const mac = macOf(x);
  const user = findByMac(x.site, "user", mac);
  if (user === undefined) return v1Error("MacNotRegistered", { mac });
  user.blocked = blocked;
  x.effect(`${cmd} ${mac}`);
  x.announce(x.site, "user:sync", [user]);
  x.announce(x.site, "events", [eventRow(x, blocked ? "EVT_WC_Blocked" : "EVT_WC_Unblocked", { client: mac })]);
  return ok([user]);
}

function kick(x: SiteExchange): Reply {
  const mac = macOf(x);
  const station = findByMac(x.site, "sta", mac);
  if (station === undefined) return v1Error("UnknownStation", { mac });
  const key = station.is_wired === true ? "EVT_LU" : "EVT_WU";
  const place = { user: mac, hostname: station.hostname, ssid: station.essid, ap: station.ap_mac };
  station.assoc_time = nowSeconds(x.world);
  station.latest_assoc_time = nowSeconds(x.world);
  x.effect(`kick-sta ${mac}`);
  x.announce(x.site, "events", [eventRow(x, `${key}_Disconnected`, place), eventRow(x, `${key}_Connected`, place)]);
  x.announce(x.site, "sta:sync", [station]);
  return ok([]);
}

/** Unknown addresses in the list are passed over. */
function forget(x: SiteExchange): Reply {
  const macs = textsOf(x.body.macs).map((mac) => mac.toLowerCase());
  if (macs.length === 0) return v1Error("InvalidPayload");
  const gone: Row[] = [];
  for (const mac of macs) {
    const user = findByMac(x.site, "user", mac);
    if (user === undefined) continue;
    removeRow(x.site, "user", user);
    const station = findByMac(x.site, "sta", mac);
    if (station !== undefined) removeRow(x.site, "sta", station);
    gone.push(user);
    x.effect(`forget-sta ${mac}`);
  }
  if (gone.length > 0) x.announce(x.site, "user:delete", gone);
  return ok(gone);
}

function setAuthorized(x: SiteExchange, cmd: string, authorized: boolean): Reply {
  const mac = macOf(x);
  const station = findByMac(x.site, "sta", mac);
  if (station === undefined) return v1Error("UnknownStation", { mac });
  const minutes = Number(x.body.minutes ?? 480);
  const seconds = nowSeconds(x.world);
  Object.assign(station, {
    authorized,
    ...(authorized ? { start: seconds, end: seconds + minutes * 60 } : { end: seconds }),
  });
  x.effect(`${cmd} ${mac}`);
  x.announce(x.site, "sta:sync", [station]);
  return ok(authorized ? [{ mac, authorized_by: "api", start: station.start, end: station.end }] : []);
}
