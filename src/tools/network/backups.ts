/** Backups of the Network application: listed, made, removed. */
import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { type ListArguments, listArguments, listOutput, listPayload } from "../listing.ts";
import { isoTime, project, type RowTable, rowSchema } from "../rows.ts";
import { defineTool, type Plan } from "../tool.ts";

const TABLE: RowTable = {
  id: "string",
  filename: "string",
  size: "integer",
  created_at: "time",
  version: "string",
  type: "string",
  days: "integer",
};
const COMMON = { app: "network", category: "system" } as const;
const COMMAND = "POST /api/s/{site}/cmd/backup";
const DEFAULT_LIMIT = 100;

function backupRow(raw: Row): Row {
  const created = isoTime(raw.time) === undefined ? Date.parse(String(raw.datetime)) : raw.time;
  return project({ ...raw, id: raw._id ?? raw.filename, created_at: created }, TABLE);
}

async function listBackups(network: NetworkSite): Promise<readonly Row[]> {
  return (await network.v1("POST", "/cmd/backup", { cmd: "list-backups" })).map(backupRow);
}

export default [
  defineTool({
    ...COMMON,
    name: "unifi_list_backups",
    title: "List backups",
    summary: "List the console's backups.",
    description:
      "Lists the backup files that the console keeps, with size, time and version. Their schedule is in unifi_get_autobackup_settings.",
    permission: { category: "system", action: "read" },
    input: listArguments(DEFAULT_LIMIT),
    output: listOutput("backups", TABLE),
    reads: [COMMAND],
    asks: [
      "restore points",
      "when was the configuration last saved",
      "unf files on the console",
      "which backups do we have",
      "show saved backups",
      "latest backup",
      "old backup files",
      "can we go back to last week",
      "when was the last safety copy",
    ],
    async run({ network }, args: ListArguments) {
      const rows = (await listBackups(network)).toSorted((a, b) => compare(b.created_at, a.created_at));
      return listPayload({
        site: network.site,
        rowsName: "backups",
        table: TABLE,
        rows,
        args: { ...args },
        defaultLimit: DEFAULT_LIMIT,
      });
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_create_backup",
    title: "Create backup",
    summary: "Make a backup of the console now.",
    description:
      "Makes a backup of the Network application's settings and statistics on the console. It can take minutes on a large site.",
    permission: { category: "system", action: "create" },
    annotations: { idempotentHint: false },
    input: {},
    output: { details: Type.Optional(Type.Object({})), backup: Type.Optional(rowSchema(TABLE)) },
    reads: [COMMAND],
    writes: [COMMAND],
    asks: [
      "save the configuration before a change",
      "take a restore point",
      "export the settings",
      "take a backup now",
      "back up the controller before upgrading",
      "make a snapshot of the configuration",
      "save the current config",
      "run a backup",
      "save everything before I change things",
      "safety copy now",
    ],
    async plan({ network }): Promise<Plan> {
      const before = new Set((await listBackups(network)).map(({ filename }) => filename));
      const newest = async () => (await listBackups(network)).find(({ filename }) => !before.has(filename));
      return {
        action: "create",
        resourceType: "backup",
        proposed: { made: true },
        warnings: before.size === 0 ? [] : ["Old backups may be removed where the console keeps only so many."],
        async apply() {
          const [details = {}] = await network.v1("POST", "/cmd/backup", { cmd: "backup" });
          const backup = await newest();
          return { details, ...(backup && { backup }) };
        },
        readBack: async () => ((await newest()) === undefined ? {} : { made: true }),
      };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_delete_backup",
    title: "Delete backup",
    summary: "Delete a backup file.",
    description: "Removes a backup file from the console for good.",
    permission: { category: "system", action: "delete" },
    input: {
      filename: Type.String({ description: "File name, as unifi_list_backups shows it", minLength: 1, maxLength: 256 }),
    },
    aliases: { file: "filename", name: "filename", backup: "filename" },
    output: { filename: Type.Optional(Type.String()) },
    reads: [COMMAND],
    writes: [COMMAND],
    asks: [
      "remove an old restore point",
      "free space by erasing saved configurations",
      "remove an old backup file",
      "delete outdated backups",
      "clean up backups",
      "disk is full, drop an old copy",
    ],
    async plan({ network }, { filename }): Promise<Plan> {
      const find = async () => (await listBackups(network)).find((backup) => backup.filename === filename);
      const backup = await find();
      if (backup === undefined) {
        throw new EdgeError("NOT_FOUND", "No backup has this file name.", {
          hint: "unifi_list_backups lists the file names.",
        });
      }
      return {
        action: "delete",
        resourceType: "backup",
        resourceId: filename,
        current: backup,
        warnings: ["A removed backup cannot be brought back."],
        async apply() {
          await network.v1("POST", "/cmd/backup", { cmd: "delete-backup", filename });
          return { filename };
        },
        readBack: find,
      };
    },
  }),
];

function compare(left: unknown, right: unknown): number {
  return String(left).localeCompare(String(right), "en");
}
