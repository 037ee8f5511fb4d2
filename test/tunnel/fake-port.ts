/** An AgentPort whose answers a test decides. */
import { createHash } from "node:crypto";
import type {
  AgentPort,
  BatchAnswer,
  BatchRequest,
  CallEvents,
  CallRequest,
  CallResult,
  OperationUpdate,
} from "../../src/tunnel/calls.ts";

export const OWNER = { org: "acme", subject: "ann", grant: "g1" };
export const MANIFEST = Buffer.from(JSON.stringify({ format: 1, tools: ["x".repeat(150_000)] }));

export interface FakePort extends AgentPort {
  readonly calls: CallRequest[];
  readonly acknowledged: { id: string; delivered: boolean }[];
  readonly cancelled: string[];
  readonly batches: BatchRequest[];
  /** Tells every subscriber of a new state, and replays it to later ones until acknowledged. */
  push(update: OperationUpdate): void;
  onCall: (request: CallRequest, events: CallEvents) => Promise<CallResult>;
  onBatch: (request: BatchRequest) => Promise<BatchAnswer>;
  digest: string;
  bootId: string;
}

export function json(value: unknown): CallResult {
  return { isError: false, type: "json", body: Buffer.from(JSON.stringify(value)) };
}

export function request(fields: Partial<CallRequest> = {}): CallRequest {
  return { id: "c1", tool: "unifi_list_clients", args: {}, kind: "read", ttlMs: 30_000, owner: OWNER, ...fields };
}

export function fakePort(agentId = "agent-1"): FakePort {
  const listeners = new Set<(update: OperationUpdate) => void>();
  const unacknowledged = new Map<string, OperationUpdate>();
  const port: FakePort = {
    calls: [],
    acknowledged: [],
    cancelled: [],
    batches: [],
    digest: createHash("sha256").update(MANIFEST).digest("hex"),
    bootId: "boot-1",
    onCall: async (call) => json({ success: true, args: call.args }),
    onBatch: async () => ({ accepted: true }),
    describe: () => ({
      agentId,
      journalId: "journal-1",
      bootId: port.bootId,
      version: "0.1.0",
      manifestDigest: port.digest,
      apps: ["network"],
      consoles: ["default"],
    }),
    manifest: () => MANIFEST,
    call(call, events) {
      port.calls.push(call);
      return port.onCall(call, events);
    },
    acknowledge(id, delivered) {
      port.acknowledged.push({ id, delivered });
    },
    cancel(id) {
      port.cancelled.push(id);
    },
    batch(batch) {
      port.batches.push(batch);
      return port.onBatch(batch);
    },
    cancelBatch(id) {
      port.cancelled.push(id);
    },
    operations(listener) {
      listeners.add(listener);
      for (const update of unacknowledged.values()) listener(update);
      return () => listeners.delete(listener);
    },
    acknowledgeOperation(batch, index) {
      unacknowledged.delete(`${batch}:${index}`);
    },
    push(update) {
      unacknowledged.set(`${update.batch}:${update.index}`, update);
      for (const listener of listeners) listener(update);
    },
  };
  return port;
}
