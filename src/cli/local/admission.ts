/** Who may speak to the local server over HTTP: names against DNS rebinding, pages against browsers, a token elsewhere. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { Address } from "../../config/environment.ts";
import { EdgeError } from "../../errors.ts";

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

export interface AdmissionOptions {
  readonly address: Address;
  /** Undefined only on loopback. */
  readonly token: string | undefined;
  /** Further names, without port. */
  readonly hosts: readonly string[];
}

/** Throws CONFIG_INVALID for an address that others can reach while there is no token. */
export function assertGuarded({ address, token }: AdmissionOptions): void {
  if (token !== undefined || isLoopback(address.host)) return;
  throw new EdgeError(
    "CONFIG_INVALID",
    `Without a token this server listens on loopback only, not on ${address.host}.`,
    {
      hint: "Set UNIFI_EDGE_LOCAL_TOKEN or --token-file, or use --http 127.0.0.1:3000. For access from outside run a gateway.",
    },
  );
}

/** Judges a request by its headers; throws PERMISSION_DENIED (Host, Origin) or UNAUTHENTICATED. */
export function createAdmission({ address, token, hosts }: AdmissionOptions): (headers: IncomingHttpHeaders) => void {
  const names = new Set([...LOOPBACK_NAMES, ...hosts.map((host) => host.toLowerCase())]);
  // a rebound name cannot look like an address, so beyond loopback any address of this machine will do
  const addressesToo = !isLoopback(address.host);
  const expected = token === undefined ? undefined : digest(token);

  return ({ host = "", origin, authorization }) => {
    const name = hostname(host);
    if (name === undefined || !(names.has(name) || (addressesToo && isIP(name.replace(/^\[|\]$/g, "")) !== 0))) {
      throw new EdgeError("PERMISSION_DENIED", "This server does not go by that Host.", {
        hint: "Further names stand in UNIFI_EDGE_LOCAL_HOSTS.",
      });
    }
    if (origin !== undefined && origin !== `http://${host}`) {
      throw new EdgeError("PERMISSION_DENIED", "Pages of another Origin may not use this server.");
    }
    if (expected === undefined) return;
    const given = /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (given === undefined || !timingSafeEqual(digest(given), expected)) {
      throw new EdgeError("UNAUTHENTICATED", "This server asks for its token: Authorization: Bearer <token>.");
    }
  };
}

/** 127.0.0.0/8, ::1 and localhost. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** Of a Host header, in lower case; undefined where it is none. */
function hostname(host: string): string | undefined {
  return URL.canParse(`http://${host}`) && /^[\w.\-:[\]]+$/.test(host) ? new URL(`http://${host}`).hostname : undefined;
}

/** Equal lengths, which the comparison needs. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
