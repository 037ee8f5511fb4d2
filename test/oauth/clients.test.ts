/** How real clients introduce themselves, by registration and by metadata document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fitRegistration } from "../../src/oauth/client-metadata.ts";
import { authorizePath, createBrowser, createFixture, register } from "../support/oauth-fixture.ts";

/** Bodies in the shape that these clients send (mcp-oauth facts, section 3.4). */
const REGISTRATIONS = [
  [
    "VS Code, which wants device_code",
    {
      client_name: "Visual Studio Code",
      grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      response_types: ["code"],
      redirect_uris: ["https://insiders.vscode.dev/redirect", "https://vscode.dev/redirect", "http://127.0.0.1:33418/"],
      application_type: "native",
    },
  ],
  [
    "Cursor, whose first redirect has its own scheme",
    {
      client_name: "Cursor",
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "http://localhost:8787/callback",
      ],
    },
  ],
  [
    "an SDK client, which sends the challenge's scope",
    {
      client_name: "SDK",
      redirect_uris: ["http://localhost:8090/callback"],
      scope: "unifi:read unifi:write",
    },
  ],
  [
    "Claude, a web app",
    { client_name: "Claude", redirect_uris: ["https://claude.ai/api/mcp/auth_callback"], application_type: "web" },
  ],
  [
    "a web app that also has a loopback redirect",
    {
      client_name: "Both",
      redirect_uris: ["https://app.example/callback", "http://localhost/callback"],
      application_type: "web",
    },
  ],
] as const;

for (const [name, metadata] of REGISTRATIONS) {
  test(`as-dcr: ${name} can register and be sent to every redirect it named`, async (t) => {
    const { app } = await createFixture(t);

    const { status, body } = await register(app, metadata);

    assert.equal(status, 201);
    assert.equal(body.scope, undefined);
    for (const redirect of metadata.redirect_uris) {
      const answer = await createBrowser(app).get(authorizePath(String(body.client_id), { redirect_uri: redirect }));
      assert.match(answer.location, /^\/oauth\/interaction\//, redirect);
    }
  });
}

test("as-redirect: dangerous redirects are dropped from a registration, the others stay", async (t) => {
  const { app } = await createFixture(t);

  const { body } = await register(app, {
    redirect_uris: [
      "javascript:alert(1)",
      "http://client.example/callback",
      "https://client.example/callback#x",
      "data:text/html,x",
      "https://client.example/callback",
    ],
  });

  assert.deepEqual(body.redirect_uris, ["https://client.example/callback"]);
});

for (const [name, metadata] of [
  ["only dangerous redirects", { redirect_uris: ["javascript:alert(1)"] }],
  ["plain http elsewhere", { redirect_uris: ["http://client.example/callback"] }],
  ["no redirect", { redirect_uris: [] }],
] as const) {
  test(`as-redirect: a registration with ${name} is refused`, async (t) => {
    const { app } = await createFixture(t);

    const { status, body } = await register(app, metadata);

    assert.equal(status, 400);
    assert.match(String(body.error), /invalid_(redirect_uri|client_metadata)/);
  });
}

test("a registration that is no JSON object is refused in OAuth's words", async (t) => {
  const { app } = await createFixture(t);

  for (const payload of ["[1]", "{", '"x"']) {
    const response = await app.inject({
      method: "POST",
      url: "/oauth/register",
      headers: { "content-type": "application/json" },
      payload,
    });
    assert.equal(response.statusCode, 400, payload);
    assert.equal(response.json().error, "invalid_request");
  }
});

test("what is no registration stays as it is", () => {
  assert.deepEqual(
    [fitRegistration(null), fitRegistration([1]), fitRegistration({ redirect_uris: "x" })],
    [null, [1], { redirect_uris: "x" }],
  );
});

const CLIENT_ID = "https://claude.ai/oauth/mcp-oauth-client-metadata";
const CALLBACK = "https://claude.ai/api/mcp/auth_callback";
const DOCUMENT = {
  client_id: CLIENT_ID,
  client_name: "Claude",
  client_uri: "https://claude.ai",
  redirect_uris: [CALLBACK, "http://localhost/callback"],
  grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
  scope: "anything at all",
};

function serving(document: unknown, status = 200) {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    asked.push(String(input));
    assert.ok(init !== undefined && "dispatcher" in init, "the guard against inner addresses is handed on");
    return new Response(JSON.stringify(document), { status, headers: { "content-type": "application/json" } });
  };
  return { asked, fetch };
}

test("as-cimd: a client may be known by its metadata document; what we do not speak in it is ignored", async (t) => {
  const { asked, fetch } = serving(DOCUMENT);
  const { app } = await createFixture(t, { options: { fetch } });
  const browser = createBrowser(app);

  const started = await browser.get(authorizePath(CLIENT_ID, { redirect_uri: CALLBACK }));
  const page = await browser.get(started.location);

  assert.match(page.text, /<dt>Described by<\/dt><dd>claude\.ai<\/dd>/);
  assert.deepEqual(asked, [CLIENT_ID]);
});

const BAD_DOCUMENTS = [
  ["for another client_id", { ...DOCUMENT, client_id: "https://other.example/client" }, 200],
  ["with a secret", { ...DOCUMENT, token_endpoint_auth_method: "client_secret_post" }, 200],
  ["without the asked redirect", { ...DOCUMENT, redirect_uris: ["https://claude.ai/other"] }, 200],
  ["that is too long", { ...DOCUMENT, client_name: "x".repeat(6000) }, 200],
  ["that is not there", {}, 404],
] as const;

for (const [name, document, status] of BAD_DOCUMENTS) {
  test(`as-cimd: a metadata document ${name} is refused on a page here`, async (t) => {
    const { app } = await createFixture(t, { options: { fetch: serving(document, status).fetch } });

    const answer = await createBrowser(app).get(authorizePath(CLIENT_ID, { redirect_uri: CALLBACK }));

    assert.equal(answer.status, 400);
    assert.equal(answer.location, "");
  });
}
