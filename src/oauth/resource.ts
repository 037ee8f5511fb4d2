/** The protected resource: its one audience, the URLs that mean it, its metadata and the challenge that points there. */
import type { Scope } from "../principal.ts";

/** Query parameters with which a client may shape what it sees (design 3.2). They never change the audience. */
const KNOWN_PARAMETERS = ["mode", "apps", "readonly"] as const;
const MAX_PARAMETER_LENGTH = 64;

/** What a first sign-in asks for: clients of the older SDK cannot ask for more later. */
const CHALLENGE_SCOPES: readonly Scope[] = ["unifi:read", "unifi:write"];

export interface Resource {
  /** The exact MCP URL, without a trailing slash. */
  readonly audience: string;
  /** The path of the MCP endpoint, `/mcp`. */
  readonly path: string;
  /** True for the MCP URL, with a trailing slash or known query parameters or without. */
  isMeantBy(url: string): boolean;
  /**
   * RFC 9728 document. Known parameters of `search` are echoed in `resource`, since strict clients compare it with
   * the URL they use.
   */
  metadata(search: string): Readonly<Record<string, unknown>>;
  /** The WWW-Authenticate value of a 401 or 403 (RFC 9728 section 5.1, RFC 6750 section 3). */
  challenge(search: string, error?: ChallengeError): string;
}

export interface ChallengeError {
  readonly error: "invalid_token" | "insufficient_scope" | "invalid_request";
  readonly description?: string;
  /** All scopes that the operation needs; the default asks for read and write. */
  readonly scopes?: readonly Scope[];
}

/** `origin` without a trailing slash, `path` with a leading one. */
export function createResource(origin: string, path: string): Resource {
  const audience = `${origin}${path}`;
  return {
    audience,
    path,
    isMeantBy(url) {
      const parsed = URL.parse(url);
      if (parsed === null || parsed.hash !== "" || parsed.username !== "" || parsed.password !== "") return false;
      const isPath = parsed.pathname === path || parsed.pathname === `${path}/`;
      return parsed.origin === origin && isPath && [...parsed.searchParams.keys()].every(isKnown);
    },
    metadata: (search) => ({
      resource: `${audience}${knownQuery(search)}`,
      authorization_servers: [origin],
      scopes_supported: CHALLENGE_SCOPES,
      bearer_methods_supported: ["header"],
      resource_name: "UniFi MCP Edge",
    }),
    challenge(search, failure) {
      const { error, description, scopes = CHALLENGE_SCOPES } = failure ?? {};
      const parts = [
        ...(error === undefined ? [] : [`error="${error}"`]),
        ...(description === undefined ? [] : [`error_description="${quotable(description)}"`]),
        `scope="${scopes.join(" ")}"`,
        `resource_metadata="${origin}/.well-known/oauth-protected-resource${path}${knownQuery(search)}"`,
      ];
      return `Bearer ${parts.join(", ")}`;
    },
  };
}

function isKnown(name: string): boolean {
  return (KNOWN_PARAMETERS as readonly string[]).includes(name);
}

/** The known parameters of a query in the order given, `?…` or empty. */
export function knownQuery(search: string): string {
  const known = [...new URLSearchParams(search)].filter(
    ([name, value]) => isKnown(name) && value.length <= MAX_PARAMETER_LENGTH,
  );
  return known.length === 0 ? "" : `?${new URLSearchParams(known)}`;
}

/** error_description may hold no quote or backslash (RFC 6750 section 3). */
function quotable(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'");
}
