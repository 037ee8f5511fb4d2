/** Figures over time: made from the clock and the site alone, so the same question has the same answer. */
import type { Row, SiteExchange } from "./exchange.ts";
import { textOf } from "./world.ts";

const INTERVAL_MS: Readonly<Record<string, number>> = {
  "5minutes": 300_000,
  hourly: 3_600_000,
  daily: 86_400_000,
  monthly: 2_592_000_000,
};

/** What one bucket says about, and which field names the thing. */
const KINDS = ["site", "user", "ap", "gw", "dev"] as const;

const MAX_BUCKETS = 3000;
const DEFAULT_BUCKETS = 12;

/** Rows of stat/report; undefined for an interval or kind the console does not know. */
export function reportRows(
  x: SiteExchange,
  interval: string,
  kind: string,
  attrs: readonly string[],
): Row[] | undefined {
  if (interval === "archive" && kind === "speedtest") return speedtests(x);
  const stepMs = INTERVAL_MS[interval];
  if (stepMs === undefined || !(KINDS as readonly string[]).includes(kind)) return undefined;

  const endMs = Number(x.body.end ?? x.world.now());
  const startMs = Math.max(Number(x.body.start ?? endMs - DEFAULT_BUCKETS * stepMs), endMs - MAX_BUCKETS * stepMs);
  const subject = textOf(x.body.mac) || x.site.id;
  const rows: Row[] = [];
  for (let time = Math.ceil(startMs / stepMs) * stepMs; time <= endMs; time += stepMs) {
    const values = attrs.filter((attr) => attr !== "time").map((attr) => [attr, figure(attr, time / stepMs)] as const);
    rows.push({ o: kind, oid: subject, [kind]: subject, time, ...Object.fromEntries(values) });
  }
  return rows;
}

/** Sizes by what the attribute counts; a day's wave on top. */
const SCALE: readonly (readonly [RegExp, number])[] = [
  [/bytes/, 90_000_000],
  [/num_/, 12],
  [/satisfaction/, 97],
  [/cpu|mem/, 40],
  [/signal/, -55],
  [/rate/, 500_000],
];

function figure(attr: string, bucket: number): number {
  const size = SCALE.find(([pattern]) => pattern.test(attr))?.[1] ?? 10;
  return Math.round(size * (0.8 + 0.2 * Math.sin(bucket / 4)) * 100) / 100;
}

function speedtests(x: SiteExchange): Row[] {
  const day = 86_400_000;
  const newest = Math.floor(x.world.now() / day) * day;
  return [2, 1, 0].map((days) => ({
    o: "speedtest",
    oid: x.site.id,
    time: newest - days * day,
    xput_download: 941.2 - days,
    xput_upload: 480.7 + days,
    latency: 9 + days,
  }));
}
