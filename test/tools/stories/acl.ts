/** Layer-2 access rules. */
import assert from "node:assert/strict";
import type { Row } from "../../../src/controller/controller.ts";
import type { Story } from "./story.ts";

const RULES = "/v2/api/site/default/acl-rules";
const EVERYWHERE = { type: "CLIENT_MAC", specific_mac_addresses: [], ips_or_subnets: [], network_ids: [], ports: [] };

const acl: Story = {
  about: "ACL rules",
  steps: [
    {
      tool: "unifi_list_acl_rules",
      holds({ rules }) {
        assert.partialDeepStrictEqual((rules as readonly Row[])[0], {
          name: "Isolate cameras",
          source_macs: ["02:00:5e:10:01:04"],
          destination_macs: [],
        });
      },
    },
    {
      tool: "unifi_create_acl_rule",
      args: async ({ first, kept }) => {
        kept.network = (await first("unifi_list_networks", "networks", { search: "Default" }))._id;
        return {
          name: "One maker",
          acl_index: 3,
          action: "BLOCK",
          network_id: kept.network,
          source_macs: ["02-00-5E-00-00-00"],
          source_netmask: 24,
          destination_macs: null,
        };
      },
      sent: ({ kept }) => [
        {
          method: "POST",
          path: RULES,
          body: {
            name: "One maker",
            type: "MAC",
            acl_index: 3,
            action: "BLOCK",
            enabled: true,
            mac_acl_network_id: kept.network,
            specific_enforcers: [],
            traffic_source: {
              ...EVERYWHERE,
              specific_mac_addresses: ["02:00:5e:00:00:00"],
              mac_mask: "ff:ff:ff:00:00:00",
            },
            traffic_destination: EVERYWHERE,
          },
        },
      ],
      holds({ rule_id: id, rule }, { kept }) {
        assert.partialDeepStrictEqual(rule, { name: "One maker", source_netmask: 24 });
        kept.id = id;
      },
    },
    {
      tool: "unifi_get_acl_rule_details",
      args: ({ kept }) => ({ rule_id: kept.id }),
      holds: ({ details }) =>
        assert.partialDeepStrictEqual(details, { source_netmask: 24, source_mac_mask: "ff:ff:ff:00:00:00" }),
    },
    {
      tool: "unifi_update_acl_rule",
      args: ({ kept }) => ({
        rule_id: kept.id,
        rule_data: { source_macs: ["02:00:5e:10:01:01"], source_netmask: 24 },
        clear_source_netmask: true,
      }),
      sent: ({ kept, simulator }) => {
        const rule = simulator.state.sites.get("default")?.tables["acl-rules"].find(({ _id: id }) => id === kept.id);
        assert.deepEqual(rule?.traffic_source, { type: "CLIENT_MAC", specific_mac_addresses: ["02:00:5e:10:01:01"] });
        return [{ method: "PUT", path: `${RULES}/${String(kept.id)}` }];
      },
    },
    {
      tool: "unifi_delete_acl_rule",
      args: ({ kept }) => ({ rule_id: kept.id }),
      sent: ({ kept }) => [{ method: "DELETE", path: `${RULES}/${String(kept.id)}` }],
    },
  ],
};

export default acl;
