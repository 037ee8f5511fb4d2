/**
 * Recognises requests of the 2026-07-28 era that are said in full and in one way, without the SDK's classifier: a subset
 * of what that accepts, so whatever is unusual or wrong is judged there (design 7).
 */
import type { IncomingMessage } from "node:http";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server";
import { isRecord, isRequest, type RpcRequest } from "./json-rpc.ts";

export const MODERN_VERSION = "2026-07-28";

/** What each fast method may carry in params beside `_meta`. */
const PARAMS: Readonly<Record<string, readonly string[]>> = {
  "tools/list": [],
  "server/discover": [],
  "tools/call": ["name", "arguments"],
};

type Test = (value: unknown) => boolean;

/** What `_meta` may carry; a progress token or a log level asks for messages beside the answer. */
const META: Readonly<Record<string, Test>> = {
  [PROTOCOL_VERSION_META_KEY]: (version) => version === MODERN_VERSION,
  [CLIENT_CAPABILITIES_META_KEY]: (capabilities) => isRecordOf(capabilities, CAPABILITIES),
  [CLIENT_INFO_META_KEY]: (info) => isRecordOf(info, IDENTITY) && isText(info.name) && isText(info.version),
  traceparent: isText,
  tracestate: isText,
};

const CAPABILITIES: Readonly<Record<string, Test>> = {
  roots: (roots) => isRecordOf(roots, { listChanged: (value) => typeof value === "boolean" }),
  sampling: (sampling) => isRecordOf(sampling, {}),
  elicitation: (elicitation) =>
    isRecordOf(elicitation, { form: (form) => isRecordOf(form, {}), url: (url) => isRecordOf(url, {}) }),
};

const IDENTITY: Readonly<Record<string, Test>> = { name: isText, version: isText, title: isText };

/** True when the envelope is valid and the headers equal the body to the letter. */
export function isPlainRequest(req: IncomingMessage, body: unknown): body is RpcRequest {
  if (req.method !== "POST" || req.headers["mcp-protocol-version"] !== MODERN_VERSION || !isRequest(body)) return false;
  const { method, params } = body;
  const allowed = Object.hasOwn(PARAMS, method) ? PARAMS[method] : undefined;
  if (allowed === undefined || params === undefined || req.headers["mcp-method"] !== method) return false;
  if (!Object.keys(params).every((name) => name === "_meta" || allowed.includes(name))) return false;
  const { _meta: meta, name, arguments: args } = params;
  if (!isRecordOf(meta, META) || !(PROTOCOL_VERSION_META_KEY in meta) || !(CLIENT_CAPABILITIES_META_KEY in meta))
    return false;
  if (method !== "tools/call") return true;
  return typeof name === "string" && req.headers["mcp-name"] === name && (args === undefined || isRecord(args));
}

/** An object whose every field is known and passes its test. */
function isRecordOf(value: unknown, tests: Readonly<Record<string, Test>>): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(([name, field]) => Object.hasOwn(tests, name) && tests[name]?.(field) === true);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
