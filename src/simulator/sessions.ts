/** Logged-in sessions of the console, by cookie value. */
import { createHmac, randomBytes, randomUUID } from "node:crypto";

export interface Session {
  /** Cookie value: a JWT on UniFi OS, random text on a standalone console. */
  readonly token: string;
  readonly username: string;
  readonly expiresAtMs: number;
  csrf: string;
}

export interface Sessions {
  open(username: string, lifetimeMs: number): Session;
  /** The live session of this cookie value. */
  find(token: string | undefined): Session | undefined;
  close(session: Session): void;
  closeAll(): void;
  /** Called with each session that ends, so that its event sockets end too. */
  onEnd: (session: Session) => void;
}

/** Older ones make room: a console keeps going however often a client logs in. */
const MAX_SESSIONS = 1000;

export function createSessions(now: () => number): Sessions {
  const secret = randomBytes(32);
  const byToken = new Map<string, Session>();

  const sessions: Sessions = {
    onEnd: () => {},

    open(username, lifetimeMs) {
      const csrf = randomUUID();
      const expiresAtMs = now() + lifetimeMs;
      const token = signJwt(secret, {
        userId: "fc2af06c-cbc8-4a0a-9542-50e513d29767",
        passwordRevision: 1_585_163_886,
        isRemembered: true,
        csrfToken: csrf,
        iat: Math.floor(now() / 1000),
        exp: Math.floor(expiresAtMs / 1000),
        jti: randomUUID(),
      });
      const session: Session = { token, username, expiresAtMs, csrf };
      byToken.set(token, session);
      const oldest = byToken.values().next().value;
      if (byToken.size > MAX_SESSIONS && oldest !== undefined) sessions.close(oldest);
      return session;
    },

    find(token) {
      const session = token === undefined ? undefined : byToken.get(token);
      if (session === undefined || session.expiresAtMs > now()) return session;
      sessions.close(session);
      return undefined;
    },

    close(session) {
      if (byToken.delete(session.token)) sessions.onEnd(session);
    },

    closeAll() {
      for (const session of [...byToken.values()]) sessions.close(session);
    },
  };
  return sessions;
}

/** HS256; clients read `csrfToken` from the claims and never check the signature. */
function signJwt(secret: Buffer, claims: Readonly<Record<string, unknown>>): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}
