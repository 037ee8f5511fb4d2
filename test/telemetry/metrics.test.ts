/** The text that Prometheus scrapes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "../../src/telemetry/metrics.ts";

test("counters and gauges are written with help, type and sorted, escaped labels", () => {
  const metrics = createMetrics();

  const calls = metrics.counter("edge_calls_total", "Calls of tools.");
  calls.add({ tool: "a", code: "ok" });
  calls.add({ code: "ok", tool: "a" }, 2);
  calls.add({ tool: 'b"\\\n' });
  metrics.gauge("edge_agents", "Agents that are connected.").set(3);
  metrics.measured("edge_streams", "Open streams.", () => 7);

  assert.equal(
    metrics.text(),
    [
      "# HELP edge_calls_total Calls of tools.",
      "# TYPE edge_calls_total counter",
      'edge_calls_total{code="ok",tool="a"} 3',
      'edge_calls_total{tool="b\\"\\\\\\n"} 1',
      "# HELP edge_agents Agents that are connected.",
      "# TYPE edge_agents gauge",
      "edge_agents 3",
      "# HELP edge_streams Open streams.",
      "# TYPE edge_streams gauge",
      "edge_streams 7",
      "",
    ].join("\n"),
  );
});

test("a histogram's buckets are cumulative and its bounds inclusive", () => {
  const metrics = createMetrics();
  const seconds = metrics.histogram("edge_call_seconds", "Duration of calls.", [0.5, 1]);

  for (const value of [0.25, 0.5, 0.75, 8]) seconds.observe(value, { app: "network" });

  assert.deepEqual(metrics.text().split("\n").slice(2), [
    'edge_call_seconds_bucket{app="network",le="0.5"} 2',
    'edge_call_seconds_bucket{app="network",le="1"} 3',
    'edge_call_seconds_bucket{app="network",le="+Inf"} 4',
    'edge_call_seconds_sum{app="network"} 9.5',
    'edge_call_seconds_count{app="network"} 4',
    "",
  ]);
});

test("asking for a name again gives the same metric", () => {
  const metrics = createMetrics();

  metrics.counter("edge_x_total", "X.").add();
  metrics.counter("edge_x_total", "X.").add();

  assert.match(metrics.text(), /^edge_x_total 2$/m);
});

test("a label without bound does not fill the memory", () => {
  const metrics = createMetrics();
  const counter = metrics.counter("edge_x_total", "X.");

  for (let index = 0; index < 6000; index += 1) counter.add({ index: String(index) });

  assert.equal(metrics.text().split("\n").length, 5000 + 3);
});
