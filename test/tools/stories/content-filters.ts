/** Content filters, which the console lists but does not read by id. */
import assert from "node:assert/strict";
import { isRow } from "../../../src/tools/rows.ts";
import type { Story } from "./story.ts";

const FILTERS = "/v2/api/site/default/content-filtering";

const contentFilters: Story = {
  about: "content filters",
  steps: [
    {
      tool: "unifi_list_content_filters",
      holds: ({ filters }, { kept }) => {
        const [filter] = Array.isArray(filters) ? filters.filter(isRow) : [];
        assert.partialDeepStrictEqual(filter ?? {}, {
          name: "Family",
          enabled: true,
          blocked_categories: ["FAMILY"],
          safe_search: ["GOOGLE", "YOUTUBE"],
          schedule_mode: "ALWAYS",
        });
        kept.id = filter?.id;
      },
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
            safe_search: ["GOOGLE", "YOUTUBE"],
            client_macs: ["02:00:0a:00:10:01"],
            network_ids: [],
            allow_list: [],
            block_list: ["blocked.example"],
            schedule: { mode: "EVERY_DAY", time_all_day: false, time_range_start: "07:00", time_range_end: "21:00" },
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
          schedule: { mode: "EVERY_DAY", time_range_end: "21:00" },
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
