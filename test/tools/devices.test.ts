/** Devices, system and figures: what the reference promised and left out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../../src/controller/controller.ts";
import { EdgeError } from "../../src/errors.ts";
import { FAKE_NOW_MS, fakeNetwork } from "../support/fake-network.ts";
import { AP, GATEWAY, LAPTOP, NAS, ROWS } from "./fixture.ts";
import { planOf, read, withCode } from "./support.ts";

async function devices(args: Row): Promise<readonly Row[]> {
  const { context } = fakeNetwork({ rows: ROWS });
  return (await read(context, "unifi_list_devices", args)).devices as readonly Row[];
}

test("a device's row has its state in words, its kind, load and times in one form", async () => {
  const [row] = await devices({ search: "hall" });

  assert.deepEqual(row, {
    mac: AP,
    name: "AP Hall",
    model: "U7PRO",
    type: "uap",
    device_category: "ap",
    status: "heartbeat_missed",
    last_seen: "2026-11-30T07:50:00.000Z",
    firmware: "8.0.1",
    load_avg_1: 0.15,
    mem_pct: 25,
    _id: "d2",
  });
});

test("kinds and states can be asked for, a power strip is none of the switches", async () => {
  assert.deepEqual(
    (await devices({ device_type: "pdu" })).map((row) => row.name),
    ["Power strip"],
  );
  assert.deepEqual(await devices({ device_type: "switch" }), []);
  assert.deepEqual(
    (await devices({ status: "online" })).map((row) => row.name),
    ["Gateway"],
  );
});

test("details come by kind, as counts or as the raw tables, without secrets either way", async () => {
  const [counts] = await devices({ search: "hall", include_details: true });
  const [raw] = await devices({ search: "hall", include_details: true, summary: false });
  const [gateway] = await devices({ device_type: "gateway", include_details: true });

  assert.deepEqual(counts?.radios, [{ band: "2.4 GHz", channel: 6, tx_power: 20 }]);
  assert.deepEqual([counts?.radio_count, counts?.vap_count, counts?.experience_score], [1, 1, 98]);
  assert.deepEqual(raw?.radio_table, [{ radio: "ng", channel: "auto" }]);
  assert.deepEqual(
    [gateway?.wan1_ip, gateway?.wan1_up, gateway?.network_count, gateway?.cpu_usage],
    ["203.0.113.7", true, 2, 5.6],
  );
  assert.doesNotMatch(JSON.stringify([counts, raw]), /topsecret/);
});

test("a section without data is left out", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  const answer = await read(context, "unifi_get_device_details", {
    mac_address: AP.toUpperCase(),
    summary: true,
    include: "radios,lldp",
  });

  assert.deepEqual(Object.keys(answer.device as Row), ["radios"]);
});

test("rebooting the gateway says what it cuts off", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  const plan = await planOf(context, "unifi_reboot_device", { mac_address: GATEWAY });

  assert.deepEqual(plan.warnings, [
    "Clients that lose their connection: 4.",
    "This is the gateway: the site, and this agent, go offline.",
  ]);
  await assert.rejects(planOf(context, "unifi_reboot_device", { mac_address: LAPTOP }), withCode("NOT_FOUND"));
});

test("system info has load and counts, health has the devices by state", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  const { system_info: system } = await read(context, "unifi_get_system_info");
  const { health_summary: health } = await read(context, "unifi_get_network_health");

  assert.deepEqual(system, {
    name: "UniFi",
    version: "10.0.162",
    hostname: "console",
    uptime: 2138,
    num_devices: 3,
    num_clients: 3,
    cpu_percent: 5.6,
    memory_percent: 67.2,
    update_available: false,
  });
  assert.deepEqual(health, [
    { subsystem: "wlan", status: "ok", num_user: 7, rx_bytes: 326.4, num_ap: 2, num_adopted: 2, num_disconnected: 1 },
  ]);
});

test("top clients are summed from the report of the asked duration", async () => {
  const body = { attrs: ["tx_bytes", "rx_bytes", "time"], start: FAKE_NOW_MS - 7 * 86_400_000, end: FAKE_NOW_MS };
  const report = [
    { user: LAPTOP, tx_bytes: 100, rx_bytes: 1.4 },
    { user: NAS.toUpperCase(), tx_bytes: 150 },
    { user: LAPTOP, tx_bytes: 100 },
  ];
  const { context, requests } = fakeNetwork({ rows: ROWS, answers: { "POST /stat/report/daily.user": () => report } });

  const answer = await read(context, "unifi_get_top_clients", { duration: "weekly", limit: 1 });

  assert.deepEqual(requests.find(({ method }) => method === "POST")?.body, body);
  assert.deepEqual(answer.top_clients, [
    { mac: LAPTOP, hostname: "laptop-01", tx_bytes: 200, rx_bytes: 1, total_bytes: 201 },
  ]);
  assert.deepEqual([answer.source, answer.total, answer.truncated], ["report", 2, true]);
});

test("without a report the running sessions are ranked, and a refused report is an error", async () => {
  const { context } = fakeNetwork({ rows: ROWS });
  const down = () => {
    throw new EdgeError("CONTROLLER_UNREACHABLE", "down");
  };

  const answer = await read(context, "unifi_get_top_clients");

  assert.equal(answer.source, "session");
  assert.deepEqual(
    (answer.top_clients as readonly Row[]).map((row) => row.hostname),
    ["NAS", "laptop-01", "visitor"],
  );
  const { context: broken } = fakeNetwork({ rows: ROWS, answers: { "POST /stat/report/hourly.user": down } });
  await assert.rejects(read(broken, "unifi_get_top_clients"), withCode("CONTROLLER_UNREACHABLE"));
});

test("the dashboard leaves the long series out unless they are wanted", async () => {
  const answers = {
    "GET /aggregated-dashboard?historySeconds=300": () => [{ clients: { total: 3 }, wan_history: [1] }],
  };
  const { context } = fakeNetwork({ answers });

  const short = await read(context, "unifi_get_dashboard", { history_seconds: 300 });
  const whole = await read(context, "unifi_get_dashboard", { history_seconds: 300, summary: false });

  assert.deepEqual([short.dashboard, short.omitted_sections], [{ clients: { total: 3 } }, ["wan_history"]]);
  assert.deepEqual([whole.dashboard, whole.omitted_sections], [{ clients: { total: 3 }, wan_history: [1] }, []]);
});

test("sites are listed for the whole console", async () => {
  const { context } = fakeNetwork();

  const answer = await read(context, "unifi_list_sites", { filter: "branch" });

  assert.deepEqual(answer.sites, [
    { name: "k2v9x8ab", description: "Branch office", id: "65c0ffee00000000000a0002", role: "readonly" },
  ]);
});
