/** Audit through the program's own log, for platforms that collect standard output. */
import type { AuditEntry, AuditSink } from "./recorder.ts";

const WORDS: Readonly<Record<AuditEntry["kind"], string>> = {
  decision: "audit decision",
  ending: "audit ending",
  dropped: "audit entries were lost",
};

/** `log` is a pino logger, or the one method of it that is used. */
export function createAuditLog(log: { info(facts: object, message: string): void }): AuditSink {
  return {
    name: "log",
    write: async (entries) => {
      for (const entry of entries) log.info({ audit: entry }, WORDS[entry.kind]);
    },
  };
}
