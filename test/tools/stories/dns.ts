/** Static DNS records. */
import assert from "node:assert/strict";
import type { Story } from "./story.ts";

const NAS = { key: "nas.example", value: "192.0.2.1", record_type: "A" };

const dns: Story = {
  about: "DNS records",
  steps: [
    { tool: "unifi_list_dns_records", holds: ({ count }) => assert.ok(Number(count) > 0) },
    {
      tool: "unifi_create_dns_record",
      args: { record_data: NAS },
      sent: [{ method: "POST", path: "/v2/api/site/default/static-dns", body: { enabled: true, ...NAS } }],
      holds: ({ record_id: id }, { kept }) => {
        assert.equal(typeof id, "string");
        kept.id = id;
      },
    },
    {
      tool: "unifi_get_dns_record_details",
      args: ({ kept }) => ({ record_id: kept.id }),
      holds: ({ details }) => assert.partialDeepStrictEqual(details, NAS),
    },
    {
      tool: "unifi_update_dns_record",
      args: ({ kept }) => ({ record_id: kept.id, update_data: { ttl: 60 } }),
      sent: ({ kept }) => [{ method: "PUT", path: `/v2/api/site/default/static-dns/${String(kept.id)}` }],
    },
    {
      tool: "unifi_delete_dns_record",
      args: ({ kept }) => ({ record_id: kept.id }),
      sent: ({ kept }) => [{ method: "DELETE", path: `/v2/api/site/default/static-dns/${String(kept.id)}` }],
    },
  ],
};

export default dns;
