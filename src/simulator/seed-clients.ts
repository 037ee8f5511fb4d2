/** Makes the clients of a site: who they are, where they hang, since when. */
import shapes from "./data/templates.json" with { type: "json" };
import type { Row } from "./exchange.ts";
import type { ClientSeed, Ground } from "./site-seed.ts";

/** Known clients, and a live row for each that is online. */
export function fillClients(ground: Ground): void {
  ground.seed.clients.forEach((client, index) => {
    const { user, station } = clientRows(ground, client, index);
    ground.site.tables.user.push(user);
    if (station !== undefined) ground.site.tables.sta.push(station);
  });
}

function clientRows(ground: Ground, client: ClientSeed, index: number): { user: Row; station: Row | undefined } {
  const { site, seed, id, nowSeconds } = ground;
  const mac = ground.clientMac(index + 1);
  const wlan = seed.wlans.find(({ name }) => name === client.wlan);
  const network = wlan?.network ?? client.network ?? "";
  const uplink = site.tables.device.find((device) => device.name === client.uplink);
  const radio = (wlan?.bands ?? []).includes("5g") ? { radio: "na", channel: 44 } : { radio: "ng", channel: 6 };
  const place = {
    _id: id("client", index),
    mac,
    hostname: client.hostname,
    site_id: site.id,
    usergroup_id: id("usergroup", "Default"),
    is_guest: client.guest ?? false,
    first_seen: nowSeconds - 9_000_000,
    last_ip: client.ip,
    last_connection_network_id: id("network", network),
    last_connection_network_name: network,
    last_uplink_mac: uplink?.mac,
    last_uplink_name: client.uplink,
    ...(wlan === undefined ? { last_uplink_remote_port: client.port } : { wlanconf_id: id("wlan", wlan.name) }),
  };
  const user = {
    ...(wlan === undefined ? shapes.userWired : shapes.userWireless),
    ...place,
    last_seen: nowSeconds - (client.offlineSeconds ?? 5),
    disconnect_timestamp: nowSeconds - (client.offlineSeconds ?? 600_000),
    ...(client.name === undefined ? {} : { name: client.name, noted: true }),
    ...(client.note === undefined ? {} : { note: client.note, noted: true }),
    ...(client.blocked === true ? { blocked: true } : {}),
    ...(client.fixed === true ? { use_fixedip: true, fixed_ip: client.ip, network_id: id("network", network) } : {}),
    ...(client.localName === undefined ? {} : { local_dns_record: client.localName, local_dns_record_enabled: true }),
  };
  if (client.offlineSeconds !== undefined) return { user, station: undefined };
  const since = nowSeconds - (client.sinceSeconds ?? 3600);
  const station = {
    ...(wlan === undefined ? shapes.wired : shapes.wireless),
    ...place,
    user_id: place._id,
    ip: client.ip,
    network,
    network_id: id("network", network),
    assoc_time: since,
    latest_assoc_time: since,
    disconnect_timestamp: since - 60,
    // spread so that "top clients" has an order
    rx_bytes: 4_000_000 * (index + 1),
    tx_bytes: 23_000_000 * (index + 1),
    ...(wlan === undefined
      ? { sw_mac: uplink?.mac, sw_port: client.port }
      : { ...radio, essid: wlan.name, ap_mac: uplink?.mac, bssid: uplink?.mac, signal: -48 - (index % 30) }),
  };
  return { user, station };
}
