/** Sites: found by any of their names, never guessed; and what a console's status says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findSite } from "../../src/controller/network/sites.ts";
import { openConsole, optionsFor, type Scripted, startScripted, unifiOs } from "./scripted-console.ts";

const SITES = [
  { name: "default", description: "Default", id: "1" },
  { name: "k2v9x8ab", description: "Branch office", id: "2" },
  { name: "zz", description: "Branch office", id: "3" },
];

test("a site is found by short name, id and description, in that order, whatever the case", () => {
  assert.equal(findSite(SITES, "k2v9x8ab").id, "2");
  assert.equal(findSite(SITES, "3").name, "zz");
  assert.equal(findSite(SITES, "DEFAULT").id, "1");
  assert.equal(findSite([...SITES, { name: "x", description: "zz", id: "4" }], "zz").id, "3");
});

test("an unknown or ambiguous site answers with the valid names", () => {
  const valid_sites = SITES.map(({ name, description }) => ({ name, description }));

  assert.throws(() => findSite(SITES, "nowhere"), { code: "SITE_UNKNOWN", details: { valid_sites } });
  assert.throws(() => findSite(SITES, "branch office"), { code: "SITE_UNKNOWN", details: { valid_sites } });
});

test("a site's name is looked up once a minute, the list of sites each time", async (t) => {
  const console = await startScripted(t, unifiOs().script);
  const options = optionsFor(console);
  const network = openConsole(t, options);
  const lookUps = () => console.lines().filter((line) => line.endsWith("/self/sites")).length;

  const first = await network.site("Branch office");
  await network.site("Branch office");
  const afterTwo = lookUps();
  await network.sites();
  options.clock.ms += 60_001;
  await network.site("Branch office");

  assert.equal(first.site, "k2v9x8ab");
  assert.deepEqual([afterTwo, lookUps()], [1, 3]);
});

function integrationSites(data: readonly object[]): (path: string) => Scripted | undefined {
  return (path) => {
    if (!path.startsWith("/proxy/network/integration/v1/sites")) return undefined;
    const offset = Number(new URL(path, "https://x").searchParams.get("offset"));
    return { json: { offset, limit: 2, count: 2, totalCount: data.length, data: data.slice(offset, offset + 2) } };
  };
}

async function integrationIdWith(t: import("node:test").TestContext, data: readonly object[]): Promise<string> {
  const answer = integrationSites(data);
  const console = await startScripted(t, unifiOs((seen) => answer(seen.path)).script);
  const site = await openConsole(t, optionsFor(console, { apiKey: "k" })).site("k2v9x8ab");
  return await site.integrationSiteId();
}

test("the integration id is the one whose reference is the short name, on whatever page", async (t) => {
  const id = await integrationIdWith(t, [
    { id: "u-1", internalReference: "default" },
    { id: "u-2", internalReference: "other" },
    { id: "u-3", internalReference: "k2v9x8ab" },
  ]);

  assert.equal(id, "u-3");
});

test("a single site without a reference is taken, one with another reference is not", async (t) => {
  const id = await integrationIdWith(t, [{ id: "u-9", name: "Default" }]);

  assert.equal(id, "u-9");
  await assert.rejects(integrationIdWith(t, [{ id: "u-1", internalReference: "default" }]), { code: "SITE_UNKNOWN" });
});

test("status: connected with the version", async (t) => {
  const console = await startScripted(t, unifiOs().script);

  const status = await openConsole(t, optionsFor(console)).status();

  assert.deepEqual(status, { state: "connected", version: "10.0.162" });
});

test("status: refused credentials, and no sign-in while they are waited out", async (t) => {
  const os = unifiOs((seen) => (seen.path === "/api/auth/login" ? { status: 403, json: { code: "X" } } : undefined));
  const console = await startScripted(t, os.script);
  const network = openConsole(t, optionsFor(console));

  const states = [(await network.status()).state, (await network.status()).state];

  assert.deepEqual(states, ["bad_credentials", "bad_credentials"]);
  assert.equal(console.lines().filter((line) => line.endsWith("/login")).length, 1);
});

test("status: backing off, unreachable, and a site that is not there", async (t) => {
  const limited = unifiOs((seen) => (seen.path === "/api/auth/login" ? { status: 429, json: {} } : undefined));
  const busy = await startScripted(t, limited.script);
  const fine = await startScripted(t, unifiOs().script);

  const states = [
    (await openConsole(t, optionsFor(busy)).status()).state,
    (await openConsole(t, optionsFor(fine, { port: 1 })).status()).state,
    (await openConsole(t, optionsFor(fine, { pinSha256: "00".repeat(32) })).status()).state,
    (await openConsole(t, optionsFor(fine, { site: "nowhere" })).status()).state,
  ];

  assert.deepEqual(states, ["backing_off", "unreachable", "unreachable", "not_connected"]);
});

test("a host that is none is refused at once", async (t) => {
  const console = await startScripted(t, unifiOs().script);

  for (const host of ["https://10.0.0.1", "10.0.0.1/x", "user@10.0.0.1", ""]) {
    assert.throws(() => openConsole(t, optionsFor(console, { host })), { code: "CONFIG_INVALID" }, host);
  }
});
