/** The whole sign-in: registration, two pages, code, token, verification. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  authorize,
  authorizePath,
  codeForm,
  createBrowser,
  createFixture,
  ORIGIN,
  register,
  token,
} from "../support/oauth-fixture.ts";

test("a client registers, a person signs in and consents, and the token says who asks", async (t) => {
  const fixture = await createFixture(t);
  const clientId = String((await register(fixture.app)).body.client_id);

  const back = await authorize(createBrowser(fixture.app), authorizePath(clientId));
  const { status, body } = await token(fixture.app, codeForm(clientId, back.searchParams.get("code") ?? ""));
  const principal = await fixture.authorization.verify(body.access_token ?? "");

  assert.equal(back.searchParams.get("state"), "the state");
  assert.equal(back.searchParams.get("iss"), ORIGIN);
  assert.equal(status, 200);
  assert.equal(body.scope, "unifi:read unifi:write");
  assert.ok(body.refresh_token);
  assert.equal(principal.subject, fixture.accountId);
  assert.equal(principal.org, "home");
  assert.equal(principal.client, clientId);
  assert.equal(principal.role, "admin");
  assert.deepEqual([...principal.scopes], ["unifi:read", "unifi:write"]);
  assert.equal(principal.locations, "all");
  assert.deepEqual(fixture.logged, []);
});
