/** `unifi_api_call` through the whole product: who may, what it asks first, which gates close it, what it never sends. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { type Answer, callTool, startWorld } from "../support/world.ts";

/** One place for each gate, named after what closes it. */
const GATES = [
  { name: "Readonly", variable: "UNIFI_ALLOW_WRITES" },
  { name: "Nopost", variable: "UNIFI_POLICY_NETWORK_API_CALL_POST" },
  { name: "Nodns", variable: "UNIFI_POLICY_NETWORK_DNS_CREATE" },
] as const;

const RECORD = { key: "raw.example", value: "192.0.2.4", record_type: "A", enabled: true };
const CREATE = { endpoint: "/v2/api/site/{site}/static-dns", method: "POST", params: RECORD };

test("a raw call to the console", { timeout: 120_000 }, async (t) => {
  const world = await startWorld(t, {
    places: [{ name: "House" }, ...GATES.map(({ name, variable }) => ({ name, agent: { [variable]: "false" } }))],
  });
  const admin = await world.token();
  const reader = await world.token(["unifi:read"]);
  const writer = await world.token(["unifi:read", "unifi:write"]);
  const call = (token: string, args: object, location?: string | readonly string[]): Promise<Answer> =>
    callTool(world.mcpUrl, token, "unifi_execute", {
      tool: "unifi_api_call",
      arguments: args,
      ...(location === undefined ? {} : { location }),
    });
  const requestsAt = (location: string) => world.consoles.get(location)?.requests ?? [];
  const writesAt = (location: string) =>
    requestsAt(location).filter(({ method, path }) => method !== "GET" && !path.includes("/login"));

  await t.test("a GET is a read: the scope for reading suffices, in any case, and it fans out", async () => {
    const one = await call(reader, { endpoint: "/api/s/{site}/rest/wlanconf", method: "get" }, "house");
    const all = await call(reader, { endpoint: "/api/s/{site}/stat/health" });

    assert.equal(one.success, true);
    assert.equal(one.path, "/api/s/default/rest/wlanconf");
    assert.ok(one.data.data.length > 0);
    assert.doesNotMatch(JSON.stringify(one), /maple-house-passphrase/);
    assert.deepEqual(
      all.locations.map(({ location, success }: Answer) => [location, success]),
      [
        ["house", true],
        ["nodns", true],
        ["nopost", true],
        ["readonly", true],
      ],
    );
  });

  await t.test("any other method needs the scope unifi:admin, however it is spelt", async () => {
    for (const token of [reader, writer]) {
      for (const method of ["POST", "post", "Delete"]) {
        const answer = await call(token, { ...CREATE, method }, "house");

        assert.equal(answer.code, "INSUFFICIENT_SCOPE");
        assert.match(answer.hint, /unifi:admin/);
      }
    }
    assert.deepEqual(writesAt("house"), []);
  });

  await t.test("a write takes exactly one location", async () => {
    const none = await call(admin, CREATE);
    const several = await call(admin, CREATE, ["house", "nodns"]);
    const every = await call(admin, CREATE, "*");

    assert.deepEqual(
      [none, several, every].map(({ code }) => code),
      ["LOCATION_REQUIRED", "LOCATION_REQUIRED", "LOCATION_REQUIRED"],
    );
  });

  await t.test("it is shown first, and its token runs exactly that, once", async () => {
    const flag = await call(admin, { ...CREATE, confirm: true }, "house");
    const shown = await call(admin, { ...CREATE, method: "post" }, "house");
    const sentBefore = writesAt("house").length;
    const { confirm_token } = shown;
    const other = await call(admin, { ...CREATE, params: { ...RECORD, value: "192.0.2.5" }, confirm_token }, "house");
    const elsewhere = await call(admin, { ...CREATE, confirm_token }, "nodns");
    const done = await call(admin, { ...CREATE, confirm_token }, "house");
    const again = await call(admin, { ...CREATE, confirm_token }, "house");

    for (const preview of [flag, shown]) {
      assert.equal(preview.requires_confirmation, true);
      assert.deepEqual(preview.preview.proposed, {
        method: "POST",
        path: "/v2/api/site/default/static-dns",
        body: RECORD,
      });
    }
    assert.equal(sentBefore, 0);
    assert.equal(other.code, "CONFIRM_TOKEN_INVALID");
    assert.notEqual(elsewhere.success, true);
    assert.deepEqual(again.data, done.data);
    assert.equal(done.success, true);
    assert.deepEqual(
      writesAt("house").map(({ method, path }) => [method, path]),
      [["POST", "/proxy/network/v2/api/site/default/static-dns"]],
    );
    assert.equal([...(world.consoles.get("house")?.effects ?? [])].length, 1);
  });

  for (const { name, variable } of GATES) {
    await t.test(`${variable}=false blocks it and is named`, async () => {
      const answer = await call(admin, CREATE, name.toLowerCase());

      assert.equal(answer.code, "POLICY_DENIED");
      assert.equal(answer.executed, "no");
      assert.equal(answer.variable, variable);
      assert.match(answer.error, new RegExp(`${variable} is `));
      assert.deepEqual(writesAt(name.toLowerCase()), []);
    });
  }

  await t.test("hostile endpoints never reach the console", async () => {
    const before = requestsAt("house").length;
    const found = [];
    for (const endpoint of HOSTILE) {
      for (const method of ["GET", "POST"]) {
        const answer = await call(admin, { endpoint, method }, "house");
        if (answer.code !== "ARGUMENTS_INVALID") found.push([method, endpoint, answer]);
      }
    }
    const command = await call(admin, { endpoint: "/api/s/{site}/cmd/devmgr" }, "house");
    const override = await call(admin, { endpoint: "/api/s/{site}/stat/sta", params: { _method: "DELETE" } }, "house");

    assert.deepEqual(found, []);
    assert.equal(command.code, "ARGUMENTS_INVALID");
    assert.equal(override.code, "ARGUMENTS_INVALID");
    assert.equal(requestsAt("house").length, before);
  });

  await t.test("gateway and agents have every verdict in their audit, and no argument", async () => {
    // written about once a second, so the file may be yet to come
    const auditIn = (folder: string) => readFile(join(folder, "audit.jsonl"), "utf8").catch(() => "");
    const writesIn = async (folder: string): Promise<readonly Answer[]> =>
      (await auditIn(folder))
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Answer)
        .filter(({ tool, action }) => tool === "unifi_api_call" && action === "delete");
    const expected: readonly (readonly [string, string, RegExp])[] = [
      [dirname(world.adminSocket), "allowed", /scope unifi:admin/],
      [dirname(world.adminSocket), "denied", /needs the scope unifi:admin/],
      [world.stateDirs.get("house") ?? "", "allowed", /gates allow/],
      [world.stateDirs.get("nopost") ?? "", "denied", /UNIFI_POLICY_NETWORK_API_CALL_POST/],
    ];

    for (const [folder, verdict, reason] of expected) {
      await until(`${verdict} in the audit of ${folder}`, async () =>
        (await writesIn(folder)).some((line) => line.verdict === verdict && reason.test(line.reason)),
      );
      assert.doesNotMatch(JSON.stringify(await writesIn(folder)), /raw\.example/);
    }
  });
});

const HOSTILE = [
  "/api/s/default/../other/stat/sta",
  "/api/s/default/%2e%2e/other/stat/sta",
  "/api/s/default%2fstat/sta",
  "/api/s/office/stat/sta",
  "/v2/api/site/office/static-dns",
  "https://evil.example/api/s/default/stat/sta",
  "//evil.example/api/s/default/stat/sta",
  "/api/s/default//stat/sta",
  "/api/auth/logout",
  "/api/s/default/stat/sta\r\nX-Evil: 1",
  "/api/s/default/stat/sta\u0000",
  "\\\\evil.example\\x",
  "/proxy/protect/api/bootstrap",
  "/proxy/network/proxy/network/api/s/default/stat/sta",
];
