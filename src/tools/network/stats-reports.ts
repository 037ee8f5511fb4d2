/** The console's reports over time: windows, buckets, and their sums. */
import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { type ListArguments, listArguments, listOutput, listPayload } from "../listing.ts";
import { numberOf, project, type RowTable } from "../rows.ts";
import type { Payload } from "../tool.ts";

const HOUR_MS = 3_600_000;
/** Buckets that one answer shows unless asked for more. */
const DEFAULT_LIMIT = 100;

/** How far back each duration reaches. */
const WINDOW_MS: Readonly<Record<string, number>> = {
  hourly: HOUR_MS,
  daily: 24 * HOUR_MS,
  weekly: 7 * 24 * HOUR_MS,
  monthly: 30 * 24 * HOUR_MS,
};
const GRANULARITIES = ["5minutes", "hourly", "daily", "monthly"];

export function durationArgument(fallback: string) {
  return Type.Optional(
    Type.Enum(Object.keys(WINDOW_MS), {
      type: "string",
      description: "Last hour, day, 7 days or 30 days",
      default: fallback,
    }),
  );
}

/** Start and end in Unix milliseconds. */
export function windowOf(duration: string, nowMs: number): { readonly start: number; readonly end: number } {
  return { start: nowMs - (WINDOW_MS[duration] ?? HOUR_MS), end: nowMs };
}

/** Arguments of every report: window, bucket, and what of the buckets to show. */
export const REPORT_ARGUMENTS = {
  duration: durationArgument("hourly"),
  granularity: Type.Optional(
    Type.Enum(GRANULARITIES, { type: "string", description: "Length of a bucket", default: "hourly" }),
  ),
  ...listArguments(DEFAULT_LIMIT),
};

export interface ReportAsked extends ListArguments {
  readonly duration?: string;
  readonly granularity?: string;
}

/** Output of a report whose buckets hold these figures. */
export function reportOutput(attrs: readonly string[], summary: RowTable) {
  return {
    summary: Type.Optional(
      Type.Object(Object.fromEntries(Object.keys(summary).map((name) => [name, Type.Optional(Type.Number())]))),
    ),
    ...listOutput("stats", bucketTable(attrs)),
    duration: Type.Optional(Type.String()),
    granularity: Type.Optional(Type.String()),
  };
}

function bucketTable(attrs: readonly string[]): RowTable {
  return { time: "time", ...Object.fromEntries(attrs.map((attr) => [attr, "number"] as const)) };
}

interface Report {
  /** `user`, `ap`, `gw`, `dev` or `site`. */
  readonly kind: string;
  readonly attrs: readonly string[];
  readonly mac?: string;
  readonly asked: ReportAsked;
  readonly nowMs: number;
  readonly summarise: (buckets: readonly Row[]) => Row;
}

/** Asks for the report, newest bucket first, sums it up whole and shows the part that was asked for. */
export async function reportPayload(network: NetworkSite, report: Report): Promise<Payload> {
  const { kind, attrs, mac, asked, nowMs, summarise } = report;
  const { duration = "hourly", granularity = "hourly" } = asked;
  const buckets = await network.v1("POST", `/stat/report/${granularity}.${kind}`, {
    attrs: [...attrs, "time"],
    ...(mac === undefined ? {} : { mac }),
    ...windowOf(duration, nowMs),
  });
  const table = bucketTable(attrs);
  const rows = buckets.map((bucket) => project(bucket, table)).reverse();
  const payload = listPayload({
    site: network.site,
    rowsName: "stats",
    table,
    rows,
    args: { ...asked },
    defaultLimit: DEFAULT_LIMIT,
  });
  return { ...payload, duration, granularity, summary: summarise(buckets) };
}

/** Sum over all buckets of the fields that are there; a bucket without a figure adds nothing. */
export function total(buckets: readonly Row[], ...fields: readonly string[]): number {
  const sum = buckets.reduce(
    (all, bucket) => all + fields.reduce((each, field) => each + (numberOf(bucket[field]) ?? 0), 0),
    0,
  );
  return Math.round(sum);
}

/** Mean and highest of the first of these fields that a bucket has; undefined where none has one. */
export function spread(buckets: readonly Row[], ...fields: readonly string[]) {
  const values = buckets.flatMap((bucket) => {
    const value = fields.map((field) => numberOf(bucket[field])).find((figure) => figure !== undefined);
    return value === undefined ? [] : [value];
  });
  if (values.length === 0) return undefined;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean: Math.round(mean * 10) / 10, most: Math.max(...values) };
}
