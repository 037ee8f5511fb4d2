/** The scope that an HTTP 403 would ask for, read from a request's body. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCatalog } from "../../src/catalog/catalog.ts";
import { requiredScope } from "../../src/mcp/required-scope.ts";
import { MANIFEST_FIXTURE } from "../support/manifest-fixture.ts";
import { modernRequest } from "../support/mcp-endpoint.ts";

const catalog = createCatalog(MANIFEST_FIXTURE);
const scopeOf = (name: string, args: unknown) =>
  requiredScope(catalog, modernRequest("tools/call", { name, arguments: args }).body);

for (const [name, args, scope] of [
  ["unifi_list_clients", {}, undefined],
  ["unifi_block_client", {}, "unifi:write"],
  ["unifi_delete_dns_record", {}, "unifi:admin"],
  ["unifi_tool_index", {}, undefined],
  ["unifi_execute", { tool: "unifi_list_clients" }, undefined],
  ["unifi_execute", { tool_name: "unifi_create_dns_record" }, "unifi:write"],
  ["unifi_execute", { tool: "unifi_api_call", arguments: '{"method":"POST"}' }, "unifi:admin"],
  ["unifi_execute", { tool: "unifi_api_call", arguments: { method: "GET" } }, undefined],
  ["unifi_execute", { tool: "unifi_nothing" }, undefined],
  ["unifi_batch", { operations: [{ tool: "unifi_list_clients" }, { tool: "unifi_block_client" }] }, "unifi:write"],
  ["unifi_batch", { calls: '[{"tool":"unifi_delete_dns_record"},{"tool":"unifi_block_client"}]' }, "unifi:admin"],
  ["unifi_batch", { operations: 7 }, undefined],
  ["unifi_execute", "not JSON", undefined],
] as const) {
  test(`${name} ${JSON.stringify(args)} needs ${scope ?? "nothing more than reading"}`, () => {
    assert.equal(scopeOf(name, args), scope);
  });
}

test("what is no tool call needs nothing more", () => {
  assert.equal(requiredScope(catalog, modernRequest("tools/list").body), undefined);
  assert.equal(requiredScope(catalog, "x"), undefined);
});

test("a role that may not do it anyway is not sent to step up", () => {
  const { body } = modernRequest("tools/call", { name: "unifi_delete_dns_record", arguments: {} });

  assert.equal(requiredScope(catalog, body, "operator"), undefined);
  assert.equal(requiredScope(catalog, body, "admin"), "unifi:admin");
});
