/** The embedded authorization server and the judge of tokens, put together from their parts. */
import { lookup } from "node:dns/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyPluginAsync } from "fastify";
import { EdgeError } from "../errors.ts";
import type { Principal, Role } from "../principal.ts";
import { findAccount } from "../store/accounts.ts";
import { openDeniedGrants } from "../store/denied.ts";
import { findGrant, GRANT_TTL_MS, removeGrant } from "../store/grants.ts";
import { createOidcRecords } from "../store/oidc.ts";
import type { RandomBytes } from "../store/password-hash.ts";
import type { Store } from "../store/store.ts";
import { createAdapterFactory } from "./adapter.ts";
import { createBrowserBinding } from "./browser-binding.ts";
import { metadataRoutes } from "./metadata-routes.ts";
import { pageRoutes } from "./page-routes.ts";
import { pageText } from "./pages/layout.ts";
import { messagePage } from "./pages/message-page.ts";
import { createProvider } from "./provider.ts";
import { providerRoutes } from "./provider-routes.ts";
import { publicFetch } from "./public-fetch.ts";
import { type ChallengeError, createResource } from "./resource.ts";
import { createSealing } from "./sealing.ts";
import type { Setup } from "./setup.ts";
import { loadSigningKeys } from "./signing-keys.ts";
import { createTokenVerifier } from "./verify-token.ts";

const ACCESS_TOKEN_TTL_SECONDS = 600;
const DENIED_POLL_MS = 1000;
/** A denied grant is remembered past the end of its last access token. */
const DENIED_MARGIN_MS = 60_000;

/** Who belongs where; read at every consent. */
export interface Directory {
  organisationsOf(
    accountId: string,
  ): Promise<readonly { readonly id: string; readonly name: string; readonly role: Role }[]>;
  locationsOf(org: string): Promise<readonly { readonly id: string; readonly name: string }[]>;
}

export interface AuthorizationOptions extends Directory {
  readonly store: Store;
  /** The origin that clients use: https, or http on loopback for demo and tests. */
  readonly publicUrl: string;
  readonly mcpPath?: string;
  /** At least 32 characters; the same on every replica. Seals the signing keys. */
  readonly secret: string;
  readonly now: () => number;
  readonly random: RandomBytes;
  readonly log: (message: string, error: unknown) => void;
  /** For client metadata documents and their keys; must hand `dispatcher` on. The public internet only by default. */
  readonly fetch?: typeof globalThis.fetch;
  readonly accessTokenTtlSeconds?: number;
  /** How often the deny list is read again. */
  readonly deniedPollMs?: number;
  /** Slows down guessed passwords. */
  readonly wait?: (milliseconds: number) => Promise<void>;
  readonly setup?: Setup;
}

export interface Authorization {
  readonly issuer: string;
  /** The exact MCP URL that tokens are for. */
  readonly audience: string;
  /** Discovery, `/oauth/*`, pages and `/setup`; encapsulated, so nothing of it touches other routes. */
  readonly plugin: FastifyPluginAsync;
  /** Throws UNAUTHENTICATED with the reason, or STORE_UNAVAILABLE. */
  verify(bearer: string): Promise<Principal>;
  /** False while the store does not answer: no write may start on a token that cannot be checked. */
  writesAllowed(): boolean;
  /** The WWW-Authenticate value of a 401 or 403 at the MCP URL with this query (`?mode=eager` or empty). */
  challenge(search: string, error?: ChallengeError): string;
  /** Ends a grant or `pat:<id>`: its tokens stop here at once, on other replicas within two seconds. */
  revokeGrant(grant: string): Promise<void>;
  /** Calls back for every grant that ends, here or elsewhere. Answers the way to stop that. */
  onGrantRevoked(listener: (grant: string) => void): () => void;
  close(): Promise<void>;
}

/** Reads or makes the signing keys and starts watching the deny list. Throws CONFIG_INVALID, STORE_UNAVAILABLE. */
export async function createAuthorization(options: AuthorizationOptions): Promise<Authorization> {
  const { store, now, random, log, accessTokenTtlSeconds = ACCESS_TOKEN_TTL_SECONDS } = options;
  const publicUrl = checkedPublicUrl(options.publicUrl);
  const issuer = publicUrl.origin;
  const resource = createResource(issuer, options.mcpPath ?? "/mcp");
  const sealing = createSealing(options.secret, random);
  const signingKeys = await loadSigningKeys(store, sealing);
  const listeners = new Set<(grant: string) => void>();
  const denied = await openDeniedGrants(store, {
    now,
    onDenied: (grant) => {
      for (const listener of listeners) listener(grant);
    },
  });

  async function endGrant(grant: string): Promise<void> {
    await denied.deny(grant, now() + accessTokenTtlSeconds * 1000 + DENIED_MARGIN_MS);
    await removeGrant(store, grant);
  }

  const records = createOidcRecords(store, now);
  const adapterFor = createAdapterFactory({ records, sealing, onGrantDestroyed: endGrant });
  const provider = createProvider({
    adapterFor,
    issuer,
    resource,
    signingKeys,
    accessTokenTtlSeconds,
    fetch: options.fetch ?? publicFetch(globalThis.fetch, async (host) => lookup(host, { all: true })),
    accountExists: async (id) => (await findAccount(store, id)) !== undefined,
    organisationOfGrant: async (grant) => (await findGrant(store, grant))?.org,
    log,
    renderError: (code, description) =>
      pageText(messagePage("The app’s request was refused", `${description ?? code}.`, `Error: ${code}`)),
    cookieSecret: sealing.sign("cookies", issuer),
  });
  const verifier = createTokenVerifier({
    store,
    issuer,
    audience: resource.audience,
    signingKeys,
    isDenied: denied.has,
    now,
  });
  const poll = setInterval(() => {
    // Its failure shows as writesAllowed() and in verify().
    void denied.poll().then(
      () => verifier.storeAnswered(true),
      () => verifier.storeAnswered(false),
    );
  }, options.deniedPollMs ?? DENIED_POLL_MS);
  poll.unref();

  const plugin: FastifyPluginAsync = async (app) => {
    await app.register(async (scope) => metadataRoutes(scope, resource));
    await app.register(async (scope) => providerRoutes(scope, provider, publicUrl));
    await app.register(async (scope) =>
      pageRoutes(scope, {
        provider,
        store,
        directory: options,
        binding: createBrowserBinding(sealing, random, publicUrl.protocol === "https:"),
        now,
        keepClient: async (client) => {
          if (client.clientId.startsWith("https://")) return; // a metadata document is fetched, never stored
          await adapterFor("Client").upsert(client.clientId, client.metadata(), GRANT_TTL_MS / 1000);
        },
        wait: options.wait ?? (async (milliseconds) => pause(milliseconds)),
        setup: options.setup,
        log,
      }),
    );
  };

  return {
    issuer,
    audience: resource.audience,
    plugin,
    verify: verifier.verify,
    writesAllowed: verifier.storeAnswers,
    challenge: resource.challenge,
    async revokeGrant(grant) {
      await provider.RefreshToken.revokeByGrantId(grant);
      await provider.Grant.adapter.destroy(grant); // ends in endGrant
    },
    onGrantRevoked(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      clearInterval(poll);
      listeners.clear();
      await denied.close();
    },
  };
}

const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** All endpoints over https (MCP security considerations), except on one's own machine. */
function checkedPublicUrl(text: string): URL {
  const url = URL.parse(text);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK_HOSTS.includes(url.hostname));
  if (url !== null && isSafe && url.pathname === "/" && url.search === "" && url.hash === "") return url;
  throw new EdgeError(
    "CONFIG_INVALID",
    `The public URL ${text} is not an https origin such as https://mcp.example.com.`,
  );
}
