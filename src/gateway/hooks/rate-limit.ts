/** How often one grant may ask: counted in this process, so a request costs no round trip (design 1, row HTTP). */

export interface RateLimit {
  /** Requests per second that are sustained; `burst` may be saved up. */
  readonly perSecond: number;
  readonly burst: number;
}

/** Grants remembered at once; the longest unused is forgotten first, which can only be generous to it. */
const REMEMBERED = 10_000;

/** A token bucket per key. Returns 0 when the request may go on, else the seconds after which it may. */
export function createRateLimiter(limit: RateLimit, now: () => number): (key: string) => number {
  const buckets = new Map<string, { tokens: number; atMs: number }>();

  return (key) => {
    const atMs = now();
    const known = buckets.get(key);
    const tokens = known
      ? Math.min(limit.burst, known.tokens + ((atMs - known.atMs) / 1000) * limit.perSecond)
      : limit.burst;
    buckets.delete(key);
    buckets.set(key, { tokens: Math.max(0, tokens - 1), atMs });
    if (buckets.size > REMEMBERED) buckets.delete(buckets.keys().next().value ?? key);
    return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / limit.perSecond);
  };
}
