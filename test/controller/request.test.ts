/** Calls: one attempt per write, one recovery of a refused session, and never a success that is none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EdgeError } from "../../src/errors.ts";
import {
  HTML,
  ok,
  openConsole,
  optionsFor,
  rcError,
  type Scripted,
  startScripted,
  unifiOs,
} from "./scripted-console.ts";

const WRITE_PATH = "/proxy/network/api/s/default/rest/wlanconf/1";
const READ_PATH = "/proxy/network/api/s/default/rest/wlanconf";

async function siteAnswering(t: import("node:test").TestContext, path: string, answer: () => Scripted | undefined) {
  const os = unifiOs((seen) => (seen.path === path ? answer() : undefined));
  const console = await startScripted(t, os.script);
  const options = optionsFor(console);
  const network = openConsole(t, options);
  const site = await network.site(undefined);
  const attempts = () => console.requests.filter((seen) => seen.path === path).length;
  return { os, console, options, network, site, attempts };
}

async function failureOf(promise: Promise<unknown>): Promise<EdgeError> {
  const outcome: unknown = await promise.then(
    () => assert.fail("it should have failed"),
    (thrown: unknown) => thrown,
  );
  return outcome as EdgeError;
}

test("a rotated CSRF token is taken from any answer and used by the next write", async (t) => {
  const { os, console, site } = await siteAnswering(t, WRITE_PATH, () => {
    os.csrf = "csrf-next";
    return { ...ok(), headers: { "x-csrf-token": "csrf-old", "x-updated-csrf-token": "csrf-next" } };
  });

  await site.v1("PUT", "/rest/wlanconf/1", { enabled: true });
  await site.v1("PUT", "/rest/wlanconf/1", { enabled: false });

  const tokens = console.requests
    .filter((seen) => seen.path === WRITE_PATH)
    .map(({ headers }) => headers["x-csrf-token"]);
  assert.deepEqual(tokens, ["csrf-1", "csrf-next"]);
});

test("a stale CSRF token is recovered once by a new session, and the write takes effect once", async (t) => {
  let effects = 0;
  const { os, console, site, attempts } = await siteAnswering(t, WRITE_PATH, () => {
    effects += 1;
    return ok({ _id: "1" });
  });

  os.csrf = "rotated-behind-our-back";
  const rows = await site.v1("PUT", "/rest/wlanconf/1", {});

  assert.deepEqual(rows, [{ _id: "1" }]);
  assert.deepEqual([effects, attempts(), console.lines().filter((line) => line.endsWith("login")).length], [1, 2, 2]);
});

test("a stale CSRF token whose refusal brings the new one costs no sign-in", async (t) => {
  const console = await startScripted(t, async (seen) => {
    if (seen.path === WRITE_PATH && seen.headers["x-csrf-token"] === "csrf-1") {
      os.csrf = "csrf-2";
      return {
        status: 403,
        json: { error: { code: 403, message: "Invalid CSRF Token" } },
        headers: { "x-csrf-token": "csrf-2" },
      };
    }
    return await os.script(seen);
  });
  const os = unifiOs((seen) => (seen.path === WRITE_PATH ? ok() : undefined));
  const site = await openConsole(t, optionsFor(console)).site(undefined);

  await site.v1("PUT", "/rest/wlanconf/1", {});

  assert.equal(console.lines().filter((line) => line.endsWith("login")).length, 1);
});

test("a second CSRF refusal is not tried again, and further ones do not sign in", async (t) => {
  const { console, site, attempts } = await siteAnswering(t, WRITE_PATH, () => ({
    status: 403,
    json: { error: { code: 403, message: "Invalid CSRF Token" } },
  }));

  await assert.rejects(site.v1("PUT", "/rest/wlanconf/1", {}), { code: "CONTROLLER_AUTH_FAILED", executed: "no" });
  const afterFirst = attempts();
  await assert.rejects(site.v1("PUT", "/rest/wlanconf/1", {}), { code: "CONTROLLER_AUTH_FAILED", executed: "no" });

  assert.equal(afterFirst, 2);
  assert.equal(console.lines().filter((line) => line.endsWith("login")).length, 2);
});

test("a write refused for its session is sent again after one sign-in, and takes effect once", async (t) => {
  let effects = 0;
  const { os, site, attempts } = await siteAnswering(t, WRITE_PATH, () => {
    effects += 1;
    return ok();
  });

  os.sessions.clear();
  await site.v1("PUT", "/rest/wlanconf/1", {});

  assert.deepEqual([effects, attempts()], [1, 2]);
});

test("the session cookie that an answer renews is used from then on", async (t) => {
  const { os, console, site } = await siteAnswering(t, READ_PATH, () => {
    os.sessions.add("token-new");
    return { ...ok(), headers: { "set-cookie": ["TOKEN=token-new; path=/", "other=1", "unifises=; Max-Age=0"] } };
  });

  await site.v1("GET", "/rest/wlanconf");
  await site.v1("GET", "/rest/wlanconf");

  assert.equal(console.requests.at(-1)?.headers.cookie, "TOKEN=token-new");
});

/** Answers that say nothing about a write that went out, each with what a read makes of it. */
const NO_ANSWERS: readonly { name: string; answer: Scripted; read: string }[] = [
  { name: "a reset connection", answer: { reset: true }, read: "CONTROLLER_UNREACHABLE" },
  { name: "502 HTML", answer: { status: 502, ...HTML }, read: "CONTROLLER_UNREACHABLE" },
  { name: "503 HTML", answer: { status: 503, ...HTML }, read: "CONTROLLER_UNREACHABLE" },
  { name: "500 HTML", answer: { status: 500, ...HTML }, read: "CONTROLLER_FAILED" },
  { name: "200 HTML", answer: HTML, read: "CONTROLLER_FAILED" },
  {
    name: "200 with an empty body",
    answer: { headers: { "content-type": "application/json" } },
    read: "CONTROLLER_FAILED",
  },
  {
    name: "200 with broken JSON",
    answer: { headers: { "content-type": "application/json" }, text: "{" },
    read: "CONTROLLER_FAILED",
  },
  { name: "200 with JSON that is no envelope", answer: { json: [1] }, read: "CONTROLLER_FAILED" },
  {
    name: "200 with JSON under another content type",
    answer: { text: JSON.stringify(ok().json) },
    read: "CONTROLLER_FAILED",
  },
  {
    name: "a redirect",
    answer: { status: 302, headers: { location: "https://elsewhere.example/" } },
    read: "CONTROLLER_FAILED",
  },
];

for (const { name, answer, read } of NO_ANSWERS) {
  test(`${name}: a write is attempted once and its outcome unknown, a read has certainly not happened`, async (t) => {
    const write = await siteAnswering(t, WRITE_PATH, () => answer);
    const reading = await siteAnswering(t, READ_PATH, () => answer);

    const written = await failureOf(write.site.v1("PUT", "/rest/wlanconf/1", {}));
    const failed = await failureOf(reading.site.v1("GET", "/rest/wlanconf"));

    assert.deepEqual([written.code, written.executed, write.attempts()], ["OUTCOME_UNKNOWN", "maybe", 1]);
    assert.deepEqual([failed.code, failed.executed, reading.attempts()], [read, "no", 1]);
    if (read === "CONTROLLER_UNREACHABLE") assert.match(failed.hint ?? "", /unifi-edge doctor/);
  });
}

test("a POST that only reads is told as a read when its answer is lost", async (t) => {
  const path = "/proxy/network/api/s/default/stat/report/hourly.site";
  const { site } = await siteAnswering(t, path, () => ({ reset: true }));

  await assert.rejects(site.v1("POST", "/stat/report/hourly.site", { attrs: ["time"] }), {
    code: "CONTROLLER_UNREACHABLE",
    executed: "no",
  });
});

/** What the console says, and what the caller is told. */
const REFUSALS: readonly { name: string; answer: Scripted; code: string; controllerCode?: string }[] = [
  {
    name: "rc error with HTTP 200",
    answer: rcError(200, "api.err.Foo"),
    code: "CONTROLLER_REJECTED",
    controllerCode: "api.err.Foo",
  },
  {
    name: "rc error with HTTP 400",
    answer: rcError(400, "api.err.VlanUsed"),
    code: "CONTROLLER_REJECTED",
    controllerCode: "api.err.VlanUsed",
  },
  {
    name: "unknown id",
    answer: rcError(400, "api.err.IdInvalid"),
    code: "NOT_FOUND",
    controllerCode: "api.err.IdInvalid",
  },
  {
    name: "unknown resource",
    answer: rcError(400, "api.err.InvalidObject"),
    code: "CONTROLLER_UNSUPPORTED",
    controllerCode: "api.err.InvalidObject",
  },
  {
    name: "unknown site",
    answer: rcError(401, "api.err.NoSiteContext"),
    code: "SITE_UNKNOWN",
    controllerCode: "api.err.NoSiteContext",
  },
  {
    name: "role too low",
    answer: rcError(403, "api.err.NoPermission"),
    code: "CONTROLLER_REJECTED",
    controllerCode: "api.err.NoPermission",
  },
  {
    name: "path that the gateway does not know",
    answer: { status: 404, json: { error: { code: 404, message: "Not found" } } },
    code: "CONTROLLER_UNSUPPORTED",
    controllerCode: "404",
  },
  { name: "404 page", answer: { status: 404, ...HTML }, code: "CONTROLLER_UNSUPPORTED" },
  {
    name: "wrong method",
    answer: { status: 405, json: { errorCode: 405, message: "no" } },
    code: "CONTROLLER_UNSUPPORTED",
  },
  {
    name: "v2 validation",
    answer: {
      status: 400,
      json: {
        code: "api.err.FirewallPolicyInvalid",
        errorCode: 400,
        message: "m",
        details: { invalid_fields: ["destination.port"] },
      },
    },
    code: "CONTROLLER_REJECTED",
    controllerCode: "api.err.FirewallPolicyInvalid",
  },
  { name: "v2 failure with HTTP 200", answer: { json: { errorCode: 400, message: "m" } }, code: "CONTROLLER_REJECTED" },
];

for (const { name, answer, code, controllerCode } of REFUSALS) {
  test(`${name} is ${code}, asked once and not executed`, async (t) => {
    const { site, attempts, console } = await siteAnswering(t, WRITE_PATH, () => answer);

    const error = await failureOf(site.v1("PUT", "/rest/wlanconf/1", {}));

    assert.deepEqual([error.code, error.executed, error.details?.controller_code], [code, "no", controllerCode]);
    assert.equal(attempts(), 1);
    assert.equal(console.lines().filter((line) => line.endsWith("login")).length, 1);
  });
}

test("the console's own words stay in data fields, cleaned, with the fields it objects to", async (t) => {
  const path = "/proxy/network/v2/api/site/default/firewall-policies/1";
  const { site } = await siteAnswering(t, path, () => ({
    status: 400,
    json: {
      errorCode: 400,
      message: `bad\u0000\u202E${"x".repeat(900)}`,
      details: { invalid_fields: ["destination.port"] },
    },
  }));

  const error = await failureOf(site.v2("PUT", "/firewall-policies/1", {}));

  assert.equal(error.message, "The console refused the request.");
  assert.equal(error.details?.controller_message, `bad${"x".repeat(496)}…`);
  assert.deepEqual(error.details?.controller_fields, ["destination.port"]);
});

test("a field that v1 validation names is told", async (t) => {
  const { site } = await siteAnswering(t, WRITE_PATH, () => ({
    status: 400,
    json: {
      meta: { rc: "error", msg: "api.err.InvalidPayload" },
      data: [{ meta: { rc: "error", validationError: { field: "vlan", pattern: "[0-9]+" } } }],
    },
  }));

  const error = await failureOf(site.v1("PUT", "/rest/wlanconf/1", {}));

  assert.deepEqual(error.details?.controller_fields, ["vlan"]);
});

test("an application that fails in JSON is CONTROLLER_FAILED, and a write may have been executed", async (t) => {
  const { site, attempts } = await siteAnswering(t, WRITE_PATH, () => ({ status: 500, json: { errorCode: 500 } }));

  await assert.rejects(site.v1("PUT", "/rest/wlanconf/1", {}), { code: "CONTROLLER_FAILED", executed: "maybe" });
  assert.equal(attempts(), 1);
});

test("v2 answers its bare JSON, and null for a deletion without a body", async (t) => {
  const os = unifiOs((seen) => {
    if (seen.path === "/proxy/network/v2/api/site/default/static-dns") return { json: [{ _id: "1" }] };
    if (seen.path.endsWith("/static-dns/1")) return { status: 204 };
    return seen.path.endsWith("/static-dns/2") ? { status: 200 } : undefined;
  });
  const console = await startScripted(t, os.script);
  const site = await openConsole(t, optionsFor(console)).site(undefined);

  const answers = [
    await site.v2("GET", "/static-dns"),
    await site.v2("DELETE", "/static-dns/1"),
    await site.v2("DELETE", "/static-dns/2"),
  ];

  assert.deepEqual(answers, [[{ _id: "1" }], null, null]);
});

test("429 on a call stops all calls for the time the console asks", async (t) => {
  let busy = true;
  const { options, network, site, attempts } = await siteAnswering(t, READ_PATH, () =>
    busy ? { status: 429, json: { code: "RATE_LIMIT" }, headers: { "retry-after": "120" } } : ok(),
  );

  await assert.rejects(site.v1("GET", "/rest/wlanconf"), { code: "CONTROLLER_RATE_LIMITED", retryAfterSeconds: 120 });
  await assert.rejects(network.sites(), { code: "CONTROLLER_RATE_LIMITED", retryAfterSeconds: 120 });
  const whileBusy = attempts();
  busy = false;
  options.clock.ms += 120_000;
  await site.v1("GET", "/rest/wlanconf");

  assert.deepEqual([whileBusy, attempts()], [1, 2]);
});

test("an old session's wordless 403 is doubted once; a young one's is the account's role", async (t) => {
  const { options, console, site, attempts } = await siteAnswering(t, READ_PATH, () => ({ status: 403, ...HTML }));
  const signIns = () => console.lines().filter((line) => line.endsWith("login")).length;

  await assert.rejects(site.v1("GET", "/rest/wlanconf"), { code: "CONTROLLER_REJECTED" });
  const young = [attempts(), signIns()];
  options.clock.ms += 3_600_000;
  await assert.rejects(site.v1("GET", "/rest/wlanconf"), { code: "CONTROLLER_REJECTED" });
  await assert.rejects(site.v1("GET", "/rest/wlanconf"), { code: "CONTROLLER_REJECTED" });

  assert.deepEqual(young, [1, 1]);
  assert.deepEqual([attempts(), signIns()], [4, 2]);
});

test("an answer over the limit is refused while it comes in", async (t) => {
  const { site } = await siteAnswering(t, READ_PATH, () => ({
    headers: { "content-type": "application/json" },
    text: " ".repeat(33 * 1024 * 1024),
  }));

  await assert.rejects(site.v1("GET", "/rest/wlanconf"), { code: "TOO_LARGE", executed: "no" });
});

test("a console that hangs: a read times out, a write's outcome is unknown", async (t) => {
  let reached = Promise.withResolvers<void>();
  const deadlines: (() => void)[] = [];
  const os = unifiOs((seen) => {
    if (!seen.path.includes("/wlanconf")) return undefined;
    reached.resolve();
    return new Promise<never>(() => undefined);
  });
  const console = await startScripted(t, os.script);
  const wait = (_ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      deadlines.push(resolve);
      signal.addEventListener("abort", () => reject(new Error("over")), { once: true });
    });
  const site = await openConsole(t, optionsFor(console, { wait })).site(undefined);

  const read = failureOf(site.v1("GET", "/rest/wlanconf"));
  await reached.promise;
  deadlines.at(-1)?.();
  reached = Promise.withResolvers<void>();
  const write = failureOf(site.v1("PUT", "/rest/wlanconf/1", {}));
  await reached.promise;
  deadlines.at(-1)?.();

  assert.deepEqual([(await read).code, (await read).executed], ["TIMEOUT", "no"]);
  assert.deepEqual([(await write).code, (await write).executed], ["OUTCOME_UNKNOWN", "maybe"]);
});

test("a cancelled call ends at once: a read was not executed, a write that went out is unknown", async (t) => {
  let reached = Promise.withResolvers<void>();
  const os = unifiOs((seen) => {
    if (!seen.path.includes("/wlanconf")) return undefined;
    reached.resolve();
    return new Promise<never>(() => undefined);
  });
  const console = await startScripted(t, os.script);
  const network = openConsole(t, optionsFor(console));
  const controllers = [new AbortController(), new AbortController(), new AbortController()] as const;
  const [reading, writing, early] = controllers;

  const read = failureOf((await network.site(undefined, reading.signal)).v1("GET", "/rest/wlanconf"));
  await reached.promise;
  reading.abort();
  reached = Promise.withResolvers<void>();
  const write = failureOf((await network.site(undefined, writing.signal)).v1("PUT", "/rest/wlanconf/1", {}));
  await reached.promise;
  writing.abort();
  const site = await network.site(undefined, early.signal);
  early.abort();
  const unsent = await failureOf(site.v1("PUT", "/rest/wlanconf/2", {}));

  assert.deepEqual([(await read).code, (await read).executed], ["CANCELLED", "no"]);
  assert.deepEqual([(await write).code, (await write).executed], ["OUTCOME_UNKNOWN", "maybe"]);
  assert.deepEqual([unsent.code, unsent.executed], ["CANCELLED", "no"]);
  assert.ok(!console.lines().some((line) => line.includes("wlanconf/2")));
});

test("a console that nothing listens at is unreachable, for reads and writes alike not executed", async (t) => {
  const console = await startScripted(t, unifiOs().script);
  const network = openConsole(t, optionsFor(console, { port: 1 }));

  const error = await failureOf(network.site(undefined));

  assert.deepEqual([error.code, error.executed], ["CONTROLLER_UNREACHABLE", "no"]);
  assert.match(error.message, /nothing listens on that port/);
  assert.match(error.hint ?? "", /unifi-edge doctor/);
});
