/** Counters, gauges and histograms, written as Prometheus text (exposition format 0.0.4). */

export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(labels?: Labels, by?: number): void;
}

export interface Gauge {
  set(value: number, labels?: Labels): void;
}

export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

export interface Metrics {
  /** `name` ends in `_total`. Asking again for a name gives the same metric. */
  counter(name: string, help: string): Counter;
  gauge(name: string, help: string): Gauge;
  /** A gauge that is asked for its value when the text is made. */
  measured(name: string, help: string, read: () => number): void;
  /** `name` ends in its unit, e.g. `_seconds`. `bounds` are upper bounds, rising. */
  histogram(name: string, help: string, bounds?: readonly number[]): Histogram;
  /** What `GET /metrics` answers, with METRICS_TYPE. */
  text(): string;
}

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Seconds, from a cached list to the longest call. */
export const SECONDS: readonly number[] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Label values come from tables (tool, code, location); a metric that passes this has a label that does not. */
const SERIES_MAX = 5000;

interface Series {
  readonly labels: string;
  value: number;
  readonly counts: number[];
}

interface Metric {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly bounds: readonly number[];
  readonly series: Map<string, Series>;
  readonly read?: () => number;
}

export function createMetrics(): Metrics {
  const metrics = new Map<string, Metric>();

  function register(name: string, wanted: Omit<Metric, "series">): Metric {
    const known = metrics.get(name);
    if (known !== undefined) return known;
    const metric: Metric = { ...wanted, series: new Map() };
    metrics.set(name, metric);
    return metric;
  }

  return {
    counter: (name, help) => {
      const metric = register(name, { type: "counter", help, bounds: [] });
      return {
        add: (labels = {}, by = 1) => {
          const series = seriesOf(metric, labels);
          if (series !== undefined) series.value += by;
        },
      };
    },
    gauge: (name, help) => {
      const metric = register(name, { type: "gauge", help, bounds: [] });
      return {
        set: (value, labels = {}) => {
          const series = seriesOf(metric, labels);
          if (series !== undefined) series.value = value;
        },
      };
    },
    measured: (name, help, read) => {
      register(name, { type: "gauge", help, bounds: [], read });
    },
    histogram: (name, help, bounds = SECONDS) => {
      const metric = register(name, { type: "histogram", help, bounds });
      return {
        observe: (value, labels = {}) => {
          const series = seriesOf(metric, labels);
          if (series === undefined) return;
          const slot = metric.bounds.findIndex((bound) => value <= bound);
          const index = slot === -1 ? metric.bounds.length : slot;
          series.counts[index] = (series.counts[index] ?? 0) + 1;
          series.value += value;
        },
      };
    },
    text: () => [...metrics].map(([name, metric]) => metricText(name, metric)).join(""),
  };
}

function seriesOf(metric: Metric, labels: Labels): Series | undefined {
  const text = labelText(labels);
  const known = metric.series.get(text);
  if (known !== undefined || metric.series.size >= SERIES_MAX) return known;
  const series: Series = { labels: text, value: 0, counts: new Array<number>(metric.bounds.length + 1).fill(0) };
  metric.series.set(text, series);
  return series;
}

function labelText(labels: Labels): string {
  const names = Object.keys(labels).sort();
  return names.map((name) => `${name}="${escapeValue(labels[name] ?? "")}"`).join(",");
}

function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}

function metricText(name: string, metric: Metric): string {
  const head = `# HELP ${name} ${metric.help}\n# TYPE ${name} ${metric.type}\n`;
  if (metric.read !== undefined) return `${head}${name} ${metric.read()}\n`;
  const lines = [...metric.series.values()].map((series) =>
    metric.type === "histogram"
      ? histogramText(name, metric.bounds, series)
      : `${name}${inBraces(series.labels)} ${series.value}\n`,
  );
  return head + lines.join("");
}

/** Buckets are cumulative in the text, and counted one by one in memory. */
function histogramText(name: string, bounds: readonly number[], series: Series): string {
  let sum = 0;
  const lines = [...bounds, "+Inf"].map((bound, index) => {
    sum += series.counts[index] ?? 0;
    const labels = [series.labels, `le="${bound}"`].filter((text) => text !== "").join(",");
    return `${name}_bucket{${labels}} ${sum}\n`;
  });
  const braces = inBraces(series.labels);
  return `${lines.join("")}${name}_sum${braces} ${series.value}\n${name}_count${braces} ${sum}\n`;
}

function inBraces(labels: string): string {
  return labels === "" ? "" : `{${labels}}`;
}
