/** Endpoints of firewall policies, zones, groups and older rules, of ACL rules and of object-oriented policies. */

import type { Endpoint } from "../../tool.ts";
import type { EndpointNote } from "../endpoints.ts";

const WHOLE = "the whole object as it was read, changed";
const ZONES = "_id, name, zone_key, network_ids";
const PAIR = "sourceFirewallZoneId, destinationFirewallZoneId (UUIDs of the integration API)";
const ORDER = '{"orderedFirewallPolicyIds": {"beforeSystemDefined": ["…"], "afterSystemDefined": []}}';

export const FIREWALL_ENDPOINTS: { readonly [endpoint: Endpoint]: EndpointNote } = {
  "GET /api/s/{site}/rest/firewallrule": {
    purpose: "Rules of the older firewall, in force where the site has no zones",
    answer: "_id, name, ruleset, rule_index, action, src_*, dst_*, state_* …",
  },
  "GET /api/s/{site}/rest/firewallgroup": {
    purpose: "Address and port groups",
    answer: "_id, name, group_type, group_members",
  },
  "POST /api/s/{site}/rest/firewallgroup": {
    purpose: "Create an address or port group",
    body: '{"name": "Web ports", "group_type": "port-group", "group_members": ["80", "443"]}',
  },
  "PUT /api/s/{site}/rest/firewallgroup/{id}": { purpose: "Replace a group", body: WHOLE },
  "DELETE /api/s/{site}/rest/firewallgroup/{id}": { purpose: "Remove a group" },

  "GET /v2/api/site/{site}/firewall-policies": {
    purpose: "Zone-based firewall policies, the console's own included; none before the migration to zones",
    answer:
      "_id, name, action, enabled, index, predefined, protocol, source {zone_id, matching_target …}, destination …",
  },
  "POST /v2/api/site/{site}/firewall-policies": {
    purpose: "Create a policy; port is text, IP and NETWORK need matching_target_type",
    body: '{"name": "…", "action": "BLOCK", "ip_version": "BOTH", "schedule": {"mode": "ALWAYS"}, "source": {"zone_id": "…", "matching_target": "ANY"}, "destination": {…}, …}',
  },
  "PUT /v2/api/site/{site}/firewall-policies/{id}": {
    purpose: "Replace a policy; a part of one is refused",
    body: WHOLE,
  },
  "DELETE /v2/api/site/{site}/firewall-policies/{id}": { purpose: "Remove a policy" },
  "GET /v2/api/site/{site}/firewall/zone": { purpose: "Firewall zones", answer: ZONES },
  "GET /v2/api/site/{site}/firewall/zones": { purpose: "Firewall zones, on some versions", answer: ZONES },
  "GET /v2/api/site/{site}/firewall/zone-matrix": {
    purpose: "Firewall zones with what stands between them",
    answer: "_id, name, zone_key, data [action, policy_count]",
  },
  "GET /integration/v1/sites/{siteId}/firewall/zones": {
    purpose: "Firewall zones under the integration API's UUIDs",
    query: "offset, limit",
    answer: "data [id, name, networkIds]",
  },
  "GET /integration/v1/sites/{siteId}/firewall/policies": {
    purpose: "Firewall policies under the integration API's UUIDs",
    query: "offset, limit, filter",
    answer: "data [id, name, enabled, index, action {type}, source {zoneId}, destination {zoneId}]",
  },
  "GET /integration/v1/sites/{siteId}/firewall/policies/ordering": {
    purpose: "Order of the policies between two zones",
    query: PAIR,
    answer: ORDER,
  },
  "PUT /integration/v1/sites/{siteId}/firewall/policies/ordering": {
    purpose: "Set that order; every policy of the pair once",
    query: PAIR,
    body: ORDER,
  },

  "GET /v2/api/site/{site}/acl-rules": {
    purpose: "Layer-2 access rules; a single one cannot be asked for (405)",
    answer:
      "_id, name, action, enabled, acl_index, mac_acl_network_id, traffic_source {specific_mac_addresses, mac_mask} …",
  },
  "POST /v2/api/site/{site}/acl-rules": {
    purpose: "Create a layer-2 access rule",
    body: '{"name": "…", "type": "MAC", "action": "BLOCK", "acl_index": 0, "mac_acl_network_id": "…", "traffic_source": {"type": "CLIENT_MAC", "specific_mac_addresses": ["aa:bb:cc:dd:ee:ff"]}, "traffic_destination": {…}}',
  },
  "PUT /v2/api/site/{site}/acl-rules/{id}": { purpose: "Replace a layer-2 access rule", body: WHOLE },
  "DELETE /v2/api/site/{site}/acl-rules/{id}": { purpose: "Remove a layer-2 access rule" },

  "GET /v2/api/site/{site}/object-oriented-network-configs": {
    purpose: "Policies on clients and groups; the list's path is plural, that of one policy singular",
    answer: "id, name, enabled, target_type, targets, secure, qos, route",
  },
  "POST /v2/api/site/{site}/object-oriented-network-config": {
    purpose: "Create a policy on clients or groups",
    body: '{"name": "…", "enabled": true, "target_type": "CLIENTS", "targets": [{"type": "MAC", "value": "aa:bb:cc:dd:ee:ff"}], "secure": {"enabled": true, "internet": {"mode": "TURN_OFF_INTERNET"}}}',
  },
  "PUT /v2/api/site/{site}/object-oriented-network-config/{id}": { purpose: "Replace such a policy", body: WHOLE },
  "DELETE /v2/api/site/{site}/object-oriented-network-config/{id}": { purpose: "Remove such a policy" },
};
