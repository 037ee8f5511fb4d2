/** Endpoints of user groups, client groups, dynamic DNS, vouchers and DPI lists. */
import type { Endpoint } from "../../tool.ts";
import type { EndpointNote } from "../endpoints.ts";

const WHOLE = "the whole object as it was read, changed";

export const GROUP_ENDPOINTS: { readonly [endpoint: Endpoint]: EndpointNote } = {
  "GET /api/s/{site}/rest/usergroup": {
    purpose: "User groups: bandwidth profiles",
    answer: "_id, name, qos_rate_max_down, qos_rate_max_up (kbit/s; -1 = no limit)",
  },
  "POST /api/s/{site}/rest/usergroup": {
    purpose: "Create a user group",
    body: '{"name": "Slow", "qos_rate_max_down": 5000, "qos_rate_max_up": 1000}',
  },
  "PUT /api/s/{site}/rest/usergroup/{id}": { purpose: "Replace a user group", body: WHOLE },

  "GET /v2/api/site/{site}/network-members-groups": {
    purpose: "Client groups: named lists of MAC addresses",
    answer: "id, name, type, members",
  },
  "POST /v2/api/site/{site}/network-members-group": {
    purpose: "Create a client group (singular path)",
    body: '{"name": "Kids", "type": "CLIENTS", "members": ["aa:bb:cc:dd:ee:ff"]}',
  },
  "PUT /v2/api/site/{site}/network-members-group/{id}": { purpose: "Replace a client group", body: WHOLE },
  "DELETE /v2/api/site/{site}/network-members-group/{id}": { purpose: "Remove a client group" },

  "GET /api/s/{site}/rest/dynamicdns": {
    purpose: "Dynamic DNS entries",
    answer: "_id, host_name, service, server, login, x_password, interface, options",
  },
  "POST /api/s/{site}/rest/dynamicdns": {
    purpose: "Create a dynamic DNS entry",
    body: '{"host_name": "home.example.com", "service": "dyndns", "login": "me", "x_password": "…", "interface": "wan"}',
  },
  "PUT /api/s/{site}/rest/dynamicdns/{id}": { purpose: "Replace a dynamic DNS entry", body: WHOLE },
  "DELETE /api/s/{site}/rest/dynamicdns/{id}": { purpose: "Remove a dynamic DNS entry" },

  "GET /api/s/{site}/stat/voucher": {
    purpose: "Vouchers of the guest portal",
    answer: "_id, code, status, duration, quota, used, create_time, note, qos_rate_max_up, qos_rate_max_down",
  },
  "POST /api/s/{site}/cmd/hotspot": {
    purpose: "Command on the guest portal: create-voucher, delete-voucher",
    body: '{"cmd": "create-voucher", "expire": 1440, "n": 10, "quota": 1} or {"cmd": "delete-voucher", "_id": "…"}',
  },

  "GET /integration/v1/dpi/applications": {
    purpose: "Applications that DPI recognises",
    query: "offset, limit (at most 200), filter",
    answer: "data [id, name], totalCount",
  },
  "GET /integration/v1/dpi/categories": {
    purpose: "Categories of those applications",
    query: "offset, limit (at most 200), filter",
    answer: "data [id, name], totalCount",
  },
};
