/** The doctor: each step in words, the line that pins the certificate, and an end where going on makes no sense. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { diagnose, type Finding } from "../../src/controller/diagnose.ts";
import type { NetworkConsoleOptions } from "../../src/controller/network/console.ts";
import { normalizeSha256 } from "../../src/controller/tls.ts";
import { optionsFor, startScripted, unifiOs } from "./scripted-console.ts";

async function findingsFor(options: NetworkConsoleOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of diagnose(options)) findings.push(finding);
  return findings;
}

function results(findings: readonly Finding[]): string[] {
  return findings.map(({ step, result }) => `${step} ${result}`);
}

const UP_TO_TRUST = ["name ok", "port ok", "certificate ok"];

test("everything works: type, sites and version are told", async (t) => {
  const console = await startScripted(t, unifiOs().script);

  const findings = await findingsFor(optionsFor(console));

  assert.deepEqual(results(findings), [
    ...UP_TO_TRUST,
    ...["trust ok", "type ok", "sign-in ok", "sites ok", "site ok", "version ok"],
  ]);
  assert.equal(findings.at(-1)?.says, "Network application: 10.0.162");
  assert.equal(findings[6]?.says, "default (Default), k2v9x8ab (Branch office)");
});

test("an unpinned self-signed certificate ends the way with the line to paste, and no request is sent", async (t) => {
  const console = await startScripted(t, unifiOs().script);
  const { pinSha256: _, ...options } = optionsFor(console);

  const findings = await findingsFor(options);

  assert.deepEqual(results(findings), [...UP_TO_TRUST, "trust failed"]);
  assert.equal(findings.at(-1)?.says, "the certificate is not trusted: it is self-signed");
  assert.equal(findings.at(-1)?.remedy?.at(-1), `UNIFI_PIN_SHA256=${normalizeSha256(console.fingerprint256)}`);
  assert.deepEqual(console.requests, []);
});

test("another certificate than the pinned one ends the way, and says what that can mean", async (t) => {
  const console = await startScripted(t, unifiOs().script);

  const findings = await findingsFor(optionsFor(console, { pinSha256: "0".repeat(64) }));

  assert.deepEqual(results(findings), [...UP_TO_TRUST, "trust failed"]);
  assert.match(findings.at(-1)?.remedy?.join("\n") ?? "", /somebody may be in between/);
  assert.deepEqual(console.requests, []);
});

test("an unchecked certificate is a warning with the same remedy", async (t) => {
  const console = await startScripted(t, unifiOs().script);
  const { pinSha256: _, ...options } = optionsFor(console, { verifyTls: false });

  const findings = await findingsFor(options);

  assert.equal(findings[3]?.result, "warn");
  assert.equal(findings.at(-1)?.result, "ok");
});

test("a refused password is told once, in words, without the password", async (t) => {
  const os = unifiOs((seen) => (seen.path === "/api/auth/login" ? { status: 403, json: { code: "X" } } : undefined));
  const console = await startScripted(t, os.script);

  const findings = await findingsFor(optionsFor(console));

  assert.deepEqual(results(findings).slice(-2), ["type ok", "sign-in failed"]);
  assert.match(findings.at(-1)?.remedy?.[0] ?? "", /UNIFI_PASSWORD/);
  assert.ok(!JSON.stringify(findings).includes("correct horse"));
  assert.equal(console.lines().filter((line) => line.endsWith("/login")).length, 1);
});

test("a site that is not there is told beside the sites that are", async (t) => {
  const console = await startScripted(t, unifiOs().script);

  const findings = await findingsFor(optionsFor(console, { site: "nowhere" }));

  assert.deepEqual(results(findings).slice(-2), ["sites ok", "site failed"]);
  assert.match(findings.at(-1)?.says ?? "", /^UNIFI_SITE=nowhere: /);
});

test("a port where nothing listens ends the way with the usual ports", async (t) => {
  const console = await startScripted(t, unifiOs().script);

  const findings = await findingsFor(optionsFor(console, { port: 1 }));

  assert.deepEqual(results(findings), ["name ok", "port failed"]);
  assert.match(findings.at(-1)?.remedy?.[0] ?? "", /11443/);
});
