/** What the gateway counts, told at `GET /metrics` of the administration socket. */
import type { Audit } from "../audit/audit.ts";
import { type Metrics, SECONDS } from "../telemetry/metrics.ts";

/** Counts what passes through the audit, since every decision and every ending does. */
export function countingAudit(audit: Audit, metrics: Metrics): Audit {
  const decisions = metrics.counter("unifi_edge_decisions_total", "Decisions about tool calls, by action and verdict.");
  const calls = metrics.counter("unifi_edge_calls_total", "Tool calls that ended, by outcome.");
  const seconds = metrics.histogram("unifi_edge_call_seconds", "How long tool calls took.", SECONDS);
  return {
    ...audit,
    record(decision) {
      decisions.add({ action: decision.action, verdict: decision.verdict });
      audit.record(decision);
    },
    ended(ending) {
      calls.add({ outcome: ending.outcome });
      seconds.observe(ending.durationMs / 1000);
      audit.ended(ending);
    },
  };
}
