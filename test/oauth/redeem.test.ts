/** Codes and refresh tokens presented many times at once, and later again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { REFRESH_GRACE_MS } from "../../src/store/oidc.ts";
import {
  authorize,
  authorizePath,
  codeForm,
  connect,
  createBrowser,
  createFixture,
  register,
  token,
} from "../support/oauth-fixture.ts";
import { describeOnEveryStore } from "../support/stores.ts";

const EIGHT = Array.from({ length: 8 });

function refreshForm(clientId: string, refreshToken: string): Record<string, string> {
  return { grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken };
}

describeOnEveryStore("Redeeming", (open) => {
  test("as-code-once: of one code redeemed eight times at once, exactly one gets tokens", async (t) => {
    const fixture = await createFixture(t, { store: await open(t) });
    const clientId = String((await register(fixture.app)).body.client_id);
    const back = await authorize(createBrowser(fixture.app), authorizePath(clientId));
    const form = codeForm(clientId, back.searchParams.get("code") ?? "");

    const answers = await Promise.all(EIGHT.map(() => token(fixture.app, form)));

    const refused = answers.filter(({ status }) => status !== 200);
    assert.equal(refused.length, 7);
    assert.deepEqual([...new Set(refused.map(({ body }) => body.error))], ["invalid_grant"]);
    assert.deepEqual(fixture.logged, []);
  });

  test("as-refresh-rotates: one refresh token used eight times at once gives eight successors that work", async (t) => {
    const fixture = await createFixture(t, { store: await open(t) });
    const { clientId, refreshToken } = await connect(fixture);

    const answers = await Promise.all(EIGHT.map(() => token(fixture.app, refreshForm(clientId, refreshToken))));

    assert.deepEqual(
      answers.map(({ status }) => status),
      EIGHT.map(() => 200),
    );
    const successors = new Set(answers.map(({ body }) => body.refresh_token));
    assert.equal(successors.size, 8);
    assert.ok(!successors.has(refreshToken));
    for (const { body } of answers) await fixture.authorization.verify(body.access_token ?? "");
  });

  test("as-refresh-reuse: after its grace a used refresh token ends the whole grant", async (t) => {
    const fixture = await createFixture(t, { store: await open(t) });
    const ended: string[] = [];
    fixture.authorization.onGrantRevoked((grant) => ended.push(grant));
    const { clientId, accessToken, refreshToken } = await connect(fixture);
    const { grant } = await fixture.authorization.verify(accessToken);
    const first = await token(fixture.app, refreshForm(clientId, refreshToken));
    fixture.clock.ms += REFRESH_GRACE_MS;

    const again = await token(fixture.app, refreshForm(clientId, refreshToken));
    const successor = await token(fixture.app, refreshForm(clientId, first.body.refresh_token ?? ""));

    assert.deepEqual([again.status, again.body.error], [400, "invalid_grant"]);
    assert.deepEqual([successor.status, successor.body.error], [400, "invalid_grant"]);
    assert.deepEqual(ended, [grant]);
    await assert.rejects(fixture.authorization.verify(accessToken), { code: "UNAUTHENTICATED" });
    await assert.rejects(fixture.authorization.verify(first.body.access_token ?? ""), { code: "UNAUTHENTICATED" });
  });

  test("as-refresh-reuse: the grace ends as soon as a successor is used", async (t) => {
    const fixture = await createFixture(t, { store: await open(t) });
    const { clientId, refreshToken } = await connect(fixture);
    const first = await token(fixture.app, refreshForm(clientId, refreshToken));
    const second = await token(fixture.app, refreshForm(clientId, first.body.refresh_token ?? ""));

    const again = await token(fixture.app, refreshForm(clientId, refreshToken));

    assert.equal(second.status, 200);
    assert.deepEqual([again.status, again.body.error], [400, "invalid_grant"]);
    await assert.rejects(fixture.authorization.verify(second.body.access_token ?? ""), { code: "UNAUTHENTICATED" });
  });

  test("as-code-once: a code presented again later ends the grant it gave", async (t) => {
    const fixture = await createFixture(t, { store: await open(t) });
    const clientId = String((await register(fixture.app)).body.client_id);
    const back = await authorize(createBrowser(fixture.app), authorizePath(clientId));
    const form = codeForm(clientId, back.searchParams.get("code") ?? "");
    const { body } = await token(fixture.app, form);
    await fixture.authorization.verify(body.access_token ?? "");

    const again = await token(fixture.app, form);

    assert.equal(again.body.error, "invalid_grant");
    await assert.rejects(fixture.authorization.verify(body.access_token ?? ""), { code: "UNAUTHENTICATED" });
  });
});
