/** `unifi-edge doctor` as people run it: its words, and the exit status that scripts see. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { CONSOLE_NAMES, type ConsoleName, consoleOptions } from "../../src/simulator/consoles.ts";
import type { Faults } from "../../src/simulator/faults.ts";
import { type SimulatorOptions, startSimulator } from "../../src/simulator/simulator.ts";

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

interface Trouble {
  readonly about: string;
  readonly console?: ConsoleName;
  readonly options?: Partial<SimulatorOptions>;
  readonly faults?: Faults;
  readonly settings?: Readonly<Record<string, string>>;
  readonly status: number;
  /** The cause, then the remedy, as printed. */
  readonly says: readonly RegExp[];
}

const WRONG_PASSWORD = [/FAIL {2}sign-in +The console refused the user name or password/, /Check UNIFI_USERNAME and/];
const HEALTHY = [/ok {4}sign-in/, /Everything works\./];
const STARTING = [/wait and run this again/, /does not work; see FAIL/];

const TROUBLES: readonly Trouble[] = [
  ...CONSOLE_NAMES.map((name): Trouble => ({ about: "healthy", console: name, status: 0, says: HEALTHY })),
  ...CONSOLE_NAMES.map((name): Trouble => {
    const settings = { UNIFI_PASSWORD: "another" };
    return { about: "a wrong password", console: name, settings, status: 1, says: WRONG_PASSWORD };
  }),
  ...(["os-5.1", "standalone-10.0.162"] as const).map((name): Trouble => {
    const says = [/FAIL {2}sign-in +The console wants a second factor/, /local account/];
    return { about: "an account with MFA", console: name, faults: { mfaRequired: {} }, status: 1, says };
  }),
  {
    about: "too many sign-ins",
    faults: { loginRateLimited: {} },
    status: 1,
    says: [/FAIL {2}sign-in +The console has seen too many sign-ins/, /an account of its own/],
  },
  {
    about: "a wrong port",
    settings: { UNIFI_PORT: "1" },
    status: 1,
    says: [/FAIL {2}port +nothing listens on port 1/, /UniFi OS Server on 11443/],
  },
  {
    about: "another certificate than the pinned one",
    settings: { UNIFI_PIN_SHA256: "0".repeat(64) },
    status: 1,
    says: [/FAIL {2}trust +the certificate is not the pinned one/, /somebody may be in between/],
  },
  {
    about: "a site that is not there",
    settings: { UNIFI_SITE: "nowhere" },
    status: 1,
    says: [/FAIL {2}site +UNIFI_SITE=nowhere: The console has no site of this name/, /one of the sites above/],
  },
  {
    about: "a booting console that answers sign-ins with a page",
    faults: { loginBooting: {} },
    status: 1,
    says: [/FAIL {2}sign-in +The console cannot take sign-ins yet/, ...STARTING],
  },
  {
    about: "a booting console that answers 502",
    faults: { serverErrorHtml: { path: "/" } },
    status: 1,
    says: [/FAIL {2}type +The console does not answer sensibly yet/, ...STARTING],
  },
  {
    about: "an API key without rights to most paths",
    options: { apiKey: "k1", apiKeyScope: "integration" },
    settings: { UNIFI_API_KEY: "k1", UNIFI_USERNAME: "", UNIFI_PASSWORD: "" },
    status: 1,
    says: [/FAIL {2}rights +the API key opens only the official/, /Set UNIFI_USERNAME and UNIFI_PASSWORD/],
  },
  {
    about: "an API key that the console does not know",
    options: { apiKey: "k1" },
    settings: { UNIFI_API_KEY: "k2", UNIFI_USERNAME: "", UNIFI_PASSWORD: "" },
    status: 1,
    says: [/FAIL {2}sign-in +The console refused the API key/, /Check UNIFI_API_KEY/],
  },
];

for (const { about, console: name = "network-10.4", options, faults, settings, status, says } of TROUBLES) {
  test(`doctor on ${name} with ${about} says cause and remedy`, async (t) => {
    const simulator = await startSimulator({ ...consoleOptions(name), ...options });
    t.after(() => simulator.close());
    Object.assign(simulator.faults, structuredClone(faults));

    const outcome = await doctor({
      UNIFI_HOST: simulator.host,
      UNIFI_PORT: String(simulator.port),
      UNIFI_USERNAME: simulator.username,
      UNIFI_PASSWORD: simulator.password,
      UNIFI_PIN_SHA256: simulator.fingerprint256,
      ...settings,
    });

    assert.equal(outcome.status, status, outcome.output);
    for (const words of says) assert.match(outcome.output, words);
  });
}
