/** Tokens that must not be believed, and what becomes of those that were. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { exportJWK, generateKeyPair, importJWK, type JWTHeaderParameters, SignJWT } from "jose";
import { EdgeError } from "../../src/errors.ts";
import { createAuthorization } from "../../src/oauth/authorization.ts";
import { createSealing } from "../../src/oauth/sealing.ts";
import { loadSigningKeys } from "../../src/oauth/signing-keys.ts";
import { issueAccessToken, revokeAccessToken } from "../../src/store/access-tokens.ts";
import { setMember } from "../../src/store/accounts.ts";
import { createEmbeddedStore } from "../../src/store/embedded.ts";
import type { Store } from "../../src/store/store.ts";
import { connect, createFixture, type Fixture, MCP_URL, ORIGIN, SECRET } from "../support/oauth-fixture.ts";

async function ownKey({ store }: Fixture) {
  const [key] = await loadSigningKeys(store, createSealing(SECRET, randomBytes));
  assert.ok(key);
  return { kid: key.kid, key: await importJWK({ ...key }, "ES256") };
}

/** A token signed with the server's own key, with these members changed. */
async function forge(
  fixture: Fixture,
  claims: Readonly<Record<string, unknown>>,
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> {
  const { kid, key } = await ownKey(fixture);
  const { accessToken, clientId } = await connect(fixture);
  const { grant } = await fixture.authorization.verify(accessToken);
  const seconds = Math.floor(fixture.clock.ms / 1000);
  return new SignJWT({
    iss: ORIGIN,
    aud: MCP_URL,
    sub: fixture.accountId,
    client_id: clientId,
    grant,
    org: "home",
    scope: "unifi:read",
    exp: seconds + 60,
    ...claims,
  })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid, ...header })
    .sign(key);
}

const FORGED: readonly (readonly [string, Readonly<Record<string, unknown>>, Partial<JWTHeaderParameters>, RegExp])[] =
  [
    ["an expired token", { exp: 1000 }, {}, /expired/],
    ["rs-audience: a token for another resource", { aud: "https://other.example/mcp" }, {}, /another resource/],
    ["rs-audience: a token for the administration", { aud: `${ORIGIN}/admin` }, {}, /another resource/],
    ["a token of another issuer", { iss: "https://other.example" }, {}, /not valid here/],
    ["an ID token", {}, { typ: "JWT" }, /not valid here/],
    ["a token of an unknown grant", { grant: "unknown" }, {}, /unknown/],
    ["a token for an organisation that the grant is not for", { org: "work" }, {}, /unknown/],
    ["a token of somebody who is no member", { sub: "acc_nobody" }, {}, /unknown/],
    ["a token without a scope", { scope: undefined }, {}, /not valid here/],
    ["a token without an end", { exp: undefined }, {}, /not valid here/],
    ["a token signed with a key of another kid", {}, { kid: "another" }, /not valid here/],
  ];

test("rs-audience: a token made for this resource is believed", async (t) => {
  const fixture = await createFixture(t);

  assert.equal((await fixture.authorization.verify(await forge(fixture, {}))).org, "home");
});

for (const [name, claims, header, reason] of FORGED) {
  test(`rs-401: ${name} is refused`, async (t) => {
    const fixture = await createFixture(t);
    const forged = await forge(fixture, claims, header);

    await assert.rejects(fixture.authorization.verify(forged), (error) => {
      assert.ok(error instanceof EdgeError);
      assert.equal(error.code, "UNAUTHENTICATED");
      assert.match(error.message, reason);
      return true;
    });
  });
}

test("rs-401: unsigned, tampered, foreign-signed and senseless tokens are refused", async (t) => {
  const fixture = await createFixture(t);
  const { accessToken } = await connect(fixture);
  const [header = "", payload = "", signature = ""] = accessToken.split(".");
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const foreign = await generateKeyPair("ES256");
  const { kid } = await ownKey(fixture);
  const hostile = [
    `${encode({ alg: "none", typ: "at+jwt" })}.${payload}.`,
    `${encode({ alg: "HS256", typ: "at+jwt", kid })}.${payload}.${signature}`,
    `${header}.${encode({ ...claims, scope: "unifi:admin" })}.${signature}`,
    await new SignJWT(claims).setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid }).sign(foreign.privateKey),
    await new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", jwk: await exportJWK(foreign.publicKey) })
      .sign(foreign.privateKey),
    "",
    "not a token",
    "uep_unknown",
    "x".repeat(100_000),
  ];

  for (const bearer of hostile) {
    await assert.rejects(fixture.authorization.verify(bearer), { code: "UNAUTHENTICATED" }, bearer.slice(0, 80));
  }
});

test("a token stops at its end although it was verified before", async (t) => {
  const fixture = await createFixture(t);
  const { accessToken } = await connect(fixture);
  const { expiresAtSeconds } = await fixture.authorization.verify(accessToken);
  fixture.clock.ms = expiresAtSeconds * 1000;

  await assert.rejects(fixture.authorization.verify(accessToken), /expired/);
});

test("a changed role counts within a second, and losing membership ends the access", async (t) => {
  const fixture = await createFixture(t);
  const { accessToken } = await connect(fixture);
  const before = await fixture.authorization.verify(accessToken);
  await setMember(fixture.store, "home", fixture.accountId, "viewer");
  fixture.clock.ms += 1000;
  const after = await fixture.authorization.verify(accessToken);
  await setMember(fixture.store, "home", fixture.accountId, undefined);
  fixture.clock.ms += 1000;

  assert.deepEqual([before.role, after.role], ["admin", "viewer"]);
  await assert.rejects(fixture.authorization.verify(accessToken), { code: "UNAUTHENTICATED" });
});

test("a grant revoked on one replica stops on another that shares the store", async (t) => {
  const fixture = await createFixture(t);
  const other = await createAuthorization({
    store: fixture.store,
    publicUrl: ORIGIN,
    secret: SECRET,
    now: () => fixture.clock.ms,
    random: randomBytes,
    log: () => undefined,
    organisationsOf: async () => [],
    locationsOf: async () => [],
  });
  t.after(() => other.close());
  const { accessToken } = await connect(fixture);
  const { grant } = await other.verify(accessToken);
  const told: string[] = [];
  other.onGrantRevoked((id) => told.push(id));

  await fixture.authorization.revokeGrant(grant);

  assert.deepEqual(told, [grant]);
  await assert.rejects(other.verify(accessToken), { code: "UNAUTHENTICATED" });
});

test("signing keys cannot be read with another secret", async (t) => {
  const fixture = await createFixture(t);
  const sealing = createSealing("another secret, also of forty characters", randomBytes);

  await assert.rejects(loadSigningKeys(fixture.store, sealing), { code: "CONFIG_INVALID" });
});

/** A store that can be taken away. */
function breakable(store: Store): Store & { away: boolean } {
  const guarded = { away: false };
  const guard =
    <Arguments extends unknown[], Result>(call: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments) => {
      if (guarded.away) throw new EdgeError("STORE_UNAVAILABLE", "The store does not answer.");
      return call(...given);
    };
  return Object.assign(guarded, {
    kind: store.kind,
    get: guard(store.get.bind(store)),
    getField: guard(store.getField.bind(store)),
    getMany: guard(store.getMany.bind(store)),
    getMap: guard(store.getMap.bind(store)),
    commit: guard(store.commit.bind(store)),
    publish: guard(store.publish.bind(store)),
    subscribe: store.subscribe.bind(store),
    ping: guard(store.ping.bind(store)),
    close: store.close.bind(store),
  });
}

test("with the store away a verified token reads for 30 s more, writes stop at once, new tokens are not believed", async (t) => {
  const store = breakable(createEmbeddedStore({ path: ":memory:", now: Date.now }));
  t.after(() => store.close());
  const fixture = await createFixture(t, { store, options: { deniedPollMs: 3_600_000 } });
  const { accessToken } = await connect(fixture);
  const other = await connect(fixture);
  await fixture.authorization.verify(accessToken);
  assert.equal(fixture.authorization.writesAllowed(), true);
  store.away = true;

  fixture.clock.ms += 29_999;
  assert.equal((await fixture.authorization.verify(accessToken)).org, "home");
  assert.equal(fixture.authorization.writesAllowed(), false);
  await assert.rejects(fixture.authorization.verify(other.accessToken), { code: "STORE_UNAVAILABLE" });
  fixture.clock.ms += 1;
  await assert.rejects(fixture.authorization.verify(accessToken), { code: "STORE_UNAVAILABLE" });
  store.away = false;
  assert.equal((await fixture.authorization.verify(accessToken)).org, "home");
  assert.equal(fixture.authorization.writesAllowed(), true);
});

test("a personal access token stands for its owner with the owner's present role, until it is revoked", async (t) => {
  const fixture = await createFixture(t, { role: "operator" });
  const { store, accountId } = fixture;
  const parts = { random: randomBytes, now: () => fixture.clock.ms };
  const wanted = { owner: accountId, org: "home", locations: ["cabin"], scopes: ["unifi:read"] as const };
  const { token, id } = await issueAccessToken(store, { ...wanted, ttlMs: 3_600_000, label: "n8n" }, parts);

  const principal = await fixture.authorization.verify(token);
  await setMember(store, "home", accountId, "viewer");
  fixture.clock.ms += 1000;
  const later = await fixture.authorization.verify(token);
  await revokeAccessToken(store, "home", id);
  await fixture.authorization.revokeGrant(`pat:${id}`);

  assert.deepEqual(principal, {
    subject: accountId,
    org: "home",
    grant: `pat:${id}`,
    client: "pat",
    role: "operator",
    scopes: new Set(["unifi:read"]),
    locations: ["cabin"],
    expiresAtSeconds: principal.expiresAtSeconds,
  });
  assert.equal(later.role, "viewer");
  await assert.rejects(fixture.authorization.verify(token), { code: "UNAUTHENTICATED" });
});
