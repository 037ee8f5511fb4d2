/** The serious entries of the console's log. */
import type { Row } from "../../controller/controller.ts";
import { isRow } from "../rows.ts";
import type { ToolContext } from "../tool.ts";
import { LOG_CATEGORIES, logRow } from "./log-rows.ts";

const BACK_MS = 30 * 86_400_000;
/** The console's own bound on a page of the log. */
const PAGE_ROWS = 100;
const MOST_PAGES = 5;

/** Rows of the critical log within the window, newest first, as many as could be asked for. */
export async function criticalLog(
  { network, now }: ToolContext,
  categories: readonly string[] = LOG_CATEGORIES,
  window: { readonly start: number; readonly end: number } = { start: now() - BACK_MS, end: now() },
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await network.v2("POST", "/system-log/critical", {
      timestampFrom: window.start,
      timestampTo: window.end,
      severities: ["HIGH", "VERY_HIGH"],
      categories,
      type: "GENERAL",
      pageNumber: page,
      pageSize: PAGE_ROWS,
      searchText: "",
    });
    const data = isRow(answer) && Array.isArray(answer.data) ? answer.data.filter(isRow) : [];
    rows.push(...data);
    if (data.length < PAGE_ROWS) break;
  }
  return rows.map(logRow);
}
