/** Figures: over time, of clients, of what went wrong, and of the console as a whole. */
import assert from "node:assert/strict";
import type { Row } from "../../../src/controller/controller.ts";
import { isRow } from "../../../src/tools/rows.ts";
import type { Scene, Story } from "./story.ts";

const list = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isRow) : []);

async function wireless(scene: Scene): Promise<Row> {
  const { clients } = await scene.read("unifi_list_clients");
  const client = list(clients).find(({ is_wired: wired }) => wired === false);
  assert.ok(client);
  return client;
}

function sumOf(rows: unknown, field: string): number {
  return Math.round(list(rows).reduce((sum, row) => sum + Number(row[field] ?? 0), 0));
}

const stats: Story = {
  about: "statistics",
  steps: [
    { tool: "unifi_list_sites", holds: ({ sites }) => assert.ok(list(sites).some(({ name }) => name === "default")) },
    {
      tool: "unifi_get_system_info",
      holds: ({ system_info: system }) => {
        assert.ok(isRow(system) && typeof system.cpu_percent === "number" && typeof system.num_devices === "number");
      },
    },
    {
      tool: "unifi_get_network_health",
      holds: ({ health_summary: health }) => {
        assert.ok(list(health).some(({ num_adopted: adopted }) => typeof adopted === "number"));
      },
    },
    {
      tool: "unifi_get_top_clients",
      args: { duration: "weekly" },
      holds: ({ top_clients: top }) => assert.ok(Array.isArray(top)),
    },
    { tool: "unifi_get_dashboard", holds: ({ dashboard }) => assert.ok(isRow(dashboard)) },
    {
      tool: "unifi_list_events",
      holds: ({ events }) => assert.ok(list(events).length > 0),
    },
    {
      tool: "unifi_get_client_stats",
      args: async (scene) => {
        const { mac } = await wireless(scene);
        return { client_id: String(mac).toUpperCase(), duration: "daily", limit: 1000 };
      },
      holds: ({ stats: buckets, summary, client_id: mac }) => {
        assert.match(String(mac), /^[0-9a-f:]{17}$/);
        assert.ok(list(buckets).length >= 23);
        assert.ok(isRow(summary));
        assert.equal(summary.total_rx_bytes, sumOf(buckets, "rx_bytes"));
        assert.equal(summary.total_bytes, Number(summary.total_rx_bytes) + Number(summary.total_tx_bytes));
      },
    },
    {
      tool: "unifi_get_device_stats",
      args: async ({ first }) => {
        const ap = await first("unifi_list_devices", "devices", { device_type: "ap" });
        return { device_id: ap._id, duration: "daily" };
      },
      holds: ({ device_type: type, summary }) => {
        assert.equal(type, "uap");
        assert.ok(isRow(summary) && Number(summary.max_clients) >= Number(summary.avg_clients));
        assert.ok(Number(summary.total_rx_bytes) > 0);
      },
    },
    {
      tool: "unifi_get_gateway_stats",
      args: { granularity: "5minutes" },
      holds: ({ summary }) => assert.ok(isRow(summary) && Number(summary.avg_cpu_pct) > 0),
    },
    {
      tool: "unifi_get_network_stats",
      args: { duration: "weekly", granularity: "daily" },
      holds: ({ summary, stats: buckets }) => {
        assert.ok(isRow(summary) && Number(summary.avg_clients) > 0);
        const times = list(buckets).map(({ time }) => String(time));
        assert.deepEqual(times, times.toSorted().reverse());
      },
    },
    {
      tool: "unifi_get_speedtest_results",
      args: { duration: "weekly" },
      holds: ({ results }) => {
        assert.partialDeepStrictEqual(list(results)[0], { download_mbps: 941.2, upload_mbps: 480.7, latency_ms: 9 });
      },
    },
    {
      tool: "unifi_get_client_sessions",
      args: async (scene) => ({ client_mac: (await wireless(scene)).mac }),
      holds: ({ sessions }) => {
        const [session] = list(sessions);
        assert.ok(typeof session?.connected_at === "string" && typeof session.ap === "string");
        assert.equal("disconnected_at" in session, false, "a session that goes on has no end");
      },
    },
    {
      tool: "unifi_get_client_wifi_details",
      args: async (scene) => ({ client_mac: (await wireless(scene)).mac }),
      holds: ({ wifi_details: wifi }) => {
        assert.ok(isRow(wifi));
        for (const field of ["noise", "satisfaction", "tx_retries", "roam_count", "ap", "ap_name"]) {
          assert.ok(field in wifi, field);
        }
      },
    },
    {
      tool: "unifi_get_client_dpi_traffic",
      args: async (scene) => ({ client_mac: (await wireless(scene)).mac }),
      holds: ({ traffic }) => {
        assert.ok(list(traffic).length > 0);
        assert.ok(Number(list(traffic)[0]?.total_bytes) >= Number(list(traffic)[1]?.total_bytes));
      },
    },
    {
      tool: "unifi_get_site_dpi_traffic",
      args: { group_by: "by_cat" },
      holds: ({ traffic, group_by: grouping }) => {
        assert.equal(grouping, "by_cat");
        assert.ok(list(traffic).every((row) => typeof row.cat === "number"));
      },
    },
    {
      tool: "unifi_get_dpi_stats",
      holds: ({ dpi_stats: facts }) => assert.ok(isRow(facts) && Array.isArray(facts.applications)),
    },
    {
      tool: "unifi_get_alerts",
      holds: ({ alerts }) => {
        assert.ok(list(alerts).length > 0);
        assert.ok(list(alerts).every(({ msg }) => typeof msg === "string" && !/\{\w+\}/.test(msg)));
      },
    },
    { tool: "unifi_get_ips_events", holds: ({ events }) => assert.ok(list(events).length > 0) },
    { tool: "unifi_get_anomalies", holds: ({ anomalies }) => assert.ok(Array.isArray(anomalies)) },
  ],
};

export default stats;
