/** v1 writes: what is kept, dropped and refused, and how one state shows in every view. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { SimulatorOptions } from "../../src/simulator/simulator.ts";
import { at, clientOf, rowsOf, simulator } from "./client.ts";

const V1 = "/api/s/default";

async function signedIn(t: TestContext, options: Partial<SimulatorOptions> = {}) {
  const console_ = await simulator(t, { persona: "standalone", ...options });
  const client = clientOf(t, console_);
  await client.login();
  return { console_, client };
}

const FORWARD = { name: "Web", dst_port: "8080", fwd: "192.168.1.10", fwd_port: "80", proto: "tcp" };

test("an unknown field is dropped without a word, and the rest is kept", async (t) => {
  const { client } = await signedIn(t);

  const created = await client.send("POST", `${V1}/rest/portforward`, { ...FORWARD, colour: "red" });
  const listed = rowsOf(await client.send("GET", `${V1}/rest/portforward`)).at(-1);

  assert.deepEqual([created.status, at(created.json, "meta", "rc")], [200, "ok"]);
  assert.equal(listed?.fwd, "192.168.1.10");
  assert.equal(listed !== undefined && "colour" in listed, false);
});

/** Bodies the console refuses: resource, body, code, field that the error names. */
const REFUSED: readonly (readonly [string, Record<string, unknown>, string, string | undefined])[] = [
  ["portforward", { ...FORWARD, proto: "icmp" }, "InvalidPayload", "proto"],
  ["portforward", { ...FORWARD, fwd: "300.1.1.1" }, "InvalidPayload", "fwd"],
  ["portforward", { name: "No target" }, "InvalidPayload", "dst_port"],
  ["usergroup", { name: "Fast", qos_rate_max_up: 1 }, "InvalidPayload", "qos_rate_max_up"],
  ["networkconf", { name: "Lab", purpose: "corporate", ip_subnet: "10.9.0.1/24" }, "VlanUsed", undefined],
  ["networkconf", { name: "Lab", purpose: "corporate", vlan_enabled: true, vlan: 20 }, "VlanUsed", undefined],
  ["networkconf", { name: "Lab", purpose: "corporate", vlan_enabled: true, vlan: 5000 }, "InvalidPayload", "vlan"],
  [
    "networkconf",
    { name: "Lab", purpose: "corporate", vlan_enabled: true, vlan: 77, dhcpguard_enabled: true },
    "MissingIPAddress",
    undefined,
  ],
  ["wlanconf", { name: "Lab", security: "open" }, "ApGroupMissing", undefined],
  ["wlanconf", { name: "Lab", security: "wpapsk", x_passphrase: "short" }, "InvalidPayload", "x_passphrase"],
  ["firewallrule", { name: "Half" }, "FirewallRuleFieldsRequired", undefined],
  ["nothing", { name: "x" }, "InvalidObject", undefined],
  ["device", { name: "x" }, "InvalidObject", undefined],
];

test("refused bodies name the code and, where one field is to blame, the field", async (t) => {
  const { console_, client } = await signedIn(t);

  const answers: unknown[] = [];
  for (const [resource, body] of REFUSED) {
    const answer = await client.send("POST", `${V1}/rest/${resource}`, body);
    answers.push([
      answer.status,
      at(answer.json, "meta", "msg"),
      at(answer.json, "data", 0, "meta", "validationError", "field"),
    ]);
  }

  assert.deepEqual(
    answers,
    REFUSED.map(([, , code, field]) => [400, `api.err.${code}`, field]),
  );
  assert.equal(console_.effects.size, 0);
});

test("a client that is known is not created twice, whatever the case of its MAC", async (t) => {
  const { client } = await signedIn(t);
  const [user] = rowsOf(await client.send("GET", `${V1}/rest/user`));

  const answer = await client.send("POST", `${V1}/rest/user`, { mac: String(user?.mac).toUpperCase() });

  assert.equal(at(answer.json, "meta", "msg"), "api.err.MacAlreadyRegistered");
});

test("unknown ids are IdInvalid, the default network stays, and users are not deleted by REST", async (t) => {
  const { client } = await signedIn(t);
  const [network] = rowsOf(await client.send("GET", `${V1}/rest/networkconf`));
  const [user] = rowsOf(await client.send("GET", `${V1}/rest/user`));

  const codes: unknown[] = [];
  for (const [method, path] of [
    ["PUT", "rest/wlanconf/000000000000000000000000"],
    ["DELETE", "rest/networkconf/000000000000000000000000"],
    ["DELETE", `rest/networkconf/${String(network?._id)}`],
    ["DELETE", `rest/user/${String(user?._id)}`],
  ] as const) {
    codes.push(at((await client.send(method, `${V1}/${path}`, { name: "x" })).json, "meta", "msg"));
  }

  assert.deepEqual(codes, ["api.err.IdInvalid", "api.err.IdInvalid", "api.err.NoDelete", "api.err.InvalidObject"]);
});

test("a partial PUT overlays, a whole row sent back with read-only fields is accepted", async (t) => {
  const { console_, client } = await signedIn(t);
  const [wlan] = rowsOf(await client.send("GET", `${V1}/rest/wlanconf`));
  const path = `${V1}/rest/wlanconf/${String(wlan?._id)}`;

  await client.send("PUT", path, { enabled: false });
  const whole = await client.send("PUT", path, { ...wlan, name: "Renamed", _id: "other", site_id: "other" });

  assert.deepEqual(rowsOf(whole)[0], { ...wlan, name: "Renamed" });
  assert.equal(console_.effects.get(`PUT rest/wlanconf/${String(wlan?._id)}`), 2);
});

test("a list is replaced whole, but a radio keeps what the device reports about it", async (t) => {
  const { client } = await signedIn(t);
  const [, , device] = rowsOf(await client.send("GET", `${V1}/stat/device`));
  const path = `${V1}/rest/device/${String(device?._id)}`;

  await client.send("PUT", path, { radio_table: [{ radio: "na", channel: "44", ht: 80, nss: 9 }] });
  const [after] = rowsOf(await client.send("GET", `${V1}/stat/device/${String(device?.mac)}`));

  const radios = at(after, "radio_table");
  assert.equal(Array.isArray(radios) && radios.length, 1);
  assert.deepEqual([at(radios, 0, "channel"), at(radios, 0, "ht"), at(radios, 0, "nss")], ["44", 80, 3]);
});

test("numbers sent as text are kept as numbers", async (t) => {
  const { client } = await signedIn(t);

  const body = { name: "Lab", purpose: "corporate", ip_subnet: "10.9.0.1/24", vlan_enabled: "true", vlan: "77" };
  const [network] = rowsOf(await client.send("POST", `${V1}/rest/networkconf`, body));

  assert.deepEqual([network?.vlan, network?.vlan_enabled], [77, true]);
});

test("a rename through rest/user shows in stat/sta and the v2 list", async (t) => {
  const { client } = await signedIn(t);
  const [station] = rowsOf(await client.send("GET", `${V1}/stat/sta`));

  await client.send("PUT", `${V1}/rest/user/${String(station?._id)}`, { name: "Anna's laptop" });

  const [live] = rowsOf(await client.send("GET", `${V1}/stat/sta/${String(station?.mac).toUpperCase()}`));
  const active = rowsOf(await client.send("GET", "/v2/api/site/default/clients/active"));
  assert.equal(live?.name, "Anna's laptop");
  assert.equal(active[0]?.display_name, "Anna's laptop");
});

test("an unknown station is named by the raw path segment in lower case", async (t) => {
  const { client } = await signedIn(t);

  const answer = await client.send("GET", `${V1}/stat/sta/02%3A00%3A5E:10:0f:ff`);
  const [station] = rowsOf(await client.send("GET", `${V1}/stat/sta`));
  const encoded = await client.send("GET", `${V1}/stat/sta/${encodeURIComponent(String(station?.mac))}/`);

  assert.deepEqual(answer.json, {
    meta: { rc: "error", msg: "api.err.UnknownStation", mac: "02%3a00%3a5e:10:0f:ff" },
    data: [],
  });
  assert.equal(rowsOf(encoded).length, 1);
});

test("commands: an unknown one is 404, an unknown manager 400, an unknown MAC is named", async (t) => {
  const { client } = await signedIn(t);
  const mac = "02:00:00:00:00:ff";

  const unknown = await client.send("POST", `${V1}/cmd/stamgr`, { cmd: "dance", mac });
  const manager = await client.send("POST", `${V1}/cmd/nobody`, { cmd: "block-sta", mac });
  const device = await client.send("POST", `${V1}/cmd/devmgr`, { cmd: "restart", mac });
  const adopt = await client.send("POST", `${V1}/cmd/devmgr`, { cmd: "adopt", mac });

  assert.deepEqual([unknown.status, at(unknown.json, "meta", "msg")], [404, "api.err.NotFound"]);
  assert.deepEqual([manager.status, at(manager.json, "meta", "msg")], [400, "api.err.InvalidObject"]);
  assert.equal(at(device.json, "meta", "msg"), "api.err.UnknownDevice");
  assert.equal(at(adopt.json, "meta", "msg"), "api.err.CanNotAdoptUnknownDevice");
});

test("forgetting a client takes it out of every list", async (t) => {
  const { console_, client } = await signedIn(t);
  const [station] = rowsOf(await client.send("GET", `${V1}/stat/sta`));
  const mac = String(station?.mac);

  await client.send("POST", `${V1}/cmd/stamgr`, { cmd: "forget-sta", macs: [mac.toUpperCase()] });

  const known = rowsOf(await client.send("GET", `${V1}/rest/user`));
  assert.equal(
    known.some((row) => row.mac === mac),
    false,
  );
  assert.equal(console_.effects.get(`POST cmd/stamgr forget-sta ${mac}`), 1);
});

test("a restarted device is away for a minute of the console's clock", async (t) => {
  let nowMs = Date.UTC(2026, 10, 30);
  const { client } = await signedIn(t, { now: () => nowMs });
  const [, , device] = rowsOf(await client.send("GET", `${V1}/stat/device`));
  const state = async () => rowsOf(await client.send("GET", `${V1}/stat/device/${String(device?.mac)}`))[0]?.state;

  await client.send("POST", `${V1}/cmd/devmgr`, { cmd: "restart", mac: device?.mac });
  const during = await state();
  nowMs += 61_000;
  const after = await state();

  assert.deepEqual([device?.state, during, after], [1, 6, 1]);
});

test("an unset settings section is an empty object, and setting it makes it", async (t) => {
  const { client } = await signedIn(t);

  const unset = await client.send("GET", `${V1}/get/setting/snmp`);
  await client.send("PUT", `${V1}/set/setting/snmp`, { enabled: true, community: "public1" });
  const [set] = rowsOf(await client.send("GET", `${V1}/get/setting/snmp`));
  const all = await client.send("GET", `${V1}/get/setting/`);
  const unnamed = await client.send("PUT", `${V1}/rest/setting/000000000000000000000000`, { enabled: true });

  assert.deepEqual(rowsOf(unset), [{}]);
  assert.deepEqual([set?.key, set?.enabled, set?.community], ["snmp", true, "public1"]);
  assert.equal(rowsOf(all).at(-1)?.key, "snmp");
  assert.equal(at(unnamed.json, "meta", "msg"), "api.err.Invalid");
});

test("an unknown site is 401 api.err.NoSiteContext, and sites do not share rows", async (t) => {
  const { client } = await signedIn(t, { sites: [{ name: "default" }, { name: "branch", data: "office" }] });

  const unknown = await client.send("GET", "/api/s/nowhere/stat/sta");
  const sites = rowsOf(await client.send("GET", "/api/self/sites"));
  await client.send("POST", "/api/s/branch/rest/usergroup", { name: "Only here" });
  const here = rowsOf(await client.send("GET", `${V1}/rest/usergroup`));

  assert.deepEqual([unknown.status, at(unknown.json, "meta", "msg")], [401, "api.err.NoSiteContext"]);
  assert.deepEqual(
    sites.map((site) => [site.name, site.desc]),
    [
      ["default", "Home"],
      ["branch", "Harbour Office"],
    ],
  );
  assert.equal(
    here.some((group) => group.name === "Only here"),
    false,
  );
});

test("a body that is not JSON is refused, and a POST without content type is read", async (t) => {
  const { client } = await signedIn(t);

  const text = await client.send("POST", `${V1}/rest/usergroup`, "DELETE");
  const bare = await client.send("POST", `${V1}/rest/usergroup`, { name: "Plain" });

  assert.deepEqual([text.status, at(text.json, "meta", "msg")], [400, "api.err.InvalidPayload"]);
  assert.equal(bare.status, 200);
});

test("the site grows to the wanted number of clients and devices", async (t) => {
  const { client } = await signedIn(t, { scale: { clients: 300, devices: 20 } });

  const users = rowsOf(await client.send("GET", `${V1}/rest/user`));
  const devices = rowsOf(await client.send("GET", `${V1}/stat/device`));

  assert.equal(new Set(users.map((user) => user.mac)).size, 300);
  assert.equal(new Set(devices.map((device) => device.mac)).size, 20);
});

test("health counts what the other lists show", async (t) => {
  const { client } = await signedIn(t, { sites: [{ name: "default", data: "office" }] });

  const health = new Map(rowsOf(await client.send("GET", `${V1}/stat/health`)).map((row) => [row.subsystem, row]));
  const stations = rowsOf(await client.send("GET", `${V1}/stat/sta`));

  const wlan = health.get("wlan");
  const wireless = stations.filter((station) => station.is_wired === false).length;
  assert.deepEqual([wlan?.num_ap, wlan?.num_disconnected, wlan?.status], [3, 1, "warning"]);
  assert.equal(Number(wlan?.num_user) + Number(wlan?.num_guest), wireless);
  assert.equal(health.get("wan")?.num_sta, stations.length);
});
