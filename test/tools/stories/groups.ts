/** User groups, client groups, dynamic DNS, vouchers and the lists of DPI. */
import assert from "node:assert/strict";
import { isRow } from "../../../src/tools/rows.ts";
import type { Story } from "./story.ts";

const USERGROUPS = "/api/s/default/rest/usergroup";
const MEMBERS = "/v2/api/site/default/network-members-group";
const DYNDNS = "/api/s/default/rest/dynamicdns";
const HOTSPOT = "/api/s/default/cmd/hotspot";
const MAC = "02:00:5e:00:53:01";

const groups: Story = {
  about: "groups, dynamic DNS, vouchers and DPI lists",
  steps: [
    { tool: "unifi_list_usergroups", holds: ({ count }) => assert.ok(Number(count) > 0) },
    {
      tool: "unifi_create_usergroup",
      args: { name: "Slow", down_limit_kbps: 5000 },
      sent: [
        { method: "POST", path: USERGROUPS, body: { name: "Slow", qos_rate_max_down: 5000, qos_rate_max_up: -1 } },
      ],
      holds: ({ group_id: id, usergroup }, { kept }) => {
        assert.partialDeepStrictEqual(usergroup, { name: "Slow", qos_rate_max_down: 5000 });
        kept.usergroup = id;
      },
    },
    {
      tool: "unifi_get_usergroup_details",
      args: ({ kept }) => ({ group_id: kept.usergroup }),
      holds: ({ usergroup }) => assert.partialDeepStrictEqual(usergroup, { name: "Slow", qos_rate_max_up: -1 }),
    },
    {
      tool: "unifi_update_usergroup",
      args: ({ kept }) => ({ group_id: kept.usergroup, name: null, up_limit_kbps: 2000 }),
      sent: ({ kept }) => [{ method: "PUT", path: `${USERGROUPS}/${String(kept.usergroup)}` }],
      holds: async (_answer, { kept, read }) => {
        const { usergroup } = await read("unifi_get_usergroup_details", { group_id: kept.usergroup });
        assert.partialDeepStrictEqual(usergroup, { name: "Slow", qos_rate_max_down: 5000, qos_rate_max_up: 2000 });
      },
    },
    {
      tool: "unifi_list_client_groups",
      holds: ({ groups: rows }) => assert.ok(Array.isArray(rows) && rows.length > 0),
    },
    {
      tool: "unifi_create_client_group",
      args: { name: "Kids", members: ["02005E005301", MAC] },
      sent: [{ method: "POST", path: MEMBERS, body: { type: "CLIENTS", name: "Kids", members: [MAC] } }],
      holds: ({ group_id: id }, { kept }) => {
        assert.equal(typeof id, "string");
        kept.members = id;
      },
    },
    {
      tool: "unifi_get_client_group_details",
      args: ({ kept }) => ({ group_id: kept.members }),
      holds: ({ details }) => assert.partialDeepStrictEqual(details, { name: "Kids", members: [MAC] }),
    },
    {
      tool: "unifi_update_client_group",
      args: ({ kept }) => ({ group_id: kept.members, group_data: { name: "Children" } }),
      sent: ({ kept }) => [
        {
          method: "PUT",
          path: `${MEMBERS}/${String(kept.members)}`,
          body: { id: kept.members, type: "CLIENTS", name: "Children", members: [MAC] },
        },
      ],
    },
    {
      tool: "unifi_delete_client_group",
      args: ({ kept }) => ({ group_id: kept.members }),
      sent: ({ kept }) => [{ method: "DELETE", path: `${MEMBERS}/${String(kept.members)}` }],
    },
    {
      tool: "unifi_create_dynamic_dns",
      args: {
        entry_data: { host_name: "home.example.com", service: "duckdns", login: "me", x_password: "planted-secret" },
      },
      sent: [
        {
          method: "POST",
          path: DYNDNS,
          body: {
            interface: "wan",
            host_name: "home.example.com",
            service: "duckdns",
            login: "me",
            x_password: "planted-secret",
          },
        },
      ],
      holds: ({ entry_id: id }, { kept }) => {
        kept.entry = id;
      },
    },
    {
      tool: "unifi_list_dynamic_dns",
      holds: ({ entries }) => {
        assert.ok(Array.isArray(entries) && entries.some((row) => isRow(row) && row.host_name === "home.example.com"));
      },
    },
    {
      tool: "unifi_get_dynamic_dns_entry_details",
      args: ({ kept }) => ({ entry_id: kept.entry }),
      holds: ({ details }) => assert.partialDeepStrictEqual(details, { service: "duckdns", login: "me" }),
    },
    {
      tool: "unifi_update_dynamic_dns",
      args: ({ kept }) => ({ entry_id: kept.entry, update_data: { host_name: "house.example.com" } }),
      sent: ({ kept }) => [{ method: "PUT", path: `${DYNDNS}/${String(kept.entry)}` }],
      holds: (_answer, { simulator, kept }) => {
        const entries = simulator.state.sites.get("default")?.tables.dynamicdns ?? [];
        const entry = entries.find(({ _id: id }) => id === kept.entry);
        assert.partialDeepStrictEqual(entry, { host_name: "house.example.com", x_password: "planted-secret" });
      },
    },
    {
      tool: "unifi_delete_dynamic_dns",
      args: ({ kept }) => ({ entry_id: kept.entry }),
      sent: ({ kept }) => [{ method: "DELETE", path: `${DYNDNS}/${String(kept.entry)}` }],
    },
    {
      tool: "unifi_create_voucher",
      args: { count: 3, expire_minutes: 60, note: "Party", down_limit_kbps: 2000 },
      sent: [
        {
          method: "POST",
          path: HOTSPOT,
          body: { cmd: "create-voucher", expire: 60, n: 3, quota: 1, note: "Party", down: 2000 },
        },
      ],
      holds: ({ vouchers }, { kept }) => {
        assert.ok(Array.isArray(vouchers) && vouchers.length === 3);
        const [first] = vouchers.filter(isRow);
        assert.match(String(first?.code), /^\d{10}$/);
        assert.partialDeepStrictEqual(first, { duration: 60, quota: 1, note: "Party", down_limit_kbps: 2000 });
        kept.voucher = first?.id;
      },
    },
    {
      tool: "unifi_list_vouchers",
      args: { filter: "Party" },
      holds: ({ count }) => assert.equal(count, 3),
    },
    {
      tool: "unifi_get_voucher_details",
      args: ({ kept }) => ({ voucher_id: kept.voucher }),
      holds: ({ voucher }, { kept }) => assert.equal(isRow(voucher) && voucher.id, kept.voucher),
    },
    {
      tool: "unifi_revoke_voucher",
      args: ({ kept }) => ({ voucher_id: kept.voucher }),
      sent: ({ kept }) => [{ method: "POST", path: HOTSPOT, body: { cmd: "delete-voucher", _id: kept.voucher } }],
    },
    {
      tool: "unifi_list_dpi_applications",
      refused: { standalone: "CONTROLLER_UNSUPPORTED" },
      args: { limit: 2 },
      holds: ({ applications, returned, total_count: total }) => {
        assert.ok(Array.isArray(applications));
        assert.equal(returned, applications.length);
        assert.ok(Number(total) >= applications.length && applications.length > 0);
      },
    },
    {
      tool: "unifi_list_dpi_categories",
      refused: { standalone: "CONTROLLER_UNSUPPORTED" },
      holds: ({ categories }) => assert.ok(Array.isArray(categories) && categories.length > 0),
    },
  ],
};

export default groups;
