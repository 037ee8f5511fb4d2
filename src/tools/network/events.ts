/** The console's event log, read page by page. */
import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { listArguments, listOutput, listPayload } from "../listing.ts";
import { isRow, numberOf } from "../rows.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { EVENT_TABLE, isAbsent, LOG_CATEGORIES, legacyRow, logRow, SEVERITIES } from "./log-rows.ts";

const DEFAULT_LIMIT = 100;
/** The console's own bound on a page of the log. */
const PAGE_ROWS = 100;
const HOUR_MS = 3_600_000;

interface Window {
  readonly hours: number;
  readonly start: number;
  readonly limit: number;
  readonly type: string | undefined;
}

interface Found {
  readonly rows: readonly Row[];
  /** How many the window holds; undefined where the console does not say. */
  readonly total: number | undefined;
}

/** The pages of the log that hold rows `start` to `start + limit`, and no more. */
async function systemLog({ network, now, progress }: ToolContext, window: Window): Promise<Found> {
  const firstPage = Math.floor(window.start / PAGE_ROWS);
  const lastPage = Math.floor((window.start + window.limit - 1) / PAGE_ROWS);
  const until = now();
  const rows: Row[] = [];
  let total = 0;
  for (let page = firstPage; page <= lastPage; page += 1) {
    const answer = await network.v2("POST", "/system-log/all", {
      timestampFrom: until - window.hours * HOUR_MS,
      timestampTo: until,
      severities: SEVERITIES,
      categories: LOG_CATEGORIES,
      type: "GENERAL",
      pageNumber: page,
      pageSize: PAGE_ROWS,
      searchText: window.type ?? "",
    });
    const { data, total_element_count: count } = isRow(answer) ? answer : {};
    const found = Array.isArray(data) ? data.filter(isRow) : [];
    rows.push(...found);
    total = numberOf(count) ?? rows.length;
    progress(rows.length, Math.min(total, window.limit));
    if (found.length < PAGE_ROWS) break;
  }
  const skip = window.start - firstPage * PAGE_ROWS;
  return { rows: rows.slice(skip, skip + window.limit).map(logRow), total };
}

/** The log of consoles before the system log. */
async function legacyLog(network: NetworkSite, window: Window): Promise<Found> {
  const rows = await network.v1("POST", "/stat/event", {
    within: window.hours,
    _limit: window.limit,
    _start: window.start,
    ...(window.type === undefined ? {} : { type: window.type }),
  });
  return { rows: rows.map(legacyRow), total: undefined };
}

/** Asked anew at every call: a console that is busy once is not taken for an old one from then on. */
async function eventsOf(context: ToolContext, window: Window): Promise<Found> {
  try {
    return await systemLog(context, window);
  } catch (thrown) {
    if (isAbsent(thrown)) return legacyLog(context.network, window);
    throw thrown;
  }
}

export default [
  defineTool({
    name: "unifi_list_events",
    title: "List events",
    summary: "List event-log entries, newest first.",
    asks: [
      "what happened last night",
      "show the event log",
      "recent activity in the log",
      "who connected yesterday",
      "when did the ap go offline",
      "history of the last day",
      "audit of what happened",
      "who rebooted the router",
      "why did the ap drop last night",
      "trace what went on yesterday",
      "when did the outage begin",
      "list of changes by administrators",
    ],
    description:
      "Entries of the console's event log: clients coming and going, devices, internet, security. Narrow with within_hours and event_type, which the console searches itself; filter looks at the fetched rows only.",
    app: "network",
    category: "events",
    permission: { category: "events", action: "read" },
    input: {
      within_hours: Type.Optional(
        Type.Integer({ description: "How far back, hours", minimum: 1, maximum: 8760, default: 24 }),
      ),
      start: Type.Optional(
        Type.Integer({ description: "Entries to skip, for the next page", minimum: 0, maximum: 1_000_000, default: 0 }),
      ),
      event_type: Type.Optional(Type.String({ description: "Text or event key to search for", maxLength: 100 })),
      ...withoutOffset(listArguments(DEFAULT_LIMIT)),
    },
    output: { ...listOutput("events", EVENT_TABLE), filters: Type.Optional(Type.Object({})) },
    aliases: { offset: "start", hours: "within_hours", type: "event_type" },
    reads: ["POST /v2/api/site/{site}/system-log/all", "POST /api/s/{site}/stat/event"],
    async run(context, args) {
      const { within_hours: hours = 24, start = 0, limit = DEFAULT_LIMIT, event_type: type } = args;
      const { rows, total = start + rows.length } = await eventsOf(context, { hours, start, limit, type });
      const { site } = context.network;
      const listing = listPayload({
        site,
        rowsName: "events",
        table: EVENT_TABLE,
        rows,
        args: { ...args, limit },
        defaultLimit: limit,
      });
      const next = start + rows.length;
      const more = next < total;
      return {
        ...listing,
        filters: { within_hours: hours, limit, start, ...(type === undefined ? {} : { event_type: type }) },
        ...(args.filter === undefined ? { total } : {}),
        ...(more
          ? { truncated: true, hint: `Narrow with event_type or within_hours, or go on with start=${next}.` }
          : {}),
      };
    },
  }),
];

/** This list counts in the console's own `start`. */
function withoutOffset({ offset: _offset, ...others }: ReturnType<typeof listArguments>) {
  return others;
}
