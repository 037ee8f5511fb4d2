/** The path rule of unifi_api_call, clause by clause as design 3.3 writes them, kindly and with ill intent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EdgeError } from "../../src/errors.ts";
import { checkApiPath, MAX_ENDPOINT_LENGTH, namesIntegrationSite } from "../../src/tools/network/api-call-path.ts";

const SITE_ID = "c9a9131e-6e2e-4221-aaa7-ff7f604964a2";
const PLACE = { site: "default", integrationSiteId: SITE_ID };

function pathOf(endpoint: string, method = "GET"): string {
  return checkApiPath(endpoint, method, PLACE).path;
}

/** The sentence with which it is refused; fails where it is not. */
function refusalOf(endpoint: string, method = "GET"): string {
  try {
    const { path } = checkApiPath(endpoint, method, PLACE);
    assert.fail(`${JSON.stringify(endpoint)} was let through as ${path}`);
  } catch (thrown) {
    if (!(thrown instanceof EdgeError)) throw thrown;
    assert.equal(thrown.code, "ARGUMENTS_INVALID");
    return thrown.message;
  }
}

const ALLOWED: readonly (readonly [endpoint: string, method: string, path: string])[] = [
  ["/api/s/default/stat/sta", "GET", "/api/s/default/stat/sta"],
  ["/api/s/default/self", "GET", "/api/s/default/self"],
  ["/api/s/default/get/setting/", "GET", "/api/s/default/get/setting"],
  ["/api/s/default/cmd/devmgr", "POST", "/api/s/default/cmd/devmgr"],
  ["/api/s/default/rest/user/65c0ffee", "PUT", "/api/s/default/rest/user/65c0ffee"],
  ["/api/s/default/stat/device/aa:bb:cc:dd:ee:ff", "GET", "/api/s/default/stat/device/aa:bb:cc:dd:ee:ff"],
  ["/api/s/default/stat/device/aa%3Abb%3acc:dd:ee:ff", "GET", "/api/s/default/stat/device/aa:bb:cc:dd:ee:ff"],
  ["/v2/api/site/default/static-dns", "GET", "/v2/api/site/default/static-dns"],
  ["/v2/api/site/default/static-dns/1", "DELETE", "/v2/api/site/default/static-dns/1"],
  ["/integration/v1/info", "GET", "/integration/v1/info"],
  [`/integration/v1/sites/${SITE_ID}/devices`, "GET", `/integration/v1/sites/${SITE_ID}/devices`],
  ["/api/s/{site}/stat/sta", "GET", "/api/s/default/stat/sta"],
  ["/v2/api/site/{site}/apgroups", "GET", "/v2/api/site/default/apgroups"],
  ["/integration/v1/sites/{siteId}/clients", "GET", `/integration/v1/sites/${SITE_ID}/clients`],
  ["/proxy/network/api/s/default/stat/sta", "GET", "/api/s/default/stat/sta"],
  ["/proxy/network/integration/v1/info", "GET", "/integration/v1/info"],
];

for (const [endpoint, method, path] of ALLOWED) {
  test(`${method} ${endpoint} is allowed`, () => {
    assert.equal(pathOf(endpoint, method), path);
  });
}

/** Clause by clause: what is said, and ways to try it. */
const REFUSED: readonly (readonly [clause: RegExp, endpoints: readonly string[]])[] = [
  [
    /outside the paths/,
    [
      "/api/self",
      "/api/self/sites",
      "/api/auth/login",
      "/api/users/self",
      "/api/stat/sites",
      "/proxy/protect/api/bootstrap",
      "/proxy/network",
      "/integration/v1/pending-devices",
      "/integration/v1/info/more",
      "/integration/v2/info",
      "/v2/api/info",
      "/v2/api/system/event/x/first",
      "/wss/s/default/events",
      "/guest/s/default/hotspotconfig",
      "/dl/firmware/bundles.json",
      "/API/S/default/stat/sta",
      "/proxy/network/proxy/network/api/s/default/stat/sta",
      "/api",
    ],
  ],
  [
    /not below this call's own site/,
    [
      "/api/s/other/stat/sta",
      "/api/s/Default/stat/sta",
      "/api/s/default",
      "/api/s/default/",
      "/api/s/defaul%74x/stat/sta",
      "/v2/api/site/other/static-dns",
      "/v2/api/site/default",
      "/integration/v1/sites",
      `/integration/v1/sites/${SITE_ID}`,
      "/integration/v1/sites/00000000-0000-0000-0000-000000000000/devices",
    ],
  ],
  [
    /\. or \.\./,
    [
      "/api/s/default/../other/stat/sta",
      "/api/s/default/stat/../../../../auth/login",
      "/api/s/default/./stat/sta",
      "/api/s/default/%2e%2e/other/stat/sta",
      "/api/s/default/%2E./other/stat/sta",
      "/api/s/default/.%2e/other/stat/sta",
      "/api/s/default/%252e%252e/other/stat/sta",
      "/api/s/default/%25252e%25252e/other",
      "/proxy/network/../protect/api/cameras",
      "/api/s/default/stat/..",
    ],
  ],
  [
    /encoded slash/,
    [
      "/api/s/default%2f..%2fother/stat/sta",
      "/api/s/default/stat%2Fsta",
      "/api/s/default/stat%252fsta",
      "/api/s/default/rest/user/1%2f..%2f2",
      "/api/s/default/stat%5csta",
      "/api/s/default/stat%255Csta",
    ],
  ],
  [
    /absolute URL/,
    [
      "https://console.example/api/s/default/stat/sta",
      "http://169.254.169.254/latest/meta-data",
      "HTTPS://evil.example/",
      "file:/etc/passwd",
      "javascript:alert(1)",
    ],
  ],
  [/another host/, ["//evil.example/api/s/default/stat/sta", "///api/s/default/stat/sta", "//api/s/default/stat/sta"]],
  [
    /empty segment/,
    ["/api//s/default/stat/sta", "/api/s/default//stat/sta", "/api/s//stat/sta", "/api/s/default/stat//", "/"],
  ],
  [
    /start with a slash/,
    ["api/s/default/stat/sta", "stat/sta", "", " /api/s/default/stat/sta", "@evil.example/api/s/default/x"],
  ],
  [/backslash/, ["/api/s/default\\..\\other/stat/sta", "\\\\evil.example\\x", "/\\evil.example/x"]],
  [
    /control characters/,
    [
      "/api/s/default/stat/sta\r\nHost: evil.example",
      "/api/s/default/stat/sta\u0000",
      "/api/s/default/stat/sta%0d%0aX: y",
      "/api/s/default/stat/%00sta",
      "/api/s/default/stat/%250asta",
      "/api/s/default/stat/sta?x=%0d%0a",
      "/api/s/default/stat/\u0085sta",
    ],
  ],
  [/encoded more than once/, ["/api/s/default/stat/%2573ta", "/api/s/default/stat/aa%253Abb"]],
  [
    /broken percent/,
    [
      "/api/s/default/stat/%zz",
      "/api/s/default/stat/%",
      "/api/s/default/stat/%ff",
      "/api/s/default/stat/%2",
      "/api/s/default/stat/25%25",
    ],
  ],
  [
    /character that no console path/,
    [
      "/api/s/default/stat;x/sta",
      "/api/s/default/c;md/devmgr",
      "/api/s/default/;/cmd/devmgr",
      "/api/s/default/stat/%3bsta",
      "/api/s/default/stat/sta%20",
      "/api/s/default/stat/st\u00e4",
      "/api/s/default/stat/\uff0e\uff0e",
      "/api/s/default/stat/%E2%80%AE",
      '/api/s/default/stat/"x"',
      "/api/s/default/stat/<x>",
      "/api/s/{other}/stat/sta",
    ],
  ],
  [/fragment/, ["/api/s/default/stat/sta#x", "/api/s/default#/../x"]],
  [/question mark/, ["/api/s/default/stat/sta?a=1?b=2"]],
  [
    /another method/,
    [
      "/api/s/default/stat/sta?_method=DELETE",
      "/api/s/default/stat/sta?x=1&_METHOD=PUT",
      "/api/s/default/stat/sta?X-HTTP-Method-Override=POST",
    ],
  ],
  [
    /no site.s name belongs/,
    ["/api/s/default/stat/{site}", "/api/s/default/{siteId}/x", "/{site}/s/default/stat", "/api/s/{siteId}/stat/sta"],
  ],
  [
    /command path/,
    [
      "/api/s/default/cmd/devmgr",
      "/api/s/default/CMD/devmgr",
      "/api/s/default/c%6dd/devmgr",
      "/api/s/default/cmd/stamgr?cmd=block-sta&mac=aa:bb:cc:dd:ee:ff",
      "/api/s/default/set/setting/mgmt",
      "/api/s/default/upd/user/1",
      "/api/s/default/add/wlanconf",
      "/api/s/default/del/wlanconf/1",
      "/api/s/default/group/user",
      "/api/s/default/dl/backup",
      "/api/s/default/logout",
      "/api/s/default/unheard-of/thing",
      "/v2/api/site/default/cmd/devmgr",
      "/v2/api/site/default/x/cmd/y",
      `/integration/v1/sites/${SITE_ID}/devices/1/actions`,
      `/integration/v1/sites/${SITE_ID}/devices/1/Actions`,
    ],
  ],
  [/longer than/, [`/api/s/default/${"a".repeat(MAX_ENDPOINT_LENGTH)}`]],
];

for (const [clause, endpoints] of REFUSED) {
  for (const endpoint of endpoints) {
    test(`refused (${clause.source}): ${JSON.stringify(endpoint).slice(0, 100)}`, () => {
      assert.match(refusalOf(endpoint), clause);
    });
  }
}

test("a write may call command paths, but nothing else that a read may not", () => {
  assert.equal(pathOf("/api/s/default/set/setting/mgmt", "PUT"), "/api/s/default/set/setting/mgmt");

  for (const [clause, endpoints] of REFUSED) {
    if (clause.source === "command path") continue;
    for (const endpoint of endpoints) assert.match(refusalOf(endpoint, "POST"), clause);
  }
});

test("the integration API's version can only be read", () => {
  assert.match(refusalOf("/integration/v1/info", "POST"), /only be read/);
});

test("without the site's UUID no path of the integration API's sites is allowed", () => {
  assert.throws(() => checkApiPath(`/integration/v1/sites/${SITE_ID}/devices`, "GET", { site: "default" }), /own site/);
  assert.throws(
    () => checkApiPath("/integration/v1/sites/{siteId}/devices", "GET", { site: "default" }),
    /no site.s name belongs/,
  );
});

test("the check says whether it needs the site's UUID", () => {
  assert.equal(namesIntegrationSite(`/proxy/network/integration/v1/sites/${SITE_ID}/devices`), true);
  assert.equal(namesIntegrationSite("/integration/v1/info"), false);
  assert.equal(namesIntegrationSite("/api/s/default/stat/sta"), false);
});

test("the endpoint's own query is kept, decoded pair by pair", () => {
  const { path, query } = checkApiPath(
    "/v2/api/site/default/aggregated-dashboard?historySeconds=300&a=b%26c",
    "GET",
    PLACE,
  );

  assert.equal(path, "/v2/api/site/default/aggregated-dashboard");
  assert.deepEqual(query, [
    ["historySeconds", "300"],
    ["a", "b&c"],
  ]);
});
