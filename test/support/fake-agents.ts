/** Agent connections and records in memory, for tests of routing and batches: what was sent is kept, answers are chosen. */
import type { BatchHeader, BatchRecords, OperationRecord } from "../../src/batch/records.ts";
import type { LocationView } from "../../src/mcp/execution.ts";
import type { Principal } from "../../src/principal.ts";
import { Directory } from "../../src/routing/directory.ts";
import type { Intent, Intents } from "../../src/routing/intents.ts";
import type { PlaceRecord, PlaceStatus } from "../../src/routing/visible.ts";
import type { AgentConnection, BatchRequest, CallEvents, CallRequest, CallResult } from "../../src/tunnel/calls.ts";

export function principal(overrides: Partial<Principal> = {}): Principal {
  return {
    subject: "ada",
    org: "home",
    grant: "grant-1",
    client: "client-1",
    role: "admin",
    scopes: new Set(["unifi:read", "unifi:write", "unifi:admin"]),
    locations: "all",
    expiresAtSeconds: Number.POSITIVE_INFINITY,
    ...overrides,
  };
}

export function jsonResult(value: unknown, isError = false): CallResult {
  return { isError, type: "json", body: Buffer.from(JSON.stringify(value)) };
}

export interface FakeConnection extends AgentConnection {
  readonly calls: CallRequest[];
  readonly batches: BatchRequest[];
  readonly acknowledged: [string, boolean][];
  readonly acknowledgedOperations: string[];
  disconnect(): void;
}

interface FakeConnectionOptions {
  readonly location: string;
  readonly org?: string;
  readonly journalId?: string;
  readonly connectedAtMs?: number;
  readonly manifestDigest?: string;
  readonly manifest?: Buffer;
  readonly call?: (request: CallRequest, events: CallEvents) => Promise<CallResult>;
  readonly batch?: AgentConnection["batch"];
}

export function fakeConnection(options: FakeConnectionOptions): FakeConnection {
  const closing = new AbortController();
  const calls: CallRequest[] = [];
  const batches: BatchRequest[] = [];
  const acknowledged: [string, boolean][] = [];
  const acknowledgedOperations: string[] = [];
  return {
    calls,
    batches,
    acknowledged,
    acknowledgedOperations,
    org: options.org ?? "home",
    location: options.location,
    description: {
      agentId: `agent-${options.location}`,
      journalId: options.journalId ?? `journal-${options.location}`,
      bootId: "boot-1",
      version: "0.1.0",
      manifestDigest: options.manifestDigest ?? "own",
      apps: ["network"],
      consoles: ["default"],
    },
    epoch: 1,
    connectedAtMs: options.connectedAtMs ?? 0,
    closed: closing.signal,
    async call(request, events) {
      calls.push(request);
      return options.call ? options.call(request, events) : jsonResult({ success: true, tool: request.tool });
    },
    acknowledge: (id, delivered) => void acknowledged.push([id, delivered]),
    async batch(request) {
      batches.push(request);
      return options.batch ? options.batch(request) : { accepted: true };
    },
    cancelBatch: () => undefined,
    manifest: async () => options.manifest ?? Buffer.from("{}"),
    acknowledgeOperation: (batch, index) => void acknowledgedOperations.push(`${batch}:${index}`),
    close: () => closing.abort(),
    disconnect: () => closing.abort(),
  };
}

export interface DirectoryFixture {
  readonly directory: Directory;
  readonly statuses: Map<string, PlaceStatus>;
}

/** A directory over places in memory; `own` is the digest of the gateway's manifest, which has two tools. */
export async function fakeDirectory(
  places: readonly PlaceRecord[],
  connections: readonly AgentConnection[],
): Promise<DirectoryFixture> {
  const statuses = new Map<string, PlaceStatus>();
  const directory = new Directory({
    register: {
      organisations: async () => [{ id: "home", name: "Home" }],
      places: async () => places,
      saveStatus: async (org, location, status) => void statuses.set(`${org}/${location}`, status),
      manifest: async () => undefined,
      saveManifest: async () => undefined,
    },
    manifests: {
      ownDigest: "own",
      ownNames: new Set(["unifi_list_clients", "unifi_block_client"]),
      read: (bytes) => {
        const { names } = JSON.parse(bytes.toString()) as { names: string[] };
        return { names: new Set(names), foreign: [] };
      },
    },
    now: () => 1_000,
    log: { warn: () => undefined },
  });
  await directory.refresh();
  for (const connection of connections) await directory.attach(connection);
  return { directory, statuses };
}

export function fakeIntents(): Intents & { readonly open_: Map<string, Intent> } {
  const open_ = new Map<string, Intent>();
  return {
    open_,
    byId: async (_org, id) => open_.get(id),
    twin: async (_org, fingerprint) => [...open_.values()].find((intent) => intent.fingerprint === fingerprint),
    open: async (_org, intent) => void open_.set(intent.id, intent),
    settle: async (_org, intent) => void open_.delete(intent.id),
  };
}

export function fakeBatchRecords(): BatchRecords & { readonly headers: Map<string, BatchHeader> } {
  const headers = new Map<string, BatchHeader>();
  const operations = new Map<string, Map<number, OperationRecord>>();
  return {
    headers,
    saveHeader: async (header) => void headers.set(header.id, header),
    header: async (org, id) => (headers.get(id)?.org === org ? headers.get(id) : undefined),
    async saveOperation(header, index, record) {
      const of = operations.get(header.id) ?? new Map<number, OperationRecord>();
      operations.set(header.id, of.set(index, record));
    },
    operations: async (_org, id) => operations.get(id) ?? new Map(),
  };
}

export function place(id: string, name = id): PlaceRecord {
  return { id, name };
}

export function view(id: string, name = id): LocationView {
  return { id, name, organisation: "Home", status: "online", apps: ["network"] };
}
