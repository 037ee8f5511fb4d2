/** Buffers audit entries and hands them to the sinks about once a second: recording never waits and never throws. */
import type { Audit, Decision, Ending } from "./audit.ts";

export type AuditEntry =
  | ({ readonly kind: "decision" } & Decision)
  | ({ readonly kind: "ending" } & Ending)
  /** Entries that were lost before this one: the buffer was full, or a sink failed. */
  | { readonly kind: "dropped"; readonly atMs: number; readonly count: number };

export interface AuditSink {
  /** For words: `file`, `log`. */
  readonly name: string;
  /** In order; never called again before it resolved. A rejection loses these entries, which is counted and told. */
  write(entries: readonly AuditEntry[]): Promise<void>;
  close?(): Promise<void>;
}

export interface AuditOptions {
  readonly sinks: readonly AuditSink[];
  readonly now: () => number;
  readonly flushEveryMs: number;
  readonly timers: AuditTimers;
  readonly log: { warn(facts: object, message: string): void };
}

export interface AuditTimers {
  /** Runs `run` again and again; the returned function ends that. Must not keep the process alive. */
  every(ms: number, run: () => void): () => void;
}

export const realAuditTimers: AuditTimers = {
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
};

/** About 10 MB; a sink that is slower than that for long loses entries rather than memory. */
export const AUDIT_BUFFER_ENTRIES = 20_000;

export function createAudit({ sinks, now, flushEveryMs, timers, log }: AuditOptions): Audit {
  const lines = sinks.map((sink) => createLine(sink, now, log));
  const add = (entry: AuditEntry) => {
    for (const line of lines) line.add(entry);
  };
  const flush = async () => {
    await Promise.all(lines.map((line) => line.flush()));
  };
  const stop = timers.every(flushEveryMs, () => void flush()); // a line's flush never rejects

  return {
    record: (decision) => add({ kind: "decision", ...decision }),
    ended: (ending) => add({ kind: "ending", ...ending }),
    flush,
    close: async () => {
      stop();
      await flush();
      for (const sink of sinks) await sink.close?.();
    },
  };
}

interface Line {
  add(entry: AuditEntry): void;
  flush(): Promise<void>;
}

/** Each sink has its own buffer: a slow one must not lose the entries of another. */
function createLine(sink: AuditSink, now: () => number, log: AuditOptions["log"]): Line {
  let waiting: AuditEntry[] = [];
  let dropped = 0;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const entries = waiting;
    const lost = dropped;
    if (entries.length === 0 && lost === 0) return;
    waiting = [];
    dropped = 0;
    const told: AuditEntry[] = lost === 0 ? [] : [{ kind: "dropped", atMs: now(), count: lost }];
    try {
      await sink.write([...entries, ...told]);
      if (lost > 0) log.warn({ sink: sink.name, count: lost }, "audit entries were lost: the sink was too slow");
    } catch (error) {
      dropped += lost + entries.length;
      log.warn({ sink: sink.name, count: entries.length, err: error }, "audit entries were lost: the sink failed");
    }
  }

  return {
    add: (entry) => {
      if (waiting.length < AUDIT_BUFFER_ENTRIES) waiting.push(entry);
      else dropped += 1;
    },
    flush: () => {
      writing = writing.then(write);
      return writing;
    },
  };
}
