/** oidc-provider's endpoints in Fastify, with what real clients need done to their requests first. */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type Provider from "oidc-provider";
import { SCOPES } from "../principal.ts";
import { fitRegistration } from "./client-metadata.ts";
import { PROVIDER_PATHS } from "./provider.ts";

const REGISTRATION_LIMIT_BYTES = 16 * 1024;
const REQUESTS_PER_MINUTE = 240;
const REGISTRATIONS_PER_MINUTE = 30;

/** Registers them on `app`, which must be a scope of its own: its body parsers are removed. */
export async function providerRoutes(app: FastifyInstance, provider: Provider, publicUrl: URL): Promise<void> {
  const callback = provider.callback();

  async function handOver(request: FastifyRequest, reply: FastifyReply, raw: IncomingMessage): Promise<void> {
    // What the provider takes for its own address comes from the configuration only.
    request.raw.headers["x-forwarded-proto"] = publicUrl.protocol.slice(0, -1);
    request.raw.headers["x-forwarded-host"] = publicUrl.host;
    reply.hijack();
    await callback(raw, reply.raw);
  }

  await app.register(rateLimit, { max: REQUESTS_PER_MINUTE, timeWindow: "1 minute" });
  app.removeAllContentTypeParsers();
  // Bodies are left in the stream: the provider reads them.
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer", bodyLimit: REGISTRATION_LIMIT_BYTES },
    (_request, body, done) => done(null, body),
  );

  app.get(PROVIDER_PATHS.authorization, async (request, reply) => {
    request.raw.url = withScope(request.raw.url ?? "");
    await handOver(request, reply, request.raw);
  });
  app.post(
    PROVIDER_PATHS.registration,
    { config: { rateLimit: { max: REGISTRATIONS_PER_MINUTE, timeWindow: "1 minute" } } },
    async (request, reply) => {
      const raw = request.body instanceof Buffer ? withBody(request.raw, fitted(request.body)) : request.raw;
      await handOver(request, reply, raw);
    },
  );
  const unchanged = [
    ["GET", `${PROVIDER_PATHS.authorization}/:uid`],
    ["GET", "/.well-known/oauth-authorization-server"],
    ["GET", "/.well-known/openid-configuration"],
    ["OPTIONS", "/.well-known/oauth-authorization-server"],
    ["OPTIONS", "/.well-known/openid-configuration"],
    ["GET", PROVIDER_PATHS.jwks],
    ["OPTIONS", PROVIDER_PATHS.jwks],
    ["POST", PROVIDER_PATHS.token],
    ["OPTIONS", PROVIDER_PATHS.token],
    ["POST", PROVIDER_PATHS.revocation],
    ["OPTIONS", PROVIDER_PATHS.revocation],
  ] as const;
  for (const [method, url] of unchanged) {
    app.route({
      method,
      url,
      exposeHeadRoute: false,
      handler: (request, reply) => handOver(request, reply, request.raw),
    });
  }
}

/**
 * The authorization request with the scopes that its own imply: none means read (the provider would refuse it), and
 * write cannot be without read, so that a person can grant less than was asked.
 */
export function withScope(url: string): string {
  const { pathname, searchParams: parameters } = new URL(url, "http://any");
  const wanted = (parameters.get("scope") ?? "").split(" ").filter(Boolean);
  const highest = SCOPES.findLastIndex((scope) => wanted.includes(scope));
  const implied = SCOPES.slice(0, Math.max(highest, 0) + 1);
  parameters.set("scope", [...new Set([...wanted, ...implied])].join(" "));
  return `${pathname}?${parameters}`;
}

function fitted(body: Buffer): Buffer {
  try {
    return Buffer.from(JSON.stringify(fitRegistration(JSON.parse(body.toString("utf8")))));
  } catch {
    return body; // not JSON: the provider says so in its own words
  }
}

/** The same request with another body: the provider warns about bodies that were read before it, so it gets a stream. */
function withBody(raw: IncomingMessage, body: Buffer): IncomingMessage {
  const { method, url, httpVersion, socket } = raw;
  raw.headers["content-length"] = String(body.byteLength);
  const copy = Object.assign(Readable.from([body], { objectMode: false }), {
    method,
    url,
    httpVersion,
    socket,
    headers: raw.headers,
  });
  return copy as unknown as IncomingMessage; // Koa and the provider use these members only
}
