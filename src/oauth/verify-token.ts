/** Says who a bearer token stands for: verified once, then cached, with the deny list in memory. */
import { hash } from "node:crypto";
import { createLocalJWKSet, errors, jwtVerify } from "jose";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { EdgeError } from "../errors.ts";
import { type Principal, SCOPES, type Scope } from "../principal.ts";
import { ACCESS_TOKEN_PREFIX, findAccessToken } from "../store/access-tokens.ts";
import { roleOf } from "../store/accounts.ts";
import { findGrant } from "../store/grants.ts";
import type { Store } from "../store/store.ts";
import { SIGNING_ALGORITHM, type SigningKey } from "./signing-keys.ts";

/** No token is believed longer than this without its signature being checked again. */
const CACHE_MS = 10 * 60_000;
const CACHE_ENTRIES = 10_000;
/** Role and consent are read again after so long; together with the deny list's poll a change shows within 2 s. */
const FRESH_MS = 1000;
/** With the store away, tokens that were verified before may read for so long. */
const READS_WITHOUT_STORE_MS = 30_000;
const TOKEN_MAX_LENGTH = 4096;
/** Tokens recognised as they stand; see `recent`. */
const RECENT_TOKENS = 1000;

const Claims = Compile(
  Type.Object({
    sub: Type.String(),
    client_id: Type.String(),
    grant: Type.String(),
    org: Type.String(),
    scope: Type.String(),
    exp: Type.Number(),
  }),
);

export interface TokenVerifierParts {
  readonly store: Store;
  readonly issuer: string;
  readonly audience: string;
  readonly signingKeys: readonly SigningKey[];
  readonly isDenied: (grant: string) => boolean;
  readonly now: () => number;
}

export interface TokenVerifier {
  /** Throws UNAUTHENTICATED with the reason, STORE_UNAVAILABLE. */
  verify(bearer: string): Promise<Principal>;
  /** False from the moment the store failed until it answers again: writes are refused at once. */
  storeAnswers(): boolean;
  /** To be told of every other use of the store, such as the deny list's poll. */
  storeAnswered(didAnswer: boolean): void;
}

/** Reads what may change while a token lives; undefined when nothing is left of it. */
type Refresh = () => Promise<Principal | undefined>;

interface Entry {
  principal: Principal;
  readonly refresh: Refresh;
  readonly untilMs: number;
  freshAtMs: number;
}

export function createTokenVerifier(parts: TokenVerifierParts): TokenVerifier {
  const { store, now, isDenied } = parts;
  const keys = createLocalJWKSet({ keys: parts.signingKeys.map(({ d: _, ...key }) => key) });
  /** By the token's hash: no token is kept. */
  const entries = new Map<string, Entry>();
  /** Tokens of this second as they came, so that one that comes again at once is not hashed again. */
  const recent = new Map<string, Entry>();
  let recentUntilMs = now();
  let answeredAtMs = now();
  let answers = true;

  function storeAnswered(didAnswer: boolean): void {
    answers = didAnswer;
    if (didAnswer) answeredAtMs = now();
  }

  async function verify(bearer: string): Promise<Principal> {
    if (bearer.length > TOKEN_MAX_LENGTH) throw unauthenticated("The access token is too long.");
    const known = recentEntry(bearer);
    if (known !== undefined && !isDenied(known.principal.grant)) return known.principal;
    const key = hash("sha256", bearer, "base64url");
    const cached = entries.get(key);
    const entry = cached !== undefined && cached.untilMs > now() ? cached : await open(bearer);
    const isStale = now() - entry.freshAtMs >= FRESH_MS;
    if (isDenied(entry.principal.grant) || (isStale && !(await isStillGood(entry)))) {
      entries.delete(key);
      throw unauthenticated("The access was revoked.");
    }
    remember(key, entry);
    if (recent.size < RECENT_TOKENS) recent.set(bearer, entry);
    return entry.principal;
  }

  /** Undefined where anything about it must be looked at again. */
  function recentEntry(bearer: string): Entry | undefined {
    const atMs = now();
    if (atMs >= recentUntilMs) {
      recent.clear();
      recentUntilMs = atMs + FRESH_MS;
    }
    const entry = recent.get(bearer);
    return entry !== undefined && entry.untilMs > atMs && atMs - entry.freshAtMs < FRESH_MS ? entry : undefined;
  }

  /** Throws STORE_UNAVAILABLE once the store has been away for too long. */
  async function isStillGood(entry: Entry): Promise<boolean> {
    try {
      const principal = await asked(entry.refresh);
      if (principal === undefined) return false;
      entry.principal = principal;
      entry.freshAtMs = now();
      return true;
    } catch (error) {
      if (now() - answeredAtMs < READS_WITHOUT_STORE_MS) return true;
      throw error;
    }
  }

  async function asked(refresh: Refresh): Promise<Principal | undefined> {
    try {
      const principal = await refresh();
      storeAnswered(true);
      return principal;
    } catch (error) {
      storeAnswered(false);
      throw error;
    }
  }

  /** Least recently used first out. */
  function remember(key: string, entry: Entry): void {
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > CACHE_ENTRIES && oldest !== undefined) entries.delete(oldest);
  }

  async function open(bearer: string): Promise<Entry> {
    const refresh = bearer.startsWith(ACCESS_TOKEN_PREFIX) ? personalAccess(bearer) : await grantedAccess(bearer);
    const principal = await asked(refresh);
    if (principal === undefined) throw unauthenticated("The access token is unknown, has ended or was revoked.");
    const untilMs = Math.min(principal.expiresAtSeconds * 1000, now() + CACHE_MS);
    return { principal, refresh, untilMs, freshAtMs: now() };
  }

  function personalAccess(bearer: string): Refresh {
    return async () => {
      const token = await findAccessToken(store, bearer, now());
      const role = token && (await roleOf(store, token.org, token.owner));
      if (token === undefined || role === undefined) return undefined;
      return {
        subject: token.owner,
        org: token.org,
        grant: `pat:${token.id}`,
        client: "pat",
        role,
        scopes: new Set(token.scopes),
        locations: token.locations,
        expiresAtSeconds: Math.floor(token.endsAtMs / 1000),
      };
    };
  }

  async function grantedAccess(bearer: string): Promise<Refresh> {
    const claims = await verifiedClaims(bearer);
    const scopes = new Set(claims.scope.split(" ").filter(isScope));
    return async () => {
      const grant = await findGrant(store, claims.grant);
      const role = await roleOf(store, claims.org, claims.sub);
      if (grant === undefined || role === undefined || grant.org !== claims.org) return undefined;
      return {
        subject: claims.sub,
        org: claims.org,
        grant: claims.grant,
        client: claims.client_id,
        role,
        scopes,
        locations: grant.locations,
        expiresAtSeconds: claims.exp,
      };
    };
  }

  async function verifiedClaims(bearer: string) {
    try {
      const { payload } = await jwtVerify(bearer, keys, {
        issuer: parts.issuer,
        audience: parts.audience,
        typ: "at+jwt", // RFC 9068 section 4: an ID token is no access token
        algorithms: [SIGNING_ALGORITHM],
        currentDate: new Date(now()),
      });
      if (!Claims.Check(payload)) throw unauthenticated(REFUSED.other);
      return payload;
    } catch (error) {
      if (error instanceof EdgeError) throw error;
      throw unauthenticated(reasonOf(error), error);
    }
  }

  return { verify, storeAnswers: () => answers, storeAnswered };
}

const REFUSED = {
  expired: "The access token has expired.",
  audience: "The access token was issued for another resource.",
  other: "The access token is not valid here.",
};

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return REFUSED.expired;
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === "aud") return REFUSED.audience;
  return REFUSED.other;
}

function unauthenticated(reason: string, cause?: unknown): EdgeError {
  return new EdgeError("UNAUTHENTICATED", reason, { cause });
}

function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}
