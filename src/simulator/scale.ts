/** Grows a seed to a wanted number of devices and clients, for trials with large sites. */
import type { ClientSeed, DeviceSeed, SiteSeed } from "./site-seed.ts";

export interface Scale {
  /** Wanted totals; a seed that has more keeps them. */
  readonly clients?: number;
  readonly devices?: number;
}

/** MACs number clients in 16 bits above devices (seed.ts). */
const MAX_CLIENTS = 50_000;
const MAX_DEVICES = 4_000;

export function growSite(seed: SiteSeed, scale: Scale): SiteSeed {
  const devices = [...seed.devices];
  for (let n = devices.length + 1; n <= Math.min(scale.devices ?? 0, MAX_DEVICES); n += 1)
    devices.push(deviceNumber(n));
  const clients = [...seed.clients];
  const uplink = seed.devices.find((device) => device.template === "uap");
  const wlan = seed.wlans[0];
  if (uplink === undefined || wlan === undefined) return { ...seed, devices, clients };
  for (let n = clients.length + 1; n <= Math.min(scale.clients ?? 0, MAX_CLIENTS); n += 1) {
    clients.push(clientNumber(n, uplink.name, wlan.name));
  }
  return { ...seed, devices, clients };
}

function deviceNumber(n: number): DeviceSeed {
  return {
    template: n % 5 === 0 ? "flex" : "uap",
    name: `Added ${n % 5 === 0 ? "Switch" : "AP"} ${n}`,
    ip: addressNumber(10, n),
    uptimeSeconds: 3600 * n,
  };
}

function clientNumber(n: number, uplink: string, wlan: string): ClientSeed {
  return { hostname: `client-${n}`, ip: addressNumber(172, n), uplink, wlan, sinceSeconds: 60 + (n % 86_400) };
}

function addressNumber(first: number, n: number): string {
  return `${first}.16.${Math.floor(n / 250)}.${(n % 250) + 1}`;
}
