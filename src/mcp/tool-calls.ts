/** `tools/call`, the same for both eras: finds who answers a name, and turns every refusal into a tool's answer. */
import type { App, ManifestTool } from "../catalog/manifest.ts";
import { printable } from "../catalog/printable.ts";
import { asEdgeError, EdgeError } from "../errors.ts";
import type { BytesCache } from "./bytes-cache.ts";
import type { Call } from "./caller.ts";
import { splitPlace } from "./domain-tools.ts";
import type { Execution, LoadedTools } from "./execution.ts";
import { isRecord, RPC_CODES, RpcError } from "./json-rpc.ts";
import type { Listing } from "./listing.ts";
import { type BatchArguments, batch } from "./meta/batch.ts";
import { batchStatus, type StatusArguments } from "./meta/batch-status.ts";
import { execute } from "./meta/execute.ts";
import { loadTools } from "./meta/load-tools.ts";
import { type IndexArguments, toolIndex } from "./meta/tool-index.ts";
import type { MetaKind, MetaTool } from "./meta-tools.ts";
import {
  answerOf,
  type ContentMode,
  failureAnswer,
  jsonAnswer,
  type Shape,
  TEXT_ONLY,
  type ToolAnswer,
} from "./result.ts";

export interface Log {
  error(details: object, message: string): void;
  debug(details: object, message: string): void;
}

export interface ToolCallParts {
  readonly execution: Execution;
  readonly loaded: LoadedTools;
  readonly cache: BytesCache;
  readonly contentMode: ContentMode;
  readonly log: Log;
}

export interface ToolCall extends Call {
  /** Runs when load_tools has changed the caller's own list. */
  readonly listChanged?: () => void;
}

type Answer = ToolAnswer | Promise<ToolAnswer>;
type Handler = (call: ToolCall, args: Readonly<Record<string, unknown>>, app: App) => Answer;

/**
 * Answers a call; failures are answers with isError (design 3.1).
 * Throws RpcError invalidParams for a name that nobody has: the one fault that is the protocol's.
 */
export type CallTool = (call: ToolCall, name: string, args: unknown) => Answer;

export function createToolCalls({ execution, loaded, cache, contentMode, log }: ToolCallParts): CallTool {
  // Each row's arguments have passed the meta-tool's schema (meta-tools.ts), which states the types cast to here
  const handlers: Readonly<Record<MetaKind, Handler>> = {
    tool_index: (call, args, app) =>
      toolIndex(cache, execution.visible(call.caller.principal), app, call, args as IndexArguments),
    execute: async (call, args) =>
      answerOf(
        await execute(execution, call, {
          tool: args.tool as string,
          arguments: args.arguments,
          location: args.location,
          site: args.site,
          repeat: args.repeat === true,
        }),
        TEXT_ONLY,
      ),
    batch: async (call, args, app) => answerOf(await batch(execution, app, call, args as BatchArguments), TEXT_ONLY),
    batch_status: async (call, args) =>
      answerOf(await batchStatus(execution, call, args as StatusArguments), TEXT_ONLY),
    load_tools: async (call, args) => {
      const { json, isError, changed } = await loadTools(loaded, call, args.tools as readonly string[]);
      if (changed) call.listChanged?.();
      return jsonAnswer(json, isError);
    },
    list_locations: (call) => jsonAnswer(locationsJson(execution, call)),
  };

  const directShape: Shape = { structured: true, contentMode };

  async function direct(call: ToolCall, tool: ManifestTool, given: unknown): Promise<ToolAnswer> {
    const { own, location, site } = splitPlace(tool, isRecord(given) ? given : {});
    const { name } = tool;
    // its body becomes structuredContent
    const outcome = await execute(execution, call, { tool: name, arguments: own, location, site, whole: true });
    return answerOf(outcome, directShape);
  }

  /** What nearly everybody asks first, the index in full: nothing to check, and the same for all who share the listing. */
  const wholeIndexes = new WeakMap<Listing, Map<MetaTool, ToolAnswer>>();

  function wholeIndex(call: ToolCall, meta: MetaTool): ToolAnswer {
    const { listing, principal } = call.caller;
    const known = wholeIndexes.get(listing)?.get(meta);
    if (known !== undefined) return known;
    const answer = toolIndex(cache, execution.visible(principal), meta.app ?? "network", call, {});
    wholeIndexes.set(listing, new Map([...(wholeIndexes.get(listing) ?? []), [meta, answer]]));
    return answer;
  }

  function byMeta(call: ToolCall, meta: MetaTool, args: unknown): Answer {
    if (meta.kind === "tool_index" && isEmpty(args)) return wholeIndex(call, meta);
    const checked = call.caller.listing.checkMeta(meta.rules.name, args);
    return handlers[meta.kind](call, checked, meta.app ?? "network");
  }

  // What is there at once, as the index is, is answered without a promise
  return (call, name, args) => {
    const { listing } = call.caller;
    const meta = listing.meta(name);
    const tool = listing.tool(name);
    const failed = (thrown: unknown): ToolAnswer => {
      if (!(thrown instanceof EdgeError)) {
        log.error({ err: thrown, tool: name }, "a tool call failed for a reason of our own");
      }
      return failureAnswer(asEdgeError(thrown), meta === undefined ? directShape : TEXT_ONLY);
    };
    try {
      if (meta !== undefined) return settled(byMeta(call, meta, args), failed);
      if (tool !== undefined) return settled(direct(call, tool, args), failed);
    } catch (thrown) {
      return failed(thrown);
    }
    throw unknownTool(name, listing.nearest(name));
  };
}

function isEmpty(args: unknown): boolean {
  if (args === undefined) return true;
  return isRecord(args) && Object.keys(args).length === 0;
}

function settled(answer: Answer, failed: (thrown: unknown) => ToolAnswer): Answer {
  return answer instanceof Promise ? answer.catch(failed) : answer;
}

/** `{locations, count}`, for the tool and the resource alike. */
export function locationsJson(execution: Execution, call: Pick<Call, "caller">): string {
  const { locations } = execution.visible(call.caller.principal);
  return JSON.stringify({ success: true, count: locations.length, locations });
}

function unknownTool(name: string, nearest: readonly string[]): RpcError {
  return new RpcError(
    RPC_CODES.invalidParams,
    `Unknown tool "${printable(name, 100)}". Nearest: ${nearest.join(", ")}.`,
  );
}
