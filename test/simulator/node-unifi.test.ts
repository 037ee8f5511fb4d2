/** Fidelity: the third-party client node-unifi works against the simulator unchanged, in both personas. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { type TestContext, test } from "node:test";
import type { WebSocket } from "ws";
import { PERSONAS, type Persona } from "../../src/simulator/world.ts";
import { at, type Fields, simulator } from "./client.ts";

/** node-unifi 2.5.1 ships no types; of its methods only name and promise are assumed. */
interface NodeUnifi {
  login(): Promise<boolean>;
  listen(): Promise<boolean>;
  logout(): Promise<unknown>;
  on(event: string, listener: (payload: unknown) => void): void;
  /** Its `_close()` throws (it closes sockets it never had), so the tests end the socket themselves. */
  readonly _ws?: WebSocket;
  _isClosed: boolean;
}

const { Controller } = createRequire(import.meta.url)("node-unifi") as {
  Controller: new (options: Readonly<Record<string, unknown>>) => NodeUnifi;
};

async function connect(t: TestContext, persona: Persona) {
  let made: NodeUnifi | undefined;
  // registered first, so that it runs first: a socket closed by the console would be opened again for ever
  t.after(() => {
    if (made === undefined) return;
    made._isClosed = true;
    made._ws?.terminate();
  });
  const console_ = await simulator(t, { persona });
  const { host, port, username, password } = console_;
  const client = new Controller({ host, port, username, password, sslverify: false });
  made = client;
  const call = async (name: string, ...values: unknown[]): Promise<readonly Fields[]> => {
    const method: unknown = Reflect.get(client, name);
    assert.ok(typeof method === "function", `node-unifi has no ${name}`);
    return await Reflect.apply(method, client, values);
  };
  await client.login();
  return { console_, client, call };
}

/** Reading calls of node-unifi and the number of rows that the seed "home" gives. */
const READS: readonly (readonly [method: string, rows: number])[] = [
  ["getClientDevices", 8],
  ["getAllUsers", 10],
  ["getUsers", 10],
  ["getAccessDevices", 4],
  ["getAccessDevicesBasic", 4],
  ["getSites", 1],
  ["getSitesStats", 1],
  ["getSiteSysinfo", 1],
  ["getHealth", 5],
  ["getNetworkConf", 4],
  ["getWLanSettings", 3],
  ["getUserGroups", 2],
  ["getAPGroups", 1],
  ["getPortForwarding", 2],
  ["getPortForwardingStats", 2],
  ["getFirewallGroups", 1],
  ["getFirewallRules", 1],
  ["getRouting", 1],
  ["getDynamicDNS", 1],
  ["getPortConfig", 1],
  ["getVouchers", 1],
  ["getRogueAccessPoints", 1],
  ["getAlarms", 1],
  ["getSelf", 1],
];

for (const persona of PERSONAS) {
  test(`node-unifi reads every list of the ${persona} persona`, async (t) => {
    const { call } = await connect(t, persona);

    const counts: [string, number][] = [];
    for (const [method] of READS) counts.push([method, (await call(method)).length]);

    assert.deepEqual(counts, READS);
  });
}

for (const persona of PERSONAS) {
  test(`node-unifi blocks and unblocks a client of the ${persona} persona`, async (t) => {
    const { console_, call } = await connect(t, persona);
    const [client] = await call("getClientDevices");
    const mac = String(client?.mac);

    await call("blockClient", mac.toUpperCase());
    const blocked = await call("getClientDevices");
    await call("unblockClient", mac);
    const unblocked = await call("getClientDevices");

    assert.equal(
      blocked.some((row) => row.mac === mac),
      false,
    );
    assert.equal(
      unblocked.some((row) => row.mac === mac),
      true,
    );
    assert.equal(console_.effects.get(`POST cmd/stamgr block-sta ${mac}`), 1);
    assert.equal(console_.effects.get(`POST cmd/stamgr unblock-sta ${mac}`), 1);
  });

  test(`node-unifi creates, edits and deletes an AP group and a user group of the ${persona} persona`, async (t) => {
    const { call } = await connect(t, persona);
    const [device] = await call("getAccessDevices");

    const apGroup: unknown = await call("createAPGroup", "Upstairs", [device?.mac]);
    const apGroupId = String(at(apGroup, "_id"));
    await call("editAPGroup", apGroupId, "Attic", []);
    const renamed = await call("getAPGroups");
    await call("deleteAPGroup", apGroupId);
    const remaining = await call("getAPGroups");
    const [userGroup] = await call("createUserGroup", "Slow", 500, 100);
    const userGroupId = String(userGroup?._id);
    await call("editUserGroup", userGroupId, "ignored", "Slower", 400, 100);
    const [, , edited] = await call("getUserGroups");
    await call("deleteUserGroup", userGroupId);

    assert.deepEqual(
      renamed.map((row) => row.name),
      ["All APs", "Attic"],
    );
    assert.deepEqual(
      remaining.map((row) => row.name),
      ["All APs"],
    );
    assert.equal(edited?.name, "Slower");
    assert.equal(edited?.qos_rate_max_down, 400);
    assert.equal((await call("getUserGroups")).length, 2);
  });

  test(`node-unifi changes devices, WLANs and port forwards of the ${persona} persona`, async (t) => {
    const { console_, call } = await connect(t, persona);
    const [, , accessPoint] = await call("getAccessDevices");
    const [wlan] = await call("getWLanSettings");
    const [, forward] = await call("getPortForwarding");

    await call("renameAccessPoint", accessPoint?._id, "AP Attic");
    await call("setLEDOverride", accessPoint?._id, "off");
    await call("setLocateAccessPoint", accessPoint?.mac, true);
    await call("restartDevice", accessPoint?.mac);
    await call("disableWLan", wlan?._id, true);
    await call("setPortForwarding", forward?._id, true);

    const [after] = await call("getAccessDevices", accessPoint?.mac);
    assert.deepEqual([after?.name, after?.led_override, after?.locating, after?.state], ["AP Attic", "off", true, 6]);
    assert.equal((await call("getWLanSettings", wlan?._id))[0]?.enabled, false);
    assert.equal((await call("getPortForwarding"))[1]?.enabled, true);
    assert.equal(console_.effects.get(`POST cmd/devmgr restart ${String(accessPoint?.mac)}`), 1);
  });

  test(`node-unifi hears events of the ${persona} persona and gets its pong`, async (t) => {
    const { console_, client, call } = await connect(t, persona);
    const [station] = await call("getClientDevices");
    const heard = Promise.withResolvers<unknown>();
    const pong = Promise.withResolvers<void>();
    const connected = Promise.withResolvers<void>();
    client.on("ctrl.connect", () => connected.resolve());
    client.on("ctrl.pong", () => pong.resolve());
    client.on("events.evt_wu_disconnected", heard.resolve);
    await client.listen();
    await connected.promise;

    client._ws?.send("ping");
    await pong.promise;
    await call("reconnectClient", station?.mac);
    const payload = await heard.promise;

    assert.equal(at(payload, 0, "user"), station?.mac);
    assert.equal(at(payload, 1, "message"), "events");
    assert.equal(console_.sockets.size, 1);
  });

  // node-unifi never signs in again by itself (it believes it still is); real consoles answer it the same way
  test(`node-unifi is told 401 when the ${persona} persona forgot its session`, async (t) => {
    const { console_, call } = await connect(t, persona);

    console_.sessions.closeAll();

    await assert.rejects(call("getClientDevices"), (error) => at(error, "response", "status") === 401);
  });
}
