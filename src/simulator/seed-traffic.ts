/** Traffic routes, content filters and QoS rules of a site: objects that a console's own pages make and the API changes. */
import shapes from "./data/templates.json" with { type: "json" };
import type { Ground } from "./site-seed.ts";

const NO_ITEMS = { domains: [], ip_addresses: [], ip_ranges: [], regions: [] };

export function fillTraffic({ site, seed, id, clientMac }: Ground): void {
  const lan = id("network", seed.networks[0]?.name ?? "");
  const wan = id("network", "wan");
  site.tables.trafficroutes.push(
    {
      ...shapes.trafficRoute,
      _id: id("trafficroute", 0),
      description: "Everything out by the first line",
      network_id: wan,
      target_devices: [{ type: "NETWORK", network_id: lan }],
    },
    {
      ...shapes.trafficRoute,
      ...NO_ITEMS,
      _id: id("trafficroute", 1),
      description: "Films by the first line",
      enabled: true,
      kill_switch_enabled: false,
      matching_target: "DOMAIN",
      network_id: wan,
      domains: [{ domain: "films.example", ports: [], port_ranges: [] }],
      target_devices: [{ type: "CLIENT", client_mac: clientMac(2) }],
    },
  );
  site.tables["content-filtering"].push({
    _id: id("content-filter", 0),
    name: "Family",
    enabled: true,
    categories: ["FAMILY"],
    safe_search: ["GOOGLE", "YOUTUBE"],
    allow_list: [],
    block_list: ["blocked.example"],
    client_macs: [clientMac(3)],
    network_ids: [],
    schedule: { mode: "ALWAYS", time_all_day: false, time_range_start: "07:00", time_range_end: "21:00" },
  });
  site.tables["qos-rules"].push({
    _id: id("qos-rule", 0),
    name: "Backup at night",
    enabled: true,
    objective: "LIMIT",
    index: 1,
    upload_limit_kbps: 20_000,
    source: { matching_target: "ANY" },
    destination: { matching_target: "ANY" },
    schedule: { mode: "ALWAYS" },
  });
}
