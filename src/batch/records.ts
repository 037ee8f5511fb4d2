/** What is kept of a batch: an index of what the agents' journals hold, readable from any replica (design 6). */
import type { App } from "../catalog/manifest.ts";
import type { OperationState } from "../tunnel/calls.ts";

export interface BatchHeader {
  readonly id: string;
  readonly org: string;
  /** Only this account may read or cancel it. */
  readonly subject: string;
  readonly grant: string;
  readonly app: App;
  readonly createdAtMs: number;
  /** Kept 72 h when it holds writes, else 1 h. */
  readonly writes: boolean;
  readonly operations: readonly BatchEntry[];
}

export interface BatchEntry {
  readonly index: number;
  readonly tool: string;
  readonly location: string;
}

export interface OperationRecord {
  readonly state: OperationState;
  readonly startedAtMs?: number;
  readonly completedAtMs?: number;
  readonly isError?: boolean;
  /** The tool's answer: JSON text of one object. */
  readonly body?: string;
}

/** Made over the store; every method throws STORE_UNAVAILABLE when it cannot be reached. */
export interface BatchRecords {
  saveHeader(header: BatchHeader): Promise<void>;
  header(org: string, id: string): Promise<BatchHeader | undefined>;
  /** A final state never goes back. */
  saveOperation(header: BatchHeader, index: number, record: OperationRecord): Promise<void>;
  operations(org: string, id: string): Promise<ReadonlyMap<number, OperationRecord>>;
}

export const FINAL_STATES: ReadonlySet<OperationState> = new Set(["done", "error", "cancelled"]);
