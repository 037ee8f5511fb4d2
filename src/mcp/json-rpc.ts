/** JSON-RPC 2.0 as MCP uses it: message shapes, the codes we raise, and errors as bytes. */
import type { EdgeError } from "../errors.ts";

export type RequestId = string | number;

export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface RpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** 2025 era only; the 2026-07-28 era answers invalidParams. */
  resourceNotFound: -32002,
} as const;

/** A refusal that is an error of the protocol and not a tool's result (e.g. an unknown top-level tool). */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: number, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** `{"jsonrpc":"2.0","id":…,"error":{code,message,data?}}`; the id is null where none was readable. */
export function rpcErrorBody(code: number, message: string, id: RequestId | null = null, data?: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
}

/** An error of ours in JSON-RPC form, for refusals outside any tool (rate limits, body size, bad JSON). */
export function rpcErrorOf(error: EdgeError, id: RequestId | null = null): string {
  const code = error.status >= 500 ? RPC_CODES.internal : RPC_CODES.invalidRequest;
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    error: {
      code,
      message: error.message,
      data: { code: error.code, ...(error.hint === undefined ? {} : { hint: error.hint }) },
    },
  });
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isRequest(value: unknown): value is RpcRequest {
  return isMessage(value) && (typeof value.id === "string" || Number.isSafeInteger(value.id));
}

export function isNotification(value: unknown): value is RpcNotification {
  return isMessage(value) && !Object.hasOwn(value, "id");
}

/** An answer to something the server asked. */
export function isResponse(value: unknown): boolean {
  return isRecord(value) && value.jsonrpc === "2.0" && ("result" in value || "error" in value) && !("method" in value);
}

function isMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value) || value.jsonrpc !== "2.0" || typeof value.method !== "string") return false;
  return value.params === undefined || isRecord(value.params);
}
