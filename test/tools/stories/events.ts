/** Alarms, and events as they happen on the console's own socket. */
import assert from "node:assert/strict";
import type { Row } from "../../../src/controller/controller.ts";
import { isRow } from "../../../src/tools/rows.ts";
import { until } from "../../support/until.ts";
import type { Story } from "./story.ts";

const COMMAND = "/api/s/default/cmd/evtmgr";
const list = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isRow) : []);

const events: Story = {
  about: "events and alarms",
  steps: [
    {
      tool: "unifi_get_event_types",
      holds: ({ event_types: types }) => assert.ok(list(types).some(({ prefix }) => prefix === "EVT_WU_")),
    },
    {
      tool: "unifi_list_alarms",
      holds: ({ alarms }, { kept }) => {
        const [alarm] = list(alarms);
        assert.match(String(alarm?.msg), /detected radar/);
        assert.equal(alarm?.archived, false);
        kept.alarm = alarm?.id;
      },
    },
    {
      tool: "unifi_archive_alarm",
      args: ({ kept }) => ({ alarm_id: kept.alarm }),
      sent: ({ kept }) => [{ method: "POST", path: COMMAND, body: { cmd: "archive-alarm", _id: kept.alarm } }],
    },
    {
      tool: "unifi_archive_all_alarms",
      before: ({ simulator }) => {
        const alarms = simulator.state.sites.get("default")?.tables.alarm ?? [];
        for (const alarm of alarms) Object.assign(alarm, { archived: false });
      },
      sent: [{ method: "POST", path: COMMAND, body: { cmd: "archive-all-alarms" } }],
      holds: ({ archived_count: count }) => assert.ok(Number(count) > 0),
    },
    {
      tool: "unifi_subscribe_events",
      holds: ({ connected, instructions }) => {
        assert.equal(connected, true);
        assert.match(String(instructions), /unifi_recent_events/);
      },
    },
    {
      tool: "unifi_recent_events",
      before: async ({ simulator, read, first }) => {
        const { mac } = await first("unifi_list_devices", "devices", { device_type: "ap" });
        simulator.sockets.sendRaw("");
        simulator.sockets.publish("default", "sta:sync", [{ mac }]);
        simulator.sockets.publish("default", "events", [
          { _id: "e1", key: "EVT_AP_Restarted", ap: mac, msg: "AP restarted", time: Date.now(), subsystem: "wlan" },
        ]);
        await until("the event has arrived", async () => Number((await read("unifi_recent_events")).count) > 0);
      },
      args: { event_type: "EVT_AP_" },
      holds: ({ events: rows, connected, gaps }) => {
        assert.equal(connected, true);
        assert.deepEqual(gaps, []);
        assert.equal(list(rows).length, 1);
        assert.partialDeepStrictEqual(list(rows)[0], { key: "EVT_AP_Restarted", msg: "AP restarted" });
      },
    },
  ],
};

export default events;
