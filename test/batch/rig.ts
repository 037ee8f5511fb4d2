/** Batches over fake agents and records in memory, as the tests of this room use them. */
import { createBatches } from "../../src/batch/batches.ts";
import { EdgeError } from "../../src/errors.ts";
import type { Asking, BatchStart } from "../../src/mcp/execution.ts";
import type { OperationUpdate } from "../../src/tunnel/calls.ts";
import {
  type FakeConnection,
  fakeBatchRecords,
  fakeDirectory,
  jsonResult,
  place,
  principal,
} from "../support/fake-agents.ts";

export const ID = "019af5d0-0000-7000-8000-000000000001";

export async function setUp(
  connections: FakeConnection[],
  places = connections.map((connection) => place(connection.location)),
  /** Unix milliseconds. */
  clock = { now: 5_000 },
) {
  const { directory } = await fakeDirectory(places, connections);
  const records = fakeBatchRecords();
  const batches = createBatches({
    records,
    admit: (_principal, operation) => {
      if (operation.tool === "unknown") throw new EdgeError("TOOL_NOT_FOUND", "There is no such tool.");
      return { location: operation.location ?? "home", action: operation.tool.includes("list") ? "read" : "update" };
    },
    connect: async (org, location, waitMs, signal) => {
      const connection = await directory.nextConnection(org, location, waitMs, signal);
      if (!connection) throw new EdgeError("AGENT_OFFLINE", `No agent is connected for "${location}".`);
      return connection;
    },
    connectionOf: (org, location) => directory.connectionOf(org, location),
    reconnectWaitMs: 50,
    ttlMs: 600_000,
    newId: () => ID,
    now: () => clock.now,
    reportAgainMs: 1,
    log: { warn: () => undefined },
  });
  const asking = (who = principal()): Asking => ({ principal: who, signal: new AbortController().signal });
  const start = async (operations: readonly object[], confirmToken?: string, who = principal()) => {
    const request: BatchStart = {
      app: "network",
      operations: operations.map((operation) => ({ tool: "unifi_list_clients", arguments: {}, ...operation })),
      ...(confirmToken === undefined ? {} : { confirmToken }),
    };
    const outcome = await batches.start(request, asking(who));
    return JSON.parse(outcome.body.toString());
  };
  const status = async (question: Parameters<typeof batches.status>[0], who = principal(), waitMs = 0) =>
    JSON.parse((await batches.status(question, waitMs, asking(who))).body.toString());
  return { batches, records, directory, start, status, asking };
}

export function update(location: string, index: number, facts: Partial<OperationUpdate> = {}): OperationUpdate {
  return {
    batch: `${ID}@${location}`,
    index,
    tool: "unifi_list_clients",
    state: "done",
    owner: { org: "home", subject: "ada", grant: "grant-1" },
    startedAtMs: 1_000,
    completedAtMs: 2_500,
    result: jsonResult({ success: true, clients: [1] }),
    ...facts,
  };
}
