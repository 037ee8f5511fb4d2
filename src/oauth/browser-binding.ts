/** Ties a form to the browser that it was sent to: a `__Host-` cookie and a token in the form that only we can make. */
import { timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { EdgeError } from "../errors.ts";
import type { RandomBytes } from "../store/password-hash.ts";
import type { Sealing } from "./sealing.ts";

const ID_BYTES = 24;
const ID_PATTERN = /^[A-Za-z0-9_-]{32}$/;

export interface BrowserBinding {
  /** The browser's id, set as a cookie where it had none. */
  identify(request: FastifyRequest, reply: FastifyReply): string;
  /** The browser's id as its cookie says; undefined when it sent none. */
  idOf(request: FastifyRequest): string | undefined;
  /** The token for a form about `subject` in this browser. */
  tokenFor(browser: string, subject: string): string;
  /** Throws PERMISSION_DENIED when the form was not made for this browser and subject. */
  check(request: FastifyRequest, subject: string, token: string): string;
}

/** `__Host-` needs https; on loopback http (demo, tests) the plain name serves. */
export function createBrowserBinding(sealing: Sealing, random: RandomBytes, isHttps: boolean): BrowserBinding {
  const cookieName = isHttps ? "__Host-edge-browser" : "edge-browser";

  function idOf(request: FastifyRequest): string | undefined {
    const id = request.cookies[cookieName];
    return id !== undefined && ID_PATTERN.test(id) ? id : undefined;
  }

  function tokenFor(browser: string, subject: string): string {
    return sealing.sign("form", `${browser}\n${subject}`);
  }

  return {
    idOf,
    tokenFor,
    identify(request, reply) {
      const known = idOf(request);
      if (known !== undefined) return known;
      const id = random(ID_BYTES).toString("base64url");
      reply.setCookie(cookieName, id, { path: "/", httpOnly: true, secure: isHttps, sameSite: "lax" });
      return id;
    },
    check(request, subject, token) {
      const browser = idOf(request);
      if (browser !== undefined && equal(token, tokenFor(browser, subject))) return browser;
      throw new EdgeError("PERMISSION_DENIED", "This form was not sent to this browser.", {
        hint: "Allow cookies for this address and start again from the app.",
      });
    },
  };
}

function equal(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
