/** `unifi-edge doctor` as people run it: its words, and the exit status that scripts see. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startSimulator } from "../../src/simulator/simulator.ts";

const COMMAND = fileURLToPath(new URL("../../bin/unifi-edge.js", import.meta.url));

interface Outcome {
  readonly status: number;
  readonly output: string;
}

function doctor(environment: Readonly<Record<string, string>>): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, ...environment };
    const child = execFile(
      process.execPath,
      [COMMAND, "doctor"],
      { env, timeout: 60_000 },
      (_error, stdout, stderr) => {
        resolve({ status: child.exitCode ?? -1, output: stdout + stderr });
      },
    );
  });
}

test("doctor prints the line that pins the certificate, and with it set everything works", async (t) => {
  const simulator = await startSimulator({ persona: "unifi-os" });
  t.after(() => simulator.close());
  const console = {
    UNIFI_HOST: simulator.host,
    UNIFI_PORT: String(simulator.port),
    UNIFI_USERNAME: simulator.username,
    UNIFI_PASSWORD: simulator.password,
  };

  const first = await doctor(console);
  const line = /UNIFI_PIN_SHA256=([0-9a-f]{64})/.exec(first.output)?.[1] ?? "";
  const second = await doctor({ ...console, UNIFI_PIN_SHA256: line });

  assert.equal(first.status, 1);
  assert.equal(line, simulator.fingerprint256);
  assert.equal(second.status, 0);
  assert.match(second.output, /ok {4}type {8}UniFi OS/);
  assert.match(second.output, /Everything works\./);
  assert.ok(!(first.output + second.output).includes(simulator.password));
});

test("doctor shows the certificate although the credentials are missing, and says that they are", async (t) => {
  const simulator = await startSimulator({ persona: "standalone" });
  t.after(() => simulator.close());

  const { status, output } = await doctor({ UNIFI_HOST: simulator.host, UNIFI_PORT: String(simulator.port) });

  assert.equal(status, 1);
  assert.match(output, /FAIL {2}settings/);
  assert.match(output, new RegExp(simulator.fingerprint256));
});
