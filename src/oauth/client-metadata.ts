/** Makes real clients' registrations and metadata documents fit: what we do not speak is dropped, not refused. */
import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";

const GRANT_TYPES = ["authorization_code", "refresh_token"];
const RESPONSE_TYPES = ["code"];
const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];
/** Schemes that a browser acts on itself. */
const FORBIDDEN_SCHEMES = ["javascript:", "vbscript:", "data:", "blob:", "file:", "about:", "ws:", "wss:", "ftp:"];
const MAX_REDIRECTS = 20;

/** The members that we change; all others pass through to oidc-provider, which checks them. */
const Metadata = Type.Object({
  redirect_uris: Type.Optional(Type.Array(Type.String({ maxLength: 2048 }), { maxItems: MAX_REDIRECTS })),
  grant_types: Type.Optional(Type.Array(Type.String())),
  response_types: Type.Optional(Type.Array(Type.String())),
  application_type: Type.Optional(Type.String()),
});
type Metadata = Static<typeof Metadata>;
const metadataValidator = Compile(Metadata);

/**
 * The registration as oidc-provider will take it; anything that is no registration comes back unchanged for it to
 * refuse. VS Code asks for device_code; both SDK clients send `scope`, which would cap every later step-up; Cursor
 * sends three redirects of which one unknown must not lose the others; Claude Code sends loopback redirects without an
 * application_type.
 */
export function fitRegistration(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !metadataValidator.Check(body)) return body;
  const { scope: _, ...metadata } = body as Metadata & { scope?: unknown }; // checked above
  const redirects = metadata.redirect_uris?.filter(isAcceptableRedirect);
  return {
    ...metadata,
    ...(metadata.redirect_uris === undefined || redirects?.length === 0 ? {} : { redirect_uris: redirects }),
    ...(metadata.grant_types === undefined ? {} : { grant_types: known(metadata.grant_types, GRANT_TYPES) }),
    ...(metadata.response_types === undefined
      ? {}
      : { response_types: known(metadata.response_types, RESPONSE_TYPES) }),
    application_type: applicationType(metadata.application_type, redirects ?? []),
  };
}

/**
 * A `fetch` for oidc-provider that fits client metadata documents in the same way. `fetch` must hand `dispatcher` on:
 * it holds the guard against addresses of inner networks.
 */
export function fittingFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 200 || !wantsJson(init)) return response;
    const bytes = await readAtMost(response, DOCUMENT_LIMIT_BYTES);
    const document = parse(bytes);
    const body = isOwnDocument(document, String(input)) ? JSON.stringify(fitRegistration(document)) : bytes;
    return new Response(body, { status: 200, headers: response.headers });
  };
}

/** Above what oidc-provider takes (5 KiB for a metadata document), so that it is the one to refuse. */
const DOCUMENT_LIMIT_BYTES = 64 * 1024;

async function readAtMost(response: Response, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length >= limit) break;
  }
  return new Uint8Array(Buffer.concat(chunks).subarray(0, limit));
}

function wantsJson(init: RequestInit | undefined): boolean {
  return new Headers(init?.headers).get("accept") === "application/json";
}

function isOwnDocument(document: unknown, url: string): boolean {
  return typeof document === "object" && document !== null && "client_id" in document && document.client_id === url;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** https anywhere else, http on loopback, or an application's own scheme. */
export function isAcceptableRedirect(redirect: string): boolean {
  const url = URL.parse(redirect);
  if (url === null || redirect.includes("#") || FORBIDDEN_SCHEMES.includes(url.protocol)) return false;
  if (url.protocol === "http:") return isLoopback(url);
  if (url.protocol === "https:") return !isLoopback(url);
  return true;
}

/** True when the redirect stays on the person's own machine over http. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK_HOSTS.includes(url.hostname);
}

function applicationType(wanted: string | undefined, redirects: readonly string[]): "web" | "native" {
  const isWeb = wanted === "web" && redirects.every((redirect) => redirect.startsWith("https:"));
  return isWeb ? "web" : "native";
}

/** What both sides know, and the first of ours when that is nothing. */
function known(wanted: readonly string[], ours: readonly string[]): string[] {
  const both = wanted.filter((value) => ours.includes(value));
  return both.length > 0 ? both : ours.slice(0, 1);
}
