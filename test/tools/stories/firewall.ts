/** Firewall: groups, zones, policies and their order, and the rules from before zones. */
import assert from "node:assert/strict";
import type { Row } from "../../../src/controller/controller.ts";
import type { Scene, Story } from "./story.ts";

const GROUPS = "/api/s/default/rest/firewallgroup";
const POLICIES = "/v2/api/site/default/firewall-policies";
const PORTS = { name: "Mail ports", group_type: "port-group", group_members: ["25", "465-587"] };

/** The id of a zone by its name. */
async function zone({ read }: Scene, name: string): Promise<unknown> {
  const { zones } = await read("unifi_list_firewall_zones", { filter: `name=${name}` });
  return (zones as readonly Row[])[0]?.id;
}

async function pair(scene: Scene): Promise<Row> {
  return {
    source_firewall_zone_id: await zone(scene, "Internal"),
    destination_firewall_zone_id: await zone(scene, "External"),
  };
}

async function blockedMail(scene: Scene): Promise<Row> {
  scene.kept.internal = await zone(scene, "Internal");
  scene.kept.external = await zone(scene, "External");
  return {
    policy_data: {
      name: "No mail out",
      action: "BLOCK",
      protocol: "tcp",
      source: { zone_id: scene.kept.internal, matching_target: "CLIENT", client_macs: ["02-00-5E-10-01-04"] },
      destination: { zone_id: scene.kept.external, port: "25,465-587", port_matching_type: "SPECIFIC" },
    },
  };
}

const firewall: Story = {
  about: "firewall",
  steps: [
    {
      tool: "unifi_list_firewall_zones",
      holds({ zones }) {
        const rows = zones as readonly Row[];
        assert.deepEqual(rows.map(({ name }) => name).slice(0, 2), ["Internal", "External"]);
        assert.ok(Array.isArray(rows[0]?.networks) && rows[0].networks.length > 0);
      },
    },
    {
      tool: "unifi_list_legacy_firewall_rules",
      holds({ engine, note }) {
        assert.equal(engine, "legacy");
        assert.match(String(note), /zone-based/);
      },
    },
    { tool: "unifi_list_firewall_groups", holds: ({ count }) => assert.ok(Number(count) > 0) },
    {
      tool: "unifi_create_firewall_group",
      args: PORTS,
      sent: [{ method: "POST", path: GROUPS, body: PORTS }],
      holds({ group_id: id, group }, { kept }) {
        assert.partialDeepStrictEqual(group, { name: "Mail ports", members: ["25", "465-587"] });
        kept.group = id;
      },
    },
    {
      tool: "unifi_get_firewall_group_details",
      args: ({ kept }) => ({ group_id: kept.group }),
      holds: ({ details }) => assert.partialDeepStrictEqual(details, PORTS),
    },
    {
      tool: "unifi_update_firewall_group",
      args: ({ kept }) => ({ group_id: kept.group, group_data: { group_members: ["25"] } }),
      sent: ({ kept }) => [
        {
          method: "PUT",
          path: `${GROUPS}/${String(kept.group)}`,
          body: { ...PORTS, group_members: ["25"], _id: kept.group },
        },
      ],
    },
    {
      tool: "unifi_delete_firewall_group",
      args: ({ kept }) => ({ group_id: kept.group }),
      sent: ({ kept }) => [{ method: "DELETE", path: `${GROUPS}/${String(kept.group)}` }],
    },
    {
      tool: "unifi_create_firewall_policy",
      args: blockedMail,
      sent: ({ kept }) => [
        {
          method: "POST",
          path: POLICIES,
          body: {
            name: "No mail out",
            action: "BLOCK",
            enabled: true,
            protocol: "tcp",
            ip_version: "BOTH",
            logging: false,
            connection_state_type: "ALL",
            connection_states: [],
            match_ip_sec: false,
            match_opposite_protocol: false,
            icmp_typename: "ANY",
            icmp_v6_typename: "ANY",
            create_allow_respond: false,
            schedule: { mode: "ALWAYS" },
            source: {
              zone_id: kept.internal,
              matching_target: "CLIENT",
              client_macs: ["02:00:5e:10:01:04"],
              port_matching_type: "ANY",
            },
            destination: {
              zone_id: kept.external,
              matching_target: "ANY",
              port: "25,465-587",
              port_matching_type: "SPECIFIC",
            },
          },
        },
      ],
      holds({ policy_id: id, details }, { kept }) {
        assert.partialDeepStrictEqual(details, { name: "No mail out", action: "BLOCK" });
        kept.policy = id;
      },
    },
    {
      tool: "unifi_list_firewall_policies",
      args: { action: "BLOCK" },
      holds({ policies, action_filter: action, note }) {
        assert.deepEqual(
          (policies as readonly Row[]).map(({ name }) => name),
          ["No mail out"],
        );
        assert.deepEqual([action, note], ["BLOCK", undefined]);
      },
    },
    {
      tool: "unifi_get_firewall_policy_details",
      args: ({ kept }) => ({ policy_id: kept.policy }),
      holds: ({ details }) => assert.partialDeepStrictEqual(details, { destination: { port: "25,465-587" } }),
    },
    {
      tool: "unifi_update_firewall_policy",
      args: ({ kept }) => ({
        policy_id: kept.policy,
        update_data: { logging: true, source: { matching_target: "ANY" }, destination: { port: "443" } },
      }),
      sent: ({ kept }) => [
        {
          method: "PUT",
          path: `${POLICIES}/${String(kept.policy)}`,
          body: {
            _id: kept.policy,
            name: "No mail out",
            action: "BLOCK",
            enabled: true,
            protocol: "tcp",
            ip_version: "BOTH",
            logging: true,
            connection_state_type: "ALL",
            connection_states: [],
            match_ip_sec: false,
            match_opposite_protocol: false,
            icmp_typename: "ANY",
            icmp_v6_typename: "ANY",
            create_allow_respond: false,
            schedule: { mode: "ALWAYS" },
            source: { zone_id: kept.internal, matching_target: "ANY", port_matching_type: "ANY" },
            destination: {
              zone_id: kept.external,
              matching_target: "ANY",
              port: "443",
              port_matching_type: "SPECIFIC",
            },
          },
        },
      ],
    },
    {
      tool: "unifi_toggle_firewall_policy",
      args: ({ kept }) => ({ policy_id: kept.policy }),
      sent: ({ kept }) => [{ method: "PUT", path: `${POLICIES}/${String(kept.policy)}` }],
      holds: ({ enabled }) => assert.equal(enabled, false),
    },
    {
      tool: "unifi_get_firewall_policy_ordering",
      args: pair,
      refused: { standalone: "CONTROLLER_UNSUPPORTED" },
      holds({ ordering, policies }, { kept }) {
        const { beforeSystemDefined: before } = ordering as Row;
        assert.ok(Array.isArray(before) && before.length > 0);
        assert.partialDeepStrictEqual((policies as readonly Row[])[0], {
          id: before[0],
          name: "Allow internal to IoT",
        });
        kept.ordering = ordering;
      },
    },
    {
      tool: "unifi_reorder_firewall_policies",
      args: async (scene) => ({ ...(await pair(scene)), ordered_firewall_policy_ids: upended(scene) }),
      refused: { standalone: "CONTROLLER_UNSUPPORTED" },
      sent: (scene) => [
        {
          method: "PUT",
          path: /^\/integration\/v1\/sites\/[0-9a-f-]{36}\/firewall\/policies\/ordering\?sourceFirewallZoneId=[0-9a-f-]{36}&destinationFirewallZoneId=[0-9a-f-]{36}$/,
          body: { orderedFirewallPolicyIds: upended(scene) },
        },
      ],
    },
    {
      tool: "unifi_delete_firewall_policy",
      args: ({ kept }) => ({ policy_id: kept.policy }),
      sent: ({ kept }) => [{ method: "DELETE", path: `${POLICIES}/${String(kept.policy)}` }],
    },
  ],
};

/** The kept order with every policy moved behind the console's own. */
function upended({ kept }: Scene): Row {
  const { beforeSystemDefined = [], afterSystemDefined = [] } = (kept.ordering ?? {}) as Readonly<
    Record<string, readonly string[]>
  >;
  return { beforeSystemDefined: [], afterSystemDefined: [...afterSystemDefined, ...beforeSystemDefined].reverse() };
}

export default firewall;
