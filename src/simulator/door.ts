/** The persona's front: its own paths, who may pass to the application, and what strangers are told. */
import type { Endpoint, Exchange, Reply } from "./exchange.ts";
import type { Faults } from "./faults.ts";
import type { Session, Sessions } from "./sessions.ts";

export interface DoorOptions {
  readonly sessions: Sessions;
  readonly faults: Faults;
  readonly username: string;
  readonly password: string;
  /** Undefined: no API key is accepted. */
  readonly apiKey: string | undefined;
  /** `integration` where the key opens only that API (disputed in the field, unifi-api.md 1.4). */
  readonly apiKeyScope: "all" | "integration";
  /** `older`: UniFi OS 3: CSRF token on `/`, cookie without `partitioned`, wrong password and stale cookie 401. */
  readonly era: "current" | "older";
}

export interface Door {
  /** In front of the application's paths. */
  readonly prefix: string;
  /** Paths of the console itself, open to everybody; they check for themselves. */
  readonly front: readonly Endpoint[];
  /** Undefined when the request may pass to the application, else the refusal. */
  admit(x: Exchange): Reply | undefined;
  sessionOf(cookies: ReadonlyMap<string, string>): Session | undefined;
  /** Headers that every answer of a logged-in client carries. */
  headersFor(session: Session | undefined): Readonly<Record<string, string>>;
  /** A path that is neither front nor below the prefix. */
  unknown(x: Exchange): Reply;
}

const HOUR_MS = 3_600_000;
const REMEMBERED_MS = 30 * 24 * HOUR_MS;

/** Two hours, or thirty days with `rememberMe` (unifi-api.md 1.2). */
export function lifetimeOf(body: Exchange["body"]): number {
  return body.rememberMe === true || body.remember === true ? REMEMBERED_MS : 2 * HOUR_MS;
}

export const MFA_COOKIE = "UBIC_2FA";
const DEFAULT_MFA_TOKEN = "123456";

/** True when the login carries the second factor that the switch asks for. */
export function secondFactorGiven(x: Exchange, wanted = DEFAULT_MFA_TOKEN): boolean {
  const token = x.body.token ?? x.body.ubic_2fa_token;
  return x.cookies.has(MFA_COOKIE) && token === wanted;
}

const PAGE = "<!doctype html><html><head><title>UniFi</title></head><body><div id=app></div></body></html>";

export function htmlPage(status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, html: PAGE, headers };
}
