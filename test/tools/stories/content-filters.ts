/** Content filters, which the console lists but does not read by id. */
import assert from "node:assert/strict";
import type { Scene, Story } from "./story.ts";

const FILTERS = "/v2/api/site/default/content-filtering";

/** A filter as the console's own pages make it: the API cannot. */
function familyFilter({ simulator, kept }: Scene): void {
  const site = simulator.state.sites.get("default");
  assert.ok(site);
  kept.id = simulator.state.newId();
  kept.network = site.tables.networkconf[1]?._id;
  site.tables["content-filtering"].push({
    _id: kept.id,
    name: "Family",
    enabled: true,
    categories: ["FAMILY"],
    safe_search: ["GOOGLE"],
    client_macs: [],
    network_ids: [kept.network],
    allow_list: ["example.com"],
    block_list: [],
    schedule: { mode: "ALWAYS", time_all_day: false, time_range_start: "09:00", time_range_end: "12:00" },
  });
}

const contentFilters: Story = {
  about: "content filters",
  steps: [
    {
      tool: "unifi_list_content_filters",
      before: familyFilter,
      holds: ({ filters }, { kept }) =>
        assert.deepEqual(filters, [
          {
            id: kept.id,
            name: "Family",
            enabled: true,
            blocked_categories: ["FAMILY"],
            safe_search: ["GOOGLE"],
            allow_list: ["example.com"],
            block_list: [],
            client_macs: [],
            network_ids: [kept.network],
            schedule_mode: "ALWAYS",
          },
        ]),
    },
    {
      tool: "unifi_update_content_filter",
      args: ({ kept }) => ({
        filter_id: kept.id,
        filter_data: {
          blocked_categories: ["FAMILY", "ADVERTISEMENT"],
          client_macs: ["02-00-0A-00-10-01"],
          schedule_mode: "EVERY_DAY",
        },
      }),
      sent: ({ kept }) => [
        {
          method: "PUT",
          path: `${FILTERS}/${String(kept.id)}`,
          body: {
            _id: kept.id,
            name: "Family",
            enabled: true,
            categories: ["FAMILY", "ADVERTISEMENT"],
            safe_search: ["GOOGLE"],
            client_macs: ["02:00:0a:00:10:01"],
            network_ids: [kept.network],
            allow_list: ["example.com"],
            block_list: [],
            schedule: { mode: "EVERY_DAY", time_all_day: false, time_range_start: "09:00", time_range_end: "12:00" },
          },
        },
      ],
    },
    {
      tool: "unifi_get_content_filter_details",
      args: ({ kept }) => ({ filter_id: kept.id }),
      holds: ({ details }) =>
        assert.partialDeepStrictEqual(details, {
          categories: ["FAMILY", "ADVERTISEMENT"],
          schedule: { mode: "EVERY_DAY", time_range_end: "12:00" },
        }),
    },
    {
      tool: "unifi_delete_content_filter",
      args: ({ kept }) => ({ filter_id: kept.id }),
      sent: ({ kept }) => [{ method: "DELETE", path: `${FILTERS}/${String(kept.id)}` }],
    },
  ],
};

export default contentFilters;
