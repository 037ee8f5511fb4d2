/** Tells the store which replica holds each agent's link: leased, renewed while the link lives, given back at its end. */
import { claimOwner, type Owner, releaseOwner, renewOwner } from "../store/owners.ts";
import type { Store } from "../store/store.ts";
import type { AgentConnection } from "../tunnel/calls.ts";

/** A third of the lease, so that two renewals may fail. */
const RENEW_EVERY_MS = 10_000;

export interface Leases {
  /** Takes the lease of this connection's location until it closes. */
  hold(connection: AgentConnection): Promise<void>;
  close(): void;
}

/** `replica` names this process; `address` is where other replicas reach it. */
export function createLeases(
  store: Store,
  replica: { readonly id: string; readonly address: string },
  warn: (error: unknown) => void,
): Leases {
  const held = new Map<AgentConnection, Owner>();
  const timer = setInterval(() => {
    for (const [{ org, location }, owner] of held) renewOwner(store, org, location, owner).catch(warn);
  }, RENEW_EVERY_MS);
  timer.unref();

  return {
    async hold(connection) {
      const { org, location, epoch, description, closed } = connection;
      const owner: Owner = { replica: replica.id, address: replica.address, agentId: description.agentId, epoch };
      held.set(connection, owner);
      closed.addEventListener("abort", () => {
        held.delete(connection);
        releaseOwner(store, org, location, owner).catch(warn);
      });
      await claimOwner(store, org, location, owner);
    },
    close: () => clearInterval(timer),
  };
}
