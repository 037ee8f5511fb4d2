/** Object-oriented policies: one is made in the short form, changed, paused and removed. */
import assert from "node:assert/strict";
import type { Row } from "../../../src/controller/controller.ts";
import type { Story } from "./story.ts";

const ONE = "/v2/api/site/default/object-oriented-network-config";
const TABLET = { type: "MAC", value: "02:00:5e:10:01:03" };
const CONSOLE = { type: "MAC", value: "02:00:5e:10:01:04" };
const ALWAYS = { mode: "ALWAYS" };

const oon: Story = {
  about: "object-oriented policies",
  steps: [
    {
      tool: "unifi_create_oon_policy",
      args: {
        name: "Bedtime",
        target_type: "CLIENTS",
        targets: ["02-00-5E-10-01-03"],
        secure: { mode: "TURN_OFF_INTERNET", schedule: ALWAYS },
        qos: null,
      },
      sent: [
        {
          method: "POST",
          path: ONE,
          body: {
            name: "Bedtime",
            enabled: true,
            target_type: "CLIENTS",
            targets: [TABLET],
            secure: { enabled: true, internet: { mode: "TURN_OFF_INTERNET", schedule: ALWAYS } },
          },
        },
      ],
      holds({ policy_id: id, policy }, { kept }) {
        assert.partialDeepStrictEqual(policy, { name: "Bedtime", targets: [TABLET] });
        kept.id = id;
      },
    },
    {
      tool: "unifi_list_oon_policies",
      holds({ policies }) {
        const found = (policies as readonly Row[]).find(({ name }) => name === "Bedtime");
        assert.deepEqual(found?.applies_to, [TABLET]);
      },
    },
    {
      tool: "unifi_get_oon_policy_details",
      args: ({ kept }) => ({ policy_id: kept.id }),
      holds: ({ details }) =>
        assert.partialDeepStrictEqual(details, { secure: { internet: { mode: "TURN_OFF_INTERNET" } } }),
    },
    {
      tool: "unifi_update_oon_policy",
      args: ({ kept }) => ({
        policy_id: kept.id,
        policy_data: { applies_to: ["02:00:5e:10:01:03", CONSOLE], qos_enabled: true },
      }),
      sent: ({ kept }) => [
        {
          method: "PUT",
          path: `${ONE}/${String(kept.id)}`,
          body: {
            id: kept.id,
            name: "Bedtime",
            enabled: true,
            target_type: "CLIENTS",
            targets: [TABLET, CONSOLE],
            secure: { enabled: true, internet: { mode: "TURN_OFF_INTERNET", schedule: ALWAYS } },
            qos: { enabled: true },
          },
        },
      ],
    },
    {
      tool: "unifi_toggle_oon_policy",
      args: ({ kept }) => ({ policy_id: kept.id }),
      sent: ({ kept }) => [{ method: "PUT", path: `${ONE}/${String(kept.id)}` }],
      holds: ({ enabled }) => assert.equal(enabled, false),
    },
    {
      tool: "unifi_delete_oon_policy",
      args: ({ kept }) => ({ policy_id: kept.id }),
      sent: ({ kept }) => [{ method: "DELETE", path: `${ONE}/${String(kept.id)}` }],
    },
  ],
};

export default oon;
