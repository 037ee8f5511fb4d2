/** The envelopes of each API family (unifi-api.md section 2). */
import type { Reply, Row } from "./exchange.ts";

/** v1 success: `{meta:{rc:"ok"},data}`. */
export function ok(data: readonly unknown[], meta: Row = {}): Reply {
  return { status: 200, body: { meta: { rc: "ok", ...meta }, data } };
}

/** HTTP status of v1 error codes that are not 400. */
const V1_STATUS: Readonly<Record<string, number>> = {
  LoginRequired: 401,
  NoSiteContext: 401,
  NoPermission: 403,
  NotFound: 404,
};

/** v1 failure; `code` is given without its `api.err.` prefix. */
export function v1Error(code: string, meta: Row = {}, data: readonly unknown[] = []): Reply {
  const status = V1_STATUS[code] ?? 400;
  return { status, body: { meta: { rc: "error", msg: `api.err.${code}`, ...meta }, data } };
}

/** v1 failure of one field: names it and the pattern it had to match. */
export function v1Invalid(field: string, pattern: string): Reply {
  const meta = { rc: "error", msg: "api.err.InvalidPayload", validationError: { field, pattern } };
  return v1Error("InvalidPayload", {}, [{ meta }]);
}

/** v2 failure in the application's own form. */
export function v2Error(status: number, code: string, message: string, invalidFields: readonly string[] = []): Reply {
  const details = { invalid_fields: invalidFields };
  return { status, body: { code: `api.err.${code}`, errorCode: status, message, details } };
}

/** v2 failure in the framework's form: a bad method, an unparsable value. */
export function v2Plain(status: number, message: string): Reply {
  return { status, body: { errorCode: status, message } };
}

/** UniFi OS gateway: 401 is flat, the others nest (unifi-api.md section 2). */
export function osError(status: number, message: string): Reply {
  return { status, body: status === 401 ? { code: 401, message } : { error: { code: status, message } } };
}

export interface IntegrationFailure {
  readonly status: number;
  readonly statusName: string;
  readonly code: string;
  readonly message: string;
  readonly path: string;
  readonly nowMs: number;
  readonly requestId: string;
}

export function integrationError(failure: IntegrationFailure): Reply {
  const body = {
    statusCode: failure.status,
    statusName: failure.statusName,
    code: failure.code,
    message: failure.message,
    timestamp: new Date(failure.nowMs).toISOString(),
    requestPath: failure.path,
    requestId: failure.requestId,
  };
  return { status: failure.status, body };
}
