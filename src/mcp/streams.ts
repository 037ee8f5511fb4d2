/** Open notification streams by grant: a change reaches its own grant's streams only, and none outlives its token. */
import type { Principal } from "../principal.ts";
import type { Timers } from "./timers.ts";

export const MAX_STREAMS_PER_GRANT = 32;
/** Longest single wait that a Node timer holds; a later end is checked again then. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface Stream {
  toolsChanged(): void;
  /** Ends it in the protocol's own way; called at most once. */
  end(): void;
}

export interface Streams {
  /** Undefined when the grant has too many already; otherwise what to call when the stream is gone. */
  add(principal: Pick<Principal, "org" | "grant" | "expiresAtSeconds">, stream: Stream): (() => void) | undefined;
  toolsChanged(org: string, grant: string): void;
  endGrant(grant: string): void;
  endAll(): void;
  readonly size: number;
}

interface Entry {
  readonly org: string;
  readonly grant: string;
  readonly stream: Stream;
  readonly stopTimer: () => void;
}

export function createStreams(timers: Pick<Timers, "now" | "after">): Streams {
  const entries = new Set<Entry>();

  const ofGrant = (grant: string) => [...entries].filter((entry) => entry.grant === grant);

  function remove(entry: Entry): boolean {
    entry.stopTimer();
    return entries.delete(entry);
  }

  function end(entry: Entry): void {
    if (remove(entry)) entry.stream.end();
  }

  return {
    get size() {
      return entries.size;
    },
    add({ org, grant, expiresAtSeconds }, stream) {
      if (ofGrant(grant).length >= MAX_STREAMS_PER_GRANT) return undefined;
      const remainingMs = expiresAtSeconds * 1000 - timers.now();
      const stopTimer =
        remainingMs > MAX_TIMER_MS ? () => {} : timers.after(Math.max(0, remainingMs), () => end(entry));
      const entry: Entry = { org, grant, stream, stopTimer };
      entries.add(entry);
      return () => void remove(entry);
    },
    toolsChanged(org, grant) {
      for (const entry of ofGrant(grant)) if (entry.org === org) entry.stream.toolsChanged();
    },
    endGrant(grant) {
      for (const entry of ofGrant(grant)) end(entry);
    },
    endAll() {
      for (const entry of [...entries]) end(entry);
    },
  };
}
