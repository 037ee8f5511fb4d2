/** The shared session by itself: where its CSRF token comes from, and what late answers and departed callers change. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { updateCookies } from "../../src/controller/network/cookies.ts";
import { csrfOf } from "../../src/controller/network/csrf.ts";
import type { Answer } from "../../src/controller/network/exchange.ts";
import { Sessions } from "../../src/controller/network/session.ts";
import type { SignedIn } from "../../src/controller/network/sign-in.ts";

function answerWith(headers: Readonly<Record<string, string>>, setCookie: readonly string[] = []): Answer {
  return { status: 200, header: (name) => headers[name], setCookie, body: Buffer.alloc(0) };
}

function sessionsSigningIn(signIn: () => Promise<SignedIn>): Sessions {
  const ignore = () => undefined;
  return new Sessions({ signIn, now: () => 0, random: () => 0, log: { info: ignore, warn: ignore, error: ignore } });
}

function jwt(claims: object): string {
  return `eyJh.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.sig`;
}

const none = () => undefined;

test("the CSRF token comes from the updated header, the header, the session's claim, the cookie, in that order", () => {
  const headers: Record<string, string> = { "x-updated-csrf-token": "updated", "x-csrf-token": "plain" };
  const claimed = new Map([["TOKEN", jwt({ csrfToken: "claim" })]]);

  const tokens = [
    csrfOf((name) => headers[name], claimed),
    csrfOf((name) => (name === "x-csrf-token" ? "plain" : undefined), claimed),
    csrfOf(none, claimed),
    csrfOf(none, new Map([["UOS_TOKEN", jwt({ csrfToken: "claim" })]])),
    csrfOf(none, new Map([["csrf_token", "cookie"]])),
    csrfOf(none, new Map([["TOKEN", "no-jwt"]])),
    csrfOf(none, new Map([["TOKEN", "a.%%%.c"]])),
  ];

  assert.deepEqual(tokens, ["updated", "plain", "claim", "claim", "cookie", undefined, undefined]);
});

test("session cookies are kept, renewed and removed; all others and unsafe values are ignored", () => {
  const before = new Map([
    ["TOKEN", "a"],
    ["unifises", "b"],
  ]);

  const after = updateCookies(before, [
    "TOKEN=c; path=/; partitioned",
    "unifises=; Max-Age=0",
    "csrf_token=d==; Path=/",
    "tracker=e",
    "UOS_TOKEN=a b",
    "=f",
    "UOS_TOKEN",
  ]);

  assert.deepEqual(
    [...after],
    [
      ["TOKEN", "c"],
      ["csrf_token", "d=="],
    ],
  );
  assert.equal(before.get("TOKEN"), "a");
});

test("a late answer of an older session changes nothing in the current one", async () => {
  let count = 0;
  const sessions = sessionsSigningIn(async () => {
    count += 1;
    return { cookies: new Map([["TOKEN", `t${count}`]]), csrf: `c${count}` };
  });
  const first = await sessions.current();
  const second = await sessions.renew(first.generation);

  sessions.absorb(first.generation, answerWith({ "x-csrf-token": "late" }, ["TOKEN=late"]));
  const untouched = sessions.peek();
  sessions.absorb(second.generation, answerWith({ "x-csrf-token": "fresh" }));

  assert.deepEqual(untouched, second);
  assert.deepEqual(sessions.peek(), { ...second, csrf: "fresh" });
});

test("asking to renew a session that was renewed meanwhile signs in no further time", async () => {
  let count = 0;
  const sessions = sessionsSigningIn(async () => {
    count += 1;
    return { cookies: new Map(), csrf: undefined };
  });
  const first = await sessions.current();

  await sessions.renew(first.generation);
  const again = await sessions.renew(first.generation);

  assert.deepEqual([count, again.generation], [2, 2]);
});

test("a caller that leaves does not end the sign-in that others wait for", async () => {
  const started = Promise.withResolvers<SignedIn>();
  const sessions = sessionsSigningIn(() => started.promise);
  const leaving = new AbortController();

  const left = sessions.current(leaving.signal);
  const stayed = sessions.current();
  leaving.abort();
  await assert.rejects(left, { code: "CANCELLED", executed: "no" });
  started.resolve({ cookies: new Map([["TOKEN", "t"]]), csrf: undefined });

  assert.equal((await stayed).cookies.get("TOKEN"), "t");
});

test("a sign-in without a CSRF header still lets writes pass, by the claim of its cookie", async () => {
  const token = jwt({ csrfToken: "claimed" });
  const cookies = updateCookies(new Map(), [`TOKEN=${token}; httponly`]);

  assert.equal(csrfOf(none, cookies), "claimed");
});
