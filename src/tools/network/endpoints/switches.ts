/** Endpoints of switch ports and port profiles. */
import type { Endpoint } from "../../tool.ts";
import type { EndpointNote } from "../endpoints.ts";

export const SWITCH_ENDPOINTS: { readonly [endpoint: Endpoint]: EndpointNote } = {
  "GET /api/s/{site}/rest/portconf": {
    purpose: "Port profiles of switches",
    answer:
      "_id, name, forward, native_networkconf_id, tagged_vlan_mgmt, excluded_networkconf_ids, poe_mode, isolation",
  },
  "POST /api/s/{site}/rest/portconf": {
    purpose: "Create a port profile",
    body: '{"name": "Cameras", "forward": "native", "native_networkconf_id": "…", "tagged_vlan_mgmt": "block_all", "poe_mode": "auto"}',
  },
  "PUT /api/s/{site}/rest/portconf/{id}": {
    purpose: "Replace a port profile",
    body: "the whole object as it was read, changed",
  },
  "DELETE /api/s/{site}/rest/portconf/{id}": { purpose: "Remove a port profile" },
};
