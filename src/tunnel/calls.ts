/**
 * What travels through the tunnel, seen from its two users: the gateway asks, the agent answers.
 * `unifi-edge local` joins both in one process and passes these by hand.
 */

/** On whose behalf; bound into confirm tokens and the twin fingerprint. */
export interface CallOwner {
  readonly org: string;
  readonly subject: string;
  readonly grant: string;
}

export interface CallRequest {
  /**
   * Key of at-most-once: a write's confirm_token, `<batchId>:<index>`, or a UUIDv7.
   * The same id never runs twice; a repeat answers with the first outcome.
   */
  readonly id: string;
  readonly console?: string;
  readonly site?: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** A hint: the agent takes the kind from its own declaration and refuses a mismatch (design 6). */
  readonly kind: "read" | "write";
  /** Remaining milliseconds at this send, counted on the agent's monotonic clock. */
  readonly ttlMs: number;
  readonly owner: CallOwner;
  /** Forces a run although an identical write is unresolved or undelivered. */
  readonly repeat?: boolean;
  /** W3C traceparent. */
  readonly trace?: string;
  /** The answer may have at most so many bytes (a fan-out shares its budget); the agent cuts rows and says so. */
  readonly maxBytes?: number;
}

/** Bytes, isError and type: never an object (seam of design 7: tool bodies pass through unparsed). */
export interface CallResult {
  readonly isError: boolean;
  /** `json` = one JSON object in UTF-8; otherwise an image's MIME type. */
  readonly type: "json" | "image/jpeg" | "image/png";
  readonly body: Buffer;
}

export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly note?: string;
}

export interface CallEvents {
  /** The write's journal row is durable; from here on a lost answer means OUTCOME_UNKNOWN, not "not executed". */
  accepted?(): void;
  progress?(progress: Progress): void;
  readonly signal?: AbortSignal;
}

export interface BatchOperation {
  readonly index: number;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly console?: string;
  readonly site?: string;
  /** Indices that must be `done` first; one that failed cancels this one. */
  readonly after?: readonly number[];
  readonly deadlineMs?: number;
  readonly repeat?: boolean;
}

export interface BatchRequest {
  /** `<parent>` for one location; unique per location. An operation's call id is `<id>:<index>`. */
  readonly id: string;
  readonly operations: readonly BatchOperation[];
  readonly ttlMs: number;
  readonly owner: CallOwner;
  /** The token of the batch's preview, when the writes in it needed one question. */
  readonly confirmToken?: string;
}

/** `accepted` = durable in the journal, runs on with the gateway gone; `preview` = a question first, as JSON bytes. */
export type BatchAnswer = { readonly accepted: true } | { readonly accepted: false; readonly preview: Buffer };

export type OperationState = "queued" | "running" | "done" | "error" | "cancelled";

export interface OperationUpdate {
  readonly batch: string;
  readonly index: number;
  readonly tool: string;
  readonly state: OperationState;
  readonly owner: CallOwner;
  readonly startedAtMs?: number;
  readonly completedAtMs?: number;
  readonly result?: CallResult;
}

export interface AgentDescription {
  readonly agentId: string;
  readonly journalId: string;
  readonly bootId: string;
  readonly version: string;
  /** SHA-256 hex of the manifest bytes that `manifest()` returns. */
  readonly manifestDigest: string;
  readonly apps: readonly ("network" | "protect" | "access")[];
  readonly consoles: readonly string[];
}

/** What the agent offers. Implemented by src/agent/serve.ts; called by the tunnel's agent end, or by `local` directly. */
export interface AgentPort {
  describe(): AgentDescription;
  manifest(): Buffer;
  /**
   * Runs a call. Never rejects for a tool's failure: that is a result with isError.
   * Rejects with EdgeError when there is no outcome (CANCELLED, DEADLINE_BEFORE_START, JOURNAL_UNAVAILABLE …).
   */
  call(request: CallRequest, events: CallEvents): Promise<CallResult>;
  /** The outcome is stored; `delivered` = the client got it, so an identical write may run again. */
  acknowledge(id: string, delivered: boolean): void;
  /** Not started: CANCELLED, final. Started: asks the tool to stop; the outcome decides. */
  cancel(id: string): void;
  batch(request: BatchRequest): Promise<BatchAnswer>;
  cancelBatch(id: string): void;
  /**
   * Delivers what waits and runs at once, unacknowledged ends a window at a time, and each new update. Returns the
   * unsubscriber.
   */
  operations(listener: (update: OperationUpdate) => void): () => void;
  /** Of an operation that has ended; the next of the window follows. */
  acknowledgeOperation(batch: string, index: number): void;
}

/** What the gateway sees of one agent, wherever its socket is. Implemented by src/tunnel (own socket). */
export interface AgentConnection {
  readonly org: string;
  readonly location: string;
  readonly description: AgentDescription;
  readonly epoch: number;
  readonly connectedAtMs: number;
  call(request: CallRequest, events: CallEvents): Promise<CallResult>;
  acknowledge(id: string, delivered: boolean): void;
  batch(request: BatchRequest): Promise<BatchAnswer>;
  cancelBatch(id: string): void;
  /** The manifest's bytes, verified against the digest; asked once. */
  manifest(): Promise<Buffer>;
  acknowledgeOperation(batch: string, index: number): void;
  readonly closed: AbortSignal;
  close(code: number, reason: string): void;
}
