/** The form of a seed in data/sites.json, and what the makers of rows are given with it. */
import type { Row } from "./exchange.ts";
import type { Site } from "./site.ts";

export interface NetworkSeed {
  readonly name: string;
  readonly subnet: string;
  readonly vlan?: number;
}

export interface WlanSeed {
  readonly name: string;
  readonly network: string;
  readonly bands: readonly string[];
  readonly guest?: boolean;
}

export interface DeviceSeed {
  readonly template: string;
  readonly name: string;
  readonly ip: string;
  readonly uptimeSeconds: number;
  readonly state?: number;
}

export interface ClientSeed {
  readonly hostname: string;
  readonly name?: string;
  readonly ip: string;
  readonly uplink: string;
  readonly wlan?: string;
  readonly network?: string;
  readonly port?: number;
  readonly sinceSeconds?: number;
  readonly offlineSeconds?: number;
  readonly guest?: boolean;
  readonly blocked?: boolean;
  readonly fixed?: boolean;
  readonly note?: string;
  readonly localName?: string;
}

export interface SiteSeed {
  readonly desc: string;
  /** Fourth byte of every MAC here, so that two consoles never share one. */
  readonly macByte: string;
  readonly wanAddress: string;
  readonly networks: readonly NetworkSeed[];
  readonly wlans: readonly WlanSeed[];
  readonly devices: readonly DeviceSeed[];
  readonly clients: readonly ClientSeed[];
  readonly portforwards: readonly Row[];
  readonly dns: readonly Row[];
  readonly usergroups: readonly Row[];
}

/** What the makers of rows need to know about the site they fill. */
export interface Ground {
  readonly site: Site;
  readonly seed: SiteSeed;
  readonly nowSeconds: number;
  /** Stable id of the n-th row of a kind. */
  readonly id: (kind: string, name: string | number) => string;
  readonly deviceMac: (index: number) => string;
  readonly clientMac: (index: number) => string;
}
