/** The four cookies of a console session. A whole RFC 6265 jar is not needed: one origin, one path, known names. */

const SESSION_COOKIES = new Set(["TOKEN", "UOS_TOKEN", "unifises", "csrf_token"]);

/** Names in the order they arrived, for one signed-in session. */
export type Cookies = ReadonlyMap<string, string>;

/**
 * Cookies after a response: `Set-Cookie` lines taken over, expired ones removed, unknown names and all attributes ignored
 * (a `partitioned` attribute broke stricter parsers).
 */
export function updateCookies(cookies: Cookies, setCookie: readonly string[]): Cookies {
  if (setCookie.length === 0) return cookies;
  const updated = new Map(cookies);
  for (const line of setCookie) {
    const [pair = "", ...attributes] = line.split(";");
    const cut = pair.indexOf("=");
    const name = pair.slice(0, cut).trim();
    const value = pair.slice(cut + 1).trim();
    if (cut < 1 || !SESSION_COOKIES.has(name) || !isPlain(value)) continue;
    if (value === "" || attributes.some(isPast)) updated.delete(name);
    else updated.set(name, value);
  }
  return updated;
}

export function cookieHeader(cookies: Cookies): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

/** The cookie that makes a session, by console type's own name. */
export function sessionCookie(cookies: Cookies): string | undefined {
  return cookies.get("TOKEN") ?? cookies.get("UOS_TOKEN") ?? cookies.get("unifises");
}

/** What may stand in a Cookie header without changing its meaning (RFC 6265 §4.1.1 cookie-octet). */
function isPlain(value: string): boolean {
  return /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(value.replace(/^"(.*)"$/, "$1"));
}

function isPast(attribute: string): boolean {
  return /^\s*max-age\s*=\s*(0|-\d+)\s*$/i.test(attribute);
}
