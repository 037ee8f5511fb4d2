/** Signing in: both console types, refusals that are waited out, and one sign-in however many calls need it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { HTML, ok, openConsole, optionsFor, rcError, standalone, startScripted, unifiOs } from "./scripted-console.ts";

const DETECTION = ["GET /", "GET /proxy/network/api/s/default/stat/health"];

function afterDetection(lines: readonly string[]): string[] {
  return lines.filter((line) => !DETECTION.includes(line));
}

test("UniFi OS is signed in to once, and its cookie and prefix go with every call", async (t) => {
  const os = unifiOs((seen) => (seen.path.endsWith("/stat/sta") ? ok({ mac: "02:00:00:00:00:01" }) : undefined));
  const console = await startScripted(t, os.script);
  const network = openConsole(t, optionsFor(console));

  const site = await network.site(undefined);
  const rows = await site.v1("GET", "/stat/sta");

  assert.deepEqual(rows, [{ mac: "02:00:00:00:00:01" }]);
  assert.deepEqual(afterDetection(console.lines()), [
    "POST /api/auth/login",
    "GET /proxy/network/api/self/sites",
    "GET /proxy/network/api/s/default/stat/sta",
  ]);
  assert.deepEqual(console.requests[2]?.body, { username: "agent", password: "correct horse", rememberMe: true });
  assert.equal(console.requests[4]?.headers.cookie, "TOKEN=token-1");
});

test("a standalone console is signed in to at its own path, without a prefix, with the CSRF cookie on writes", async (t) => {
  const console = await startScripted(
    t,
    standalone((seen) => (seen.method === "POST" ? ok() : undefined)),
  );
  const network = openConsole(t, optionsFor(console));

  const site = await network.site("default");
  await site.v1("POST", "/cmd/stamgr", { cmd: "kick-sta", mac: "02:00:00:00:00:01" });

  assert.deepEqual(afterDetection(console.lines()), [
    "POST /api/login",
    "GET /api/self/sites",
    "POST /api/s/default/cmd/stamgr",
  ]);
  assert.equal(console.requests.at(-1)?.headers["x-csrf-token"], "c1");
  assert.equal(console.requests.at(-1)?.headers.cookie, "unifises=s1; csrf_token=c1");
});

for (const status of [401, 403]) {
  test(`a password refused with ${status} costs one sign-in, then nothing until the back-off is over`, async (t) => {
    const os = unifiOs((seen) => (seen.path === "/api/auth/login" ? { status, json: { code: "X" } } : undefined));
    const console = await startScripted(t, os.script);
    const options = optionsFor(console);
    const network = openConsole(t, options);

    await assert.rejects(network.sites(), { code: "CONTROLLER_AUTH_FAILED", retryAfterSeconds: 60, executed: "no" });
    await assert.rejects(network.sites(), { code: "CONTROLLER_AUTH_FAILED", retryAfterSeconds: 60 });
    options.clock.ms += 59_000;
    await assert.rejects(network.sites(), { code: "CONTROLLER_AUTH_FAILED", retryAfterSeconds: 1 });
    const before = signIns(console.lines());
    options.clock.ms += 1000;
    await assert.rejects(network.sites(), { code: "CONTROLLER_AUTH_FAILED", retryAfterSeconds: 120 });

    assert.equal(before, 1);
    assert.equal(signIns(console.lines()), 2);
  });
}

test("the back-off doubles up to 15 minutes and is forgotten after a sign-in that works", async (t) => {
  let refuse = true;
  const os = unifiOs((seen) =>
    refuse && seen.path === "/api/auth/login" ? { status: 403, json: { code: "X" } } : undefined,
  );
  const console = await startScripted(t, os.script);
  const options = optionsFor(console);
  const network = openConsole(t, options);

  const waits: unknown[] = [];
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const error: unknown = await network.sites().catch((thrown: unknown) => thrown);
    waits.push((error as { retryAfterSeconds: number }).retryAfterSeconds);
    options.clock.ms += 900_000;
  }
  refuse = false;
  const sites = await network.sites();

  assert.deepEqual(waits, [60, 120, 240, 480, 900, 900]);
  assert.equal(sites.length, 2);
});

test("a standalone console's refusal is a refused password", async (t) => {
  const console = await startScripted(t, (seen) =>
    seen.path === "/api/login" ? rcError(400, "api.err.Invalid") : standalone()(seen),
  );
  const network = openConsole(t, optionsFor(console));

  await assert.rejects(network.sites(), {
    code: "CONTROLLER_AUTH_FAILED",
    details: { controller_status: 400, controller_code: "api.err.Invalid" },
  });
});

test("too many sign-ins are waited out for at least as long as the console asks", async (t) => {
  const os = unifiOs((seen) =>
    seen.path === "/api/auth/login"
      ? { status: 429, json: { code: "AUTHENTICATION_FAILED_LIMIT_REACHED" }, headers: { "retry-after": "300" } }
      : undefined,
  );
  const console = await startScripted(t, os.script);
  const network = openConsole(t, optionsFor(console));

  await assert.rejects(network.sites(), { code: "CONTROLLER_RATE_LIMITED", retryAfterSeconds: 300 });
  await assert.rejects(network.sites(), { code: "CONTROLLER_RATE_LIMITED", retryAfterSeconds: 300 });
  assert.equal(signIns(console.lines()), 1);
});

for (const [name, answer] of [
  ["499", { status: 499, json: { data: { mfaCookie: "UBIC_2FA=x" } } }],
  ["Ubic2faTokenRequired", rcError(400, "api.err.Ubic2faTokenRequired")],
] as const) {
  test(`a second factor (${name}) is told in words that name the way out`, async (t) => {
    const os = unifiOs((seen) => (seen.path === "/api/auth/login" ? answer : undefined));
    const console = await startScripted(t, os.script);
    const network = openConsole(t, optionsFor(console));

    const error: unknown = await network.sites().catch((thrown: unknown) => thrown);
    await assert.rejects(network.sites(), { code: "CONTROLLER_MFA_REQUIRED" });

    assert.equal((error as { code: string }).code, "CONTROLLER_MFA_REQUIRED");
    assert.match((error as { hint: string }).hint, /local account/);
    assert.equal(signIns(console.lines()), 1);
  });
}

for (const [name, answer] of [
  ["200 HTML", HTML],
  ["502 HTML", { status: 502, ...HTML }],
] as const) {
  test(`a console that starts (${name}) is unreachable, not a refused password, and is asked again at the next call`, async (t) => {
    const os = unifiOs((seen) => (seen.path === "/api/auth/login" ? answer : undefined));
    const console = await startScripted(t, os.script);
    const network = openConsole(t, optionsFor(console));

    const unreachable = { code: "CONTROLLER_UNREACHABLE", executed: "no", hint: /unifi-edge doctor/ };
    await assert.rejects(network.sites(), unreachable);
    await assert.rejects(network.sites(), unreachable);
    assert.equal(signIns(console.lines()), 2);
  });
}

test("a sign-in that starts no session counts as refused: it brings the lock-out nearer like any other", async (t) => {
  const os = unifiOs((seen) => (seen.path === "/api/auth/login" ? { json: {} } : undefined));
  const console = await startScripted(t, os.script);
  const network = openConsole(t, optionsFor(console));

  await assert.rejects(network.sites(), { code: "CONTROLLER_AUTH_FAILED", retryAfterSeconds: 60 });
  await assert.rejects(network.sites(), { code: "CONTROLLER_AUTH_FAILED", retryAfterSeconds: 60 });
  assert.equal(signIns(console.lines()), 1);
});

test("ten calls that lose their session together lead to one sign-in, without the old cookie", async (t) => {
  const os = unifiOs((seen) => (seen.path.includes("/stat/sta") ? ok({ path: seen.path }) : undefined));
  const console = await startScripted(t, os.script);
  const network = openConsole(t, optionsFor(console));
  const site = await network.site(undefined);

  os.sessions.clear();
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => site.v1("GET", `/stat/sta?n=${n}`)));

  assert.equal(signIns(console.lines()), 2);
  assert.deepEqual(
    answers.map(([row]) => row?.path),
    Array.from({ length: 10 }, (_, n) => `/proxy/network/api/s/default/stat/sta?n=${n}`),
  );
  const second = console.requests.filter(({ path }) => path === "/api/auth/login")[1];
  assert.equal(second?.headers.cookie, undefined);
});

test("ten first calls lead to one detection and one sign-in", async (t) => {
  const console = await startScripted(t, unifiOs().script);
  const network = openConsole(t, optionsFor(console));

  await Promise.all(Array.from({ length: 10 }, () => network.sites()));

  assert.equal(signIns(console.lines()), 1);
  assert.equal(console.lines().filter((line) => line === "GET /").length, 1);
});

test("an expired session is recovered when the console says so with HTTP 200", async (t) => {
  let expired = false;
  const os = unifiOs((seen) => {
    if (!seen.path.endsWith("/stat/sta")) return undefined;
    if (expired) return ok({ mac: "m" });
    expired = true;
    return rcError(200, "api.err.LoginRequired");
  });
  const console = await startScripted(t, os.script);
  const network = openConsole(t, optionsFor(console));
  const site = await network.site(undefined);

  const rows = await site.v1("GET", "/stat/sta");

  assert.deepEqual(rows, [{ mac: "m" }]);
  assert.equal(signIns(console.lines()), 2);
});

test("a console that refuses each new session is not signed in to again and again", async (t) => {
  const os = unifiOs((seen) =>
    seen.path.endsWith("/stat/sta") ? { status: 401, json: { code: 401, message: "Unauthorized" } } : undefined,
  );
  const console = await startScripted(t, os.script);
  const options = optionsFor(console);
  const network = openConsole(t, options);
  const site = await network.site(undefined);

  for (let call = 0; call < 5; call += 1) {
    await assert.rejects(site.v1("GET", "/stat/sta"), { code: "CONTROLLER_AUTH_FAILED", retryAfterSeconds: 60 });
  }
  const elsewhere = await network.sites();

  assert.equal(signIns(console.lines()), 2);
  assert.equal(elsewhere.length, 2);
});

test("a session that the password no longer opens ends in a refusal, not in a loop", async (t) => {
  let refuse = false;
  const os = unifiOs((seen) =>
    refuse && seen.path === "/api/auth/login" ? { status: 403, json: { code: "X" } } : undefined,
  );
  const console = await startScripted(t, os.script);
  const network = openConsole(t, optionsFor(console));
  await network.sites();

  refuse = true;
  os.sessions.clear();
  for (let call = 0; call < 3; call += 1) await assert.rejects(network.sites(), { code: "CONTROLLER_AUTH_FAILED" });

  assert.equal(signIns(console.lines()), 2);
});

test("neither password nor user name stands in an error or in the log", async (t) => {
  const os = unifiOs((seen) =>
    seen.path === "/api/auth/login" ? { status: 403, json: { code: "X", message: "no" } } : undefined,
  );
  const console = await startScripted(t, os.script);
  const options = optionsFor(console);
  const network = openConsole(t, options);

  const error: unknown = await network.sites().catch((thrown: unknown) => thrown);

  const text = inspect([error, options.logged], { depth: 10 });
  assert.ok(text.includes("CONTROLLER_AUTH_FAILED"));
  assert.ok(!text.includes("correct horse"));
});

test("closing ends the session on the console", async (t) => {
  const os = unifiOs((seen) => (seen.path === "/api/auth/logout" ? { json: {} } : undefined));
  const console = await startScripted(t, os.script);
  const network = openConsole(t, optionsFor(console));
  await network.sites();

  await network.close();

  assert.equal(console.lines().at(-1), "POST /api/auth/logout");
  assert.equal(console.requests.at(-1)?.headers["x-csrf-token"], "csrf-1");
});

function signIns(lines: readonly string[]): number {
  return lines.filter((line) => line === "POST /api/auth/login").length;
}
