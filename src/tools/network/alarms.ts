/** Alarms: what the console wants somebody to look at, and putting it away. */
import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { idOf } from "../collection.ts";
import { listArguments, listOutput, listPayload } from "../listing.ts";
import { project, type RowTable } from "../rows.ts";
import { defineTool, type Plan } from "../tool.ts";
import { criticalLog } from "./critical-log.ts";
import { EVENT_TABLE, isAbsent, legacyRow } from "./log-rows.ts";

const TABLE: RowTable = { ...EVENT_TABLE, archived: "boolean" };
const COMMON = { app: "network", category: "events" } as const;
const UPDATE = { category: "events", action: "update" } as const;
const ALARMS = "GET /api/s/{site}/stat/alarm";
const COMMAND = "POST /api/s/{site}/cmd/evtmgr";
const DEFAULT_LIMIT = 100;

async function readAlarms(network: NetworkSite): Promise<readonly Row[]> {
  return network.v1("GET", "/stat/alarm");
}

function alarmRow(raw: Row): Row {
  return project({ ...legacyRow(raw), time: raw.time, id: idOf(raw), archived: raw.archived === true }, TABLE);
}

export default [
  defineTool({
    ...COMMON,
    name: "unifi_list_alarms",
    title: "List alarms",
    summary: "List alarms that wait to be looked at.",
    description:
      "Alarms of the site with their texts, newest first; those with an id of the alarm list can be put away with unifi_archive_alarm. The whole log is in unifi_list_events.",
    permission: { category: "events", action: "read" },
    input: {
      include_archived: Type.Optional(Type.Boolean({ description: "Also those put away", default: false })),
      ...listArguments(DEFAULT_LIMIT),
    },
    output: {
      ...listOutput("alarms", TABLE),
      include_archived: Type.Optional(Type.Boolean()),
      source: Type.Optional(Type.String()),
    },
    reads: [ALARMS, "POST /v2/api/site/{site}/system-log/critical"],
    asks: [
      "open warnings",
      "what wants my attention",
      "radar was detected",
      "unacknowledged notices",
      "show alarms",
      "open alarms",
      "active alerts",
      "unresolved alarms",
      "any warnings",
      "what is still unresolved",
      "notifications waiting for me",
      "outstanding issues",
    ],
    async run(context, args) {
      const { include_archived: archivedToo = false, ...listed } = args;
      const { network } = context;
      let source = "alarms";
      let rows: readonly Row[] = [];
      let listIsAbsent = false;
      try {
        rows = (await readAlarms(network)).map(alarmRow);
      } catch (thrown) {
        if (!isAbsent(thrown)) throw thrown;
        listIsAbsent = true;
      }
      const wanted = rows.filter((row) => archivedToo || row.archived === false);
      if (rows.length === 0) {
        // newer consoles keep no alarm list: their serious log entries take its place
        source = "log";
        rows = await criticalLog(context).catch((thrown: unknown) => {
          if (isAbsent(thrown) && !listIsAbsent) return [];
          throw thrown; // neither: the console's refusal says it, and no empty list pretends that all is well
        });
      } else rows = wanted;
      const sorted = rows.toSorted((a, b) => String(b.time).localeCompare(String(a.time), "en"));
      const payload = listPayload({
        site: network.site,
        rowsName: "alarms",
        table: TABLE,
        rows: sorted,
        args: listed,
        defaultLimit: DEFAULT_LIMIT,
      });
      return { ...payload, include_archived: archivedToo, source };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_archive_alarm",
    title: "Archive alarm",
    summary: "Put one alarm away.",
    description: "Marks one alarm of the alarm list as dealt with. Entries of the log (source log) cannot be put away.",
    permission: UPDATE,
    input: { alarm_id: Type.String({ description: "Id of the alarm", minLength: 1, maxLength: 64 }) },
    aliases: { id: "alarm_id", _id: "alarm_id" },
    output: { alarm_id: Type.Optional(Type.String()) },
    reads: [ALARMS],
    writes: [COMMAND],
    asks: [
      "acknowledge a warning",
      "dismiss one notice",
      "mark as read",
      "archive an alarm",
      "acknowledge an alarm",
      "dismiss this alert",
      "mark the alarm as handled",
      "close one alarm",
      "this warning is dealt with",
      "one notification can go",
    ],
    async plan({ network }, { alarm_id: id }): Promise<Plan> {
      const find = async () => (await readAlarms(network)).find((alarm) => idOf(alarm) === id);
      const alarm = await find();
      if (alarm === undefined) {
        throw new EdgeError("NOT_FOUND", "No alarm has this id.", { hint: "unifi_list_alarms lists the ids." });
      }
      return {
        action: "update",
        resourceType: "alarm",
        resourceId: id,
        current: { archived: alarm.archived === true },
        proposed: { archived: true },
        unchanged: alarm.archived === true,
        async apply() {
          await network.v1("POST", "/cmd/evtmgr", { cmd: "archive-alarm", _id: id });
          return { alarm_id: id };
        },
        // some consoles take an archived alarm off the list
        readBack: async () => {
          const after = await find();
          return { archived: after === undefined || after.archived === true };
        },
      };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_archive_all_alarms",
    title: "Archive all alarms",
    summary: "Put all alarms away.",
    description: "Marks every alarm of the alarm list as dealt with.",
    permission: UPDATE,
    input: {},
    output: { archived_count: Type.Optional(Type.Integer()) },
    reads: [ALARMS],
    writes: [COMMAND],
    asks: [
      "clear the whole alert list",
      "acknowledge everything",
      "dismiss all notices",
      "clear all alarms",
      "acknowledge all alerts",
      "archive everything",
      "dismiss all notifications",
      "empty the notification list",
      "too many alarms, reset them",
    ],
    async plan({ network }): Promise<Plan> {
      const open = async () => (await readAlarms(network)).filter((alarm) => alarm.archived !== true).length;
      const count = await open();
      return {
        action: "update",
        resourceType: "alarm",
        current: { open_alarms: count },
        proposed: { open_alarms: 0 },
        unchanged: count === 0,
        async apply() {
          await network.v1("POST", "/cmd/evtmgr", { cmd: "archive-all-alarms" });
          return { archived_count: count };
        },
        readBack: async () => ({ open_alarms: await open() }),
      };
    },
  }),
];
