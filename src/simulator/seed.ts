/** Fills a site from the seed descriptions in data/sites.json and the recorded shapes in data/. */
import consoleShapes from "./data/console.json" with { type: "json" };
import deviceShapes from "./data/devices.json" with { type: "json" };
import sites from "./data/sites.json" with { type: "json" };
import shapes from "./data/templates.json" with { type: "json" };
import type { Row } from "./exchange.ts";
import { growSite, type Scale } from "./scale.ts";
import { fillClients } from "./seed-clients.ts";
import { fillTraffic } from "./seed-traffic.ts";
import type { Site, Table } from "./site.ts";
import { TABLES } from "./site.ts";
import type { Ground } from "./site-seed.ts";
import { idOf, uuidOf } from "./world.ts";

export const SITE_DATA = ["home", "office"] as const;
export type SiteData = (typeof SITE_DATA)[number];

export interface SeedOptions {
  readonly consoleName: string;
  /** Short name of the site. */
  readonly name: string;
  readonly desc?: string;
  readonly data: SiteData;
  readonly scale: Scale;
  /** Unix milliseconds that "now" is at seeding. */
  readonly nowMs: number;
}

/** A new site, filled. */
export function seedSite(options: SeedOptions): Site {
  const seed = growSite(sites[options.data], options.scale);
  const words = [options.consoleName, options.name];
  const site: Site = {
    name: options.name,
    id: idOf(...words, "site"),
    uuid: uuidOf(...words, "site"),
    desc: options.desc ?? seed.desc,
    tables: Object.fromEntries(TABLES.map((table) => [table, []])) as unknown as Record<Table, Row[]>, // TABLES is the whole union
    settings: new Map(),
  };
  const siteByte = idOf(...words).slice(0, 2);
  const ground: Ground = {
    site,
    seed,
    nowSeconds: Math.floor(options.nowMs / 1000),
    id: (kind, name) => idOf(...words, kind, name),
    deviceMac: (index) => macOf(seed.macByte, siteByte, index),
    clientMac: (index) => macOf(seed.macByte, siteByte, 0x1000 + index),
  };
  for (const fill of FILLS) fill(ground);
  // the shapes in data/ are shared by all sites of the process
  return structuredClone(site);
}

/** Locally administered: `02:00:<seed>:<site>:xx:xx`. */
function macOf(seedByte: string, siteByte: string, index: number): string {
  const hex = index.toString(16).padStart(4, "0");
  return `02:00:${seedByte}:${siteByte}:${hex.slice(0, 2)}:${hex.slice(2)}`;
}

const FILLS: readonly ((ground: Ground) => void)[] = [
  fillNetworks,
  fillGroups,
  fillWlans,
  fillDevices,
  fillClients,
  fillRules,
  fillTraffic,
  fillSettings,
];

function fillNetworks({ site, seed, id }: Ground): void {
  seed.networks.forEach(({ name, subnet, vlan }, index) => {
    const base = subnet.slice(0, subnet.lastIndexOf("."));
    site.tables.networkconf.push({
      ...shapes.lan,
      _id: id("network", name),
      site_id: site.id,
      external_id: uuidOf(site.id, name),
      name,
      ip_subnet: subnet,
      dhcpd_start: `${base}.6`,
      dhcpd_stop: `${base}.254`,
      vlan_enabled: vlan !== undefined,
      ...(vlan === undefined ? {} : { vlan }),
      ...(index === 0 ? { attr_no_delete: true, attr_hidden_id: "LAN" } : {}),
    });
  });
  site.tables.networkconf.push({ ...shapes.wan, _id: id("network", "wan"), site_id: site.id });
}

function fillGroups({ site, seed, id }: Ground): void {
  const unlimited = { name: "Default", qos_rate_max_down: -1, qos_rate_max_up: -1 };
  const fixed = { attr_hidden_id: "Default", attr_no_delete: true };
  site.tables.usergroup.push(
    { _id: id("usergroup", "Default"), site_id: site.id, ...unlimited, ...fixed },
    ...seed.usergroups.map((row) => ({ _id: id("usergroup", String(row.name)), site_id: site.id, ...row })),
  );
  site.tables.wlangroup.push({ ...shapes.wlangroup, _id: id("wlangroup", "Default"), site_id: site.id });
}

function fillWlans({ site, seed, id }: Ground): void {
  for (const { name, network, bands, guest = false } of seed.wlans) {
    site.tables.wlanconf.push({
      ...shapes.wlan,
      _id: id("wlan", name),
      site_id: site.id,
      external_id: uuidOf(site.id, "wlan", name),
      name,
      networkconf_id: id("network", network),
      usergroup_id: id("usergroup", "Default"),
      ap_group_ids: [id("apgroup", "All APs")],
      wlan_bands: [...bands],
      wlan_band: bands.length === 1 && bands[0] === "2g" ? "2g" : "both",
      is_guest: guest,
      l2_isolation: guest,
      x_passphrase: `${name.toLowerCase().replaceAll(" ", "-")}-passphrase`,
      x_iapp_key: id("iapp", name) + id("iapp2", name).slice(0, 8),
    });
  }
}

function fillDevices({ site, seed, id, deviceMac, nowSeconds }: Ground): void {
  const gatewayMac = deviceMac(1);
  seed.devices.forEach((device, index) => {
    const mac = deviceMac(index + 1);
    const shape = structuredClone((deviceShapes as Readonly<Record<string, Row>>)[device.template] ?? {});
    const uplink = index === 0 ? shape.uplink : { ...(shape.uplink as Row), uplink_mac: gatewayMac };
    site.tables.device.push({
      ...shape,
      ...(index === 0 ? {} : { uplink }),
      _id: id("device", index),
      device_id: id("device", index),
      site_id: site.id,
      mac,
      serial: mac.replaceAll(":", "").toUpperCase(),
      name: device.name,
      ip: device.ip,
      state: device.state ?? 1,
      adopted: true,
      disabled: false,
      locating: false,
      gateway_mac: gatewayMac,
      last_seen: nowSeconds - (device.state === 0 ? 86_400 : 5),
      // what uptime is counted from
      start_connected_millis: (nowSeconds - device.uptimeSeconds) * 1000,
      ...(device.template === "ugw" ? { wan1: { ...(shape.wan1 as Row), ip: seed.wanAddress } } : {}),
    });
  });
  const accessPoints = site.tables.device.filter((device) => device.type === "uap");
  site.tables.apgroups.push({
    ...shapes.apgroup,
    _id: id("apgroup", "All APs"),
    wlan_group_ids: [],
    device_macs: accessPoints.map((device) => device.mac),
  });
}

function fillRules({ site, seed, id, clientMac, nowSeconds }: Ground): void {
  const lan = id("network", seed.networks[0]?.name ?? "");
  const add = (table: Table, name: string, row: Row): void => {
    site.tables[table].push({ ...row, _id: id(table, name), site_id: site.id });
  };
  for (const row of seed.portforwards) {
    add("portforward", String(row.name), { ...shapes.portforward, enabled: true, ...row });
  }
  for (const row of seed.dns) {
    const record = { ...shapes.staticDns, ...row, _id: id("static-dns", String(row.key)) };
    site.tables["static-dns"].push(record);
  }
  add("firewallgroup", "Web ports", shapes.firewallgroup);
  add("firewallrule", "Drop", { ...shapes.firewallrule, src_networkconf_id: lan, dst_networkconf_id: lan });
  add("routing", "Lab net", shapes.routing);
  add("dynamicdns", "demo", shapes.dynamicdns);
  add("portconf", "IoT access", { ...shapes.portconf, native_networkconf_id: lan });
  add("radiusprofile", "Default", shapes.radiusprofile);
  add("rogueap", "Neighbour", { ...shapes.rogueap, ap_mac: seed.macByte, last_seen: nowSeconds - 12 });
  add("alarm", "radar", { ...shapes.alarm, time: (nowSeconds - 3600) * 1000 });
  add("voucher", "one", { ...shapes.voucher, create_time: nowSeconds - 86_400 });
  site.tables["acl-rules"].push({ ...shapes.aclRule, _id: id("acl", 0), mac_acl_network_id: lan });
  site.tables["network-members-groups"].push({ ...shapes.membersGroup, id: id("members", 0), members: [clientMac(3)] });
  const zones = ["Internal", "External", "Gateway", "Vpn", "Hotspot", "Dmz"];
  for (const zone of zones) {
    site.tables["firewall-zones"].push({
      ...shapes.firewallZone,
      _id: id("zone", zone),
      name: zone,
      zone_key: zone.toLowerCase(),
      network_ids: zone === "Internal" ? seed.networks.map(({ name }) => id("network", name)) : [],
    });
  }
  const source = { ...shapes.firewallPolicy.source, zone_id: id("zone", "Internal") };
  const destination = { ...shapes.firewallPolicy.destination, zone_id: id("zone", "External") };
  site.tables["firewall-policies"].push({ ...shapes.firewallPolicy, _id: id("policy", 0), source, destination });
}

function fillSettings({ site, id }: Ground): void {
  for (const section of consoleShapes.settings) {
    site.settings.set(section.key, { ...section, _id: id("setting", section.key), site_id: site.id });
  }
}
