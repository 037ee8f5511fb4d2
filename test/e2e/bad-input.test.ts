/** What strangers, models and broken consoles send to the deployed product: refused in words, with nothing done. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { announce, callRequest, deepRequest, FOREIGN_JWT, LIST, post } from "../support/raw-mcp.ts";
import { until } from "../support/until.ts";
import { type Answer, callTool, ORG, postMcp, startWorld, type World } from "../support/world.ts";
import { hostileAgent } from "./hostile-agent.ts";

const WRONG_PASSWORD = "not-the-console-password";
const RECORD = { key: "nas.example", value: "192.0.2.1", record_type: "A" };
const NEW_PASSPHRASE = "a passphrase nobody may read";
const MARKER = "***REDACTED***";

test("bad input", { timeout: 180_000 }, async (t) => {
  const world = await startWorld(t, {
    places: [
      { name: "House" },
      { name: "Office" },
      { name: "Barn" },
      { name: "Cabin", agent: { UNIFI_PASSWORD: WRONG_PASSWORD } },
    ],
  });
  const token = await world.token();
  /** All that the product answered, for the last test. */
  const answers: string[] = [];
  const execute = async (args: Record<string, unknown>): Promise<Answer> => {
    const answer = await callTool(world.mcpUrl, token, "unifi_execute", args);
    answers.push(JSON.stringify(answer));
    return answer;
  };
  const effects = () => [...world.consoles.values()].reduce((sum, console) => sum + console.effects.size, 0);

  const TOKENS: readonly (readonly [string, string | undefined, RegExp])[] = [
    ["no token", undefined, /A bearer token is needed/],
    ["a token of somewhere else", `Bearer ${FOREIGN_JWT}`, /not valid here/],
    ["an unknown personal token", `Bearer uep_${"A".repeat(43)}`, /unknown, has ended or was revoked/],
    ["another scheme", "Basic YTpi", /must be `Bearer <token>`/],
  ];
  for (const [name, authorization, words] of TOKENS) {
    await t.test(`${name}: 401 in words, with the way to sign in`, async () => {
      const { status, headers, json } = await post(world.mcpUrl, LIST, { authorization });

      assert.equal(status, 401);
      assert.match(headers.get("www-authenticate") ?? "", /^Bearer .*resource_metadata="http/);
      assert.match(json.error.message, words);
      assert.equal(json.error.data.code, "UNAUTHENTICATED");
    });
  }

  await t.test("a token that has ended: 401, and the challenge says invalid_token", async () => {
    const brief = await world.token(["unifi:read"], "all", 1);
    let answer: Answer;
    await until("the token has ended", async () => {
      answer = await post(world.mcpUrl, LIST, { authorization: `Bearer ${brief}` });
      return answer.status === 401;
    });

    assert.match(answer.json.error.message, /has ended/);
    assert.match(answer.headers.get("www-authenticate"), /error="invalid_token"/);
  });

  const bearer = { authorization: `Bearer ${token}` };
  const BODIES: readonly (readonly [string, string, Record<string, string>, string, number, number, RegExp])[] = [
    ["what is not JSON", "{nope", {}, "", 400, -32700, /^The body is not JSON\.$/],
    ["an empty body", "", {}, "", 400, -32700, /The body is empty/],
    [
      "a __proto__ member",
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","__proto__":{}}',
      {},
      "",
      400,
      -32700,
      /__proto__/,
    ],
    [
      "another content type",
      "x",
      { "content-type": "text/plain" },
      "",
      415,
      -32600,
      /Content-Type must be application\/json/,
    ],
    ["100000 levels", deepRequest(100_000), {}, "", 400, -32600, /nested deeper than 64 levels/],
    ["?readonly=tru", LIST, {}, "?readonly=tru", 400, -32600, /\?readonly= takes true, false/],
    ["?mode=foo", LIST, {}, "?mode=foo", 400, -32600, /\?mode= takes lazy, eager, meta_only/],
    ["an array of messages", `[${LIST}]`, {}, "", 400, -32600, /./],
  ];
  for (const [name, body, headers, search, status, code, words] of BODIES) {
    await t.test(`${name}: HTTP ${status} as JSON-RPC`, async () => {
      const answer = await post(new URL(`${world.mcpUrl}${search}`), body, { ...bearer, ...headers });

      assert.equal(answer.status, status);
      assert.equal(answer.json.jsonrpc, "2.0");
      assert.equal(answer.json.error.code, code);
      assert.match(answer.json.error.message, words);
    });
  }

  await t.test("GET and DELETE without a session are refused in both eras, with what is allowed", async () => {
    const found = [];
    for (const method of ["GET", "DELETE"]) {
      for (const version of ["2025-11-25", "2026-07-28"]) {
        const headers = { ...bearer, "mcp-protocol-version": version, "content-type": "application/json" };
        const response = await fetch(world.mcpUrl, { method, headers });
        found.push([method, version, response.status, response.headers.get("allow")]);
        await response.arrayBuffer();
      }
    }

    assert.deepEqual(found, [
      ["GET", "2025-11-25", 405, "POST"],
      ["GET", "2026-07-28", 405, "POST"],
      ["DELETE", "2025-11-25", 405, "POST"],
      ["DELETE", "2026-07-28", 405, "POST"],
    ]);
  });

  await t.test("12 MB are refused before they are sent, and the next request is served", async () => {
    const refused = await announce(world.mcpUrl, token, 12 * 1024 * 1024);
    const next = await postMcp(world.mcpUrl, token, "tools/list");

    assert.equal(refused.status, 413);
    assert.match(refused.json.error.message, /larger than 4194304 bytes/);
    assert.equal(next.status, 200);
  });

  await t.test("an unknown method and an unknown tool are the protocol's errors", async () => {
    const method = await postMcp(world.mcpUrl, token, "tools/frobnicate");
    const tool = await postMcp(world.mcpUrl, token, "tools/call", { name: "unifi_list_cliens", arguments: {} });

    assert.equal(method.json.error.code, -32601);
    assert.equal(tool.json.error.code, -32602);
    assert.match(tool.json.error.message, /Nearest: unifi_list_clients, \w+, \w+\./);
  });

  const CALLS: readonly (readonly [string, Record<string, unknown>, string, RegExp])[] = [
    ["an unknown tool", { tool: "unifi_list_cliens" }, "TOOL_NOT_FOUND", /Nearest: unifi_list_clients, \w+, \w+\./],
    [
      "an unknown argument",
      { tool: "unifi_list_clients", arguments: { lmit: 1 } },
      "ARGUMENTS_INVALID",
      /"lmit".*limit/,
    ],
    [
      "a nested unknown argument",
      { tool: "unifi_create_dns_record", arguments: { record_data: { ...RECORD, tll: 1 }, confirm: true } },
      "ARGUMENTS_INVALID",
      /"record_data\.tll" \(record_data takes key, .*ttl/,
    ],
    [
      "a wrong type",
      { tool: "unifi_list_clients", arguments: { limit: "five" } },
      "ARGUMENTS_INVALID",
      /"limit" must be integer/,
    ],
    ["text that is no JSON", { tool: "unifi_list_clients", arguments: "limit=5" }, "ARGUMENTS_INVALID", /not JSON/],
    [
      "deep JSON text",
      { tool: "unifi_list_clients", arguments: `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}` },
      "ARGUMENTS_INVALID",
      /nested deeper/,
    ],
    [
      "an unknown location",
      { tool: "unifi_list_clients", location: "ho\u0000use\u202e" },
      "LOCATION_UNKNOWN",
      /no location "ho use/,
    ],
    [
      "a write without a location",
      { tool: "unifi_create_dns_record", arguments: { record_data: RECORD, confirm: true }, location: "" },
      "LOCATION_REQUIRED",
      /exactly one location, and 4 are visible/,
    ],
    [
      "a write to several",
      {
        tool: "unifi_create_dns_record",
        arguments: { record_data: RECORD, confirm: true },
        location: ["house", "barn"],
      },
      "LOCATION_REQUIRED",
      /exactly one location/,
    ],
    ["an unknown site", { tool: "unifi_list_clients", site: "attic" }, "SITE_UNKNOWN", /no site of this name/],
    [
      "a NUL in an id",
      { tool: "unifi_delete_dns_record", arguments: { record_id: "a\u0000b" } },
      "NOT_FOUND",
      /No DNS record has this id/,
    ],
    [
      "a path as an id",
      { tool: "unifi_delete_dns_record", arguments: { record_id: "../../rest/wlanconf" } },
      "NOT_FOUND",
      /No DNS record has this id/,
    ],
  ];
  for (const [name, args, code, words] of CALLS) {
    await t.test(`${name}: ${code}, nothing done`, async () => {
      const answer = await execute({ location: "house", ...args });

      assert.equal(answer.code, code);
      assert.equal(answer.executed, "no");
      assert.match(answer.error, words);
      assert.doesNotMatch(answer.error, /[\p{Cc}\p{Cf}]/u);
      assert.equal(effects(), 0);
    });
  }

  await t.test("what names a place wrongly is told the valid ones", async () => {
    const unknown = await execute({ tool: "unifi_list_clients", location: "attic" });
    const missing = await execute({ tool: "unifi_create_dns_record", arguments: { record_data: RECORD } });

    const valid = ["barn (Barn)", "cabin (Cabin)", "house (House)", "office (Office)"];
    assert.deepEqual(unknown.valid_locations, valid);
    assert.deepEqual(missing.valid_locations, valid);
  });

  await t.test("arguments as JSON text work, and of a name given twice the last counts everywhere", async () => {
    const text = await execute({ tool: "unifi_list_clients", arguments: '{"limit":1}', location: "house" });
    const twice = '{"tool":"unifi_list_sites","tool":"unifi_delete_dns_record","arguments":{},"location":"house"}';
    const reader = await world.token(["unifi:read"]);
    const answer = await post(world.mcpUrl, callRequest(twice), { authorization: `Bearer ${reader}` }, "unifi_execute");

    assert.equal(text.returned, 1);
    assert.match(answer.text, /INSUFFICIENT_SCOPE/);
  });

  await t.test("501 operations start nothing", async () => {
    const operations = Array.from({ length: 501 }, () => ({ tool: "unifi_list_sites", location: "house" }));
    const answer = await callTool(world.mcpUrl, token, "unifi_batch", { operations });

    assert.equal(answer.code, "ARGUMENTS_INVALID");
    assert.match(answer.error, /holds 501; a batch takes 1 to 500/);
    assert.equal(answer.executed, "no");
  });

  await t.test("a redaction marker sent back is refused, and the secret stays", async () => {
    const { wlans } = await execute({ tool: "unifi_list_wlans", location: "house" });
    const answer = await execute({
      tool: "unifi_update_wlan",
      arguments: { wlan_id: wlans[0].id, update_data: { x_passphrase: MARKER }, confirm: true },
      location: "house",
    });

    assert.equal(answer.code, "ARGUMENTS_INVALID");
    assert.match(answer.error, /update_data\.x_passphrase/);
    assert.equal(effects(), 0);
  });

  await t.test("names of places hold no control characters", async () => {
    for (const name of ["a\u0000b", "Caf\u00e9 \u202e x", "\u001b[31m"]) {
      await assert.rejects(world.admin.addLocation(ORG, name), /printable characters/);
    }
  });

  await t.test("a wrong console password is told in words and tried once", async () => {
    const all = await Promise.all([1, 2, 3].map(() => execute({ tool: "unifi_list_clients", location: "cabin" })));
    const later = await execute({ tool: "unifi_list_clients", location: "cabin" });

    for (const answer of [...all, later]) {
      assert.equal(answer.code, "CONTROLLER_AUTH_FAILED");
      assert.equal(answer.executed, "no");
      assert.match(answer.hint, /UNIFI_USERNAME and UNIFI_PASSWORD/);
    }
    assert.equal(world.consoles.get("cabin")?.requests.filter(({ method }) => method === "POST").length, 1);
  });

  await t.test("a console that is down: told so, for that place only", async () => {
    await world.consoles.get("barn")?.close();

    const read = await execute({ tool: "unifi_list_networks" });
    const write = await execute({
      tool: "unifi_create_dns_record",
      arguments: { record_data: RECORD, confirm: true },
      location: "barn",
    });

    const barn = read.locations.find(({ location }: Answer) => location === "barn");
    const house = read.locations.find(({ location }: Answer) => location === "house");
    assert.equal(house.success, true);
    assert.equal(read.partial, true);
    assert.equal(barn.error.code, "CONTROLLER_UNREACHABLE");
    assert.equal(write.code, "CONTROLLER_UNREACHABLE");
    assert.equal(write.executed, "no");
  });

  await hostileAgent(t, world, token);

  await t.test("no secret is in any answer, log, store, journal or audit line", async () => {
    const { wlans } = await execute({ tool: "unifi_list_wlans", location: "house" });
    const change = { wlan_id: wlans[0].id, update_data: { x_passphrase: NEW_PASSPHRASE } };
    const ask = (args: object) => execute({ tool: "unifi_update_wlan", arguments: args, location: "house" });
    const preview = await ask(change);
    const changed = await ask({ ...change, confirm: true });
    await execute({ tool: "unifi_get_wlan_details", arguments: { wlan_id: wlans[0].id }, location: "house" });
    const house = world.consoles.get("house");
    const secrets = [house?.password ?? "", WRONG_PASSWORD, token, NEW_PASSPHRASE, "maple-house-passphrase"];
    // Audit is written once a second: what is looked through must hold the last call as well.
    await until("the last call in the audit of gateway and agent", async () => {
      const told = auditOf(await everythingKept(world)).filter((text) => text.includes("unifi_get_wlan_details"));
      return told.length === 2;
    });
    const places = [["answers", answers.join("\n")] as const, ...(await everythingKept(world))];

    const leaks = places.flatMap(([place, text]) =>
      secrets.filter((secret) => secret !== "" && text.includes(secret)).map((secret) => `${secret} in ${place}`),
    );
    assert.equal(preview.requires_confirmation, true);
    assert.equal(changed.success, true);
    assert.ok(auditOf(places).some((text) => text.includes("unifi_list_clients")));
    assert.deepEqual(leaks, []);
  });
});

/** The audit of the gateway and of each agent. */
function auditOf(places: readonly (readonly [string, string])[]): readonly string[] {
  return places.flatMap(([place, text]) => (place.endsWith("audit.jsonl") ? [text] : []));
}

/** Everything that the product printed or left on disk, but for the agents' own keys. */
async function everythingKept(world: World): Promise<readonly (readonly [string, string])[]> {
  const printed = [
    ["gateway output", world.gateway.output()] as const,
    ...[...world.agents].map(([id, agent]) => [`agent ${id} output`, agent.output()] as const),
  ];
  const folders = [dirname(world.adminSocket), ...world.stateDirs.values()];
  const files = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(folder, { withFileTypes: true });
      return Promise.all(
        entries
          .filter((entry) => entry.isFile())
          .map(async ({ name }) => [join(folder, name), await readFile(join(folder, name), "latin1")] as const),
      );
    }),
  );
  return [...printed, ...files.flat()];
}
