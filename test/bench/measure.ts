/** Drives load at one URL for a moment and reads what it cost the servers. */
import { readFileSync } from "node:fs";
import autocannon from "autocannon";

/** Clock ticks per second of /proc (USER_HZ), 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export interface Load {
  readonly url: string;
  /** One set for each connection in turn; there are as many connections as sets, or a multiple of them. */
  readonly headers: readonly Readonly<Record<string, string>>[];
  readonly body: string;
  readonly connections: number;
  readonly seconds: number;
  /** Processes whose CPU counts, by name. */
  readonly pids: Readonly<Record<string, number>>;
}

export interface Reading {
  readonly requestsPerSecond: number;
  /** Microseconds of CPU (user and system) per request, by process name. */
  readonly cpuMicros: Readonly<Record<string, number>>;
}

/** Throws when any request failed: figures of errors mean nothing. */
export async function measure(load: Load): Promise<Reading> {
  let clients = 0;
  const before = cpuOf(load.pids);
  const result = await autocannon({
    url: load.url,
    method: "POST",
    body: load.body,
    connections: load.connections,
    setupClient: (client) => client.setHeaders({ ...load.headers[clients++ % load.headers.length] }),
    duration: load.seconds,
  });
  const after = cpuOf(load.pids);
  const requests = result["2xx"];
  if (result.non2xx > 0 || result.errors > 0 || requests === 0) {
    throw new Error(`${load.url}: ${result.non2xx} refused, ${result.errors} failed, ${requests} answered`);
  }
  const cpuMicros = Object.fromEntries(
    Object.keys(load.pids).map((name) => [
      name,
      (((after[name] ?? 0) - (before[name] ?? 0)) / TICKS_PER_SECOND / requests) * 1e6,
    ]),
  );
  return { requestsPerSecond: requests / load.seconds, cpuMicros };
}

function cpuOf(pids: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => {
      // Fields 14 and 15 after the parenthesised name: utime and stime (proc(5))
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return [name, Number(fields[11]) + Number(fields[12])];
    }),
  );
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
