/** cmd/evtmgr: archive alarms. */

import type { Commands } from "./commands.ts";
import { ok, v1Error } from "./replies.ts";
import { findRow } from "./site.ts";
import { textOf } from "./world.ts";

export const EVENT_COMMANDS: Commands = {
  "archive-alarm": (x) => {
    const id = textOf(x.body._id);
    const alarm = findRow(x.site, "alarm", id);
    if (alarm === undefined) return v1Error("IdInvalid");
    alarm.archived = true;
    x.effect(`archive-alarm ${id}`);
    return ok([alarm]);
  },
  "archive-all-alarms": (x) => {
    for (const alarm of x.site.tables.alarm) alarm.archived = true;
    x.effect("archive-all-alarms");
    return ok([]);
  },
};
