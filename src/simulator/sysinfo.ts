/** What the console says about itself: stat/sysinfo, /status, /api/self. */
import shapes from "./data/console.json" with { type: "json" };
import type { Row } from "./exchange.ts";
import type { World } from "./world.ts";

/** One row of stat/sysinfo in the field set of the persona. */
export function sysinfoRow(world: World, host = "127.0.0.1"): Row {
  const shape = world.persona === "unifi-os" ? shapes.sysinfoOs : shapes.sysinfoStandalone;
  return {
    ...shape,
    name: world.name,
    hostname: world.name.toLowerCase().replaceAll(" ", "-"),
    version: world.networkVersion,
    build: `atag_${world.networkVersion}_32076`,
    anonymous_controller_id: world.uuid,
    ip_addrs: [host.replace(/:\d+$/, "")],
    uptime: Math.floor((world.now() - world.startedAtMs) / 1000),
  };
}

/** Body of `/status`; UniFi OS with Network 10 leaves the version out (unifi-api.md 1.3). */
export function statusMeta(world: World): Row {
  const version = world.persona === "standalone" ? { server_version: world.networkVersion } : {};
  return { rc: "ok", up: true, ...version, uuid: world.uuid };
}

export function selfRow(world: World, username: string): Row {
  return { ...shapes.self, name: username, last_site_name: [...world.sites.keys()][0] ?? "default" };
}
