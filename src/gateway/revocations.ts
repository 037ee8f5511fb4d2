/** An agent whose key was revoked or replaced loses its open link too, within a second where hints arrive. */
import { listAgents, readAgentChange } from "../store/agents.ts";
import { agentsChangedChannel } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import type { AgentConnection } from "../tunnel/calls.ts";
import { CLOSE } from "../tunnel/limits.ts";

/** A hint may be lost, so all open links are judged anew this often. */
const JUDGE_EVERY_MS = 10_000;

/** Returns what ends the watch. */
export async function watchRevocations(
  store: Store,
  connections: () => readonly AgentConnection[],
  warn: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const end = (connection: AgentConnection) => connection.close(CLOSE.revoked, "the key was revoked");

  async function judgeAll(): Promise<void> {
    for (const org of new Set(connections().map((connection) => connection.org))) {
      const active = new Set(
        (await listAgents(store, org)).filter(({ state }) => state === "active").map(({ agentId }) => agentId),
      );
      for (const connection of connections()) {
        if (connection.org === org && !active.has(connection.description.agentId)) end(connection);
      }
    }
  }

  const unsubscribe = await store.subscribe(
    agentsChangedChannel(),
    (message) => {
      const change = readAgentChange(message);
      if (!change || change.state === "active") return;
      for (const connection of connections()) {
        if (connection.org === change.org && connection.description.agentId === change.agentId) end(connection);
      }
    },
    () => void judgeAll().catch(warn),
  );
  const timer = setInterval(() => void judgeAll().catch(warn), JUDGE_EVERY_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await unsubscribe();
  };
}
