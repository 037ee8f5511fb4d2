/** The SDK's low-level server over our own table: one per request or per stdio connection, cheap because nothing is built. */
import { type CallToolResult, ProtocolError, Server, type Tool } from "@modelcontextprotocol/server";
import type { Caller } from "./caller.ts";
import type { LoadedTools } from "./execution.ts";
import { RPC_CODES, RpcError } from "./json-rpc.ts";
import { NOT_FOUND_CODE, type Resources } from "./resources.ts";
import type { CallTool } from "./tool-calls.ts";

export interface Identity {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

export const LIST_TTL_MS = 60_000;
export const CAPABILITIES = { tools: { listChanged: true }, resources: {} } as const;
/** Lists differ by grant, so no cache may share them between tokens. */
const PRIVATE_HINT = { ttlMs: LIST_TTL_MS, cacheScope: "private" } as const;
/** The reference text is the same for everybody, but locations are not, and one scope serves both. */
const CACHE_HINTS = {
  "server/discover": PRIVATE_HINT,
  "tools/list": PRIVATE_HINT,
  "resources/list": PRIVATE_HINT,
  "resources/templates/list": PRIVATE_HINT,
  "resources/read": { ttlMs: 0, cacheScope: "private" },
} as const;

export interface SdkServerParts {
  readonly identity: Identity;
  readonly instructions: string;
  readonly loaded: LoadedTools;
  readonly callTool: CallTool;
  readonly resources: Resources;
}

export interface SdkServerHooks {
  /** The call's answer is on its way; runs its `delivered` when it has arrived. */
  answered(delivered: (() => void) | undefined): void;
  /** load_tools changed the caller's own list. */
  readonly listChanged?: () => void;
}

/** `callerNow` is asked at every request: on a long-lived stdio connection what is visible changes. */
export function createSdkServer(
  parts: SdkServerParts,
  callerNow: () => Caller,
  era: "modern" | "legacy",
  hooks: SdkServerHooks,
): Server {
  const { identity, instructions, loaded, callTool, resources } = parts;
  const server = new Server({ ...identity }, { capabilities: CAPABILITIES, instructions, cacheHints: CACHE_HINTS });

  server.setRequestHandler("tools/list", (request) =>
    answer(() => {
      refuseCursor(request.params?.cursor);
      const { listing, principal } = callerNow();
      // our ListedTool is the protocol's Tool with readonly fields
      return { tools: listing.list(loaded.of(principal)) as unknown as Tool[] };
    }),
  );
  server.setRequestHandler("tools/call", (request, context) =>
    answer(async () => {
      const token = request.params._meta?.progressToken;
      const { head, delivered } = await callTool(
        {
          caller: callerNow(),
          signal: context.mcpReq.signal,
          ...(hooks.listChanged === undefined ? {} : { listChanged: hooks.listChanged }),
          ...(token === undefined
            ? {}
            : {
                progress: increasing((progress, total, message) => {
                  const params = {
                    progressToken: token,
                    progress,
                    ...(total === undefined ? {} : { total }),
                    ...(message === undefined ? {} : { message }),
                  };
                  // a notification that finds the client gone is no fault of the call
                  context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
                }),
              }),
        },
        request.params.name,
        request.params.arguments,
      );
      hooks.answered(delivered);
      // made by result.ts, as the protocol's CallToolResult
      return JSON.parse(`${head.toString("utf8")}}`) as CallToolResult;
    }),
  );
  server.setRequestHandler("resources/list", (request) =>
    answer(() => {
      refuseCursor(request.params?.cursor);
      return { resources: resources.list.map((entry) => ({ ...entry })) };
    }),
  );
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
  server.setRequestHandler("resources/read", (request) =>
    answer(() => ({ contents: [{ ...resources.read(callerNow(), request.params.uri, NOT_FOUND_CODE[era]) }] })),
  );
  return server;
}

/** Ours in the SDK's terms. */
async function answer<Result>(make: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await make();
  } catch (thrown) {
    if (thrown instanceof RpcError) throw new ProtocolError(thrown.code, thrown.message, thrown.data);
    throw thrown;
  }
}

/** Lists come whole, so any cursor is somebody else's. */
function refuseCursor(cursor: unknown): void {
  if (cursor !== undefined) throw new RpcError(RPC_CODES.invalidParams, "Unknown cursor: this list has one page.");
}

/** Passes on only what is further along than before: progress must increase strictly. */
export function increasing(send: (done: number, total?: number, note?: string) => void) {
  let last = Number.NEGATIVE_INFINITY;
  return (done: number, total?: number, note?: string) => {
    if (done <= last) return;
    last = done;
    send(done, total, note);
  };
}
