/** Endpoints of QoS, routes, traffic flows and content filters. */
import type { Endpoint } from "../../tool.ts";
import type { EndpointNote } from "../endpoints.ts";

const WHOLE = "the whole object as it was read, changed";

export const TRAFFIC_ENDPOINTS: { readonly [endpoint: Endpoint]: EndpointNote } = {
  "GET /v2/api/site/{site}/qos-rules": {
    purpose: "QoS rules: bandwidth limits",
    answer: "_id, name, enabled, objective, download_limit_kbps, upload_limit_kbps, source, destination, schedule",
  },
  "POST /v2/api/site/{site}/qos-rules": {
    purpose: "Create a QoS rule",
    body: '{"name": "TV", "enabled": true, "objective": "LIMIT", "download_limit_kbps": 5000, "source": {"matching_target": "IP", "matching_target_type": "SPECIFIC", "ips": ["192.168.1.30"]}, "destination": {"matching_target": "ANY"}, "schedule": {"mode": "ALWAYS"}}',
  },
  "PUT /v2/api/site/{site}/qos-rules/{id}": { purpose: "Replace a QoS rule", body: WHOLE },

  "GET /api/s/{site}/rest/routing": {
    purpose: "Static routes",
    answer: "_id, name, enabled, type, static-route_type, static-route_network, static-route_nexthop, …",
  },
  "POST /api/s/{site}/rest/routing": {
    purpose: "Create a static route",
    body: '{"name": "Lab", "enabled": true, "type": "static-route", "static-route_type": "nexthop-route", "static-route_network": "10.20.0.0/16", "static-route_nexthop": "192.168.1.2", "static-route_distance": 1, "gateway_type": "default"}',
  },
  "PUT /api/s/{site}/rest/routing/{id}": { purpose: "Replace a static route", body: WHOLE },
  "GET /api/s/{site}/stat/routing": { purpose: "The gateway's routing table", answer: "pfx, nh [via, intf, metric]" },

  "GET /v2/api/site/{site}/trafficroutes": {
    purpose: "Traffic routes: clients or destinations sent through a VPN or another WAN",
    answer: "_id, description, enabled, matching_target, network_id, domains, ip_addresses, target_devices …",
  },
  "PUT /v2/api/site/{site}/trafficroutes/{id}": { purpose: "Replace a traffic route", body: WHOLE },

  "POST /v2/api/site/{site}/traffic-flows": {
    purpose: "Traffic flows, page by page; every filter is a list, empty for none",
    body: '{"action": ["blocked"], "source_mac": [], …, "timestampFrom": 1796000000000, "timestampTo": 1796086400000, "pageNumber": 0, "pageSize": 100, "skip_count": false}',
    answer: "data [id, action, risk, service, source, destination, traffic_data …], has_next, total_element_count",
  },
  "GET /v2/api/site/{site}/traffic-flow-latest-statistics": {
    purpose: "Counts and rankings of traffic flows",
    query: "period (HOUR, DAY, WEEK, MONTH), top",
  },

  "GET /v2/api/site/{site}/content-filtering": {
    purpose: "Content filters; there is no GET by id and no POST",
    answer: "_id, name, enabled, categories, safe_search, client_macs, network_ids, schedule",
  },
  "PUT /v2/api/site/{site}/content-filtering/{id}": {
    purpose: "Replace a content filter; unknown fields are refused",
    body: WHOLE,
  },
  "DELETE /v2/api/site/{site}/content-filtering/{id}": { purpose: "Remove a content filter" },
};
