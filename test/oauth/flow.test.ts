/** The whole sign-in: registration, two pages, code, token, verification. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createAuthorization } from "../../src/oauth/authorization.ts";
import { createEmbeddedStore } from "../../src/store/embedded.ts";
import {
  authorize,
  authorizePath,
  codeForm,
  connect,
  createBrowser,
  createFixture,
  ORIGIN,
  register,
  SECRET,
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

test("as-short-tokens: an access token lives for ten minutes", async (t) => {
  const { answer } = await connect(await createFixture(t));

  assert.equal(Number(answer.expires_in), 600);
});

const PUBLIC_URLS = [
  ["https://edge.example", true],
  ["https://edge.example:8443", true],
  ["http://127.0.0.1:3000", true],
  ["http://localhost:3000", true],
  ["http://edge.example", false],
  ["http://10.0.0.5:3000", false],
  ["https://edge.example/base", false],
  ["edge.example", false],
] as const;

for (const [publicUrl, isGood] of PUBLIC_URLS) {
  test(`as-https: ${publicUrl} is ${isGood ? "taken" : "refused"} as public URL`, async (t) => {
    const store = createEmbeddedStore({ path: ":memory:", now: Date.now });
    t.after(() => store.close());
    const nobody = { organisationsOf: async () => [], locationsOf: async () => [] };
    const start = async () => {
      const parts = { store, publicUrl, secret: SECRET, now: Date.now, random: randomBytes, log: () => undefined };
      const authorization = await createAuthorization({ ...parts, ...nobody });
      await authorization.close();
      return authorization.issuer;
    };

    if (isGood) assert.equal(await start(), publicUrl);
    else await assert.rejects(start(), { code: "CONFIG_INVALID" });
  });
}
