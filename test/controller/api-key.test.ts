/** API keys: no sign-in, and the password where the key is not taken. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ok, openConsole, optionsFor, type Script, startScripted, unifiOs } from "./scripted-console.ts";

const KEY = { apiKey: "key-1" };
const MISSING = {
  status: 401,
  json: { statusCode: 401, code: "api.authentication.missing-credentials", message: "m" },
};

/** UniFi OS of an older version: the key opens the integration API only. */
function keyForIntegrationOnly(own: Script = () => undefined): Script {
  const os = unifiOs(own);
  return (seen) => {
    const keyed = seen.headers["x-api-key"] !== undefined;
    if (keyed && !seen.path.includes("/integration/"))
      return { status: 401, json: { code: 401, message: "Unauthorized" } };
    return os.script(seen);
  };
}

test("with a key nothing is signed in to, and no cookie or CSRF token is sent", async (t) => {
  const os = unifiOs((seen) => (seen.method === "PUT" ? ok() : undefined));
  const console = await startScripted(t, os.script);
  const { username: _, password: __, ...options } = optionsFor(console, KEY);
  const network = openConsole(t, options);

  const site = await network.site(undefined);
  await site.v1("PUT", "/rest/wlanconf/1", {});

  assert.ok(!console.lines().includes("POST /api/auth/login"));
  const headers = console.requests.at(-1)?.headers;
  assert.deepEqual(
    [headers?.["x-api-key"], headers?.cookie, headers?.["x-csrf-token"]],
    ["key-1", undefined, undefined],
  );
});

test("a key refused outside the integration API gives way to the password, once and for all, for writes too", async (t) => {
  let effects = 0;
  const console = await startScripted(
    t,
    keyForIntegrationOnly((seen) => {
      if (seen.path.includes("/integration/")) return { json: { applicationVersion: "10.1.0" } };
      if (seen.method !== "PUT") return undefined;
      effects += 1;
      return ok();
    }),
  );
  const network = openConsole(t, optionsFor(console, KEY));

  const site = await network.site(undefined);
  await site.v1("PUT", "/rest/wlanconf/1", {});
  await site.v1("PUT", "/rest/wlanconf/1", {});
  const info = await site.integration("GET", "/info");

  assert.equal(effects, 2);
  assert.deepEqual(info, { applicationVersion: "10.1.0" });
  const keyed = console.requests.filter(({ headers }) => headers["x-api-key"] !== undefined).map(({ path }) => path);
  assert.deepEqual(keyed, ["/proxy/network/api/self/sites", "/proxy/network/integration/v1/info"]);
});

test("a refused key without a password is told in words", async (t) => {
  const console = await startScripted(t, (seen) =>
    seen.path === "/" ? { text: "" } : { status: 401, json: { code: 401, message: "Unauthorized" } },
  );
  const { username: _, password: __, ...options } = optionsFor(console, KEY);
  const network = openConsole(t, options);

  await assert.rejects(network.sites(), {
    code: "CONTROLLER_AUTH_FAILED",
    message: "The console refused the API key.",
  });
});

test("a key for the integration API alone still lists the sites, by their references", async (t) => {
  const console = await startScripted(
    t,
    keyForIntegrationOnly((seen) =>
      seen.path.startsWith("/proxy/network/integration/v1/sites")
        ? {
            json: {
              offset: 0,
              limit: 200,
              count: 1,
              totalCount: 1,
              data: [{ id: "u-1", internalReference: "default", name: "Home" }],
            },
          }
        : undefined,
    ),
  );
  const { username: _, password: __, ...options } = optionsFor(console, KEY);
  const network = openConsole(t, options);

  const sites = await network.sites();

  assert.deepEqual(sites, [{ id: "u-1", name: "default", description: "Home" }]);
});

test("the integration API without a key says that it wants one, and no session is thrown away for it", async (t) => {
  const os = unifiOs((seen) => (seen.path.includes("/integration/") ? MISSING : undefined));
  const console = await startScripted(t, os.script);
  const network = openConsole(t, optionsFor(console));
  const site = await network.site(undefined);

  await assert.rejects(site.integration("GET", "/info"), {
    code: "CONTROLLER_AUTH_FAILED",
    message: "The console's integration API wants an API key.",
  });
  assert.equal(console.lines().filter((line) => line.endsWith("/login")).length, 1);
});

test("no credentials at all are told before anything is sent to the sign-in", async (t) => {
  const console = await startScripted(t, unifiOs().script);
  const { username: _, password: __, ...options } = optionsFor(console);
  const network = openConsole(t, options);

  await assert.rejects(network.sites(), { code: "CONTROLLER_AUTH_FAILED", executed: "no" });
  assert.ok(!console.lines().includes("POST /api/auth/login"));
});
