/** One UniFi site: its tables of rows, its settings, and how rows are found, added, changed and removed. */
import type { Row } from "./exchange.ts";

/** Tables by the name that v1 or v2 gives them. */
export const TABLES = [
  "user",
  "sta",
  "device",
  "networkconf",
  "wlanconf",
  "usergroup",
  "portforward",
  "portconf",
  "firewallgroup",
  "firewallrule",
  "routing",
  "dynamicdns",
  "wlangroup",
  "radiusprofile",
  "account",
  "hotspotop",
  "tag",
  "scheduletask",
  "dpiapp",
  "dpigroup",
  "static-dns",
  "apgroups",
  "acl-rules",
  "network-members-groups",
  "content-filtering",
  "firewall-policies",
  "firewall-zones",
  "trafficrules",
  "trafficroutes",
  "qos-rules",
  "object-oriented-network-configs",
  "alarm",
  "event",
  "voucher",
  "backup",
  "rogueap",
] as const;
export type Table = (typeof TABLES)[number];

export interface Site {
  /** Short name used in v1 and v2 paths. */
  readonly name: string;
  /** 24 hex digits. */
  readonly id: string;
  /** UUID used in integration paths. */
  readonly uuid: string;
  desc: string;
  readonly tables: Record<Table, Row[]>;
  /** Settings sections by key. */
  readonly settings: Map<string, Row>;
}

/** The row with this id; v1 and most of v2 call it `_id`, a few v2 resources `id`. */
export function findRow(site: Site, table: Table, id: string): Row | undefined {
  return site.tables[table].find((row) => row._id === id || row.id === id);
}

/** The row with this MAC, compared without regard to case. */
export function findByMac(site: Site, table: Table, mac: string): Row | undefined {
  const wanted = mac.toLowerCase();
  return site.tables[table].find((row) => row.mac === wanted);
}

export function insertRow(site: Site, table: Table, row: Row): Row {
  site.tables[table].push(row);
  return row;
}

/** Takes the row out; false when it was not there. */
export function removeRow(site: Site, table: Table, row: Row): boolean {
  const index = site.tables[table].indexOf(row);
  if (index < 0) return false;
  site.tables[table].splice(index, 1);
  return true;
}

export interface Snapshot {
  readonly tables: Record<Table, Row[]>;
  readonly settings: Map<string, Row>;
}

/** A deep copy to go back to, for the fault that accepts a write and does not keep it. */
export function takeSnapshot(site: Site): Snapshot {
  return structuredClone({ tables: site.tables, settings: site.settings });
}

export function restoreSnapshot(site: Site, snapshot: Snapshot): void {
  Object.assign(site.tables, snapshot.tables);
  site.settings.clear();
  for (const [key, section] of snapshot.settings) site.settings.set(key, section);
}
