/** What load_tools added, for the one person here: in memory, until a day after the last load. */
import type { LoadedTools } from "../../mcp/execution.ts";
import type { Timers } from "../../mcp/timers.ts";
import type { Principal } from "../../principal.ts";
import { LOADED_TOOLS_TTL_MS } from "../../store/keys.ts";
import { LOADED_TOOLS_MAX } from "../../store/loaded-tools.ts";

export function createLoadedTools({ org, grant }: Principal, timers: Pick<Timers, "after">): LoadedTools {
  const listeners = new Set<(org: string, grant: string) => void>();
  let names: readonly string[] = [];
  let stopTimer = () => {};

  function change(next: readonly string[]): void {
    if (next.length === names.length) return;
    names = next;
    for (const listener of listeners) listener(org, grant);
  }

  return {
    of: () => names,
    async add(_principal, added) {
      stopTimer();
      stopTimer = timers.after(LOADED_TOOLS_TTL_MS, () => change([]));
      change([...new Set([...names, ...added])].slice(0, LOADED_TOOLS_MAX));
      return names;
    },
    changed(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
