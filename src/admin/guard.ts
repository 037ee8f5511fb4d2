/** Who administers: on the unix socket whoever may open it, elsewhere the holder of an administration token. */
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { EdgeError } from "../errors.ts";
import { findAdminToken } from "../store/admin-tokens.ts";
import type { Store } from "../store/store.ts";

/** Verifies a bearer and returns the subject that the audit shows; undefined = no such token. */
export type Authenticate = (bearer: string) => Promise<string | undefined>;

const LOCAL_OPERATOR = "local operator";
const NOT_KNOWN = "unauthenticated";
/** Of one address, refused ones included. */
const REQUESTS_PER_MINUTE = 300;

const operator = Symbol("operator");

declare module "fastify" {
  interface FastifyRequest {
    [operator]: string;
  }
}

export function operatorOf(request: FastifyRequest): string {
  return request[operator];
}

/**
 * Stands before every route that is registered afterwards, and before the answer that there is no such route.
 * Without `authenticate` it lets everybody in: for the unix socket, where the file's mode is the guard.
 */
export function guard(app: FastifyInstance, authenticate: Authenticate | undefined): void {
  app.decorateRequest(operator, authenticate === undefined ? LOCAL_OPERATOR : NOT_KNOWN);
  if (authenticate === undefined) return;
  app.register(rateLimit, {
    global: false,
    max: REQUESTS_PER_MINUTE,
    timeWindow: "1 minute",
    errorResponseBuilder: (_request, { ttl }) =>
      new EdgeError("RATE_LIMITED", "Too many administration requests.", { retryAfterSeconds: Math.ceil(ttl / 1000) }),
  });
  app.after(() => {
    // counted first, so that guessing is slow too
    app.addHook("onRequest", app.rateLimit());
    app.addHook("onRequest", async (request, reply) => {
      const subject = await authenticate(bearerOf(request));
      if (subject === undefined) {
        reply.header("www-authenticate", 'Bearer realm="administration"');
        throw new EdgeError("UNAUTHENTICATED", REFUSED, { hint: HOW_TO_GET_ONE });
      }
      request[operator] = subject;
    });
  });
}

/** One answer, whatever is wrong with the token, and for tokens of MCP too. */
const REFUSED = "Administration needs a valid administration token (uea_…) as Bearer.";
const HOW_TO_GET_ONE = "Issue one on the gateway's machine: unifi-edge token admin issue";

function bearerOf({ headers }: FastifyRequest): string {
  return /^bearer ([^ ]+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}

/** Believes administration tokens only (scope `edge:admin` by nature); what opens /mcp opens nothing here. */
export function administrationTokens(store: Store, now: () => number): Authenticate {
  return async (bearer) => {
    const found = await findAdminToken(store, bearer, now());
    return found === undefined ? undefined : `administration token ${found.id}`;
  };
}
