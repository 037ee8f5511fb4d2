/** What the MCP server needs from outside: it is handed in, so mcp knows neither tunnel nor agent nor store. */
import type { App, ManifestTool } from "../catalog/manifest.ts";
import type { EdgeError } from "../errors.ts";
import type { Action, Principal } from "../principal.ts";

/**
 * An answer as bytes, never parsed on its way. `body` is an image or one JSON object; that an agent's object is whole is
 * sure only where it was asked for (Asking.whole).
 */
export interface Outcome {
  readonly isError: boolean;
  readonly type: "json" | "image/jpeg" | "image/png";
  readonly body: Buffer;
  /** Called once the client's socket took the whole answer: an identical write may then run again. */
  readonly delivered?: () => void;
}

export interface Asking {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly progress?: (done: number, total?: number, note?: string) => void;
  /** The answer will be a value inside other JSON, so it must be one whole object: what is none is a failure. */
  readonly whole?: boolean;
}

export interface ExecuteRequest {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Undefined = none given; a string (`"*"` included) or a list, as the client wrote it. */
  readonly location?: string | readonly string[];
  readonly site?: string;
  readonly repeat?: boolean;
}

export interface BatchStart {
  readonly app: App;
  readonly operations: readonly {
    readonly tool: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly location?: string;
    readonly site?: string;
    readonly after?: readonly number[];
    readonly deadlineSeconds?: number;
    readonly repeat?: boolean;
  }[];
  readonly confirmToken?: string;
}

export type BatchQuestion =
  | { readonly jobId: string }
  | { readonly jobIds: readonly string[] }
  | { readonly batchId: string };

export interface LocationView {
  readonly id: string;
  readonly name: string;
  readonly organisation: string;
  readonly status: "online" | "offline";
  /** ISO 8601; since when it is offline, where known. */
  readonly offline_since?: string;
  readonly apps: readonly App[];
  readonly agent_version?: string;
}

/** A tool that only some locations have and the gateway's manifest does not know (design 2). */
export interface ForeignTool {
  readonly tool: ManifestTool;
  readonly locations: readonly string[];
}

/** What this principal can see, and a revision that changes whenever any of it does (a cache key part). */
export interface Visible {
  readonly revision: string;
  readonly apps: ReadonlySet<App>;
  readonly locations: readonly LocationView[];
  readonly foreign: readonly ForeignTool[];
  /** Names of the gateway's own tools that no visible location has (an agent can only lack a tool). */
  readonly lacking: ReadonlySet<string>;
}

export interface RefusedCall {
  readonly tool: string;
  readonly action: Action;
  readonly error: EdgeError;
}

export interface Execution {
  /** Told of every call that was refused for lack of rights before it came here, so that no decision goes unrecorded. */
  refused?(principal: Principal, refused: RefusedCall): void;
  /** From memory, refreshed in the background: lists and index cost no round trip. */
  visible(principal: Principal): Visible;
  /**
   * Arguments are already validated. Resolves with the tool's own answer, location first; failures are outcomes with
   * isError (design 3.1 error shape), so it rejects only for defects.
   */
  execute(request: ExecuteRequest, asking: Asking): Promise<Outcome>;
  batch(request: BatchStart, asking: Asking): Promise<Outcome>;
  cancelBatch(batchId: string, asking: Asking): Promise<Outcome>;
  /** `waitMs` = how long to wait for an end before answering, 0 to 25000. */
  batchStatus(question: BatchQuestion, waitMs: number, asking: Asking): Promise<Outcome>;
}

/** What load_tools added to a grant's list, across replicas. */
export interface LoadedTools {
  /** From memory; refreshed within a second of a change elsewhere. */
  of(principal: Principal): readonly string[];
  /** Returns the whole list afterwards, at most 40 names. */
  add(principal: Principal, names: readonly string[]): Promise<readonly string[]>;
  /** Runs for every grant whose list changed, on any replica. */
  changed(listener: (org: string, grant: string) => void): () => void;
}
