/** The agent's settings. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readAgentConfig } from "../../src/config/agent.ts";
import { EdgeError } from "../../src/errors.ts";

const GOOD = { UNIFI_HOST: "192.0.2.1", UNIFI_USERNAME: "edge", UNIFI_PASSWORD: "long enough" };

function fileWith(t: TestContext, name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "edge-config-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

test("host and account are all that an agent needs, and nothing may be written by default", () => {
  const config = readAgentConfig(GOOD);

  assert.equal(config.allowWrites, false);
  assert.equal(config.confirm, "default");
  assert.deepEqual(
    config.consoles.map(({ name, network }) => [name, network.host, network.port, network.site, network.verifyTls]),
    [["main", "192.0.2.1", 443, "default", true]],
  );
  assert.equal(Object.isFrozen(config), true);
});

test("a variable of one app wins over the one of all, for that app only", () => {
  const { consoles } = readAgentConfig({ ...GOOD, UNIFI_NETWORK_HOST: "192.0.2.2", UNIFI_PROTECT_PORT: "8443" });

  assert.equal(consoles[0]?.network.host, "192.0.2.2");
  assert.equal(consoles[0]?.protect.host, "192.0.2.1");
  assert.deepEqual([consoles[0]?.network.port, consoles[0]?.protect.port], [443, 8443]);
});

test("secrets may stand in files, and the enrolment token too", (t) => {
  const password = fileWith(t, "password", "from a file\n");
  const token = fileWith(t, "token", "uee_token\n");

  const config = readAgentConfig({
    UNIFI_HOST: "192.0.2.1",
    UNIFI_USERNAME: "edge",
    UNIFI_NETWORK_PASSWORD_FILE: password,
    UNIFI_EDGE_TOKEN_FILE: token,
  });

  assert.equal(config.consoles[0]?.network.password, "from a file");
  assert.equal(config.enrolmentToken, "uee_token");
});

test("the reference's permission modes are understood, and UNIFI_CONFIRM wins over them", () => {
  const confirmOf = (more: Record<string, string>) => readAgentConfig({ ...GOOD, ...more }).confirm;

  assert.equal(confirmOf({ UNIFI_TOOL_PERMISSION_MODE: "confirm" }), "flag");
  assert.equal(confirmOf({ UNIFI_TOOL_PERMISSION_MODE: "bypass" }), "off");
  assert.equal(confirmOf({ UNIFI_TOOL_PERMISSION_MODE: "bypass", UNIFI_CONFIRM: "token" }), "token");
});

test("gates are collected as they are written, from environment and file", (t) => {
  const file = fileWith(t, "edge.yaml", "unifi_policy_delete: false\nunifi_policy_network_dns_update: true\n");

  const { gates } = readAgentConfig({ ...GOOD, UNIFI_POLICY_DELETE: "maybe" }, file);

  assert.deepEqual(gates, { UNIFI_POLICY_DELETE: "maybe", UNIFI_POLICY_NETWORK_DNS_UPDATE: "true" });
});

test("a file lists several consoles by name, each with its own account and pin", (t) => {
  const pin = "ab".repeat(32);
  const file = fileWith(
    t,
    "edge.yaml",
    `unifi_allow_writes: true
consoles:
  office: { host: 192.0.2.1, username: a, password: b, pin_sha256: "${pin.toUpperCase()}" }
  barn: { host: 192.0.2.2, api_key: c, verify_ssl: false, site: annex, protect_port: 7443 }
`,
  );

  const { consoles, allowWrites } = readAgentConfig({ UNIFI_EDGE_CONFIG: file });

  assert.equal(allowWrites, true);
  assert.deepEqual(
    consoles.map(({ name, network, protect }) => [name, network.host, network.site, network.pinSha256, protect.port]),
    [
      ["office", "192.0.2.1", "default", pin, 443],
      ["barn", "192.0.2.2", "annex", undefined, 7443],
    ],
  );
});

test("every wrong value is named at once, with what would be right and without secrets", (t) => {
  const file = fileWith(t, "edge.yaml", "consoles:\n  Office: { host: 'https://x/y', pasword: hunter2 }\n");

  assert.throws(
    () =>
      readAgentConfig(
        { UNIFI_ALLOW_WRITES: "perhaps", UNIFI_CONFIRM: "always", UNIFI_EDGE_GATEWAY: "http://edge.example.com" },
        file,
      ),
    (error) => {
      assert.ok(error instanceof EdgeError);
      assert.equal(error.code, "CONFIG_INVALID");
      for (const part of [
        "UNIFI_ALLOW_WRITES",
        "true or false",
        "UNIFI_CONFIRM",
        "person, token, flag, off",
        "UNIFI_EDGE_GATEWAY",
        "https URL",
        "lower-case letters",
        "consoles.Office.pasword is not a setting",
        "without https://",
        "UNIFI_PASSWORD",
      ]) {
        assert.ok(error.message.includes(part), part);
      }
      assert.equal(error.message.includes("hunter2"), false);
      return true;
    },
  );
});

test("a missing host is told once", () => {
  assert.throws(
    () => readAgentConfig({}),
    (error) => error instanceof EdgeError && error.message.split("UNIFI_HOST is not set").length === 2,
  );
});

test("an agent without identity is told everything that its first start needs, at once", () => {
  assert.throws(
    () => readAgentConfig({}, undefined, () => true),
    (error) => {
      assert.ok(error instanceof EdgeError);
      for (const name of ["UNIFI_HOST", "UNIFI_EDGE_GATEWAY", "UNIFI_EDGE_TOKEN"])
        assert.ok(error.message.includes(name), name);
      return true;
    },
  );
  assert.ok(readAgentConfig({ UNIFI_HOST: "192.0.2.1", UNIFI_API_KEY: "key" }, undefined, () => false));
});
