/** Writes the agent's side of the audit: one decision for every call, and how it ended. */
import type { Audit } from "../audit/audit.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { asEdgeError, type EdgeError, type ErrorCode } from "../errors.ts";
import type { CallResult } from "../tunnel/calls.ts";
import type { Asked, Prepared } from "./prepared.ts";

export interface AuditingDeps {
  readonly audit: Audit;
  readonly catalog: Pick<Catalog, "actionOf">;
  readonly now: () => number;
  readonly monotonicNow: () => number;
}

export interface Auditing {
  denied(id: string, asked: Asked, error: EdgeError): void;
  /** Records that the call was let through, runs it, and records its end. */
  allowed(id: string, asked: Asked, call: Prepared, run: () => Promise<CallResult>): Promise<CallResult>;
}

export function createAuditing(deps: AuditingDeps): Auditing {
  const base = (id: string, { owner, tool, site }: Asked) => ({
    atMs: deps.now(),
    // the tunnel does not say which client asked; the gateway's own record does
    principal: { subject: owner.subject, org: owner.org, grant: owner.grant, client: "" },
    tool,
    location: undefined,
    site,
    callId: id,
  });

  return {
    denied: (id, asked, error) =>
      deps.audit.record({
        ...base(id, asked),
        action: deps.catalog.actionOf(asked.tool, asked.args),
        verdict: "denied",
        reason: error.message,
        argumentsHash: undefined,
      }),
    async allowed(id, asked, call, run) {
      deps.audit.record({
        ...base(id, asked),
        action: call.action,
        site: call.siteName,
        verdict: "allowed",
        reason: reasonOf(call),
        // as at the gateway: reads change nothing that somebody would have to trace
        argumentsHash: call.kind === "read" ? undefined : call.fingerprint().toString("hex"),
      });
      const startedMs = deps.monotonicNow();
      const ended = (outcome: "ok" | "error" | "preview" | ErrorCode) =>
        deps.audit.ended({ atMs: deps.now(), callId: id, outcome, durationMs: deps.monotonicNow() - startedMs });
      try {
        const result = await run();
        ended(result.isError ? "error" : isPreview(result) ? "preview" : "ok");
        return result;
      } catch (error) {
        ended(asEdgeError(error).code);
        throw error;
      }
    },
  };
}

function reasonOf({ kind, denied }: Prepared): string {
  if (kind === "read") return "reads are not gated";
  return denied === undefined ? "the agent's gates allow it" : "asks for the outcome of a write that the journal knows";
}

const PREVIEW_START = Buffer.from('{"success":true,"requires_confirmation":true');

/** Previews of ours begin so; a console's text cannot, since it only ever stands further in. */
function isPreview(result: CallResult): boolean {
  return result.body.subarray(0, PREVIEW_START.length).equals(PREVIEW_START);
}
