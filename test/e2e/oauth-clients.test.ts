/** Both SDK clients' own OAuth code against this server, from discovery to a refreshed token, over real HTTP. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { auth as authOfV2 } from "@modelcontextprotocol/client";
import { auth as authOfV1 } from "@modelcontextprotocol/sdk/client/auth.js";
import { authorize, createBrowser, createFixture, REDIRECT } from "../support/oauth-fixture.ts";

type Stored = Record<string, unknown>;

/** What an application gives to the SDK: it keeps everything in memory, and notes where a browser would be sent. */
function createApplication() {
  const kept = new Map<string, unknown>();
  const keep = (name: string) => ({
    [name]: () => kept.get(name),
    [`save${name[0]?.toUpperCase()}${name.slice(1)}`]: (value: unknown) => void kept.set(name, value),
  });
  const provider = {
    redirectUrl: REDIRECT,
    clientMetadata: {
      client_name: "An SDK application",
      redirect_uris: [REDIRECT],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      scope: "unifi:read unifi:write",
    },
    ...keep("clientInformation"),
    ...keep("tokens"),
    ...keep("codeVerifier"),
    ...keep("discoveryState"),
    redirectToAuthorization: (url: URL) => void kept.set("sentTo", url.href),
  };
  return { provider, kept };
}

async function serve(t: TestContext) {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo; // listening on TCP
  probe.close();
  await once(probe, "close");
  const origin = `http://127.0.0.1:${port}`;
  const fixture = await createFixture(t, { options: { publicUrl: origin } });
  await fixture.app.listen({ port, host: "127.0.0.1" });
  return { ...fixture, origin };
}

/** The two packages type their providers differently; the object has what both ask for. */
type Auth = (
  provider: never,
  options: { serverUrl: string; authorizationCode?: string; iss?: string },
) => Promise<string>;

for (const [name, auth] of [
  ["@modelcontextprotocol/sdk", authOfV1 as Auth],
  ["@modelcontextprotocol/client", authOfV2 as Auth],
] as const) {
  for (const query of ["", "?mode=eager"]) {
    test(`${name} finds, registers, signs in and refreshes at /mcp${query}`, async (t) => {
      const { app, authorization, origin } = await serve(t);
      const { provider, kept } = createApplication();
      const serverUrl = `${origin}/mcp${query}`;

      const first = await auth(provider as never, { serverUrl });
      const back = await authorize(createBrowser(app), String(kept.get("sentTo")));
      const callback = {
        authorizationCode: back.searchParams.get("code") ?? "",
        iss: back.searchParams.get("iss") ?? "",
      };
      const second = await auth(provider as never, { serverUrl, ...callback });
      const { access_token: before } = kept.get("tokens") as Stored; // saved by the SDK
      const third = await auth(provider as never, { serverUrl });
      const { access_token: after } = kept.get("tokens") as Stored; // saved by the SDK

      assert.deepEqual([first, second, third], ["REDIRECT", "AUTHORIZED", "AUTHORIZED"]);
      assert.notEqual(before, after);
      assert.equal((await authorization.verify(String(before))).org, "home");
      assert.equal((await authorization.verify(String(after))).org, "home");
    });
  }
}
