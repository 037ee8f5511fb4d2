/** v1 `cmd`: commands to clients, devices, hotspot, backups and the event log. */

import { BACKUP_COMMANDS } from "./cmd-backup.ts";
import { CLIENT_COMMANDS } from "./cmd-client.ts";
import { DEVICE_COMMANDS } from "./cmd-device.ts";
import { EVENT_COMMANDS } from "./cmd-event.ts";
import { HOTSPOT_COMMANDS } from "./cmd-hotspot.ts";
import type { Commands } from "./commands.ts";
import type { Endpoint, Reply, SiteExchange } from "./exchange.ts";
import { v1Error } from "./replies.ts";
import { v1Reads, v1Writes } from "./v1.ts";
import { textOf } from "./world.ts";

const MANAGERS: Readonly<Record<string, Commands>> = {
  stamgr: CLIENT_COMMANDS,
  devmgr: DEVICE_COMMANDS,
  hotspot: HOTSPOT_COMMANDS,
  backup: BACKUP_COMMANDS,
  evtmgr: EVENT_COMMANDS,
};

export const V1_CMD: readonly Endpoint[] = [
  ...v1Writes([
    ["POST", "cmd/:manager", (x) => run(x, textOf(x.body.cmd))],
    // the command may stand in the path instead: cmd/devmgr/upgrade
    ["POST", "cmd/:manager/:cmd", (x) => run(x, x.param("cmd"))],
  ]),
  // a command is never a GET
  ...v1Reads([["GET", "cmd/:manager", () => v1Error("InvalidObject")]]),
];

function run(x: SiteExchange, name: string): Reply {
  const commands = MANAGERS[x.param("manager")];
  if (commands === undefined) return v1Error("InvalidObject");
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return command === undefined ? v1Error("NotFound") : command(x);
}
