/** Named consoles: versions of UniFi OS and Network that differ in what they answer (unifi-api.md 1.2, 1.4 and 3.1). */
import type { SimulatorOptions } from "./simulator.ts";

export interface NamedConsole {
  readonly about: string;
  readonly options: Pick<SimulatorOptions, "persona" | "era" | "networkVersion" | "lacks" | "firewall">;
}

/** Port on which UniFi OS Server listens. */
export const OS_SERVER_PORT = 11_443;

/** Read on real consoles to be gone from 10.2.105 on. */
const NO_EVENT_LISTS = [/^\/api\/s\/[^/]+\/stat\/(ips\/)?event$/];
/** The official API began with Network 9.0. */
const NO_INTEGRATION = [/^\/integration\//];
/** Its firewall, Wi-Fi, DNS and ACL parts came with 10.1.78. */
const SMALL_INTEGRATION = [/^\/integration\/v1\/sites\/[^/]+\/(firewall|wifi|dns|acl-rules)(\/|$)/];
/** Zones and policies came with Network 9. */
const NO_ZONES = [/^\/v2\/api\/site\/[^/]+\/(firewall-policies|firewall\/zones?|firewall\/zone-matrix)(\/|$)/];
/** A Network 7 that knows neither the system log nor local DNS records. */
const NETWORK_7 = [...NO_INTEGRATION, ...NO_ZONES, /^\/v2\/api\/site\/[^/]+\/(system-log|static-dns)(\/|$)/];
/** Device tags answered 404 on a self-hosted 10.0.162. */
const NETWORK_10_0 = [...SMALL_INTEGRATION, /^\/integration\/v1\/sites\/[^/]+\/device-tags$/];

export const CONSOLES = {
  "os-3.1": {
    about: "UniFi OS 3.1: 401 for a wrong password or a stale cookie, legacy firewall",
    options: {
      persona: "unifi-os",
      era: "older",
      networkVersion: "7.4.162",
      lacks: [...NO_INTEGRATION, ...NO_ZONES],
      firewall: "rules",
    },
  },
  "os-4.0.3": {
    about: "UniFi OS 4.0.3: a partitioned cookie, legacy firewall",
    options: {
      persona: "unifi-os",
      networkVersion: "8.3.32",
      lacks: [...NO_INTEGRATION, ...NO_ZONES],
      firewall: "rules",
    },
  },
  "os-5.1": {
    about: "UniFi OS 5.1: 403 for a wrong password",
    options: { persona: "unifi-os", networkVersion: "10.6.101", lacks: NO_EVENT_LISTS, firewall: "zones" },
  },
  "os-server": {
    about: `UniFi OS Server, which listens on ${OS_SERVER_PORT}`,
    options: { persona: "unifi-os", networkVersion: "10.4.57", lacks: NO_EVENT_LISTS, firewall: "zones" },
  },
  "standalone-7.4": {
    about: "standalone Network 7.4: no system log, no DNS records, legacy firewall",
    options: { persona: "standalone", networkVersion: "7.4.162", lacks: NETWORK_7, firewall: "rules" },
  },
  "standalone-10.0.162": {
    about: "standalone Network 10.0.162: no device tags",
    options: { persona: "standalone", networkVersion: "10.0.162", lacks: NETWORK_10_0, firewall: "zones" },
  },
  "network-9-legacy": {
    about: "Network 9 before the zone migration: rules in force, policies and zones empty",
    options: { persona: "unifi-os", networkVersion: "9.0.114", lacks: SMALL_INTEGRATION, firewall: "rules" },
  },
  "network-9-zones": {
    about: "Network 9 after the zone migration: policies in force, rules empty",
    options: { persona: "unifi-os", networkVersion: "9.0.114", lacks: SMALL_INTEGRATION, firewall: "zones" },
  },
  "network-10.4": {
    about: "Network 10.4: the event lists are gone",
    options: { persona: "unifi-os", networkVersion: "10.4.57", lacks: NO_EVENT_LISTS, firewall: "zones" },
  },
  "network-10.6": {
    about: "Network 10.6: the event lists are gone",
    options: { persona: "unifi-os", networkVersion: "10.6.101", lacks: NO_EVENT_LISTS, firewall: "zones" },
  },
} as const satisfies Readonly<Record<string, NamedConsole>>;

export type ConsoleName = keyof typeof CONSOLES;
export const CONSOLE_NAMES = Object.keys(CONSOLES) as readonly ConsoleName[]; // the table's own keys

/** Options that start the named console, to be spread before one's own. */
export function consoleOptions(name: ConsoleName): NamedConsole["options"] {
  return CONSOLES[name].options;
}
