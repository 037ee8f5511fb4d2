/** A router over fake agents, as the tests of this room use it. */
import type { Decision } from "../../src/audit/audit.ts";
import type { Asking, ExecuteRequest } from "../../src/mcp/execution.ts";
import type { Principal } from "../../src/principal.ts";
import { createRouter } from "../../src/routing/router.ts";
import { type FakeConnection, fakeDirectory, fakeIntents, place, principal } from "../support/fake-agents.ts";

export async function setUp(
  connections: FakeConnection[],
  places = connections.map((connection) => place(connection.location)),
) {
  const { directory } = await fakeDirectory(places, connections);
  const intents = fakeIntents();
  const decisions: Decision[] = [];
  let ids = 0;
  const router = createRouter({
    directory,
    intents,
    actionOf: (tool) => ({ unifi_list_clients: "read" as const, unifi_block_client: "update" as const })[tool],
    audit: {
      record: (decision) => void decisions.push(decision),
      ended: () => undefined,
      flush: async () => undefined,
      close: async () => undefined,
    },
    requireLocation: false,
    callTimeoutMs: 30_000,
    reconnectWaitMs: 50,
    secret: Buffer.from("a secret"),
    newId: () => `id-${++ids}`,
    readId: () => `read-${++ids}`,
    now: () => 0,
    log: { warn: () => undefined, error: () => undefined },
  });
  const execute = async (request: Partial<ExecuteRequest>, who: Principal = principal(), whole = false) => {
    const asking: Asking = { principal: who, signal: new AbortController().signal, whole };
    const outcome = await router.execute({ tool: "unifi_list_clients", arguments: {}, ...request }, asking);
    return { ...outcome, json: JSON.parse(outcome.body.toString()) };
  };
  return { directory, intents, decisions, execute };
}

export const block = { tool: "unifi_block_client", arguments: { mac: "02:00:00:00:00:01", confirm: true } };
