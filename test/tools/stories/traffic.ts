/** QoS rules, static routes, traffic routes and traffic flows. */
import assert from "node:assert/strict";
import { isRow } from "../../../src/tools/rows.ts";
import type { Story } from "./story.ts";

const QOS = "/v2/api/site/default/qos-rules";
const ROUTES = "/api/s/default/rest/routing";
const TRAFFIC_ROUTES = "/v2/api/site/default/trafficroutes";
const ANYTHING = { objective: "LIMIT", destination: { matching_target: "ANY" }, schedule: { mode: "ALWAYS" } };

function hostSource(...ips: string[]) {
  return { matching_target: "IP", matching_target_type: "SPECIFIC", ips };
}

export const qos: Story = {
  about: "QoS rules",
  steps: [
    {
      tool: "unifi_create_qos_rule",
      args: {
        qos_data: {
          name: "TV",
          interface: "WAN",
          direction: "download",
          bandwidth_limit_kbps: 5000,
          target_ip_address: "192.168.1.30",
          priority: 3,
        },
      },
      sent: [
        {
          method: "POST",
          path: QOS,
          body: {
            ...ANYTHING,
            source: hostSource("192.168.1.30"),
            name: "TV",
            enabled: true,
            download_limit_kbps: 5000,
            index: 3,
          },
        },
      ],
      holds: ({ rule_id: id }, { kept }) => {
        assert.equal(typeof id, "string");
        kept.id = id;
      },
    },
    {
      tool: "unifi_list_qos_rules",
      holds: ({ qos_rules: rules }, { kept }) =>
        assert.partialDeepStrictEqual(Array.isArray(rules) && rules.find(({ id }) => id === kept.id), {
          name: "TV",
          interface: "WAN",
          direction: "download",
          bandwidth_limit_kbps: 5000,
          target_ip_address: "192.168.1.30",
          priority: 3,
        }),
    },
    {
      tool: "unifi_update_qos_rule",
      args: ({ kept }) => ({ rule_id: kept.id, update_data: { bandwidth_limit_kbps: 8000 } }),
      sent: ({ kept }) => [
        {
          method: "PUT",
          path: `${QOS}/${String(kept.id)}`,
          body: {
            _id: kept.id,
            ...ANYTHING,
            source: hostSource("192.168.1.30"),
            name: "TV",
            enabled: true,
            download_limit_kbps: 8000,
            index: 3,
          },
        },
      ],
    },
    {
      tool: "unifi_toggle_qos_rule_enabled",
      args: ({ kept }) => ({ rule_id: kept.id }),
      sent: ({ kept }) => [{ method: "PUT", path: `${QOS}/${String(kept.id)}` }],
      holds: ({ enabled }) => assert.equal(enabled, false),
    },
    {
      tool: "unifi_get_qos_rule_details",
      args: ({ kept }) => ({ rule_id: kept.id }),
      holds: ({ details }) =>
        assert.partialDeepStrictEqual(details, { enabled: false, download_limit_kbps: 8000, objective: "LIMIT" }),
    },
    {
      tool: "unifi_create_simple_qos_rule",
      args: {
        rule: {
          name: "Guests",
          interface: "WAN",
          direction: "upload",
          limit_kbps: 1000,
          target: { type: "subnet", value: "192.168.30.0/24" },
        },
      },
      sent: [
        {
          method: "POST",
          path: QOS,
          body: {
            ...ANYTHING,
            source: hostSource("192.168.30.0/24"),
            name: "Guests",
            enabled: true,
            upload_limit_kbps: 1000,
          },
        },
      ],
    },
  ],
};

export const routes: Story = {
  about: "static routes",
  steps: [
    { tool: "unifi_list_routes", holds: ({ count }) => assert.equal(count, 1) },
    {
      tool: "unifi_create_route",
      args: { name: "Barn", network: "10.30.0.0/16", nexthop: "192.168.1.3" },
      sent: [
        {
          method: "POST",
          path: ROUTES,
          body: {
            type: "static-route",
            "static-route_type": "nexthop-route",
            gateway_type: "default",
            name: "Barn",
            enabled: true,
            "static-route_network": "10.30.0.0/16",
            "static-route_nexthop": "192.168.1.3",
            "static-route_distance": 1,
          },
        },
      ],
      holds: ({ route_id: id }, { kept }) => {
        assert.equal(typeof id, "string");
        kept.id = id;
      },
    },
    {
      tool: "unifi_list_active_routes",
      holds: ({ active_routes: rows }) =>
        assert.deepEqual(Array.isArray(rows) && rows.find((row) => row.target_subnet === "10.30.0.0/16"), {
          target_subnet: "10.30.0.0/16",
          gateway: "192.168.1.3",
          interface: "br0",
          distance: 1,
          next_hops: [{ gateway: "192.168.1.3", interface: "br0", distance: 1 }],
        }),
    },
    {
      tool: "unifi_update_route",
      args: ({ kept }) => ({ route_id: kept.id, nexthop: "192.168.1.4", distance: 20, name: null }),
      sent: ({ kept }) => [{ method: "PUT", path: `${ROUTES}/${String(kept.id)}` }],
    },
    {
      tool: "unifi_get_route_details",
      args: ({ kept }) => ({ route_id: kept.id }),
      holds: ({ route }) =>
        assert.partialDeepStrictEqual(route, {
          name: "Barn",
          "static-route_nexthop": "192.168.1.4",
          "static-route_distance": 20,
          "static-route_type": "nexthop-route",
        }),
    },
  ],
};

export const trafficRoutes: Story = {
  about: "traffic routes",
  steps: [
    {
      tool: "unifi_list_traffic_routes",
      holds: ({ traffic_routes: rows }, { kept }) => {
        const route = Array.isArray(rows)
          ? rows.filter(isRow).find((row) => row.matching_target === "DOMAIN")
          : undefined;
        assert.partialDeepStrictEqual(route ?? {}, {
          description: "Films by the first line",
          enabled: true,
          kill_switch_enabled: false,
          domains: 1,
          ip_addresses: 0,
          target_devices: 1,
        });
        kept.id = route?._id;
        kept.network = route?.network_id;
      },
    },
    {
      tool: "unifi_update_traffic_route",
      args: ({ kept }) => ({
        route_id: kept.id,
        kill_switch_enabled: true,
        domains: [{ domain: "example.org" }],
        target_devices: [{ type: "CLIENT", client_mac: "02-00-0A-00-10-01" }],
      }),
      sent: ({ kept }) => [
        {
          method: "PUT",
          path: `${TRAFFIC_ROUTES}/${String(kept.id)}`,
          body: {
            _id: kept.id,
            description: "Films by the first line",
            enabled: true,
            kill_switch_enabled: true,
            matching_target: "DOMAIN",
            network_id: kept.network,
            next_hop: "",
            domains: [{ domain: "example.org", ports: [], port_ranges: [] }],
            ip_addresses: [],
            ip_ranges: [],
            regions: [],
            target_devices: [{ type: "CLIENT", client_mac: "02:00:0a:00:10:01" }],
          },
        },
      ],
    },
    {
      tool: "unifi_toggle_traffic_route",
      args: ({ kept }) => ({ route_id: kept.id }),
      sent: ({ kept }) => [{ method: "PUT", path: `${TRAFFIC_ROUTES}/${String(kept.id)}` }],
    },
    {
      tool: "unifi_get_traffic_route_details",
      args: ({ kept }) => ({ route_id: kept.id }),
      holds: ({ details }) =>
        assert.partialDeepStrictEqual(details, {
          enabled: false,
          kill_switch_enabled: true,
          domains: [{ domain: "example.org" }],
        }),
    },
  ],
};

export const trafficFlows: Story = {
  about: "traffic flows",
  steps: [
    {
      tool: "unifi_get_traffic_flows",
      holds: ({ flows }, { kept }) => {
        const [flow] = Array.isArray(flows) ? flows.filter(isRow) : [];
        assert.ok(flow);
        assert.equal(flow.bytes_total, 10_731);
        kept.source = flow.source;
      },
    },
    {
      tool: "unifi_get_traffic_flows",
      args: ({ kept }) => ({ source_mac: isRow(kept.source) ? kept.source.mac : "", action: "allowed" }),
      holds: ({ flows }, { kept }) => {
        assert.equal(Array.isArray(flows) && flows.length, 1);
        assert.deepEqual(Array.isArray(flows) && flows[0].source, kept.source);
      },
    },
    {
      tool: "unifi_get_traffic_flows",
      args: { page: 1, page_size: 2 },
      holds: ({ page_number: page, returned, total_element_count: total }) => {
        assert.equal(page, 1);
        assert.equal(returned, 2);
        assert.ok(Number(total) > 4);
      },
    },
    {
      tool: "unifi_get_traffic_flows",
      args: { action: "blocked" },
      holds: ({ flows }) => assert.deepEqual(flows, []),
    },
    {
      tool: "unifi_get_traffic_flow_statistics",
      args: { period: "WEEK", top: 2 },
      holds: ({ top_clients: clients, allowed_count_by_risk: risks, period }) => {
        assert.equal(period, "WEEK");
        assert.equal(Array.isArray(clients) && clients.length, 2);
        assert.deepEqual(risks, { low: 60, medium: 4, high: 0 });
      },
    },
  ],
};
