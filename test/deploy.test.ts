/** What ships beside the code: compose files, units and the Dockerfile name only settings and files that exist. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { AGENT_SETTINGS } from "../src/config/agent.ts";
import { consoleSettings } from "../src/config/consoles.ts";
import type { Setting, Settings } from "../src/config/environment.ts";
import { GATEWAY_SETTINGS } from "../src/config/gateway.ts";

const DEPLOY = fileURLToPath(new URL("../deploy", import.meta.url));
const read = (path: string) => readFileSync(join(DEPLOY, path), "utf8");
const composeFiles = readdirSync(join(DEPLOY, "compose")).filter((name) => name.endsWith(".yml"));
const units = readdirSync(join(DEPLOY, "systemd"));

const settings: readonly Setting<unknown>[] = [GATEWAY_SETTINGS, AGENT_SETTINGS, consoleSettings("network")].flatMap(
  (table: Settings) => Object.values(table),
);
const known = new Set(
  settings.flatMap(({ names, secret }) => (secret === true ? names.flatMap((name) => [name, `${name}_FILE`]) : names)),
);

/** Names of our settings in a text. */
function settingsIn(text: string): readonly string[] {
  return text.match(/\bUNIFI_[A-Z0-9_]+\b/g) ?? [];
}

interface Service {
  readonly image: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly ports?: readonly string[];
  readonly restart?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: object;
  readonly secrets?: object;
}

for (const path of [
  "Dockerfile",
  ...composeFiles.map((name) => `compose/${name}`),
  ...units.map((name) => `systemd/${name}`),
]) {
  test(`${path} names only settings that exist`, () => {
    assert.deepEqual(
      settingsIn(read(path)).filter((name) => !known.has(name)),
      [],
    );
  });
}

for (const name of composeFiles) {
  test(`${name}: volumes and secrets are declared, nothing runs with more rights than it needs`, () => {
    const { services, volumes = {}, secrets = {} } = parse(read(`compose/${name}`)) as Compose;

    for (const [service, { read_only: readOnly, ...facts }] of Object.entries(services)) {
      assert.deepEqual(facts.cap_drop, ["ALL"], service);
      assert.equal(facts.restart, "unless-stopped", service);
      if (/EDGE_IMAGE/.test(facts.image)) assert.equal(readOnly, true, service);
      for (const volume of facts.volumes ?? []) {
        const [source = ""] = volume.split(":");
        if (source.startsWith("./")) assert.ok(existsSync(join(DEPLOY, "compose", source)), volume);
        else assert.ok(source in volumes, volume);
      }
      for (const secret of facts.secrets ?? []) assert.ok(secret in secrets, secret);
      // only what ends TLS is reached from outside
      assert.equal(facts.ports !== undefined, service === "caddy", service);
    }
  });
}

test("the example of settings holds every one of them, commented out", () => {
  const lines = read("compose/.env.example").split("\n");

  for (const [name = ""] of settings.map(({ names }) => names.toReversed())) {
    assert.ok(
      lines.some((line) => line.startsWith(`#${name}=`)),
      name,
    );
  }
  assert.deepEqual(
    lines.filter((line) => /^UNIFI_/.test(line)),
    [],
  );
});

for (const name of units) {
  test(`${name} is hardened and keeps its state`, () => {
    const unit = read(`systemd/${name}`);

    for (const line of [
      "DynamicUser=yes",
      "NoNewPrivileges=yes",
      "ProtectSystem=strict",
      "ProtectHome=yes",
      "CapabilityBoundingSet=",
      `StateDirectory=${name.replace(".service", "")}`,
    ]) {
      assert.ok(unit.split("\n").includes(line), line);
    }
  });
}
