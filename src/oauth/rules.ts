/** The requirements of MCP authorization that this room answers for; tests cite the ids in their names. */

export interface Rule {
  readonly id: string;
  /** Page of the 2026-07-28 specification, or RFC and section. */
  readonly source: string;
  readonly requires: string;
  /** The file that does it. */
  readonly where: string;
}

const DISCOVERY = "authorization-server-discovery";
const SECURITY = "security-considerations";
const REGISTRATION = "client-registration";

export const RULES: readonly Rule[] = [
  {
    id: "rs-metadata",
    source: `${DISCOVERY}; RFC 9728 section 3`,
    requires: "resource metadata names the exact resource and its authorization server",
    where: "metadata-routes.ts",
  },
  {
    id: "rs-challenge",
    source: "authorization; RFC 9728 section 5.1, RFC 6750 section 3",
    requires: "a 401 or 403 points at the metadata; a 403 names all scopes that are needed",
    where: "resource.ts",
  },
  {
    id: "rs-401",
    source: "authorization, error handling",
    requires: "a missing, invalid or expired token is refused",
    where: "verify-token.ts",
  },
  {
    id: "rs-audience",
    source: `${SECURITY}; RFC 8707 section 2, RFC 9068 section 4`,
    requires: "a token issued for anything else is refused",
    where: "verify-token.ts",
  },
  {
    id: "as-https",
    source: SECURITY,
    requires: "all endpoints are served over https; loopback is the exception",
    where: "authorization.ts",
  },
  {
    id: "as-metadata",
    source: `${DISCOVERY}; RFC 8414 section 3`,
    requires: "the server's metadata is found at its issuer, which it repeats to the letter",
    where: "provider-routes.ts",
  },
  {
    id: "as-pkce",
    source: `${SECURITY}; OAuth 2.1 section 4.1.1, RFC 7636`,
    requires: "PKCE with S256, announced in the metadata",
    where: "provider.ts",
  },
  {
    id: "as-iss",
    source: "authorization; RFC 9207",
    requires: "responses, errors included, say who they come from; the metadata announces it",
    where: "provider.ts",
  },
  {
    id: "as-resource",
    source: "authorization; RFC 8707 section 2",
    requires: "a token is for the resource that was asked, and for no other",
    where: "resource.ts",
  },
  {
    id: "as-redirect",
    source: `${SECURITY}; RFC 8252 section 7.3`,
    requires: "redirects match exactly, but for the port on loopback; https, loopback or an app's own scheme",
    where: "client-metadata.ts",
  },
  {
    id: "as-code-once",
    source: "OAuth 2.1 section 4.1.3",
    requires: "a code is good once; its reuse ends what it gave",
    where: "adapter.ts",
  },
  {
    id: "as-short-tokens",
    source: SECURITY,
    requires: "access tokens live shortly",
    where: "authorization.ts",
  },
  {
    id: "as-refresh-rotates",
    source: `${SECURITY}; OAuth 2.1 section 4.3.1`,
    requires: "public clients' refresh tokens rotate",
    where: "provider.ts",
  },
  {
    id: "as-refresh-reuse",
    source: "OAuth 2.1 section 4.3.1",
    requires: "a refresh token used again ends its grant",
    where: "adapter.ts",
  },
  {
    id: "as-dcr",
    source: `${REGISTRATION}; RFC 7591`,
    requires: "clients may register themselves",
    where: "client-metadata.ts",
  },
  {
    id: "as-cimd",
    source: `${REGISTRATION}; client id metadata document draft`,
    requires: "a URL as client_id is fetched, checked, guarded and cached",
    where: "provider.ts",
  },
  {
    id: "as-localhost-warning",
    source: REGISTRATION,
    requires: "a person is warned of clients that only redirect to their own computer",
    where: "pages/client-page.ts",
  },
  {
    id: "as-consent-first",
    source: `${SECURITY}, confused deputy`,
    requires: "client and redirect host are shown and agreed to before anybody signs in",
    where: "interaction.ts",
  },
  {
    id: "as-consent-every-time",
    source: `${SECURITY}, confused deputy`,
    requires: "no authorization goes through without a person's consent to it",
    where: "provider.ts",
  },
  {
    id: "as-consent-cookie",
    source: "security best practices, consent cookies",
    requires: "consent is bound to the browser by a __Host- cookie, Secure and HttpOnly",
    where: "browser-binding.ts",
  },
  {
    id: "as-csrf",
    source: "security best practices, consent pages",
    requires: "a consent form that another page sends is refused",
    where: "browser-binding.ts",
  },
  {
    id: "as-clickjacking",
    source: "security best practices, consent pages",
    requires: "pages cannot be framed",
    where: "pages/layout.ts",
  },
];
