/** Paths stay inside the Network API, and get the UniFi OS prefix once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { barePath, familyOf, refuseUnsafe, wirePath } from "../../src/controller/network/paths.ts";
import { openConsole, optionsFor, startScripted, unifiOs } from "./scripted-console.ts";

const REFUSED = [
  "api/s/default/stat/sta",
  "https://elsewhere.example/api/s/default/stat/sta",
  "//elsewhere.example/api/s/default",
  "/api/s/default//stat/sta",
  "/api/s/default/../other/stat/sta",
  "/api/s/default/./stat/sta",
  "/api/s/default/%2e%2e/other",
  "/api/s/default/.%2E/other",
  "/api/s/default/%252e%252e/other",
  "/api/s/default/..;x=1/other",
  "/api/s/default/stat%2fsta",
  "/api/s/default/stat%252Fsta",
  "/api/s/default/stat%5csta",
  "/api/s/default/stat\\sta",
  "/api/s/default/stat/sta#top",
  "/api/s/default/stat/sta x",
  "/api/s/default/stat/sta\r\nhost: x",
  "/api/s/default/stat/%00",
  "/api/s/default/stat/%zz",
  "/api/s/défaut/stat",
  `/api/s/default/${"x".repeat(5000)}`,
  "",
];

for (const path of REFUSED) {
  test(`refused: ${JSON.stringify(path.slice(0, 60))}`, () => {
    assert.throws(() => refuseUnsafe(path), { code: "ARGUMENTS_INVALID", executed: "no" });
  });
}

test("ordinary paths pass: queries, encoded blanks, colons of MAC addresses, dots inside names", () => {
  for (const path of [
    "/api/s/default/stat/sta?within=1&next=//x/../y",
    "/api/s/default/stat/sta/02:00:5e:10:00:01",
    "/api/s/default/stat/sta/02%3A00",
    "/api/s/default/get/setting/",
    "/v2/api/site/Main%20Office/static-dns/a.b..c",
    "/api/s/default/rest/50%25",
  ]) {
    assert.doesNotThrow(() => refuseUnsafe(path), path);
  }
});

test("the prefix is added once on UniFi OS and never on a standalone console", () => {
  for (const path of ["/v2/api/site/default/static-dns", "/proxy/network/v2/api/site/default/static-dns"]) {
    assert.equal(wirePath("proxy", barePath(path)), "/proxy/network/v2/api/site/default/static-dns");
    assert.equal(wirePath("direct", barePath(path)), "/v2/api/site/default/static-dns");
    assert.equal(familyOf(barePath(path)), "v2");
  }
});

test("a refused path is refused before the console hears of anything", async (t) => {
  const console = await startScripted(t, unifiOs().script);
  const site = await openConsole(t, optionsFor(console)).site(undefined);
  const before = console.requests.length;

  await assert.rejects(site.raw("GET", "/api/s/default/../../x"), { code: "ARGUMENTS_INVALID" });
  await assert.rejects(site.v1("GET", "/rest/../../x"), { code: "ARGUMENTS_INVALID" });

  assert.equal(console.requests.length, before);
});

test("raw brings the body back whole, envelope included, and refuses what is no JSON", async (t) => {
  const body = { meta: { rc: "ok", count: 1 }, data: [{ a: 1 }] };
  const os = unifiOs((seen) => {
    if (seen.path === "/proxy/network/api/s/default/stat/sta?x=1") return { json: body };
    return seen.path.endsWith("/dl/backup") ? { text: "binary", headers: { "content-type": "text/plain" } } : undefined;
  });
  const console = await startScripted(t, os.script);
  const site = await openConsole(t, optionsFor(console)).site(undefined);

  const answer = await site.raw("GET", "/api/s/default/stat/sta?x=1");

  assert.deepEqual(answer, body);
  await assert.rejects(site.raw("GET", "/api/s/default/dl/backup"), { code: "CONTROLLER_FAILED" });
});
