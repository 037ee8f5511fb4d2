/** UniFi OS: cookie TOKEN with CSRF, API keys, the application below /proxy/network (unifi-api.md 1.1, 1.2, 1.4). */
import { randomUUID } from "node:crypto";
import shapes from "./data/console.json" with { type: "json" };
import { type Door, type DoorOptions, htmlPage, lifetimeOf, MFA_COOKIE, secondFactorGiven } from "./door.ts";
import type { Endpoint, Exchange, Reply } from "./exchange.ts";
import { strike } from "./faults.ts";
import { missingKey } from "./integration-errors.ts";
import { osError } from "./replies.ts";
import type { Session } from "./sessions.ts";

const COOKIE = "TOKEN";
const PREFIX = "/proxy/network";

const LIMIT_REACHED = {
  code: "AUTHENTICATION_FAILED_LIMIT_REACHED",
  message: "You've reached the login attempt limit",
  level: "debug",
};
const WRONG_PASSWORD = {
  code: "AUTHENTICATION_FAILED_INVALID_CREDENTIALS",
  message: "Invalid username or password",
  level: "debug",
};

export function unifiOsDoor(options: DoorOptions): Door {
  const { sessions, faults } = options;
  const older = options.era === "older";
  const sessionOf = (cookies: ReadonlyMap<string, string>) => sessions.find(cookies.get(COOKIE));

  function login(x: Exchange): Reply {
    const target = { method: x.method, path: x.path };
    if (strike(faults, "loginRateLimited", target)) return { status: 429, body: LIMIT_REACHED };
    if (strike(faults, "loginBooting", target)) return htmlPage();
    // OS 3.2 stumbled over an expired cookie sent along (pyunifiprotect#320)
    if (older && x.cookies.has(COOKIE) && sessionOf(x.cookies) === undefined) return osError(401, "Unauthorized");
    if (x.body.username !== options.username || x.body.password !== options.password) {
      return { status: older ? 401 : 403, body: WRONG_PASSWORD };
    }
    const factor = faults.mfaRequired;
    if (factor !== undefined && !secondFactorGiven(x, factor.token)) {
      strike(faults, "mfaRequired", target);
      const mfaCookie = `${MFA_COOKIE}=${randomUUID()}`;
      return { status: 499, body: { data: { mfaCookie }, meta: { rc: "ok", msg: "" } } };
    }
    const session = sessions.open(options.username, lifetimeOf(x.body));
    const attributes = `path=/; samesite=none; secure; httponly${older ? "" : "; partitioned"}`;
    return {
      status: 200,
      body: { ...shapes.osUser, username: options.username },
      cookies: [`${COOKIE}=${session.token}; ${attributes}`],
      headers: csrfHeaders(session),
    };
  }

  function logout(x: Exchange): Reply {
    const session = sessionOf(x.cookies);
    if (session === undefined) return osError(401, "Unauthorized");
    if (x.headers["x-csrf-token"] !== session.csrf) return osError(403, "Invalid CSRF Token");
    sessions.close(session);
    return { status: 200, body: { success: true }, cookies: [`${COOKIE}=; path=/; max-age=0`] };
  }

  function self(x: Exchange): Reply {
    const session = sessionOf(x.cookies);
    return session === undefined
      ? osError(401, "Unauthorized")
      : { status: 200, body: { ...shapes.osUser, username: session.username } };
  }

  const front: readonly Endpoint[] = [
    row("GET", "/", () => htmlPage(200, older ? { "x-csrf-token": randomUUID() } : {})),
    row("POST", "/api/auth/login", login),
    row("POST", "/api/auth/logout", logout),
    row("GET", "/api/users/self", self),
  ];

  function admit(x: Exchange): Reply | undefined {
    const integration = x.path.startsWith("/integration/");
    const key = x.headers["x-api-key"];
    if (key !== undefined) {
      const good = key === options.apiKey && (integration || options.apiKeyScope === "all");
      return good ? undefined : osError(401, "Unauthorized");
    }
    if (integration) return missingKey(x);
    const session = sessionOf(x.cookies);
    if (session === undefined) return osError(401, "Unauthorized");
    if (strike(faults, "csrfRotated", { method: x.method, path: PREFIX + x.path })) session.csrf = randomUUID();
    const stale = x.method !== "GET" && x.headers["x-csrf-token"] !== session.csrf;
    return stale ? osError(403, "Invalid CSRF Token") : undefined;
  }

  return {
    prefix: PREFIX,
    front,
    admit,
    sessionOf,
    headersFor: (session) => (session === undefined ? {} : csrfHeaders(session)),
    unknown: () => osError(404, "Not found"),
  };
}

function row(method: string, path: string, answer: (x: Exchange) => Reply): Endpoint {
  return { method, path, write: false, answer };
}

/** Any answer may carry a new token; the client uses it for its next call. */
function csrfHeaders(session: Session): Readonly<Record<string, string>> {
  return {
    "x-csrf-token": session.csrf,
    "x-updated-csrf-token": session.csrf,
    "access-control-expose-headers": "X-Csrf-Token, X-Token-Expire-Time, X-Updated-Csrf-Token",
  };
}
