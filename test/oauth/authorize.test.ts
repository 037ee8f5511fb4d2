/** Requests that the authorization server refuses, and those that it must understand although they are odd. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  authorize,
  authorizePath,
  codeForm,
  connect,
  createBrowser,
  createFixture,
  MCP_URL,
  ORIGIN,
  REDIRECT,
  register,
  token,
} from "../support/oauth-fixture.ts";

const REFUSED = [
  [
    "as-pkce: without a code challenge",
    { code_challenge: undefined, code_challenge_method: undefined },
    "invalid_request",
  ],
  ["as-pkce: with the plain method", { code_challenge_method: "plain" }, "invalid_request"],
  ["as-resource: for another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
  ["as-resource: for another path here", { resource: `${ORIGIN}/admin` }, "invalid_target"],
  ["as-resource: with an unknown query", { resource: `${MCP_URL}?org=other` }, "invalid_target"],
  ["as-resource: with a fragment", { resource: `${MCP_URL}#x` }, "invalid_target"],
  ["with an unknown response type", { response_type: "token" }, "unsupported_response_type"],
  ["without asking a person", { prompt: "none" }, "interaction_required"],
] as const;

for (const [name, changed, error] of REFUSED) {
  test(`${name}, authorization is refused to the client with iss and state`, async (t) => {
    const { app } = await createFixture(t);
    const clientId = String((await register(app)).body.client_id);

    const back = new URL((await createBrowser(app).get(authorizePath(clientId, changed))).location);

    assert.equal(back.origin + back.pathname, REDIRECT);
    // A request for a token is answered in the fragment (OAuth 2.0 multiple response types).
    const answer = back.hash === "" ? back.searchParams : new URLSearchParams(back.hash.slice(1));
    assert.equal(answer.get("iss"), ORIGIN);
    assert.equal(answer.get("state"), "the state");
    assert.equal(answer.get("error"), error);
  });
}

const NEVER_REDIRECTED = [
  ["as-redirect: an unregistered redirect", { redirect_uri: "https://evil.example/callback" }],
  ["as-redirect: a registered redirect with another path", { redirect_uri: `${REDIRECT}/more` }],
  ["an unknown client", { client_id: "nobody" }],
] as const;

for (const [name, changed] of NEVER_REDIRECTED) {
  test(`${name} gets a page here and no redirect`, async (t) => {
    const { app } = await createFixture(t);
    const clientId = String((await register(app)).body.client_id);

    const answer = await createBrowser(app).get(authorizePath(clientId, changed));

    assert.equal(answer.status, 400);
    assert.equal(answer.location, "");
    assert.match(answer.text, /The app’s request was refused/);
  });
}

test("as-redirect: on loopback any port matches, since native apps take the one that is free", async (t) => {
  const { app } = await createFixture(t);
  const clientId = String((await register(app)).body.client_id);

  const answer = await createBrowser(app).get(
    authorizePath(clientId, { redirect_uri: "http://127.0.0.1:50123/callback" }),
  );

  assert.match(answer.location, /^\/oauth\/interaction\//);
});

for (const resource of [`${MCP_URL}?mode=eager`, `${MCP_URL}/`, undefined]) {
  test(`as-resource: ${resource ?? "no resource"} is the one audience`, async (t) => {
    const fixture = await createFixture(t);

    const { accessToken } = await connect(fixture, {}, { resource });

    assert.equal((await fixture.authorization.verify(accessToken)).org, "home");
    const claims = JSON.parse(Buffer.from(accessToken.split(".")[1] ?? "", "base64url").toString());
    assert.equal(claims.aud, MCP_URL);
  });
}

test("an absent scope means read", async (t) => {
  const fixture = await createFixture(t);

  const { answer } = await connect(fixture, { access: "unifi:read" }, { scope: undefined });

  assert.equal(answer.scope, "unifi:read");
});

test("prompt=consent and openid offline_access, as some clients send them, end in a token", async (t) => {
  const fixture = await createFixture(t);

  const { answer } = await connect(fixture, {}, { prompt: "consent", scope: "openid offline_access unifi:write" });

  assert.equal(answer.scope, "unifi:read unifi:write");
  assert.ok(answer.id_token);
  assert.ok(answer.refresh_token);
});

test("as-pkce: a code is refused to whoever has not its verifier", async (t) => {
  const { app } = await createFixture(t);
  const clientId = String((await register(app)).body.client_id);
  const back = await authorize(createBrowser(app), authorizePath(clientId));
  const form = codeForm(clientId, back.searchParams.get("code") ?? "");

  const wrong = await token(app, { ...form, code_verifier: "another-verifier-that-is-long-enough-for-the-rules" });
  const right = await token(app, form);

  assert.equal(wrong.body.error, "invalid_grant");
  assert.equal(right.status, 200);
});

test("a code is refused to another client and for another redirect", async (t) => {
  const { app } = await createFixture(t);
  const clientId = String((await register(app)).body.client_id);
  const otherId = String((await register(app)).body.client_id);
  const back = await authorize(createBrowser(app), authorizePath(clientId));
  const form = codeForm(clientId, back.searchParams.get("code") ?? "");

  const other = await token(app, { ...form, client_id: otherId });
  const elsewhere = await token(app, { ...form, redirect_uri: "http://127.0.0.1:1/callback" });

  assert.equal(other.body.error, "invalid_grant");
  assert.equal(elsewhere.body.error, "invalid_grant");
});

test("revoking the refresh token ends the grant's access at once", async (t) => {
  const fixture = await createFixture(t);
  const { clientId, accessToken, refreshToken } = await connect(fixture);
  await fixture.authorization.verify(accessToken);

  const revoked = await fixture.app.inject({
    method: "POST",
    url: "/oauth/revoke",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: new URLSearchParams({ client_id: clientId, token: refreshToken }).toString(),
  });

  assert.equal(revoked.statusCode, 200);
  await assert.rejects(fixture.authorization.verify(accessToken), { code: "UNAUTHENTICATED" });
});
