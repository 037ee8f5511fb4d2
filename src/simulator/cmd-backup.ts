/** cmd/backup: make, list and remove backups. */

import type { Commands } from "./commands.ts";
import { ok, v1Error } from "./replies.ts";
import { insertRow, removeRow } from "./site.ts";
import { nowSeconds, textOf } from "./world.ts";

export const BACKUP_COMMANDS: Commands = {
  backup: (x) => {
    const filename = `${x.world.networkVersion}_${nowSeconds(x.world)}.unf`;
    insertRow(x.site, "backup", {
      controller_name: x.world.name,
      filename,
      type: "primary",
      version: x.world.networkVersion,
      time: x.world.now(),
      datetime: new Date(x.world.now()).toISOString(),
      format: "bson",
      days: -1,
      size: 48_128,
    });
    x.effect("backup");
    return ok([{ url: `/dl/backup/${filename}` }]);
  },
  "list-backups": (x) => ok(x.site.tables.backup),
  "delete-backup": (x) => {
    const filename = textOf(x.body.filename);
    const backup = x.site.tables.backup.find((row) => row.filename === filename);
    if (backup === undefined) return v1Error("NotFound");
    removeRow(x.site, "backup", backup);
    x.effect(`delete-backup ${filename}`);
    return ok([]);
  },
};
