/** Trust in the console's certificate: a wrong pin means that the console never sees a request. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeSha256, readCertificate } from "../../src/controller/tls.ts";
import type { EdgeError } from "../../src/errors.ts";
import { openConsole, optionsFor, startScripted, unifiOs } from "./scripted-console.ts";

const WRONG_PIN = "ab".repeat(32);

test("a wrong pin: no request arrives at the console, however many calls try", async (t) => {
  const console = await startScripted(t, unifiOs().script);
  const network = openConsole(t, optionsFor(console, { pinSha256: WRONG_PIN }));

  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => network.sites()));

  const codes = outcomes.map((outcome) => outcome.status === "rejected" && (outcome.reason as EdgeError).code);
  assert.deepEqual(
    codes,
    Array.from({ length: 5 }, () => "CONTROLLER_TLS_UNTRUSTED"),
  );
  assert.deepEqual(console.requests, []);
});

test("a wrong pin tells the fingerprint that the console showed, and is not executed", async (t) => {
  const console = await startScripted(t, unifiOs().script);
  const network = openConsole(t, optionsFor(console, { pinSha256: WRONG_PIN }));

  await assert.rejects(network.sites(), {
    code: "CONTROLLER_TLS_UNTRUSTED",
    executed: "no",
    details: { presented_sha256: normalizeSha256(console.fingerprint256) },
  });
});

for (const [name, spell] of [
  ["with colons", (pin: string) => pin],
  ["bare and in lower case", (pin: string) => pin.replaceAll(":", "").toLowerCase()],
] as const) {
  test(`the right pin, ${name}, trusts a self-signed certificate issued for another name`, async (t) => {
    const console = await startScripted(t, unifiOs().script);
    const network = openConsole(t, optionsFor(console, { pinSha256: spell(console.fingerprint256) }));

    const sites = await network.sites();

    assert.equal(sites.length, 2);
  });
}

test("the right pin is recognised on every new connection: no TLS session is resumed, since it shows no certificate", async (t) => {
  const os = unifiOs();
  const console = await startScripted(t, async (seen) => {
    const answer = await os.script(seen);
    return answer && { ...answer, headers: { ...answer.headers, connection: "close" } };
  });
  const network = openConsole(t, optionsFor(console));

  const sites = [await network.sites(), await network.sites(), await network.sites()];

  assert.deepEqual(
    sites.map(({ length }) => length),
    [2, 2, 2],
  );
});

test("without a pin a self-signed certificate is refused in words that name the remedy", async (t) => {
  const console = await startScripted(t, unifiOs().script);
  const { pinSha256: _, ...options } = optionsFor(console);
  const network = openConsole(t, options);

  const error: unknown = await network.sites().catch((thrown: unknown) => thrown);

  assert.equal((error as EdgeError).code, "CONTROLLER_TLS_UNTRUSTED");
  assert.match((error as EdgeError).message, /self-signed/);
  assert.match((error as EdgeError).hint ?? "", /UNIFI_PIN_SHA256/);
  assert.deepEqual(console.requests, []);
});

test("verification turned off works, and is warned about", async (t) => {
  const console = await startScripted(t, unifiOs().script);
  const { pinSha256: _, ...options } = optionsFor(console, { verifyTls: false });
  const network = openConsole(t, options);

  const sites = await network.sites();

  assert.equal(sites.length, 2);
  assert.deepEqual(
    options.logged.filter(({ level }) => level === "warn").map(({ message }) => message),
    ["the console's certificate is not checked; pin it with UNIFI_PIN_SHA256"],
  );
});

test("a pin that is no SHA-256 is refused when the session is made", async (t) => {
  const console = await startScripted(t, unifiOs().script);

  assert.throws(() => openConsole(t, optionsFor(console, { pinSha256: "abc" })), { code: "CONFIG_INVALID" });
});

test("the certificate can be read without trusting it and without a request", async (t) => {
  const console = await startScripted(t, unifiOs().script);

  const facts = await readCertificate("127.0.0.1", console.port, new AbortController().signal);

  assert.equal(facts.sha256, normalizeSha256(console.fingerprint256));
  assert.equal(facts.subject, "CN=unifi.local");
  assert.equal(facts.untrusted, "it is self-signed");
  assert.deepEqual(console.requests, []);
});
