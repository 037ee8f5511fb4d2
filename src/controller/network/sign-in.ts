/** Signs in to a console and out again: the paths of both console types, and what each refusal means. */
import { EdgeError } from "../../errors.ts";
import { type Cookies, cookieHeader, sessionCookie, updateCookies } from "./cookies.ts";
import { csrfOf } from "./csrf.ts";
import { consoleDetails, mfaRequired, type ReadAnswer, readAnswer } from "./envelope.ts";
import type { Exchange } from "./exchange.ts";
import { exchangeFailure } from "./failures.ts";
import type { ControllerType } from "./options.ts";
import { unreachable } from "./unreachable.ts";

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface SignedIn {
  readonly cookies: Cookies;
  readonly csrf: string | undefined;
}

const PATHS = {
  proxy: { signIn: "/api/auth/login", signOut: "/api/auth/logout" },
  direct: { signIn: "/api/login", signOut: "/api/logout" },
} as const;

/** Refusals after which another attempt must wait: each would bring the console closer to locking the account. */
export const REFUSED_SIGN_IN = new Set([
  "CONTROLLER_AUTH_FAILED",
  "CONTROLLER_MFA_REQUIRED",
  "CONTROLLER_RATE_LIMITED",
]);

/** One attempt, without any old cookie: consoles refuse a sign-in that carries an expired one. */
export async function signIn(exchange: Exchange, type: ControllerType, credentials: Credentials): Promise<SignedIn> {
  const body = { username: credentials.username, password: credentials.password, rememberMe: true };
  const answer = await exchange({ method: "POST", path: PATHS[type].signIn, body }).catch((thrown: unknown) => {
    // nothing that the caller asked for has been sent yet, so this is never an unknown outcome
    throw exchangeFailure(thrown, false);
  });
  const read = readAnswer(answer);
  const refusal = refusedSignIn(type, read);
  if (refusal !== undefined) throw refusal;

  const cookies = updateCookies(new Map(), answer.setCookie);
  if (sessionCookie(cookies) === undefined) {
    throw new EdgeError("CONTROLLER_AUTH_FAILED", "The console accepted the sign-in without starting a session.");
  }
  return { cookies, csrf: csrfOf(answer.header, cookies) };
}

/** Ends the session on the console; its answer does not matter. */
export async function signOut(exchange: Exchange, type: ControllerType, session: SignedIn, signal: AbortSignal) {
  const headers = {
    cookie: cookieHeader(session.cookies),
    ...(session.csrf === undefined ? {} : { "x-csrf-token": session.csrf }),
  };
  await exchange({ method: "POST", path: PATHS[type].signOut, headers, signal });
}

/** Codes in a sign-in's answer that say more than its status. */
const SAID: Readonly<Record<string, (read: ReadAnswer) => EdgeError>> = {
  "api.err.Ubic2faTokenRequired": mfaRequired,
  AUTHENTICATION_FAILED_LIMIT_REACHED: tooManySignIns,
};

function refusedSignIn(type: ControllerType, read: ReadAnswer): EdgeError | undefined {
  const { status, refusal } = read;
  const said = refusal?.code === undefined ? undefined : SAID[refusal.code];
  if (said !== undefined) return said(read);
  if (status === 499) return mfaRequired();
  if (status === 429) return tooManySignIns(read);
  if (status === 404 || status === 405) return wrongType(type);
  if (status >= 500 || (status < 400 && !read.isJson)) {
    return unreachable(`The console cannot take sign-ins yet (HTTP ${status}).`);
  }
  return status >= 400 || refusal !== undefined ? refusedPassword(read) : undefined;
}

function refusedPassword(read: ReadAnswer): EdgeError {
  return new EdgeError("CONTROLLER_AUTH_FAILED", "The console refused the user name or password.", {
    hint: "Check UNIFI_USERNAME and UNIFI_PASSWORD; they must belong to a local account of the console.",
    ...consoleDetails(read.status, read.refusal),
  });
}

function tooManySignIns(read: ReadAnswer): EdgeError {
  return new EdgeError("CONTROLLER_RATE_LIMITED", "The console has seen too many sign-ins.", {
    hint: "Give the agent an account of its own, so that other programs do not use up its sign-ins.",
    ...(read.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: read.retryAfterSeconds }),
  });
}

function wrongType(type: ControllerType): EdgeError {
  const other = type === "proxy" ? "direct" : "proxy";
  return new EdgeError("CONTROLLER_UNSUPPORTED", `The console has no sign-in at ${PATHS[type].signIn}.`, {
    hint: `It may be of the other kind: try UNIFI_CONTROLLER_TYPE=${other}.`,
  });
}
