/** v1 rows as the integration API shows them: camel case, UUIDs, ISO times. */
import type { Row, SiteExchange } from "./exchange.ts";
import type { Site } from "./site.ts";
import { DEVICE_STATE } from "./views.ts";
import { isRow, textOf, textsOf, uuidOf } from "./world.ts";

const USER_DEFINED = { origin: "USER_DEFINED" };

/** The UUID that the integration API gives to a row of this site. */
export function integrationIdOf(site: Site, row: Row): string {
  return uuidOf(site.uuid, String(row._id));
}

function isoSeconds(seconds: unknown): string {
  return new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}

/** The device with this MAC, as the UUID that the devices list shows. */
function deviceIdByMac(site: Site, mac: unknown): string | undefined {
  const device = site.tables.device.find((row) => row.mac === mac);
  return device === undefined ? undefined : integrationIdOf(site, device);
}

export function clientRow(site: Site, station: Row): Row {
  const guest = station.is_guest === true;
  return {
    type: station.is_wired === true ? "WIRED" : "WIRELESS",
    id: integrationIdOf(site, station),
    name: station.name ?? station.hostname,
    connectedAt: isoSeconds(station.assoc_time),
    ipAddress: station.ip,
    macAddress: station.mac,
    uplinkDeviceId: deviceIdByMac(site, station.last_uplink_mac),
    access: guest ? { type: "GUEST", authorized: station.authorized === true } : { type: "DEFAULT" },
  };
}

export function deviceRow(site: Site, device: Row): Row {
  const accessPoint = device.type === "uap";
  return {
    id: integrationIdOf(site, device),
    macAddress: device.mac,
    ipAddress: device.ip,
    name: device.name,
    model: device.model,
    state: device.state === DEVICE_STATE.connected ? "ONLINE" : "OFFLINE",
    supported: true,
    firmwareVersion: device.version,
    firmwareUpdatable: device.upgradable === true,
    features: [accessPoint ? "accessPoint" : "switching"],
    interfaces: [accessPoint ? "radios" : "ports"],
  };
}

export function deviceDetails({ site }: SiteExchange, device: Row): Row {
  const { features, interfaces, ...common } = deviceRow(site, device);
  const uplinkMac = (device.uplink as Row | undefined)?.uplink_mac;
  const ports = Array.isArray(device.port_table) ? (device.port_table as Row[]) : [];
  return {
    ...common,
    configurationId: device.cfgversion,
    uplink: { deviceId: deviceIdByMac(site, uplinkMac) },
    features: Object.fromEntries(textsOf(features).map((feature) => [feature, {}])),
    interfaces: {
      [textsOf(interfaces)[0] === "radios" ? "radios" : "ports"]: ports.map((port) => ({
        idx: port.port_idx,
        state: port.up === true ? "UP" : "DOWN",
        connector: "RJ45",
        maxSpeedMbps: 1000,
        speedMbps: port.speed ?? 0,
      })),
    },
  };
}

export function statistics({ world }: SiteExchange, device: Row): Row {
  const system = (device["system-stats"] ?? {}) as Row;
  const now = world.now();
  return {
    uptimeSec: device.uptime,
    lastHeartbeatAt: new Date(now).toISOString(),
    nextHeartbeatAt: new Date(now + 20_000).toISOString(),
    cpuUtilizationPct: Number(system.cpu ?? 0),
    memoryUtilizationPct: Number(system.mem ?? 0),
    interfaces: {},
  };
}

export function networkRow(site: Site, network: Row): Row {
  const zone = site.tables["firewall-zones"].find((row) => textsOf(row.network_ids).includes(textOf(network._id)));
  return {
    management: network.purpose === "vlan-only" ? "UNMANAGED" : "GATEWAY",
    id: integrationIdOf(site, network),
    name: network.name,
    enabled: network.enabled !== false,
    vlanId: network.vlan_enabled === true ? Number(network.vlan) : 1,
    metadata: USER_DEFINED,
    default: network.attr_hidden_id === "LAN",
    ...(zone === undefined ? {} : { zoneId: integrationIdOf(site, zone) }),
  };
}

const BAND_GHZ: Readonly<Record<string, number>> = { "2g": 2.4, "5g": 5, "6g": 6 };

export function broadcastRow(site: Site, wlan: Row): Row {
  const network = site.tables.networkconf.find((row) => row._id === wlan.networkconf_id);
  return {
    type: "STANDARD",
    id: integrationIdOf(site, wlan),
    name: wlan.name,
    enabled: wlan.enabled !== false,
    metadata: USER_DEFINED,
    network:
      network === undefined ? { type: "NATIVE" } : { type: "SPECIFIC", networkId: integrationIdOf(site, network) },
    securityConfiguration: { type: wlan.security === "open" ? "OPEN" : "WPA2_PERSONAL" },
    ...(wlan.is_guest === true ? { hotspotConfiguration: { type: "CAPTIVE_PORTAL" } } : {}),
    broadcastingFrequenciesGHz: textsOf(wlan.wlan_bands).map((band) => BAND_GHZ[band] ?? 5),
  };
}

export function zoneRow(site: Site, zone: Row): Row {
  const networkIds = textsOf(zone.network_ids).map((id) => uuidOf(site.uuid, id));
  return { id: integrationIdOf(site, zone), name: zone.name, networkIds, metadata: { origin: "SYSTEM_DEFINED" } };
}

export function firewallPolicyRow(site: Site, policy: Row): Row {
  const end = (value: unknown) => ({ zoneId: uuidOf(site.uuid, textOf(isRow(value) ? value.zone_id : undefined)) });
  return {
    id: integrationIdOf(site, policy),
    enabled: policy.enabled !== false,
    name: policy.name,
    index: policy.index,
    action: {
      type: policy.action,
      ...(policy.action === "ALLOW" ? { allowReturnTraffic: policy.create_allow_respond === true } : {}),
    },
    source: end(policy.source),
    destination: end(policy.destination),
    ipProtocolScope: { ipVersion: policy.ip_version === "BOTH" ? "IPV4_AND_IPV6" : policy.ip_version },
    loggingEnabled: policy.logging === true,
    metadata: { origin: policy.predefined === true ? "SYSTEM_DEFINED" : "USER_DEFINED" },
  };
}

/** Which field holds the value, by record type. */
export const DNS_VALUE: Readonly<Record<string, string>> = {
  A: "ipv4Address",
  AAAA: "ipv6Address",
  CNAME: "targetDomain",
  MX: "mailServerDomain",
  TXT: "text",
  SRV: "serverDomain",
};

export function dnsRow(site: Site, record: Row): Row {
  const type = textOf(record.record_type);
  return {
    type: `${type}_RECORD`,
    id: integrationIdOf(site, record),
    enabled: record.enabled === true,
    metadata: USER_DEFINED,
    domain: record.key,
    [DNS_VALUE[type] ?? "value"]: record.value,
    ttlSeconds: record.ttl,
  };
}
