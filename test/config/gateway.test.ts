import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readGatewayConfig } from "../../src/config/gateway.ts";
import { EdgeError } from "../../src/errors.ts";

const good = { UNIFI_EDGE_PUBLIC_URL: "https://edge.example.com" };

test("a public URL is all that a gateway needs", () => {
  const config = readGatewayConfig({ ...good, UNIFI_EDGE_STATE_DIR: "/state" });

  assert.equal(config.publicUrl, "https://edge.example.com");
  assert.deepEqual(config.listen, { host: "0.0.0.0", port: 8080 });
  assert.equal(config.adminSocket, "/state/admin.sock");
  assert.equal(config.redisUrl, undefined);
  assert.equal(Object.isFrozen(config), true);
});

test("every wrong value is named at once, with what would be right", () => {
  assert.throws(
    () =>
      readGatewayConfig({
        UNIFI_EDGE_PUBLIC_URL: "https://edge.example.com/path",
        UNIFI_EDGE_LISTEN: "8080",
        UNIFI_TOOL_REGISTRATION_MODE: "everything",
        UNIFI_EDGE_CALL_TIMEOUT_SECONDS: "0",
      }),
    (error) => {
      assert.ok(error instanceof EdgeError);
      assert.equal(error.code, "CONFIG_INVALID");
      for (const part of [
        "4 settings",
        "UNIFI_EDGE_PUBLIC_URL",
        "without a path",
        "host:port",
        "lazy, eager, meta_only",
        "from 1 to 300",
      ]) {
        assert.ok(error.message.includes(part), part);
      }
      return true;
    },
  );
});

test("plain http is refused except on loopback", () => {
  assert.throws(() => readGatewayConfig({ UNIFI_EDGE_PUBLIC_URL: "http://edge.example.com" }), /must be https/);
  assert.equal(
    readGatewayConfig({ UNIFI_EDGE_PUBLIC_URL: "http://127.0.0.1:8080" }).publicUrl,
    "http://127.0.0.1:8080",
  );
});

test("a missing public URL is told in words", () => {
  assert.throws(() => readGatewayConfig({}), /UNIFI_EDGE_PUBLIC_URL is not set/);
});

test("a secret may stand in a file, is never repeated in an error, and has a least length", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "edge-config-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "secret"), `${"s".repeat(40)}\n`);

  assert.equal(readGatewayConfig({ ...good, UNIFI_EDGE_SECRET_FILE: join(folder, "secret") }).secret, "s".repeat(40));
  assert.throws(
    () => readGatewayConfig({ ...good, UNIFI_EDGE_SECRET: "hunter2", UNIFI_EDGE_REDIS_URL: "http://user:pass@host" }),
    (error) =>
      error instanceof EdgeError && error.message.includes("32 characters") && !/hunter2|pass@/.test(error.message),
  );
  assert.throws(() => readGatewayConfig({ ...good, UNIFI_EDGE_SECRET_FILE: join(folder, "none") }), /cannot be read/);
});

test("a YAML file fills what the environment leaves open", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "edge-config-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "gateway.yaml");
  writeFileSync(
    file,
    "unifi_edge_public_url: https://file.example.com\nunifi_enabled_categories: [dns, clients]\nunifi_edge_listen: 127.0.0.1:9\n",
  );

  const config = readGatewayConfig({ UNIFI_EDGE_LISTEN: "127.0.0.1:10" }, file);

  assert.equal(config.publicUrl, "https://file.example.com");
  assert.deepEqual(config.enabledCategories, ["dns", "clients"]);
  assert.equal(config.listen.port, 10);
  writeFileSync(file, "[1, 2");
  assert.throws(() => readGatewayConfig({}, file), /could not be read/);
});

test("the administration API is never served in the clear to other machines", () => {
  const tls = { UNIFI_EDGE_ADMIN_TLS_CERT: "/cert.pem", UNIFI_EDGE_ADMIN_TLS_KEY: "/key.pem" };

  for (const listen of ["0.0.0.0:9443", ":9443", "192.0.2.1:9443"]) {
    assert.throws(() => readGatewayConfig({ ...good, UNIFI_EDGE_ADMIN_LISTEN: listen }), /no loopback address/);
    assert.ok(readGatewayConfig({ ...good, ...tls, UNIFI_EDGE_ADMIN_LISTEN: listen }).adminListen);
  }
  assert.ok(readGatewayConfig({ ...good, UNIFI_EDGE_ADMIN_LISTEN: "127.0.0.1:9443" }).adminListen);
  assert.throws(() => readGatewayConfig({ ...good, UNIFI_EDGE_ADMIN_TLS_CERT: "/cert.pem" }), /belong together/);
});
