/** The standalone Network application: cookie unifises, no prefix, `/` leads to /manage (unifi-api.md 1.1, 1.3). */
import { randomUUID } from "node:crypto";
import { type Door, type DoorOptions, htmlPage, lifetimeOf, MFA_COOKIE, secondFactorGiven } from "./door.ts";
import type { Endpoint, Exchange, Reply } from "./exchange.ts";
import { strike } from "./faults.ts";
import { ok, osError, v1Error } from "./replies.ts";
import { status } from "./v1-global.ts";

const COOKIE = "unifises";

export function standaloneDoor(options: DoorOptions): Door {
  const { sessions, faults } = options;
  const sessionOf = (cookies: ReadonlyMap<string, string>) => sessions.find(cookies.get(COOKIE));

  function login(x: Exchange): Reply {
    const target = { method: x.method, path: x.path };
    if (strike(faults, "loginRateLimited", target)) return { ...v1Error("LimitReached"), status: 429 };
    if (strike(faults, "loginBooting", target)) return htmlPage();
    if (x.body.username !== options.username || x.body.password !== options.password) return v1Error("Invalid");
    const factor = faults.mfaRequired;
    if (factor !== undefined && !secondFactorGiven(x, factor.token)) {
      strike(faults, "mfaRequired", target);
      return v1Error("Ubic2faTokenRequired", {}, [secondFactorOffer()]);
    }
    const session = sessions.open(options.username, lifetimeOf(x.body));
    const cookies = [
      `${COOKIE}=${session.token}; Path=/; Secure; HttpOnly`,
      `csrf_token=${session.csrf}; Path=/; Secure`,
    ];
    return { ...ok([]), cookies };
  }

  function logout(x: Exchange): Reply {
    const session = sessionOf(x.cookies);
    if (session !== undefined) sessions.close(session);
    return ok([]);
  }

  const front: readonly Endpoint[] = [
    row("GET", "/", () => ({ status: 302, headers: { location: "/manage" } })),
    row("GET", "/manage", () => htmlPage()),
    row("GET", "/status", status),
    row("POST", "/status", status),
    row("POST", "/api/login", login),
    row("POST", "/api/logout", logout),
    row("GET", "/logout", logout),
    row("POST", "/logout", logout),
    // paths of UniFi OS are objects it does not know
    row("POST", "/api/auth/login", () => v1Error("InvalidObject")),
    row("GET", "/api/users/self", () => v1Error("InvalidObject")),
  ];

  return {
    prefix: "",
    front,
    admit: (x) => {
      if (!isApplicationPath(x.path)) return notFound();
      return sessionOf(x.cookies) === undefined ? v1Error("LoginRequired") : undefined;
    },
    sessionOf,
    headersFor: () => ({}),
    unknown: () => notFound(),
  };
}

/** The integration API is UniFi OS's, and so is everything below /proxy. */
function isApplicationPath(path: string): boolean {
  return path.startsWith("/api/") || path.startsWith("/v2/api/");
}

function notFound(): Reply {
  return osError(404, "Not found");
}

function secondFactorOffer() {
  const authenticators = [{ id: "demo", type: "totp", status: "active", name: "App" }];
  return { default_mfa: "demo", mfa_cookie: `${MFA_COOKIE}=${randomUUID()}`, authenticators };
}

function row(method: string, path: string, answer: (x: Exchange) => Reply): Endpoint {
  return { method, path, write: false, answer };
}
