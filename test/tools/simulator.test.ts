/** The whole set of tools against the simulated console, through the real session: every read, every write read back. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Row } from "../../src/controller/controller.ts";
import { createNetworkConsole } from "../../src/controller/network/console.ts";
import { EdgeError } from "../../src/errors.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { PERSONAS, type Persona } from "../../src/simulator/world.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { sameJson } from "../../src/tools/merge.ts";
import { isRow } from "../../src/tools/rows.ts";
import type { Payload, Plan, Tool, ToolContext } from "../../src/tools/tool.ts";
import { STORIES } from "./stories/index.ts";

const silent = { info() {}, warn() {}, error() {} };

async function connect(t: TestContext, persona: Persona) {
  const simulator = await startSimulator({ persona });
  t.after(() => simulator.close());
  const console_ = createNetworkConsole({
    host: simulator.host,
    port: simulator.port,
    username: simulator.username,
    password: simulator.password,
    pinSha256: simulator.fingerprint256,
    now: Date.now,
    wait: (ms, signal) => delay(ms, undefined, { signal }),
    random: () => 0.5,
    log: silent,
  });
  t.after(() => console_.close());
  const context: ToolContext = {
    network: await console_.site(undefined),
    networkConsole: console_,
    signal: new AbortController().signal,
    now: Date.now,
    progress() {},
  };
  return { simulator, context, ...callerOf(context) };
}

const walked = new Set<string>();

/** Runs tools by name, with the check of arguments and output that the agent does around them. */
function callerOf(context: ToolContext) {
  function toolNamed(name: string, args: Row): Tool {
    const tool = TOOLS.find((candidate) => candidate.name === name);
    assert.ok(tool, `${name} is declared`);
    assert.deepEqual([...Compile(tool.input).Errors(args)], [], `${name} takes these arguments`);
    walked.add(name);
    return tool;
  }

  async function read(name: string, args: Row = {}): Promise<Payload> {
    const tool = toolNamed(name, args);
    assert.ok(tool.run, `${name} reads`);
    const payload = await tool.run(context, args);
    assert.deepEqual([...Compile(Type.Object(tool.output)).Errors(payload)], [], `${name} answers by its schema`);
    return payload;
  }

  async function planned(name: string, args: Row): Promise<Plan> {
    const tool = toolNamed(name, args);
    assert.ok(tool.plan, `${name} writes`);
    return tool.plan(context, args);
  }

  /** Plan, apply, read back; what was proposed must be there, what was deleted gone. */
  async function write(name: string, args: Row): Promise<Payload> {
    const plan = await planned(name, args);
    assert.notEqual(plan.unchanged, true, `${name} changes something`);
    const applied = await plan.apply();
    if (plan.readBack === undefined) return applied;
    const after = await plan.readBack(applied);
    if (plan.action === "delete") assert.equal(after, undefined, `${name} removes`);
    else assertHolds(name, plan, after);
    return applied;
  }

  return { read, planned, write };
}

function assertHolds(name: string, plan: Plan, after: Row | undefined): void {
  const proposed = Object.entries(plan.proposed ?? {}).filter(([key]) => !plan.unverifiable?.includes(key));
  assert.notEqual(proposed.length, 0, `${name} proposes something that can be verified`);
  for (const [key, value] of proposed) {
    assert.ok(sameJson(after?.[key], value), `${name} saved ${key}: ${JSON.stringify(after?.[key])}`);
  }
}

function rows(payload: Payload, name: string): readonly Row[] {
  const list = payload[name];
  assert.ok(Array.isArray(list) && list.every(isRow) && list.length > 0, `${name} has rows`);
  return list;
}

function first(payload: Payload, name: string): Row {
  const [row] = rows(payload, name);
  assert.ok(row);
  return row;
}

for (const persona of PERSONAS) {
  test(`reads answer from a ${persona} console`, async (t) => {
    const { read } = await connect(t, persona);

    const client = first(await read("unifi_list_clients", { limit: 5 }), "clients");
    const device = first(await read("unifi_list_devices", { include_details: true }), "devices");
    const network = first(await read("unifi_list_networks"), "networks");
    const wlan = first(await read("unifi_list_wlans"), "wlans");
    const group = first(await read("unifi_list_ap_groups"), "ap_groups");
    const forward = first(await read("unifi_list_port_forwards"), "port_forwards");
    const record = first(await read("unifi_list_dns_records"), "records");

    await read("unifi_get_client_details", { mac_address: client.mac });
    await read("unifi_get_device_details", { mac_address: device.mac, summary: true, include: "all" });
    await read("unifi_get_network_details", { network_id: network._id });
    await read("unifi_get_wlan_details", { wlan_id: wlan.id });
    await read("unifi_get_ap_group_details", { group_id: group.id });
    await read("unifi_get_port_forward", { port_forward_id: forward.id });
    await read("unifi_get_dns_record_details", { record_id: record.id });
    const holder = await read("unifi_lookup_by_ip", { ip_address: client.ip });
    await read("unifi_list_blocked_clients");
    const { system_info: system } = await read("unifi_get_system_info");
    const health = rows(await read("unifi_get_network_health"), "health_summary");
    const top = await read("unifi_get_top_clients", { duration: "weekly" });
    await read("unifi_get_dashboard");
    rows(await read("unifi_list_events"), "events");
    const sites = rows(await read("unifi_list_sites"), "sites");
    const raw = await read("unifi_api_call", { endpoint: "/api/s/{site}/stat/sta" });

    assert.equal(holder.mac, client.mac);
    assert.ok(isRow(system) && typeof system.cpu_percent === "number" && typeof system.num_devices === "number");
    assert.ok(health.some((row) => typeof row.num_adopted === "number"));
    assert.ok(Array.isArray(top.top_clients));
    assert.ok(sites.some((site) => site.name === "default"));
    assert.equal(raw.path, "/api/s/default/stat/sta");
  });

  test(`writes hold on a ${persona} console`, async (t) => {
    const { read, write, planned, simulator } = await connect(t, persona);
    const clients = rows(await read("unifi_list_clients"), "clients");
    const guest = clients.find((client) => client.is_guest === true);
    const plain = clients.find((client) => client.is_guest !== true && client.is_wired === false);
    assert.ok(guest && plain);
    const mac = { mac_address: plain.mac };

    await write("unifi_rename_client", { ...mac, name: "Renamed" });
    await write("unifi_set_client_ip_settings", {
      ...mac,
      fixed_ip: "192.168.1.77",
      local_dns_record: "renamed.example.com",
    });
    await write("unifi_set_client_ip_settings", { ...mac, use_fixedip: false });
    await write("unifi_force_reconnect_client", mac);
    await write("unifi_block_client", mac);
    assert.equal((await planned("unifi_block_client", mac)).unchanged, true);
    assert.equal(
      first(await read("unifi_list_blocked_clients", { filter: `mac=${plain.mac}` }), "blocked_clients").blocked,
      true,
    );
    await write("unifi_unblock_client", mac);
    await write("unifi_unauthorize_guest", { mac_address: guest.mac });
    await write("unifi_authorize_guest", {
      mac_address: guest.mac,
      minutes: 60,
      down_kbps: 2000,
      bytes_quota: 5_000_000,
    });
    await write("unifi_forget_client", {
      mac_address: offlineMac(await read("unifi_list_clients", { include_offline: true })),
    });

    const { record_id: record } = await write("unifi_create_dns_record", {
      record_data: { key: "new.example.com", value: "192.168.1.9", record_type: "A" },
    });
    await write("unifi_update_dns_record", { record_id: record, update_data: { value: "192.168.1.10", ttl: 300 } });
    await write("unifi_delete_dns_record", { record_id: record });

    const { network_id: network } = await write("unifi_create_network", {
      network_data: {
        name: "Lab",
        purpose: "corporate",
        vlan: "77",
        ip_subnet: "192.168.77.1/24",
        dhcpd_start: "192.168.77.10",
        dhcpd_stop: "192.168.77.200",
      },
    });
    await write("unifi_update_network", {
      network_id: network,
      update_data: { name: "Lab 2", dhcpd_stop: "192.168.77.99" },
    });

    const aps = rows(await read("unifi_list_devices", { device_type: "ap" }), "devices");
    const { group_id: group } = await write("unifi_create_ap_group", {
      group_data: { name: "Hall", device_macs: [String(aps[0]?.mac).toUpperCase()] },
    });
    await write("unifi_update_ap_group", { group_id: group, update_data: { name: "Halls" } });

    const { wlan_id: wlan } = await write("unifi_create_wlan", {
      wlan_data: { name: "Lab WiFi", security: "wpapsk", x_passphrase: "correct horse", network_id: network },
    });
    await write("unifi_update_wlan", {
      wlan_id: wlan,
      update_data: { hide_ssid: true, minrate_na_data_rate_kbps: 12_000 },
    });
    const before = (await read("unifi_get_wlan_details", { wlan_id: wlan })).details;
    await write("unifi_toggle_wlan", { wlan_id: wlan });
    const after = (await read("unifi_get_wlan_details", { wlan_id: wlan })).details;
    assert.deepEqual(after, { ...(isRow(before) ? before : {}), enabled: false });
    await write("unifi_delete_wlan", { wlan_id: wlan });
    await write("unifi_delete_ap_group", { group_id: group });
    await write("unifi_delete_network", { network_id: network });

    const { port_forward_id: forward } = await write("unifi_create_port_forward", {
      port_forward_data: { name: "Web", dst_port: "8443", fwd_port: "443", fwd_ip: "192.168.1.10", protocol: "tcp" },
    });
    await write("unifi_update_port_forward", {
      port_forward_id: forward,
      update_data: { src_ip: "203.0.113.0/24", log: true },
    });
    await write("unifi_toggle_port_forward", { port_forward_id: forward });
    await write("unifi_delete_port_forward", { port_forward_id: forward });
    await write("unifi_create_simple_port_forward", {
      rule: { name: "Game", ext_port: "27015", to_ip: "192.168.1.11" },
    });

    const device = { mac_address: aps[0]?.mac };
    await write("unifi_rename_device", { ...device, name: "AP north" });
    await write("unifi_locate_device", { device_mac: aps[0]?.mac, enabled: true });
    await write("unifi_reboot_device", device);

    await write("unifi_api_call", {
      endpoint: "/proxy/network/api/s/{site}/cmd/devmgr",
      method: "POST",
      params: JSON.stringify({ cmd: "set-locate", mac: aps[0]?.mac }),
    });
    assert.equal(simulator.effects.get(`POST cmd/devmgr restart ${String(aps[0]?.mac)}`), 1);
  });
}

function offlineMac(payload: Payload): unknown {
  return rows(payload, "clients").find((client) => client.status === "offline")?.mac;
}

test("a console that says yes and saves nothing is found out by every read-back", async (t) => {
  const { read, planned, simulator } = await connect(t, "unifi-os");
  const wlan = first(await read("unifi_list_wlans"), "wlans");
  const record = first(await read("unifi_list_dns_records"), "records");
  const plans = [
    await planned("unifi_toggle_wlan", { wlan_id: wlan.id }),
    await planned("unifi_update_dns_record", { record_id: record.id, update_data: { ttl: 60 } }),
    await planned("unifi_delete_dns_record", { record_id: record.id }),
  ];
  simulator.faults.notSaved = {};

  const seen = await Promise.all(plans.map(async (plan) => plan.readBack?.(await plan.apply())));

  assert.deepEqual(seen[0], { enabled: plans[0]?.current?.enabled });
  assert.deepEqual(seen[1], { ttl: plans[1]?.current?.ttl });
  assert.equal(seen[2]?.id, record.id);
});

test("an answer that is not JSON is refused by the plain call too", async (t) => {
  const { read, simulator } = await connect(t, "unifi-os");
  simulator.faults.serverErrorHtml = { status: 200 };

  await assert.rejects(read("unifi_api_call", { endpoint: "/api/s/{site}/stat/sta" }), EdgeError);
});

test("the walk and the stories leave no tool out", () => {
  const told = new Set(STORIES.flatMap(({ steps }) => steps.map(({ tool }) => tool)));

  assert.deepEqual(
    TOOLS.map((tool) => tool.name).filter((name) => !walked.has(name) && !told.has(name)),
    [],
  );
});
