/** The integration API: key, pages, filters, and the same state as v1 and v2. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { parseFilter } from "../../src/simulator/integration-filter.ts";
import { at, clientOf, rowsOf, simulator } from "./client.ts";

const API = "/proxy/network/integration/v1";

async function keyed(t: TestContext) {
  const console_ = await simulator(t, { persona: "unifi-os", apiKey: "key-1" });
  const client = clientOf(t, console_);
  const send = (method: string, path: string, body?: unknown) =>
    client.send(method, `/proxy/network${path}`, body, { "x-api-key": "key-1" });
  const site = `/integration/v1/sites/${console_.state.sites.get("default")?.uuid}`;
  return { console_, client, send, site };
}

test("without a key it is 401 in its own envelope, with a session too", async (t) => {
  const { client } = await keyed(t);
  await client.login();

  const answer = await client.send("GET", `${API}/sites`);

  assert.equal(answer.status, 401);
  assert.equal(at(answer.json, "code"), "api.authentication.missing-credentials");
  assert.equal(at(answer.json, "requestPath"), "/integration/v1/sites");
});

test("sites carry the name that v1 paths use", async (t) => {
  const { send, console_ } = await keyed(t);

  const answer = await send("GET", "/integration/v1/sites");

  const id = console_.state.sites.get("default")?.uuid;
  const data = [{ id, internalReference: "default", name: "Home" }];
  assert.deepEqual(answer.json, { offset: 0, limit: 25, count: 1, totalCount: 1, data });
});

test("lists are paged, and a limit above 200 is refused", async (t) => {
  const { send, site } = await keyed(t);

  const page = await send("GET", `${site}/clients?offset=6&limit=5`);
  const refused = await send("GET", `${site}/clients?limit=201`);

  const { data: _, ...counts } = page.json as Record<string, unknown>; // its rows are looked at elsewhere
  assert.deepEqual(counts, { offset: 6, limit: 5, count: 2, totalCount: 8 });
  assert.deepEqual([refused.status, at(refused.json, "statusName")], [400, "BAD_REQUEST"]);
});

test("every list and its details show the same row", async (t) => {
  const { send, site } = await keyed(t);

  const seen: [string, number, boolean][] = [];
  for (const list of ["clients", "devices", "networks", "wifi/broadcasts", "dns/policies"]) {
    const rows = rowsOf(await send("GET", `${site}/${list}`));
    const details = await send("GET", `${site}/${list}/${String(rows[0]?.id)}`);
    seen.push([list, rows.length, at(details.json, "id") === rows[0]?.id]);
  }

  assert.deepEqual(seen, [
    ["clients", 8, true],
    ["devices", 4, true],
    ["networks", 3, true],
    ["wifi/broadcasts", 3, true],
    ["dns/policies", 2, true],
  ]);
});

test("a filter narrows a list and its totals", async (t) => {
  const { send, site } = await keyed(t);

  const answer = await send(
    "GET",
    `${site}/devices?filter=${encodeURIComponent("and(name.like('AP*'),state.eq('ONLINE'))")}`,
  );
  const broken = await send("GET", `${site}/devices?filter=name.like(`);

  assert.deepEqual(
    rowsOf(answer).map((row) => row.name),
    ["AP Hall", "AP Workshop"],
  );
  assert.equal(at(answer.json, "totalCount"), 2);
  assert.equal(broken.status, 400);
});

test("a DNS policy made here is a record of v2, and one deleted here is gone there", async (t) => {
  const { send, site } = await keyed(t);
  const body = { type: "A_RECORD", enabled: true, domain: "tv.example", ipv4Address: "192.168.1.9", ttlSeconds: 60 };

  const created = await send("POST", `${site}/dns/policies`, body);
  const between = rowsOf(await send("GET", "/v2/api/site/default/static-dns")).at(-1);
  const deleted = await send("DELETE", `${site}/dns/policies/${String(at(created.json, "id"))}`);
  const after = rowsOf(await send("GET", "/v2/api/site/default/static-dns"));

  assert.equal(created.status, 201);
  assert.deepEqual([between?.key, between?.value, between?.ttl], ["tv.example", "192.168.1.9", 60]);
  assert.deepEqual([deleted.status, after.length], [200, 2]);
});

test("actions restart devices and let guests in, and refuse words they do not know", async (t) => {
  const { send, site, console_ } = await keyed(t);
  const devices = rowsOf(await send("GET", `${site}/devices`));
  const guest = rowsOf(await send("GET", `${site}/clients`)).find((row) => at(row, "access", "type") === "GUEST");

  const restart = await send("POST", `${site}/devices/${String(devices[2]?.id)}/actions`, { action: "RESTART" });
  const away = await send("GET", `${site}/devices/${String(devices[2]?.id)}`);
  const out = await send("POST", `${site}/clients/${String(guest?.id)}/actions`, {
    action: "UNAUTHORIZE_GUEST_ACCESS",
  });
  const unknown = await send("POST", `${site}/devices/${String(devices[2]?.id)}/actions`, { action: "DANCE" });

  const [station] = rowsOf(await send("GET", "/api/s/default/stat/guest"));
  assert.deepEqual([restart.status, at(away.json, "state")], [200, "OFFLINE"]);
  assert.deepEqual([out.status, station?.authorized], [200, false]);
  assert.equal(unknown.status, 400);
  assert.equal([...console_.effects.keys()].filter((key) => key.includes(" restart ")).length, 1);
});

test("the order of policies between two zones is read and replaced, each policy named once", async (t) => {
  const { send, site } = await keyed(t);
  const [policy] = rowsOf(await send("GET", "/v2/api/site/default/firewall-policies"));
  await send("POST", "/v2/api/site/default/firewall-policies", { ...policy, name: "Second", index: 10_001 });
  const zones = new Map(
    rowsOf(await send("GET", `${site}/firewall/zones`)).map((zone) => [zone.name, String(zone.id)]),
  );
  const pair = `sourceFirewallZoneId=${zones.get("Internal")}&destinationFirewallZoneId=${zones.get("External")}`;
  const path = `${site}/firewall/policies/ordering?${pair}`;

  const before = at((await send("GET", path)).json, "orderedFirewallPolicyIds", "beforeSystemDefined");
  assert.ok(Array.isArray(before));
  const order = (ids: readonly unknown[], rest: readonly unknown[]) => ({
    orderedFirewallPolicyIds: { beforeSystemDefined: ids, afterSystemDefined: rest },
  });
  const partial = await send("PUT", path, order([before[0]], []));
  const swapped = await send("PUT", path, order([before[1]], [before[0]]));

  assert.equal(partial.status, 400);
  assert.deepEqual([swapped.status, swapped.json], [200, order([before[1]], [before[0]])]);
  assert.deepEqual((await send("GET", path)).json, swapped.json);
});

/** Filter, and whether it keeps `{name:"AP Hall", port:7, on:true, tags:["a","b"], nested:{x:"1"}}`. */
const FILTERS: readonly (readonly [string, boolean | undefined])[] = [
  ["name.eq('AP Hall')", true],
  ["name.ne('AP Hall')", false],
  ["name.like('AP*')", true],
  ["port.gt(6)", true],
  ["port.ge(7)", true],
  ["port.lt(7)", false],
  ["port.le(7)", true],
  ["name.in('x', 'AP Hall')", true],
  ["name.notIn('x')", true],
  ["missing.isNull()", true],
  ["name.isNotNull()", true],
  ["tags.isEmpty()", false],
  ["tags.contains('a')", true],
  ["tags.containsAny('z', 'b')", true],
  ["tags.containsAll('a', 'z')", false],
  ["tags.containsExactly('b', 'a')", true],
  ["nested.x.eq('1')", true],
  ["on.eq(true)", true],
  ["not(or(port.eq(1), and(port.eq(7), on.eq(true))))", false],
  ["name.dance('x')", undefined],
  ["and(name.eq('x')", undefined],
  ["name.eq('x') tail", undefined],
];

test("the filter grammar keeps and drops as documented", () => {
  const row = { name: "AP Hall", port: 7, on: true, tags: ["a", "b"], nested: { x: "1" } };

  assert.deepEqual(
    FILTERS.map(([text]) => [text, parseFilter(text)?.(row)]),
    FILTERS,
  );
});
