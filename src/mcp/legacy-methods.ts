/** What each request of the 2025 era answers: one row a method, results as JSON text. */
import type { BytesCache } from "./bytes-cache.ts";
import type { Caller } from "./caller.ts";
import { isRecord, RPC_CODES, RpcError, type RpcRequest } from "./json-rpc.ts";
import { NOT_FOUND_CODE } from "./resources.ts";
import type { SdkServerParts } from "./sdk-server.ts";

export interface LegacyCall {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly progress?: (done: number, total?: number, note?: string) => void;
  readonly listChanged?: () => void;
}

export interface LegacyResult {
  readonly json: Buffer | string;
  readonly delivered?: () => void;
}

type Method = (call: LegacyCall, params: Readonly<Record<string, unknown>>) => LegacyResult | Promise<LegacyResult>;

/** Throws RpcError for what the protocol refuses. */
export type AnswerLegacy = (call: LegacyCall, request: RpcRequest) => Promise<LegacyResult>;

export function createLegacyMethods(parts: SdkServerParts & { readonly cache: BytesCache }): AnswerLegacy {
  const { loaded, cache, callTool, resources } = parts;

  const methods: Readonly<Record<string, Method>> = {
    ping: () => ({ json: "{}" }),
    "tools/list": ({ caller: { listing, principal } }, params) => {
      refuseCursor(params);
      const names = loaded.of(principal);
      const key = `legacy list ${listing.key} ${names.join(" ")}`;
      return { json: cache.get(key) ?? cache.set(key, Buffer.from(JSON.stringify({ tools: listing.list(names) }))) };
    },
    "tools/call": async (call, params) => {
      const { name, arguments: args } = params;
      if (typeof name !== "string" || !(args === undefined || isRecord(args))) {
        throw new RpcError(RPC_CODES.invalidParams, "tools/call takes a name and an object of arguments.");
      }
      const { head, delivered } = await callTool(call, name, args);
      return { json: Buffer.concat([head, CLOSE]), ...(delivered === undefined ? {} : { delivered }) };
    },
    "resources/list": (_call, params) => {
      refuseCursor(params);
      return { json: JSON.stringify({ resources: resources.list }) };
    },
    "resources/templates/list": () => ({ json: '{"resourceTemplates":[]}' }),
    "resources/read": ({ caller }, { uri }) => {
      if (typeof uri !== "string") throw new RpcError(RPC_CODES.invalidParams, "resources/read takes a uri.");
      return { json: JSON.stringify({ contents: [resources.read(caller, uri, NOT_FOUND_CODE.legacy)] }) };
    },
  };

  return async (call, { method, params }) => {
    const answer = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (answer === undefined) throw new RpcError(RPC_CODES.methodNotFound, "Method not found");
    return answer(call, params ?? {});
  };
}

const CLOSE = Buffer.from("}");

function refuseCursor(params: Readonly<Record<string, unknown>>): void {
  if (params.cursor !== undefined)
    throw new RpcError(RPC_CODES.invalidParams, "Unknown cursor: this list has one page.");
}
