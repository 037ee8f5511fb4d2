/** Content filters: which categories of sites the gateway's DNS refuses, for whom and when. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { invalid, normalMac } from "../arguments.ts";
import { type Circumstances, type Prepared, resource } from "../resource.ts";
import { isRow } from "../rows.ts";

const filters = resource({
  category: "content_filtering",
  gate: "content_filters",
  noun: "content filter",
  resourceType: "content_filter",
  api: "v2",
  path: "/content-filtering",
  idArgument: "filter_id",
  listTool: "unifi_list_content_filters",
  lacking: "This console has no content filters: they came with later versions and need a UniFi gateway.",
  table: {
    id: "string",
    profile: "string",
    name: "string",
    enabled: "boolean",
    blocked_categories: "strings",
    safe_search: "strings",
    allow_list: "strings",
    block_list: "strings",
    client_macs: "strings",
    network_ids: "strings",
    schedule_mode: "string",
  },
  row: (raw) => ({
    ...raw,
    id: raw._id ?? raw.id,
    blocked_categories: raw.categories,
    schedule_mode: modeOf(raw),
  }),
  rename: { blocked_categories: "categories" },
  encode: ({ schedule_mode: mode, ...data }) => (mode === undefined ? data : { ...data, schedule: { mode } }),
  decode: (raw) => ({ ...raw, schedule_mode: modeOf(raw) }),
});

function modeOf(raw: Row): unknown {
  return isRow(raw.schedule) ? raw.schedule.mode : undefined;
}

const texts = (description: string, maxLength: number, maxItems: number) =>
  Type.Array(Type.String({ minLength: 1, maxLength }), { description, maxItems });

const FIELDS = {
  name: Type.String({ description: "Name of the filter", minLength: 1, maxLength: 128 }),
  enabled: Type.Boolean({ description: "Whether it is in force" }),
  blocked_categories: texts("Categories to refuse, e.g. FAMILY, ADVERTISEMENT; replaces the list", 64, 200),
  safe_search: Type.Array(Type.Enum(["GOOGLE", "YOUTUBE", "BING"], { type: "string" }), {
    description: "Search engines held to safe results; replaces the list",
    maxItems: 3,
  }),
  allow_list: texts("Domains let through in any case; replaces the list", 253, 1000),
  block_list: texts("Domains refused in any case; replaces the list", 253, 1000),
  client_macs: texts("MAC addresses of clients it holds for; replaces the list", 32, 1000),
  network_ids: texts("Ids of networks it holds for; replaces the list", 64, 200),
  schedule_mode: Type.Enum(["ALWAYS", "EVERY_DAY", "EVERY_WEEK", "CUSTOM", "ONE_TIME_ONLY"], {
    type: "string",
    description: "When it holds; days and hours are those stored",
  }),
};

/** What a mode needs beside it in the stored schedule. */
const NEEDS_OF_MODE: Readonly<Record<string, readonly string[]>> = {
  EVERY_WEEK: ["repeat_on_days"],
  ONE_TIME_ONLY: ["date"],
  CUSTOM: ["date_start", "date_end"],
};

async function checkFilter(asked: Row, { context, current = {} }: Circumstances): Promise<Prepared> {
  const data = Array.isArray(asked.client_macs) ? { ...asked, client_macs: asked.client_macs.map(filterMac) } : asked;
  checkSchedule(data.schedule_mode, isRow(current.schedule) ? current.schedule : {});
  if (Array.isArray(data.network_ids) && data.network_ids.length > 0) {
    const known = new Set((await context.network.v1("GET", "/rest/networkconf")).map((network) => network._id));
    const index = data.network_ids.findIndex((id) => !known.has(id));
    if (index >= 0) {
      throw invalid(
        `filter_data.network_ids.${index} names no network of this site.`,
        "unifi_list_networks lists the ids.",
      );
    }
  }
  const after: Row = { ...current, ...data };
  const nobody = isEmpty(after.client_macs) && isEmpty(after.network_ids);
  const warnings =
    nobody && after.enabled !== false ? ["It names no client and no network, so it holds for nobody."] : [];
  return { data, warnings };
}

function isEmpty(list: unknown): boolean {
  return !Array.isArray(list) || list.length === 0;
}

function filterMac(text: unknown, index: number): string {
  const mac = normalMac(String(text));
  if (/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac)) return mac;
  throw invalid(`filter_data.client_macs.${index} is no MAC address.`);
}

function checkSchedule(mode: unknown, stored: Row): void {
  if (mode === undefined || mode === "ALWAYS") return;
  const hours = stored.time_all_day === true ? [] : ["time_range_start", "time_range_end"];
  const missing = [...(NEEDS_OF_MODE[String(mode)] ?? []), ...hours].filter(
    (field) =>
      stored[field] === undefined || stored[field] === "" || (Array.isArray(stored[field]) && isEmpty(stored[field])),
  );
  if (missing.length === 0) return;
  throw invalid(
    `filter_data.schedule_mode cannot be set: the stored schedule lacks ${missing.join(", ")}.`,
    "Set days and hours in the console first.",
  );
}

export default [
  filters.list({
    name: "unifi_list_content_filters",
    title: "List content filters",
    summary: "List DNS content filters.",
    description:
      "Lists the content filters: blocked categories, safe search, and the clients and networks they hold for. Blocking one client altogether is unifi_block_client; traffic between zones is firewall policies.",
    asks: [
      "parental control",
      "ad blocking",
      "which websites are blocked",
      "safe search",
      "family filter",
      "adult sites",
      "list content filters",
      "parental controls",
      "which sites are filtered",
      "safe search settings",
      "web filtering profiles",
      "what is filtered for the kids",
      "is safe search on",
      "family protection",
    ],
    rowsName: "filters",
    defaultLimit: 100,
  }),
  filters.get({
    name: "unifi_get_content_filter_details",
    title: "Get content filter details",
    summary: "Show one DNS content filter.",
    description: "One content filter as the console stores it (categories, schedule), by id.",
    asks: [
      "when does the parental control apply",
      "who is under the family filter",
      "what does the ad blocker block",
      "filter hours",
      "details of a content filter",
      "which categories are blocked for the kids",
    ],
  }),
  filters.update({
    name: "unifi_update_content_filter",
    title: "Update content filter",
    summary: "Change a DNS content filter.",
    description:
      "Changes the given fields of a content filter; a list that is given replaces the old one. New filters are made in the console itself, which offers no other way.",
    asks: [
      "put the kids' tablet under parental control",
      "block ads",
      "turn safe search on",
      "whitelist a website",
      "unblock a site",
      "block adult content",
      "turn on safe search",
      "add a site to the block list",
      "parental control for the kids network",
      "allow one website",
      "keep children away from porn",
      "no gambling sites at the office",
      "google should filter explicit results",
      "unblock one page for school",
    ],
    bodyArgument: "filter_data",
    bodyDescription: "Fields to change",
    fields: FIELDS,
    aliases: { update_data: "filter_data", data: "filter_data" },
    prepare: checkFilter,
    reads: ["GET /api/s/{site}/rest/networkconf"],
  }),
  filters.delete({
    name: "unifi_delete_content_filter",
    title: "Delete content filter",
    summary: "Delete a DNS content filter.",
    description:
      "Removes a content filter for good; it can be made anew in the console only. To lift it for a while, update it with enabled=false.",
    asks: [
      "remove parental control",
      "get rid of the ad blocker",
      "drop a website filter for good",
      "unfilter DNS",
      "remove a content filter",
      "delete parental control",
      "stop filtering websites",
      "no more filtering for the office",
    ],
    check: async () => ["Its clients reach what it blocked.", "This API cannot make it again: the console can."],
  }),
];
