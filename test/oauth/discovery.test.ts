/** What clients find before they have a token: the challenge, resource metadata and server metadata. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFixture, MCP_URL, ORIGIN } from "../support/oauth-fixture.ts";

test("rs-metadata: protected resource metadata is at both places and names the exact MCP URL", async (t) => {
  const { app } = await createFixture(t);

  const byPath = await app.inject("/.well-known/oauth-protected-resource/mcp");
  const atRoot = await app.inject("/.well-known/oauth-protected-resource");

  assert.deepEqual(byPath.json(), {
    resource: MCP_URL,
    authorization_servers: [ORIGIN],
    scopes_supported: ["unifi:read", "unifi:write"],
    bearer_methods_supported: ["header"],
    resource_name: "UniFi MCP Edge",
  });
  assert.deepEqual(atRoot.json(), byPath.json());
  assert.equal(byPath.headers["access-control-allow-origin"], "*");
});

test("rs-metadata: known query parameters are echoed in resource, unknown ones are not", async (t) => {
  const { app } = await createFixture(t);

  const known = await app.inject("/.well-known/oauth-protected-resource/mcp?mode=eager");
  const mixed = await app.inject("/.well-known/oauth-protected-resource/mcp?apps=network&utm=x&readonly=true");
  const elsewhere = await app.inject("/.well-known/oauth-protected-resource/other");

  assert.equal(known.json().resource, `${MCP_URL}?mode=eager`);
  assert.equal(mixed.json().resource, `${MCP_URL}?apps=network&readonly=true`);
  assert.equal(elsewhere.statusCode, 404);
});

test("rs-challenge: the challenge points at the metadata of the URL that was asked, and asks for read and write", async (t) => {
  const { authorization } = await createFixture(t);

  assert.equal(
    authorization.challenge("?mode=eager"),
    `Bearer scope="unifi:read unifi:write", resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp?mode=eager"`,
  );
  assert.equal(
    authorization.challenge("", { error: "insufficient_scope", scopes: ["unifi:read", "unifi:write", "unifi:admin"] }),
    `Bearer error="insufficient_scope", scope="unifi:read unifi:write unifi:admin", resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp"`,
  );
});

test("rs-challenge: a description cannot break out of its quotes", async (t) => {
  const { authorization } = await createFixture(t);

  const challenge = authorization.challenge("", { error: "invalid_token", description: 'a "b" \\ \r\nX: y' });

  assert.match(challenge, /error_description="a 'b' ' ''X: y"/);
});

test("as-metadata: the server's metadata is the same document at both places", async (t) => {
  const { app } = await createFixture(t);

  const oauth = await app.inject("/.well-known/oauth-authorization-server");
  const oidc = await app.inject("/.well-known/openid-configuration");

  const metadata = oauth.json();
  assert.deepEqual(oidc.json(), metadata);
  assert.equal(metadata.issuer, ORIGIN);
  assert.equal(metadata.authorization_endpoint, `${ORIGIN}/oauth/authorize`);
  assert.equal(metadata.token_endpoint, `${ORIGIN}/oauth/token`);
  assert.equal(metadata.registration_endpoint, `${ORIGIN}/oauth/register`);
  assert.equal(metadata.revocation_endpoint, `${ORIGIN}/oauth/revoke`);
  assert.equal(metadata.jwks_uri, `${ORIGIN}/oauth/jwks`);
});

test("as-pkce: metadata says S256 and nothing else", async (t) => {
  const { app } = await createFixture(t);

  const metadata = (await app.inject("/.well-known/oauth-authorization-server")).json();

  assert.deepEqual(metadata.code_challenge_methods_supported, ["S256"]);
});

test("as-iss: metadata announces iss in responses, and client metadata documents and public clients", async (t) => {
  const { app } = await createFixture(t);

  const metadata = (await app.inject("/.well-known/oauth-authorization-server")).json();

  assert.equal(metadata.authorization_response_iss_parameter_supported, true);
  assert.equal(metadata.client_id_metadata_document_supported, true);
  assert.ok(metadata.token_endpoint_auth_methods_supported.includes("none"));
});

test("the published keys have no private part", async (t) => {
  const { app } = await createFixture(t);

  const { keys } = (await app.inject("/oauth/jwks")).json();

  assert.equal(keys.length, 1);
  assert.deepEqual(Object.keys(keys[0]).sort(), ["alg", "crv", "kid", "kty", "use", "x", "y"]);
});
