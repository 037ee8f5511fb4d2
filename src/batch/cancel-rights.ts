/** May this grant cancel this batch: its person's, at places that it covers, with the rights to change what it changes. */
import { EdgeError } from "../errors.ts";
import { ACTIONS_OF_ROLE, coversLocation, hintForScope, holdsScope, type Principal } from "../principal.ts";
import type { BatchHeader } from "./records.ts";

/** Stopping a write half-way changes what a console ends up with, so it takes what the mildest write takes. */
const NEEDED = { action: "update", scope: "unifi:write" } as const;

/**
 * Throws NOT_FOUND where this grant may not know of the batch, PERMISSION_DENIED or INSUFFICIENT_SCOPE where it may not
 * stop it. A batch is cancelled whole or not at all.
 */
export function assertMayCancel(principal: Principal, header: BatchHeader | undefined): asserts header is BatchHeader {
  const locations = header?.operations.map(({ location }) => location) ?? [];
  const covered = locations.filter((location) => coversLocation(principal, location));
  if (header?.subject !== principal.subject || covered.length === 0) {
    throw new EdgeError("NOT_FOUND", "There is no batch of yours with this batchId (any more).");
  }
  if (covered.length < locations.length) {
    throw new EdgeError("PERMISSION_DENIED", "This batch also runs at locations that this connection does not cover.", {
      hint: "Nothing was cancelled. Cancel it from a connection that covers all of its locations.",
    });
  }
  if (!header.writes) return;
  if (!ACTIONS_OF_ROLE[principal.role].includes(NEEDED.action)) {
    throw new EdgeError("PERMISSION_DENIED", `Your role "${principal.role}" may not cancel a batch that writes.`);
  }
  if (!holdsScope(principal.scopes, NEEDED.scope)) {
    throw new EdgeError("INSUFFICIENT_SCOPE", `To cancel a batch that writes takes the scope ${NEEDED.scope}.`, {
      hint: hintForScope(NEEDED.scope),
      details: { required_scopes: ["unifi:read", NEEDED.scope] },
    });
  }
}
