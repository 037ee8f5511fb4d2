/** v2: bare answers, its two error forms, and the paths that only list. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { at, clientOf, rowsOf, simulator } from "./client.ts";

const V2 = "/proxy/network/v2/api/site/default";

async function signedIn(t: TestContext) {
  const console_ = await simulator(t, { persona: "unifi-os" });
  const client = clientOf(t, console_);
  await client.login();
  return { console_, client };
}

test("a DNS record is created, changed and deleted, and answers are bare", async (t) => {
  const { console_, client } = await signedIn(t);

  const created = await client.send("POST", `${V2}/static-dns`, {
    record_type: "A",
    key: "tv.example",
    value: "192.168.1.9",
  });
  const id = String(at(created.json, "_id"));
  const updated = await client.send("PUT", `${V2}/static-dns/${id}`, { enabled: false, colour: "red" });
  const deleted = await client.send("DELETE", `${V2}/static-dns/${id}`);
  const remaining = rowsOf(await client.send("GET", `${V2}/static-dns`));

  const record = { record_type: "A", key: "tv.example", value: "192.168.1.9", ttl: 0, port: 0, priority: 0, weight: 0 };
  assert.deepEqual(updated.json, {
    ...record,
    enabled: false,
    _id: id,
  });
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  assert.equal(remaining.length, 2);
  assert.deepEqual(
    [...console_.effects],
    [
      ["POST static-dns", 1],
      [`PUT static-dns/${id}`, 1],
      [`DELETE static-dns/${id}`, 1],
    ],
  );
});

test("a refused value is told in the application's form, an unknown id with 404", async (t) => {
  const { client } = await signedIn(t);

  const wrong = await client.send("POST", `${V2}/static-dns`, { record_type: "LOC", key: "a.example", value: "x" });
  const missing = await client.send("POST", `${V2}/static-dns`, { record_type: "A", key: "a.example" });
  const unknown = await client.send("PUT", `${V2}/static-dns/000000000000000000000000`, { enabled: true });

  assert.equal(wrong.status, 400);
  assert.deepEqual(at(wrong.json, "details", "invalid_fields"), ["record_type"]);
  assert.deepEqual(at(missing.json, "details", "invalid_fields"), ["value"]);
  assert.deepEqual([unknown.status, at(unknown.json, "code")], [404, "api.err.NotFound"]);
});

test("GET by id is 405 where the console only lists, and works where it does not", async (t) => {
  const { client } = await signedIn(t);
  const [record] = rowsOf(await client.send("GET", `${V2}/static-dns`));
  const [group] = rowsOf(await client.send("GET", `${V2}/network-members-groups`));

  const dns = await client.send("GET", `${V2}/static-dns/${String(record?._id)}`);
  const apGroup = await client.send("GET", `${V2}/apgroups/anything`);
  const members = await client.send("GET", `${V2}/network-members-group/${String(group?.id)}`);

  assert.deepEqual([dns.status, at(dns.json, "errorCode")], [405, 405]);
  assert.equal(apGroup.status, 405);
  assert.deepEqual(members.json, group);
});

test("content filtering names a field that it does not know", async (t) => {
  const { client } = await signedIn(t);

  const answer = await client.send("PUT", `${V2}/content-filtering/1`, { blocked_categories: [] });

  assert.deepEqual([answer.status, at(answer.json, "errorCode")], [400, 400]);
  assert.match(String(at(answer.json, "message")), /blocked_categories/);
});

test("a firewall policy is replaced whole: a partial PUT is refused", async (t) => {
  const { client } = await signedIn(t);
  const [policy] = rowsOf(await client.send("GET", `${V2}/firewall-policies`));
  const path = `${V2}/firewall-policies/${String(policy?._id)}`;

  const partial = await client.send("PUT", path, { enabled: false });
  const whole = await client.send("PUT", path, { ...policy, enabled: false });

  assert.deepEqual([partial.status, at(partial.json, "code")], [400, "api.err.FirewallPolicyInvalid"]);
  assert.deepEqual([whole.status, at(whole.json, "enabled")], [200, false]);
});

test("a policy's port as a number is refused, as text it is kept", async (t) => {
  const { client } = await signedIn(t);
  const [policy] = rowsOf(await client.send("GET", `${V2}/firewall-policies`));
  const path = `${V2}/firewall-policies/${String(policy?._id)}`;
  const end = { zone_id: at(policy, "destination", "zone_id"), matching_target: "ANY", port_matching_type: "SPECIFIC" };

  const number = await client.send("PUT", path, { ...policy, destination: { ...end, port: 443 } });
  const text = await client.send("PUT", path, { ...policy, destination: { ...end, port: "443" } });

  assert.equal(number.status, 400);
  assert.deepEqual([text.status, at(text.json, "destination", "port")], [200, "443"]);
});

test("an unknown category of the system log is refused in the framework's words", async (t) => {
  const { client } = await signedIn(t);

  const refused = await client.send("POST", `${V2}/system-log/all`, { categories: ["AP_LOGS"] });
  const security = await client.send("POST", `${V2}/system-log/critical`, { categories: ["SECURITY"], pageSize: 10 });

  assert.equal(refused.status, 400);
  assert.match(String(at(refused.json, "message")), /from String "AP_LOGS"/);
  assert.equal(at(security.json, "total_element_count"), 1);
});

test("an unknown path is 404, a known one under another method 405", async (t) => {
  const { client } = await signedIn(t);

  const unknown = await client.send("GET", `${V2}/nothing`);
  const method = await client.send("DELETE", `${V2}/clients/active`);

  assert.deepEqual([unknown.status, method.status], [404, 405]);
});

test("offline and blocked clients are in the history, not among the active ones", async (t) => {
  const { client } = await signedIn(t);

  const active = rowsOf(await client.send("GET", `${V2}/clients/active`));
  const history = rowsOf(await client.send("GET", `${V2}/clients/history?withinHours=0`));

  assert.deepEqual([active.length, history.length], [8, 2]);
  assert.deepEqual(
    history.map((row) => row.blocked),
    [true, false],
  );
  assert.equal(typeof active[0]?.channel_width, "string");
});
