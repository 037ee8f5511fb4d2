/** Failures of the integration API, with the request they belong to. */
import type { Exchange, Reply } from "./exchange.ts";
import { integrationError } from "./replies.ts";
import { uuidOf } from "./world.ts";

const STATUS_NAME = { 400: "BAD_REQUEST", 401: "UNAUTHORIZED", 404: "NOT_FOUND" } as const;

function failure(x: Exchange, status: keyof typeof STATUS_NAME, code: string, message: string): Reply {
  const statusName = STATUS_NAME[status];
  const requestId = uuidOf(x.world.newId());
  return integrationError({ status, statusName, code, message, path: x.path, nowMs: x.world.now(), requestId });
}

export function badRequest(x: Exchange, message: string): Reply {
  return failure(x, 400, "api.request.invalid", message);
}

export function missingKey(x: Exchange): Reply {
  return failure(x, 401, "api.authentication.missing-credentials", "Missing credentials");
}

export function notFound(x: Exchange, what: string): Reply {
  return failure(x, 404, "api.object.not-found", `${what} not found`);
}
