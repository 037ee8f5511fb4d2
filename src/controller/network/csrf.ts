/** Where the CSRF token comes from: response headers first, then the session token's own claim, then the cookie. */
import type { Cookies } from "./cookies.ts";

/** Header names in the order of trust: the second still carries the old token while the first has the new one. */
const CSRF_HEADERS = ["x-updated-csrf-token", "x-csrf-token"];

/**
 * Token to send with the next write; any response may bring a new one.
 *
 * @param header reads one response header by its lower-case name
 * @param fresh cookies that this very response has set or left
 */
export function csrfOf(header: (name: string) => string | undefined, fresh: Cookies): string | undefined {
  for (const name of CSRF_HEADERS) {
    const value = header(name);
    if (value !== undefined && value !== "") return value;
  }
  return claimOf(fresh.get("TOKEN") ?? fresh.get("UOS_TOKEN")) ?? fresh.get("csrf_token");
}

/** `csrfToken` of the session JWT. Unverified: it is the console's own token, sent back to the console. */
function claimOf(token: string | undefined): string | undefined {
  const payload = token?.split(".")[1];
  if (payload === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    if (typeof claims !== "object" || claims === null || !("csrfToken" in claims)) return undefined;
    return typeof claims.csrfToken === "string" ? claims.csrfToken : undefined;
  } catch {
    return undefined;
  }
}
