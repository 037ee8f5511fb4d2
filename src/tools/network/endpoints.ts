/** What the api-reference says of each endpoint that a tool uses; the tools' names are added when it is generated. */
import type { ReferenceEndpoint } from "../../catalog/manifest.ts";
import type { Endpoint } from "../tool.ts";

export const ENDPOINTS: { readonly [endpoint: Endpoint]: Omit<ReferenceEndpoint, "method" | "path" | "tools"> } = {
  "GET /api/self/sites": { purpose: "Sites of the console that the account sees" },
  "GET /api/s/{site}/stat/sta": { purpose: "Clients connected now" },
  "GET /api/s/{site}/rest/user": { purpose: "Clients the console remembers, connected or not" },
  "GET /v2/api/site/{site}/static-dns": { purpose: "Static DNS records" },
  "POST /v2/api/site/{site}/static-dns": { purpose: "Add a static DNS record" },
  "PUT /v2/api/site/{site}/static-dns/{id}": { purpose: "Replace a static DNS record; send the whole object" },
  "DELETE /v2/api/site/{site}/static-dns/{id}": { purpose: "Remove a static DNS record" },
};
