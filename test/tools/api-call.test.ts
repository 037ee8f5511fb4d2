/** unifi_api_call: what it sends, how it is classed, and whose gates it must pass. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toolsThatWrite } from "../../src/tools/writes.ts";
import { FAKE_INTEGRATION_ID, fakeNetwork } from "../support/fake-network.ts";
import { planOf, problemsOf, read, toolNamed, withCode } from "./support.ts";

const ROWS = { "/api/s/default/stat/sta": [{ mac: "aa:bb:cc:dd:ee:ff" }] };

test("a GET answers with the console's body as data", async () => {
  const { context, requests } = fakeNetwork({
    answers: { "GET /api/s/default/stat/sta": () => ({ meta: { rc: "ok" }, data: [] }) },
  });

  const answer = await read(context, "unifi_api_call", { endpoint: "/proxy/network/api/s/default/stat/sta" });

  assert.deepEqual(answer, {
    site: "default",
    method: "GET",
    path: "/api/s/default/stat/sta",
    data: { meta: { rc: "ok" }, data: [] },
  });
  assert.deepEqual(requests, [{ method: "GET", path: "/api/s/default/stat/sta" }]);
});

for (const params of [{ start: 5, tag: ["a b", "c&d"], all: true }, '{"start":5,"tag":["a b","c&d"],"all":true}']) {
  test(`the params of a GET become its query, given as ${typeof params}`, async () => {
    const path = "/api/s/default/stat/sta?x=1&start=5&tag=a+b&tag=c%26d&all=true";
    const { context, requests } = fakeNetwork({ answers: { [`GET ${path}`]: () => [] } });

    await read(context, "unifi_api_call", { endpoint: "/api/s/{site}/stat/sta?x=1", params });

    assert.deepEqual(requests, [{ method: "GET", path }]);
  });
}

test("params of a GET cannot bring in what the path rule refuses in a query", async () => {
  const { context, requests } = fakeNetwork({ rows: ROWS });
  const call = (params: unknown) => read(context, "unifi_api_call", { endpoint: "/api/s/{site}/stat/sta", params });

  await assert.rejects(call({ _method: "DELETE" }), withCode("ARGUMENTS_INVALID", /another method/));
  await assert.rejects(call({ x: "a\r\nb" }), withCode("ARGUMENTS_INVALID", /control characters/));
  await assert.rejects(call({ x: { y: 1 } }), withCode("ARGUMENTS_INVALID"));
  await assert.rejects(call("[1]"), withCode("ARGUMENTS_INVALID"));
  await assert.rejects(call("not json"), withCode("ARGUMENTS_INVALID", /not JSON/));
  await assert.rejects(call('"text"'), withCode("ARGUMENTS_INVALID", /JSON object/));

  assert.deepEqual(requests, []);
});

test("a write is planned with method, path and body, and sent once as it was shown", async () => {
  const { context, requests } = fakeNetwork({ answers: { "PUT /api/s/default/rest/user/1": () => ({ done: true }) } });

  const plan = await planOf(context, "unifi_api_call", {
    endpoint: "/api/s/{site}/rest/user/1",
    method: "PUT",
    params: '{"name":"x"}',
  });

  assert.deepEqual(plan.proposed, { method: "PUT", path: "/api/s/default/rest/user/1", body: { name: "x" } });
  assert.deepEqual(requests, []);
  assert.deepEqual(await plan.apply(), {
    method: "PUT",
    path: "/api/s/default/rest/user/1",
    data: { done: true },
  });
  assert.deepEqual(requests, [{ method: "PUT", path: "/api/s/default/rest/user/1", body: { name: "x" } }]);
});

test("the site's UUID is asked for only where the path needs it", async () => {
  const path = `/integration/v1/sites/${FAKE_INTEGRATION_ID}/devices`;
  const { context, requests } = fakeNetwork({ answers: { [`GET ${path}`]: () => ({ data: [] }) } });

  await read(context, "unifi_api_call", { endpoint: "/integration/v1/sites/{siteId}/devices" });

  assert.deepEqual(requests, [{ method: "GET", path }]);
});

test("an endpoint that breaks the rule sends nothing, whatever the method", async () => {
  const { context, requests } = fakeNetwork();

  await assert.rejects(
    read(context, "unifi_api_call", { endpoint: "/api/s/other/stat/sta" }),
    withCode("ARGUMENTS_INVALID"),
  );
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const call = planOf(context, "unifi_api_call", { endpoint: "/api/auth/logout", method });
    await assert.rejects(call, withCode("ARGUMENTS_INVALID", /outside/));
  }

  assert.deepEqual(requests, []);
});

test("it is classed by its method, and any other than GET wants a token", () => {
  const { permission, classedBy, confirm, annotations } = toolNamed("unifi_api_call");

  assert.deepEqual(permission, { category: "api_call", action: "delete" });
  assert.deepEqual(classedBy, { argument: "method", read: ["GET"] });
  assert.equal(confirm, "token");
  assert.equal(annotations.destructiveHint, true);
  assert.notDeepEqual(problemsOf("unifi_api_call", { endpoint: "/x", method: "TRACE" }), []);
  assert.notDeepEqual(problemsOf("unifi_api_call", { endpoint: "/x", params: 5 }), []);
});

const writersOf = (...call: Parameters<typeof toolsThatWrite>) => toolsThatWrite(...call).map((tool) => tool.name);

test("a declared path and method meet the gates of exactly the tools that use them", () => {
  assert.deepEqual(writersOf("DELETE", "/api/s/{site}/rest/wlanconf/1"), ["unifi_delete_wlan"]);
  assert.deepEqual(writersOf("PUT", "/api/s/default/rest/wlanconf/1"), ["unifi_update_wlan", "unifi_toggle_wlan"]);
  assert.deepEqual(writersOf("PUT", "/api/s/default/rest/WLANCONF/1/"), ["unifi_update_wlan", "unifi_toggle_wlan"]);
  assert.deepEqual(writersOf("POST", "/proxy/network/api/s/default/rest/wlanconf"), ["unifi_create_wlan"]);
  assert.deepEqual(writersOf("POST", "/v2/api/site/default/static-dns"), ["unifi_create_dns_record"]);
  assert.ok(writersOf("POST", "/api/s/default/cmd/stamgr").includes("unifi_block_client"));
});

const WLAN_WRITERS = ["unifi_create_wlan", "unifi_update_wlan", "unifi_toggle_wlan", "unifi_delete_wlan"];

for (const [method, endpoint] of [
  ["PATCH", "/api/s/default/rest/wlanconf/1"],
  ["POST", "/api/s/default/rest/wlanconf/1"],
  ["DELETE", "/api/s/default/rest/wlanconf"],
  ["PUT", "/api/s/default/upd/wlanconf/1"],
  ["POST", "/api/s/default/add/wlanconf"],
  ["POST", "/api/s/default/del/wlanconf/1"],
  ["PUT", "/api/s/default/rest/wlan%63onf/1/more"],
  ["POST", "/integration/v1/sites/{siteId}/wifi/broadcasts"],
] as const) {
  test(`another way to the same object meets all its gates: ${method} ${endpoint}`, () => {
    assert.deepEqual(writersOf(method, endpoint), WLAN_WRITERS);
  });
}

test("a path that no tool writes has no gate but the call's own, and a refused path is never sent", () => {
  assert.deepEqual(writersOf("PUT", "/api/s/default/rest/hotspotop/1"), []);
  assert.deepEqual(writersOf("PUT", "/api/s/default/../other/rest/wlanconf/1"), []);
});
