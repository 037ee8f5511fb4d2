/** An authorization server on an embedded store with one account, and a browser that fills in its forms. */
import { createHash, randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import { type Authorization, type AuthorizationOptions, createAuthorization } from "../../src/oauth/authorization.ts";
import type { Role } from "../../src/principal.ts";
import { createAccount, members, setMember } from "../../src/store/accounts.ts";
import { createEmbeddedStore } from "../../src/store/embedded.ts";
import type { Store } from "../../src/store/store.ts";

export const ORIGIN = "https://edge.example";
export const MCP_URL = `${ORIGIN}/mcp`;
export const REDIRECT = "http://127.0.0.1:33418/callback";
export const SECRET = "a secret of the tests, forty characters.";
export const NAME = "ada";
export const PASSWORD = "correct horse battery";

const LOCATIONS: Readonly<Record<string, readonly { id: string; name: string }[]>> = {
  home: [
    { id: "house", name: "House" },
    { id: "cabin", name: "Cabin" },
  ],
  work: [{ id: "office", name: "Office" }],
};

export interface Fixture {
  readonly app: FastifyInstance;
  readonly authorization: Authorization;
  readonly store: Store;
  readonly accountId: string;
  /** What the parts under test take for the time; oidc-provider keeps the real one. */
  readonly clock: { ms: number };
  readonly logged: unknown[];
}

export interface FixtureOptions {
  readonly role?: Role;
  readonly organisations?: readonly string[];
  readonly store?: Store;
  /** False: the store stays without an account, as at a first start. */
  readonly withAccount?: boolean;
  /** True: what is fetched goes out by the product's own way, not to a double. */
  readonly ownFetch?: boolean;
  readonly options?: Partial<AuthorizationOptions>;
}

export async function createFixture(t: TestContext, given: FixtureOptions = {}): Promise<Fixture> {
  const clock = { ms: Date.now() };
  const now = () => clock.ms;
  const store = given.store ?? createEmbeddedStore({ path: ":memory:", now });
  const { role = "admin", organisations = ["home"] } = given;
  const accountId = given.withAccount === false ? "" : await addAccount(store, now, organisations, role);
  const logged: unknown[] = [];
  const authorization = await createAuthorization({
    store,
    publicUrl: ORIGIN,
    secret: SECRET,
    now,
    random: randomBytes,
    log: (message, error) => logged.push([message, error]),
    wait: async () => {},
    ...(given.ownFetch === true ? {} : { fetch: async () => new Response("no network in tests", { status: 503 }) }),
    organisationsOf: async (accountId) => {
      const found = [];
      for (const id of Object.keys(LOCATIONS)) {
        const held = (await members(store, id)).get(accountId);
        if (held !== undefined) found.push({ id, name: id === "home" ? "Home" : "Work", role: held });
      }
      return found;
    },
    locationsOf: async (org) => LOCATIONS[org] ?? [],
    ...given.options,
  });
  const app = Fastify();
  await app.register(authorization.plugin);
  await app.ready();
  t.after(async () => {
    await app.close();
    await authorization.close();
    if (given.store === undefined) await store.close();
  });
  return { app, authorization, store, accountId, clock, logged };
}

async function addAccount(store: Store, now: () => number, organisations: readonly string[], role: Role) {
  const account = await createAccount(store, { name: NAME, password: PASSWORD }, { random: randomBytes, now });
  for (const org of organisations) await setMember(store, org, account.id, role);
  return account.id;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  readonly location: string;
}

/** One person's browser: keeps cookies by path, follows nothing by itself. */
export function createBrowser(app: FastifyInstance) {
  const cookies: { name: string; value: string; path: string }[] = [];

  async function send(
    method: "GET" | "POST",
    url: string,
    form?: Readonly<Record<string, string | string[]>>,
  ): Promise<Answer> {
    const { pathname, search } = new URL(url, ORIGIN);
    const sent = cookies.filter(({ path }) => pathname === path || path === "/" || pathname.startsWith(`${path}/`));
    const response = await app.inject({
      method,
      url: pathname + search,
      headers: {
        ...(sent.length === 0 ? {} : { cookie: sent.map(({ name, value }) => `${name}=${value}`).join("; ") }),
        ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(form === undefined ? {} : { payload: encode(form) }),
    });
    for (const { name, value, path = "/", expires } of response.cookies) {
      const index = cookies.findIndex((cookie) => cookie.name === name && cookie.path === path);
      if (index >= 0) cookies.splice(index, 1);
      if (expires === undefined || expires.getTime() > Date.now()) cookies.push({ name, value, path });
    }
    const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
    return { status: response.statusCode, headers, text: response.body, location: headers.location ?? "" };
  }

  return {
    cookies,
    get: (url: string) => send("GET", url),
    /** Sends the form of a page with its hidden fields. */
    submit: (url: string, page: string, fields: Readonly<Record<string, string | string[]>>) =>
      send("POST", url, { ...hiddenFields(page), ...fields }),
    post: (url: string, form: Readonly<Record<string, string | string[]>>) => send("POST", url, form),
  };
}
export type Browser = ReturnType<typeof createBrowser>;

export function hiddenFields(page: string): Record<string, string> {
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, value]));
}

export function encode(form: Readonly<Record<string, string | string[]>>): string {
  const pairs = Object.entries(form).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  return new URLSearchParams(pairs).toString();
}

export async function register(app: FastifyInstance, metadata: Readonly<Record<string, unknown>> = {}) {
  const response = await app.inject({
    method: "POST",
    url: "/oauth/register",
    payload: { client_name: "Test client", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none", ...metadata },
  });
  return { status: response.statusCode, body: response.json<Record<string, unknown>>() };
}

export const VERIFIER = "a-code-verifier-of-at-least-forty-three-characters";
export const CODE_CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

/** The authorization request's path; undefined removes a parameter. */
export function authorizePath(clientId: string, changed: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: CODE_CHALLENGE,
    code_challenge_method: "S256",
    state: "the state",
    resource: MCP_URL,
    scope: "unifi:read unifi:write",
    ...changed,
  };
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  return `/oauth/authorize?${new URLSearchParams(given)}`;
}

export interface Consent {
  readonly access?: string;
  readonly where?: string;
  readonly location?: string | string[];
  readonly organisation?: string;
}

/** From the authorization request through both pages to the redirect back to the client. */
export async function authorize(browser: Browser, path: string, consent: Consent = {}): Promise<URL> {
  const page = (await browser.get(path)).location;
  const first = await browser.get(page);
  await browser.submit(page, first.text, { answer: "continue" });
  const second = await browser.get(page);
  await browser.submit(page, second.text, { answer: "continue", name: NAME, password: PASSWORD });
  let third = await browser.get(page);
  if (consent.organisation !== undefined) {
    await browser.submit(page, third.text, { answer: "continue", organisation: consent.organisation });
    third = await browser.get(page);
  }
  const { organisation: _, ...chosen } = consent;
  const allowed = await browser.submit(page, third.text, {
    answer: "allow",
    access: "unifi:write",
    where: "all",
    ...chosen,
  });
  const done = await browser.get(allowed.location);
  return new URL(done.location);
}

export async function token(app: FastifyInstance, form: Readonly<Record<string, string>>) {
  const response = await app.inject({
    method: "POST",
    url: "/oauth/token",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: encode(form),
  });
  return { status: response.statusCode, body: response.json<Record<string, string>>() };
}

export function codeForm(clientId: string, code: string): Record<string, string> {
  return {
    grant_type: "authorization_code",
    client_id: clientId,
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
  };
}

/** Registers, signs in, consents and redeems the code: everything a client does before its first call. */
export async function connect(
  fixture: Fixture,
  consent: Consent = {},
  changed: Readonly<Record<string, string | undefined>> = {},
) {
  const { app } = fixture;
  const clientId = String((await register(app)).body.client_id);
  const back = await authorize(createBrowser(app), authorizePath(clientId, changed), consent);
  const { body } = await token(app, codeForm(clientId, back.searchParams.get("code") ?? ""));
  return { clientId, accessToken: body.access_token ?? "", refreshToken: body.refresh_token ?? "", answer: body };
}
