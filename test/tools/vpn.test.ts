/** VPNs: which list an entry stands in, what never shows, and what turning one off warns of. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../../src/controller/controller.ts";
import { redact } from "../../src/redaction/redact.ts";
import { fakeNetwork } from "../support/fake-network.ts";
import { planOf, read, withCode } from "./support.ts";

const LAN: Row = { _id: "lan", name: "LAN", purpose: "corporate", vpn_type: "auto" };
const WAN: Row = { _id: "wan", name: "Internet", purpose: "wan" };

/** Entries as consoles store them, and what they are. */
const KINDS: readonly (readonly [id: string, entry: Row, list: "clients" | "servers", kind: string])[] = [
  ["wg", { purpose: "vpn-client", vpn_type: "wireguard-client" }, "clients", "client"],
  ["ov", { purpose: "vpn-client", vpn_type: "openvpn-client" }, "clients", "client"],
  ["ip", { purpose: "site-vpn", vpn_type: "ipsec-vpn" }, "clients", "site-to-site"],
  ["os", { purpose: "site-vpn", vpn_type: "openvpn-vpn" }, "clients", "site-to-site"],
  ["au", { purpose: "site-vpn", vpn_type: "auto" }, "clients", "site-to-site"],
  ["sd", { purpose: "sdwan", vpn_type: "sdwan-mesh-tunnel" }, "clients", "site-to-site"],
  ["ws", { purpose: "remote-user-vpn", vpn_type: "wireguard-server" }, "servers", "server"],
  ["l2", { purpose: "remote-user-vpn", vpn_type: "l2tp-server" }, "servers", "server"],
  ["vs", { purpose: "vpn-server", vpn_type: "openvpn-server" }, "servers", "server"],
  ["ui", { vpn_type: "uid-server" }, "servers", "server"],
];

function site(entries: readonly Row[] = KINDS.map(([id, entry]) => ({ _id: id, name: id, ...entry }))) {
  return fakeNetwork({
    rows: { "/rest/networkconf": [LAN, WAN, ...entries], "/trafficroutes": [{ _id: "t", network_id: "wg" }] },
  });
}

test("every VPN stands in exactly one list, site-to-site tunnels too, and no other network in any", async () => {
  const { context } = site();

  const { vpn_clients: clients } = await read(context, "unifi_list_vpn_clients");
  const { vpn_servers: servers } = await read(context, "unifi_list_vpn_servers");

  const told = (rows: unknown) => (Array.isArray(rows) ? rows : []).map(({ _id: id, kind }) => [id, kind]);
  const expected = (name: string) => KINDS.filter(([, , list]) => list === name).map(([id, , , kind]) => [id, kind]);
  assert.deepEqual(told(clients), expected("clients"));
  assert.deepEqual(told(servers), expected("servers"));
});

const BLOBS = {
  wireguard_client_configuration_file: "[Interface]\nPrivateKey = one",
  openvpn_configuration: "<key>two</key>",
  x_wireguard_private_key: "three",
  wireguard_client_preshared_key: "four",
  x_ipsec_pre_shared_key: "five",
  x_openvpn_password: "six",
  x_openvpn_shared_secret_key: "seven",
  x_auth_key: "eight",
  x_ca_key: "nine",
  x_server_key: "ten",
  x_dh_key: "eleven",
  x_shared_client_key: "twelve",
  x_pptpc_password: "thirteen",
};

test("keys, passwords and profiles show neither in lists nor in details (unifi-mcp#351, #353)", async () => {
  const { context } = site([{ _id: "wg", name: "wg", purpose: "vpn-client", vpn_type: "wireguard-client", ...BLOBS }]);

  const list = JSON.stringify(await read(context, "unifi_list_vpn_clients"));
  // the agent redacts every answer; the tool itself must only keep the names
  const details = JSON.stringify(redact(await read(context, "unifi_get_vpn_client_details", { client_id: "wg" })));

  for (const blob of Object.values(BLOBS)) assert.ok(!list.includes(blob) && !details.includes(blob), blob);
});

test("a filter cannot guess a key: lists show no field that holds one", async () => {
  const { context } = site([{ _id: "wg", name: "wg", purpose: "vpn-client", ...BLOBS }]);

  const { total } = await read(context, "unifi_list_vpn_clients", { filter: "three" });

  assert.equal(total, 0);
});

test("a state that is there already changes nothing; an entry without enabled is on", async () => {
  const { context } = site();

  const plan = await planOf(context, "unifi_update_vpn_client_state", { client_id: "wg", enabled: true });

  assert.equal(plan.unchanged, true);
});

test("turning a VPN off puts the whole entry back, keys included, and says what stops", async () => {
  const entry = { _id: "ws", name: "ws", purpose: "remote-user-vpn", vpn_type: "wireguard-server", ...BLOBS };
  const { context, writes } = site([entry]);

  const plan = await planOf(context, "unifi_update_vpn_server_state", { server_id: "ws", enabled: false });
  await plan.apply();

  assert.deepEqual([plan.current, plan.proposed], [{ enabled: true }, { enabled: false }]);
  assert.deepEqual(writes()[0]?.body, { ...entry, enabled: false });
  assert.match(String(plan.warnings), /lose their connection/);
});

test("a network that is no VPN, and a server asked for as a client, are not found", async () => {
  const { context, writes } = site();

  for (const id of ["lan", "wan", "ws"]) {
    await assert.rejects(planOf(context, "unifi_delete_vpn_client", { client_id: id }), withCode("NOT_FOUND"));
  }
  assert.deepEqual(writes(), []);
});

test("deleting counts the traffic routes that lead through it", async () => {
  const { context } = site();

  const plan = await planOf(context, "unifi_delete_vpn_client", { client_id: "wg" });

  assert.match(String(plan.warnings), /Traffic routes that lead through it: 1/);
});

test("a console without traffic routes can still delete a VPN", async () => {
  const { context } = fakeNetwork({
    rows: { "/rest/networkconf": [{ _id: "wg", name: "wg", purpose: "vpn-client" }] },
  });

  const plan = await planOf(context, "unifi_delete_vpn_client", { client_id: "wg" });

  assert.equal(plan.resourceId, "wg");
});
