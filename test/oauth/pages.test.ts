/** The pages as a hostile or hasty browser meets them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { members, setMember } from "../../src/store/accounts.ts";
import { findGrant } from "../../src/store/grants.ts";
import {
  authorize,
  authorizePath,
  type Browser,
  codeForm,
  connect,
  createBrowser,
  createFixture,
  type Fixture,
  hiddenFields,
  NAME,
  PASSWORD,
  REDIRECT,
  register,
  token,
} from "../support/oauth-fixture.ts";

async function begin({ app }: Fixture, browser: Browser, metadata: Readonly<Record<string, unknown>> = {}) {
  const { body } = await register(app, metadata);
  const redirect = [body.redirect_uris].flat()[0];
  const path = authorizePath(String(body.client_id), { redirect_uri: String(redirect) });
  const page = (await browser.get(path)).location;
  return { page, first: await browser.get(page), clientId: String(body.client_id) };
}

async function signIn(browser: Browser, page: string): Promise<string> {
  await browser.submit(page, (await browser.get(page)).text, { answer: "continue" });
  await browser.submit(page, (await browser.get(page)).text, { answer: "continue", name: NAME, password: PASSWORD });
  return (await browser.get(page)).text;
}

test("as-consent-first: the first page names the client and its redirect host, and asks for no password", async (t) => {
  const fixture = await createFixture(t);

  const { first } = await begin(fixture, createBrowser(fixture.app), {
    client_name: 'Evil <b>"& app\u202e',
    redirect_uris: ["https://client.example/callback"],
  });

  assert.match(first.text, /Evil &lt;b&gt;&quot;&amp; app wants to connect/);
  assert.match(first.text, /<dd>client\.example<\/dd>/);
  assert.doesNotMatch(first.text, /type="password"/);
  assert.doesNotMatch(first.text, /runs on your own computer/);
});

test("as-localhost-warning: a client whose redirects all stay on the person's computer is warned about", async (t) => {
  const fixture = await createFixture(t);

  const { first } = await begin(fixture, createBrowser(fixture.app));

  assert.match(first.text, /This app runs on your own computer/);
});

test("as-clickjacking: pages forbid frames, scripts and other sources, and are not kept", async (t) => {
  const fixture = await createFixture(t);

  const { first } = await begin(fixture, createBrowser(fixture.app));

  const policy = first.headers["content-security-policy"] ?? "";
  assert.match(
    policy,
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' http:\/\/127\.0\.0\.1:33418;/,
  );
  assert.match(policy, /frame-ancestors 'none'/);
  assert.equal(first.headers["x-frame-options"], "DENY");
  assert.equal(first.headers["cache-control"], "no-store");
  assert.equal(first.headers["referrer-policy"], "no-referrer");
});

test("as-consent-cookie: the browser is known by a __Host- cookie, Secure and HttpOnly", async (t) => {
  const fixture = await createFixture(t);

  const { first } = await begin(fixture, createBrowser(fixture.app));

  assert.match(
    first.headers["set-cookie"] ?? "",
    /^__Host-edge-browser=[\w-]{32}; Path=\/; HttpOnly; Secure; SameSite=Lax/,
  );
});

test("as-csrf: a form without its token, or with that of another sign-in, changes nothing", async (t) => {
  const fixture = await createFixture(t);
  const browser = createBrowser(fixture.app);
  const { page, first } = await begin(fixture, browser);
  const other = await begin(fixture, browser);

  const missing = await browser.post(page, { step: "client", answer: "continue" });
  const foreign = await browser.post(page, { ...hiddenFields(other.first.text), answer: "continue" });
  const after = await browser.get(page);

  assert.equal(missing.status, 400);
  assert.equal(foreign.status, 403);
  assert.equal(after.text, first.text);
});

test("as-consent-cookie: a sign-in that another browser agreed to cannot be taken over", async (t) => {
  const fixture = await createFixture(t);
  const browser = createBrowser(fixture.app);
  const { page, first } = await begin(fixture, browser);
  await browser.submit(page, first.text, { answer: "continue" });
  const thief = createBrowser(fixture.app);
  thief.cookies.push(...browser.cookies.filter(({ name }) => !name.startsWith("__Host-")));

  const stolen = await thief.get(page);

  assert.equal(stolen.status, 403);
  assert.match(stolen.text, /another browser/);
});

test("as-consent-first: no step can be skipped", async (t) => {
  const fixture = await createFixture(t);
  const browser = createBrowser(fixture.app);
  const { page, first } = await begin(fixture, browser);
  const { token: formToken = "" } = hiddenFields(first.text);

  const early = await browser.post(page, {
    step: "sign-in",
    token: formToken,
    answer: "continue",
    name: NAME,
    password: PASSWORD,
  });
  await browser.submit(page, first.text, { answer: "continue" });
  const unsigned = await browser.post(page, {
    step: "consent",
    token: formToken,
    answer: "allow",
    access: "unifi:write",
    where: "all",
  });

  assert.equal(early.status, 403);
  assert.equal(unsigned.status, 403);
});

test("cancelling tells the client that access was denied", async (t) => {
  const fixture = await createFixture(t);
  const browser = createBrowser(fixture.app);
  const { page, first } = await begin(fixture, browser);

  const cancelled = await browser.submit(page, first.text, { answer: "cancel" });
  const back = new URL((await browser.get(cancelled.location)).location);

  assert.equal(back.origin + back.pathname, REDIRECT);
  assert.equal(back.searchParams.get("error"), "access_denied");
});

test("a wrong password and an unknown name get the same page", async (t) => {
  const fixture = await createFixture(t);
  const browser = createBrowser(fixture.app);
  const { page, first } = await begin(fixture, browser);
  await browser.submit(page, first.text, { answer: "continue" });
  const form = (await browser.get(page)).text;

  const wrong = await browser.submit(page, form, { answer: "continue", name: NAME, password: "wrong password" });
  const unknown = await browser.submit(page, form, { answer: "continue", name: "eve", password: "wrong password" });

  assert.equal(wrong.status, 403);
  assert.match(wrong.text, /Name or password is wrong/);
  assert.equal(unknown.status, wrong.status);
  assert.equal(unknown.text.replaceAll('value="eve"', `value="${NAME}"`), wrong.text);
});

test("as-consent-every-time: a second authorization of the same client in the same browser asks again, for a new grant", async (t) => {
  const fixture = await createFixture(t);
  const browser = createBrowser(fixture.app);
  const clientId = String((await register(fixture.app)).body.client_id);
  const grants = [];
  for (const access of ["unifi:write", "unifi:read"]) {
    const back = await authorize(browser, authorizePath(clientId), { access });
    const { body } = await token(fixture.app, codeForm(clientId, back.searchParams.get("code") ?? ""));
    grants.push(await fixture.authorization.verify(body.access_token ?? ""));
  }

  assert.notEqual(grants[0]?.grant, grants[1]?.grant);
  assert.deepEqual(
    grants.map((grant) => [...grant.scopes]),
    [["unifi:read", "unifi:write"], ["unifi:read"]],
  );
});

test("consent narrows to read only and to chosen locations", async (t) => {
  const fixture = await createFixture(t);

  const { accessToken, answer } = await connect(fixture, {
    access: "unifi:read",
    where: "chosen",
    location: ["cabin"],
  });

  const principal = await fixture.authorization.verify(accessToken);
  assert.equal(answer.scope, "unifi:read");
  assert.deepEqual(principal.locations, ["cabin"]);
  assert.equal((await findGrant(fixture.store, principal.grant))?.clientName, "Test client");
});

test("nobody can consent to more than their role has, or to a location that is not theirs", async (t) => {
  const fixture = await createFixture(t, { role: "operator" });
  const browser = createBrowser(fixture.app);
  const { page } = await begin(fixture, browser);
  const consent = await signIn(browser, page);

  const admin = await browser.submit(page, consent, { answer: "allow", access: "unifi:admin", where: "all" });
  const foreign = await browser.submit(page, consent, {
    answer: "allow",
    access: "unifi:read",
    where: "chosen",
    location: "office",
  });
  const nowhere = await browser.submit(page, consent, { answer: "allow", access: "unifi:read", where: "chosen" });

  assert.deepEqual([admin.status, foreign.status, nowhere.status], [400, 400, 400]);
  assert.match(consent, /value="unifi:read" checked/);
  assert.doesNotMatch(consent, /unifi:admin/);
});

test("a person may give more than the app asked, is told so on the page, and a refreshed token keeps it", async (t) => {
  const fixture = await createFixture(t);
  const browser = createBrowser(fixture.app);
  const { page } = await begin(fixture, browser);
  const consent = await signIn(browser, page);

  const { clientId, answer, refreshToken } = await connect(fixture, { access: "unifi:admin" }, { scope: undefined });
  const again = await token(fixture.app, {
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: refreshToken,
  });
  const principal = await fixture.authorization.verify(again.body.access_token ?? "");

  assert.match(consent, /value="unifi:read" checked/);
  assert.equal(consent.match(/The app did not ask for this/g)?.length, 1);
  assert.equal(answer.scope, "unifi:read unifi:write unifi:admin");
  assert.equal(again.body.scope, answer.scope);
  assert.deepEqual([...principal.scopes], ["unifi:read", "unifi:write", "unifi:admin"]);
});

test("a viewer is offered read only", async (t) => {
  const fixture = await createFixture(t, { role: "viewer" });
  const browser = createBrowser(fixture.app);
  const { page } = await begin(fixture, browser);

  assert.doesNotMatch(await signIn(browser, page), /unifi:write/);
});

test("who belongs to several organisations picks one, and the token is for that one", async (t) => {
  const fixture = await createFixture(t, { organisations: ["home", "work"] });

  const { accessToken } = await connect(fixture, { organisation: "work" });

  assert.equal((await fixture.authorization.verify(accessToken)).org, "work");
});

test("who belongs to no organisation is told so", async (t) => {
  const fixture = await createFixture(t);
  await setMember(fixture.store, "home", fixture.accountId, undefined);
  const browser = createBrowser(fixture.app);
  const { page } = await begin(fixture, browser);

  assert.match(await signIn(browser, page), /belongs to no organisation/);
  assert.equal((await members(fixture.store, "home")).size, 0);
});

test("a page of a sign-in that ended says how to go on", async (t) => {
  const fixture = await createFixture(t);

  const answer = await createBrowser(fixture.app).get("/oauth/interaction/unknown");

  assert.equal(answer.status, 400);
  assert.match(answer.text, /Go back to the app and connect again/);
});
