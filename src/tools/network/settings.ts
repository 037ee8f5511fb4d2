/** Settings of the site: who it is, SNMP, automatic backups. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { invalid } from "../arguments.ts";
import { project, type RowTable, rowSchema } from "../rows.ts";
import { readSection, sectionChange } from "../settings.ts";
import { defineTool, type Plan } from "../tool.ts";

const COMMON = { app: "network", category: "system" } as const;
const READ = { category: "system", action: "read" } as const;
const SITE: RowTable = { site_id: "string", name: "string", role: "string", country: "string", timezone: "string" };
const SNMP: RowTable = {
  enabled: "boolean",
  enabled_v3: "boolean",
  username: "string",
  port: "integer",
  version: "string",
};
const AUTOBACKUP: RowTable = {
  autobackup_enabled: "boolean",
  autobackup_cron_expr: "string",
  autobackup_days: "integer",
  autobackup_max_files: "integer",
  autobackup_timezone: "string",
  autobackup_cloud_enabled: "boolean",
};

/** The console calls the cloud switch otherwise. */
function autobackupOf(section: Row): Row {
  return project(
    { ...section, autobackup_cloud_enabled: section.backup_to_cloud_enabled ?? section.autobackup_cloud_enabled },
    AUTOBACKUP,
  );
}

function encodeAutobackup({ autobackup_cloud_enabled: cloud, ...others }: Row): Row {
  return { ...others, ...(cloud === undefined ? {} : { backup_to_cloud_enabled: cloud }) };
}

/** ISO 3166-1 numbers of the country section are left as they are: the console's pages show names, its API numbers. */
function siteSettings(sections: readonly Row[], siteId: unknown): Row {
  const section = (key: string) => sections.find((each) => each.key === key) ?? {};
  return project(
    {
      site_id: siteId ?? section("country").site_id,
      name: section("super_identity").name,
      role: section("super_identity").hostname,
      country: section("country").code,
      timezone: section("locale").timezone,
    },
    SITE,
  );
}

export default [
  defineTool({
    ...COMMON,
    name: "unifi_get_site_settings",
    title: "Get site settings",
    summary: "Show a site's name, country and time zone.",
    description:
      "The site's identity: the console's name, country code and time zone. What runs where: unifi_get_system_info.",
    permission: READ,
    input: {},
    output: { site: Type.Optional(Type.String()), site_settings: Type.Optional(rowSchema(SITE)) },
    reads: ["GET /api/s/{site}/get/setting"],
    asks: [
      "which country is this set to",
      "regulatory domain",
      "time zone of the branch",
      "what country is the site set to",
      "site name",
      "regulatory region",
      "locale settings",
      "timezone of the site",
      "which country are the radios set for",
      "what is this site called",
      "clock settings",
    ],
    async run({ network }) {
      const sections = await network.v1("GET", "/get/setting");
      return { site: network.site, site_settings: siteSettings(sections, sections[0]?.site_id) };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_get_snmp_settings",
    title: "Get SNMP settings",
    summary: "Show the SNMP settings.",
    description: "Whether devices answer SNMP, and how. The community string is never shown.",
    permission: READ,
    input: {},
    output: { site: Type.Optional(Type.String()), snmp_settings: Type.Optional(rowSchema(SNMP)) },
    reads: ["GET /api/s/{site}/get/setting/snmp"],
    asks: [
      "can zabbix poll the switches",
      "monitoring protocol on or off",
      "mib polling",
      "is snmp enabled",
      "snmp community configured",
      "can our monitoring system query devices",
      "is polling by mib allowed",
    ],
    async run({ network }) {
      const section = await readSection(network, "snmp");
      return {
        site: network.site,
        snmp_settings: { enabled: false, ...project({ ...section, enabled_v3: section.enabledV3 }, SNMP) },
      };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_update_snmp_settings",
    title: "Update SNMP settings",
    summary: "Turn SNMP on or off, set its community.",
    description: "Lets devices answer SNMP v1/v2c or stops it; community is the shared word, and is never shown again.",
    permission: { category: "snmp", action: "update" },
    input: {
      enabled: Type.Boolean({ description: "Whether devices answer" }),
      community: Type.Optional(
        Type.Unsafe<string | null>({
          type: ["string", "null"],
          description: "Community string; left out = kept",
          minLength: 1,
          maxLength: 256,
        }),
      ),
    },
    output: { updated_fields: Type.Optional(Type.Array(Type.String())), snmp_settings: Type.Optional(rowSchema(SNMP)) },
    reads: ["GET /api/s/{site}/get/setting/snmp"],
    writes: ["PUT /api/s/{site}/set/setting/snmp"],
    asks: [
      "let prtg poll our switches",
      "new community string",
      "stop answering mib queries",
      "enable snmp for monitoring",
      "turn on snmp",
      "disable snmp",
      "change the snmp community",
      "allow librenms to poll",
      "our nms cannot read the switches",
      "rotate the community",
    ],
    async plan({ network }, { enabled, community }): Promise<Plan> {
      const asked = { enabled, ...(typeof community === "string" ? { community } : {}) };
      return sectionChange(network, {
        key: "snmp",
        asked,
        show: (section) => ({ enabled: section.enabled === true, community: section.community }),
        whole: false,
        warnings: enabled ? ["SNMP v1/v2c sends the community in clear text."] : [],
        answer: () => ({ snmp_settings: { enabled } }),
      });
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_get_autobackup_settings",
    title: "Get backup schedule",
    summary: "Show when backups are made by themselves.",
    description: "Whether, when and for how long the console backs itself up. The backups are in unifi_list_backups.",
    permission: READ,
    input: {},
    output: { site: Type.Optional(Type.String()), autobackup_settings: Type.Optional(rowSchema(AUTOBACKUP)) },
    reads: ["GET /api/s/{site}/get/setting/super_mgmt"],
    asks: [
      "is the config saved every night",
      "retention of saved configurations",
      "cron of the saving job",
      "are automatic backups on",
      "how often does it back itself up",
      "backup schedule",
      "how many backups are kept",
      "when is the next automatic copy",
    ],
    async run({ network }) {
      return { site: network.site, autobackup_settings: autobackupOf(await readSection(network, "super_mgmt")) };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_update_autobackup_settings",
    title: "Update backup schedule",
    summary: "Set when backups are made by themselves.",
    description: "Changes whether, when and how many backups the console makes by itself; what is not named stays.",
    permission: { category: "system", action: "update" },
    input: {
      update_data: Type.Object(
        {
          autobackup_enabled: Type.Optional(Type.Boolean({ description: "Back up by itself" })),
          autobackup_cron_expr: Type.Optional(
            Type.String({ description: "Cron expression, e.g. 0 0 * * 0", minLength: 9, maxLength: 100 }),
          ),
          autobackup_days: Type.Optional(
            Type.Integer({
              description: "Days of statistics in it; -1 = all, 0 = settings only",
              minimum: -1,
              maximum: 3650,
            }),
          ),
          autobackup_max_files: Type.Optional(
            Type.Integer({ description: "How many are kept", minimum: 0, maximum: 1000 }),
          ),
          autobackup_timezone: Type.Optional(
            Type.String({ description: "Time zone of the cron expression, e.g. Europe/Berlin", maxLength: 64 }),
          ),
          autobackup_cloud_enabled: Type.Optional(Type.Boolean({ description: "Also in UniFi's cloud" })),
        },
        { description: "Fields to change", additionalProperties: false, minProperties: 1 },
      ),
    },
    aliases: { settings: "update_data", data: "update_data" },
    output: {
      updated_fields: Type.Optional(Type.Array(Type.String())),
      autobackup_settings: Type.Optional(rowSchema(AUTOBACKUP)),
    },
    reads: ["GET /api/s/{site}/get/setting/super_mgmt"],
    writes: ["PUT /api/s/{site}/set/setting/super_mgmt"],
    asks: [
      "save the config every night",
      "keep more saved configurations",
      "nightly saving job",
      "schedule a weekly backup",
      "turn on automatic backups",
      "back up every sunday",
      "keep the last ten backups",
      "change the backup time",
      "make safety copies each night",
      "how long to keep copies",
      "move the copy job to 3 am",
    ],
    async plan({ network }, { update_data: asked }): Promise<Plan> {
      const cron = asked.autobackup_cron_expr;
      if (cron !== undefined && cron.trim().split(/\s+/).length !== 5) {
        throw invalid("update_data.autobackup_cron_expr has five parts: minute, hour, day, month, weekday.");
      }
      const zone = asked.autobackup_timezone;
      if (zone !== undefined && !isTimeZone(zone)) {
        throw invalid("update_data.autobackup_timezone is no time zone, such as Europe/Berlin.");
      }
      return sectionChange(network, {
        key: "super_mgmt",
        asked,
        encode: encodeAutobackup,
        show: autobackupOf,
        whole: false,
        warnings: asked.autobackup_enabled === false ? ["No further backups are made until it is turned on."] : [],
        answer: (changed) => ({ autobackup_settings: changed }),
      });
    },
  }),
];

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
