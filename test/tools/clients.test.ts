/** Clients: always fresh, found in any spelling, wired flagged right, and settings that make sense. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../../src/controller/controller.ts";
import { fakeNetwork } from "../support/fake-network.ts";
import { LAPTOP, NAS, ROWS, TABLET, VISITOR } from "./fixture.ts";
import { planOf, problemsOf, read, withCode } from "./support.ts";

function macsOf(answer: Row): unknown {
  return (answer.clients as readonly Row[]).map((row) => row.mac);
}

test("a connected client's row: live address, medium, signal, times in ISO 8601", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  const answer = await read(context, "unifi_list_clients", { search: "laptop" });

  assert.deepEqual(answer.clients, [
    {
      mac: LAPTOP,
      ip: "192.168.1.31",
      hostname: "laptop-01",
      is_wired: false,
      is_guest: false,
      status: "online",
      last_seen: "2026-11-30T07:59:55.000Z",
      first_seen: "2026-08-18T04:00:00.000Z",
      connection_type: "wireless",
      _id: "1",
      essid: "Demo WiFi",
      signal_dbm: -55,
      channel: 44,
      radio: "na",
    },
  ]);
});

test("a client that left is gone from the next list", async () => {
  const stations = [...(ROWS["/stat/sta"] ?? [])];
  const { context } = fakeNetwork({ answers: { "GET /stat/sta": () => stations } });

  const before = await read(context, "unifi_list_clients");
  stations.shift();
  const after = await read(context, "unifi_list_clients");

  assert.deepEqual([before.total, after.total], [3, 2]);
});

test("include_offline adds the remembered ones, each with the status it has", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  const answer = await read(context, "unifi_list_clients", { include_offline: true, fields: "mac,status,blocked" });

  assert.deepEqual(answer.clients, [
    { mac: LAPTOP, status: "online" },
    { mac: NAS, status: "online" },
    { mac: VISITOR, status: "online" },
    { mac: TABLET, status: "offline", blocked: true },
  ]);
});

test("wired and wireless are told apart, and a MAC is found in any spelling", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  assert.deepEqual(macsOf(await read(context, "unifi_list_clients", { filter_type: "wired" })), [NAS]);
  assert.deepEqual(macsOf(await read(context, "unifi_list_clients", { filter_type: "wireless" })), [LAPTOP, VISITOR]);
  assert.deepEqual(macsOf(await read(context, "unifi_list_clients", { search: "02-00-5E-10-01-02" })), [NAS]);
});

test("details join both records; sections are picked, unknown ones reported", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  const whole = (await read(context, "unifi_get_client_details", { mac_address: NAS })).client as Row;
  const part = await read(context, "unifi_get_client_details", {
    mac_address: LAPTOP,
    summary: true,
    include: "wireless, colour",
  });

  assert.deepEqual(
    [whole.name, whole.ip, whole.fixed_ip, whole.is_wired],
    ["NAS", "192.168.1.10", "192.168.1.10", true],
  );
  assert.deepEqual(part.client, { wireless: { essid: "Demo WiFi", channel: 44, radio: "na", signal: -55 } });
  assert.deepEqual(part.unknown_sections, ["colour"]);
});

test("an address is looked up among the connected, then the remembered, then the reserved", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  const online = await read(context, "unifi_lookup_by_ip", { ip_address: "192.168.1.10" });
  const offline = await read(context, "unifi_lookup_by_ip", { ip_address: "192.168.1.33" });

  assert.deepEqual([online.mac, online.name, online.is_online], [NAS, "NAS", true]);
  assert.deepEqual([offline.mac, offline.is_online], [TABLET, false]);
  await assert.rejects(read(context, "unifi_lookup_by_ip", { ip_address: "10.9.8.7" }), withCode("NOT_FOUND"));
  assert.notDeepEqual(problemsOf("unifi_lookup_by_ip", { ip_address: "256.1.1.1" }), []);
});

test("the blocked list comes from what the console remembers, connected or not", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  const answer = await read(context, "unifi_list_blocked_clients");

  assert.deepEqual(answer.blocked_clients, [
    { mac: TABLET, hostname: "tablet-09", last_seen: "2026-11-30T07:58:00.000Z", blocked: true },
  ]);
});

test("blocking the blocked changes nothing, and a block is read back", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  const again = await planOf(context, "unifi_block_client", { mac_address: TABLET });
  const plan = await planOf(context, "unifi_block_client", { mac_address: LAPTOP });

  assert.equal(again.unchanged, true);
  assert.equal(plan.unchanged, false);
  assert.deepEqual(await plan.readBack?.({}), { blocked: false });
});

test("only the connected can be dropped or let in, and an unknown client is said to be unknown", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  for (const tool of ["unifi_force_reconnect_client", "unifi_authorize_guest", "unifi_unauthorize_guest"]) {
    await assert.rejects(planOf(context, tool, { mac_address: TABLET }), withCode("NOT_FOUND", /not connected/));
  }
  for (const tool of ["unifi_block_client", "unifi_rename_client", "unifi_forget_client"]) {
    const args = { mac_address: "02:00:00:00:00:99", ...(tool === "unifi_rename_client" ? { name: "x" } : {}) };
    await assert.rejects(planOf(context, tool, args), withCode("NOT_FOUND"));
  }
  await assert.rejects(
    planOf(context, "unifi_unauthorize_guest", { mac_address: LAPTOP }),
    withCode("ARGUMENTS_INVALID"),
  );
});

test("a preview shows nothing that moves by itself, so its token still fits a minute later", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  const { current = {} } = await planOf(context, "unifi_forget_client", { mac_address: LAPTOP });

  for (const field of ["last_seen", "signal_dbm", "channel", "ip"]) assert.equal(field in current, false, field);
});

const IP_SETTINGS = "unifi_set_client_ip_settings";

const SENSELESS: readonly (readonly [why: string, args: Row])[] = [
  ["nothing to change", {}],
  ["an address with the reservation off", { use_fixedip: false, fixed_ip: "192.168.1.40" }],
  ["a reservation without an address", { use_fixedip: true }],
  ["a name with the record off", { local_dns_record_enabled: false, local_dns_record: "x.example.com" }],
  ["a record without a name", { local_dns_record_enabled: true }],
  ["an address of no network", { fixed_ip: "10.1.2.3" }],
  ["a network's own address", { fixed_ip: "192.168.1.0" }],
  ["a broadcast address", { fixed_ip: "192.168.1.255" }],
  ["the gateway's address", { fixed_ip: "192.168.1.1" }],
  ["another client's reserved address", { fixed_ip: "192.168.1.10" }],
];

for (const [why, args] of SENSELESS) {
  test(`IP settings refuse ${why}`, async () => {
    const { context, writes } = fakeNetwork({ rows: ROWS });

    await assert.rejects(planOf(context, IP_SETTINGS, { mac_address: LAPTOP, ...args }), withCode("ARGUMENTS_INVALID"));
    assert.deepEqual(writes(), []);
  });
}

test("turning a reservation off clears its address, and one turned on again keeps the old one", async () => {
  const { context } = fakeNetwork({ rows: ROWS });

  const off = await planOf(context, IP_SETTINGS, { mac_address: NAS, use_fixedip: false });
  const on = await planOf(context, IP_SETTINGS, { mac_address: NAS, use_fixedip: true });

  assert.deepEqual(off.proposed, { use_fixedip: false, fixed_ip: "" });
  assert.equal(on.unchanged, true);
});

test("malformed addresses and names are refused by the schema", () => {
  for (const args of [
    { fixed_ip: "192.168.1" },
    { fixed_ip: "::1" },
    { local_dns_record: "bad name" },
    { local_dns_record: "-x" },
  ]) {
    assert.notDeepEqual(problemsOf(IP_SETTINGS, { mac_address: LAPTOP, ...args }), [], JSON.stringify(args));
  }
});
