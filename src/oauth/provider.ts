/** oidc-provider as an MCP authorization server: its configuration, each line a decision. */
import Provider, { type Adapter, errors, interactionPolicy } from "oidc-provider";
import { SCOPES } from "../principal.ts";
import { GRANT_TTL_MS } from "../store/grants.ts";
import { fittingFetch } from "./client-metadata.ts";
import type { Resource } from "./resource.ts";
import { SIGNING_ALGORITHM, type SigningKey } from "./signing-keys.ts";

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 24 * 3600;

export const INTERACTION_TTL_SECONDS = 10 * MINUTE_SECONDS;
const CODE_TTL_SECONDS = MINUTE_SECONDS;
const REFRESH_TTL_SECONDS = 30 * DAY_SECONDS;

export const INTERACTION_PATH = "/oauth/interaction";
export const PROVIDER_PATHS = {
  authorization: "/oauth/authorize",
  token: "/oauth/token",
  registration: "/oauth/register",
  revocation: "/oauth/revoke",
  jwks: "/oauth/jwks",
} as const;

export interface ProviderParts {
  readonly adapterFor: (model: string) => Adapter;
  readonly issuer: string;
  readonly resource: Resource;
  readonly signingKeys: readonly SigningKey[];
  readonly accessTokenTtlSeconds: number;
  readonly fetch: typeof globalThis.fetch;
  readonly accountExists: (accountId: string) => Promise<boolean>;
  /** The organisation that the grant is for; undefined once it is gone. */
  readonly organisationOfGrant: (grantId: string) => Promise<string | undefined>;
  readonly log: (message: string, error: unknown) => void;
  readonly renderError: (code: string, description: string | undefined) => string;
  readonly cookieSecret: string;
}

export function createProvider(parts: ProviderParts): Provider {
  const { issuer, resource, signingKeys, accessTokenTtlSeconds } = parts;
  const resourceServer = {
    scope: SCOPES.join(" "),
    audience: resource.audience,
    accessTokenFormat: "jwt" as const,
    accessTokenTTL: accessTokenTtlSeconds,
    // The key in front signs (signing-keys.ts).
    jwt: { sign: { alg: SIGNING_ALGORITHM, kid: signingKeys[0]?.kid } },
  };

  const provider = new Provider(issuer, {
    adapter: parts.adapterFor,
    jwks: { keys: [...signingKeys] },
    routes: PROVIDER_PATHS,
    scopes: ["openid", "offline_access", ...SCOPES],
    responseTypes: ["code"],
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
    clientDefaults: {
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      // The default, web, would refuse loopback ports and custom schemes.
      application_type: "native",
      id_token_signed_response_alg: SIGNING_ALGORITHM,
      token_endpoint_auth_method: "none",
    },
    enabledJWA: { idTokenSigningAlgValues: [SIGNING_ALGORITHM] },
    cookies: {
      keys: [parts.cookieSecret],
      names: { session: "edge-session", interaction: "edge-interaction", resume: "edge-resume" },
    },
    pkce: { required: () => true },
    interactions: {
      policy: askEveryTime(),
      url: (_ctx, interaction) => `${INTERACTION_PATH}/${interaction.uid}`,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      revocation: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
      },
      clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => resource.audience,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_ctx, indicator) => {
          if (!resource.isMeantBy(indicator)) throw new errors.InvalidTarget();
          return resourceServer;
        },
      },
    },
    ttl: {
      AccessToken: accessTokenTtlSeconds,
      AuthorizationCode: CODE_TTL_SECONDS,
      Grant: GRANT_TTL_MS / 1000,
      IdToken: accessTokenTtlSeconds,
      Interaction: INTERACTION_TTL_SECONDS,
      RefreshToken: REFRESH_TTL_SECONDS,
      Session: INTERACTION_TTL_SECONDS,
    },
    // Apps that run in a browser: public clients, from the origin that they are redirected to.
    clientBasedCORS: (_ctx, origin, client) =>
      client.clientAuthMethod === "none" &&
      (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin),
    fetch: fittingFetch(parts.fetch),
    async extraTokenClaims(_ctx, token) {
      const grant = "grantId" in token ? token.grantId : undefined;
      const org = grant === undefined ? undefined : await parts.organisationOfGrant(grant);
      if (org === undefined) throw new errors.InvalidGrant("grant not found");
      return { grant, org };
    },
    async findAccount(_ctx, accountId) {
      if (!(await parts.accountExists(accountId))) return undefined;
      return { accountId, claims: async () => ({ sub: accountId }) };
    },
    expiresWithSession: async () => false,
    // The older SDK client never asks for offline_access.
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    // Each consent is a new grant: nothing is found by the browser's session.
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    async renderError(ctx, out) {
      ctx.type = "html";
      ctx.body = parts.renderError(out.error, out.error_description);
    },
  });

  // The public URL decides what is https, not headers: the plugin sets them (provider-routes.ts).
  provider.proxy = true;
  provider.on("server_error", (_ctx, error) => parts.log("authorization server error", error));
  return provider;
}

/**
 * One question, asked every time: without it a web client's second visit went through silently
 * (`native_client_prompt` does not apply to it). Both prompts are answered by the same pages at once.
 */
function askEveryTime(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  const unanswered = new interactionPolicy.Check(
    "every_time",
    "a person has to agree to every authorization",
    "interaction_required",
    (ctx) => ctx.oidc.result?.consent?.grantId === undefined,
  );
  const login = new interactionPolicy.Prompt({ name: "login", requestable: true }, unanswered);
  const consent = new interactionPolicy.Prompt({ name: "consent", requestable: true });
  policy.clear();
  policy.add(login);
  policy.add(consent);
  return policy;
}
