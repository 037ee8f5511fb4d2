/** What an agent may report on: operations of its own place, and batches rebuilt from its words when the index was emptied. */
import type { AgentConnection, OperationUpdate } from "../tunnel/calls.ts";
import { parsePartId, partIdOf } from "./ids.ts";
import type { BatchHeader, BatchRecords } from "./records.ts";
import { MAX_OPERATIONS } from "./start.ts";

/**
 * Batches that one link may bring back in a minute. An agent of ours has a handful that nobody acknowledged; what is
 * over the bound stays in its journal, and is told again on its next link.
 */
export const REBUILT_PER_MINUTE = 120;
const MINUTE_MS = 60_000;

export interface ReportedParts {
  readonly records: BatchRecords;
  readonly now: () => number;
}

/** Undefined where this agent may not report so, or has brought back too many. */
export type HeaderFor = (connection: AgentConnection, update: OperationUpdate) => Promise<BatchHeader | undefined>;

export function createHeaderFor(parts: ReportedParts): HeaderFor {
  const rebuilds = new WeakMap<AgentConnection, { sinceMs: number; count: number }>();
  /** Last change of a batch's header that is under way: two reports at once must not overwrite each other's entries. */
  const changes = new Map<string, Promise<unknown>>();

  function mayRebuild(connection: AgentConnection): boolean {
    const atMs = parts.now();
    const known = rebuilds.get(connection);
    const spent = known !== undefined && atMs - known.sinceMs < MINUTE_MS ? known : { sinceMs: atMs, count: 0 };
    rebuilds.set(connection, spent);
    spent.count += 1;
    return spent.count <= REBUILT_PER_MINUTE;
  }

  async function changed(batchId: string, connection: AgentConnection, update: OperationUpdate) {
    const { org, subject, grant } = update.owner;
    const entry = { index: update.index, tool: update.tool, location: connection.location };
    const known = await parts.records.header(connection.org, batchId);
    if (known)
      return listed(known, connection, update) ?? saved({ ...known, operations: [...known.operations, entry] });
    if (!mayRebuild(connection)) return undefined;
    const createdAtMs = parts.now();
    return saved({ id: batchId, org, subject, grant, app: "network", createdAtMs, writes: true, operations: [entry] });
  }

  async function saved(header: BatchHeader): Promise<BatchHeader> {
    await parts.records.saveHeader(header);
    return header;
  }

  async function inTurn<Result>(batchId: string, change: () => Promise<Result>): Promise<Result> {
    const mine = (changes.get(batchId) ?? Promise.resolve()).then(change, change);
    changes.set(batchId, mine);
    try {
      return await mine;
    } finally {
      if (changes.get(batchId) === mine) changes.delete(batchId);
    }
  }

  return async (connection, update) => {
    const batchId = parsePartId(update.batch);
    if (batchId === undefined || update.batch !== partIdOf(batchId, connection.location)) return undefined;
    if (update.owner.org !== connection.org || update.index >= MAX_OPERATIONS) return undefined;
    const known = await parts.records.header(connection.org, batchId);
    const header =
      (known && listed(known, connection, update)) ??
      (await inTurn(batchId, () => changed(batchId, connection, update)));
    return header === "refused" ? undefined : header;
  };
}

/** The header where it lists this operation; `refused` where it is somebody else's; undefined = not listed yet. */
function listed(
  header: BatchHeader,
  { location }: AgentConnection,
  { owner, index }: OperationUpdate,
): BatchHeader | "refused" | undefined {
  if (header.subject !== owner.subject) return "refused";
  const entry = header.operations.find((operation) => operation.index === index);
  if (entry === undefined) return undefined;
  return entry.location === location ? header : "refused";
}
