/** What load_tools added to each grant's list: kept in the store, answered from memory, changes told to every replica. */
import type { LoadedTools } from "../mcp/execution.ts";
import type { Principal } from "../principal.ts";
import { listChangedChannel } from "../store/keys.ts";
import { addLoadedTools, getLoadedTools, readListChange } from "../store/loaded-tools.ts";
import type { Store } from "../store/store.ts";

/** Grants remembered at once; the longest unused is read anew when it comes back. */
const REMEMBERED = 5_000;
/** A remembered list is read again this often, since the hint of a change may be lost. */
const FRESH_MS = 1_000;

export interface StoredLoadedTools extends LoadedTools {
  /** Call before a request is served: reads the grant's list unless it is fresh. Undefined = nothing to wait for. */
  prepare(principal: Principal): Promise<void> | undefined;
  close(): Promise<void>;
}

export async function openLoadedTools(
  store: Store,
  now: () => number,
  warn: (error: unknown) => void,
): Promise<StoredLoadedTools> {
  const lists = new Map<string, { names: readonly string[]; readAtMs: number }>();
  const listeners = new Set<(org: string, grant: string) => void>();
  const keyOf = (org: string, grant: string) => `${org}\n${grant}`;
  /** A principal's key, made once: every request asks for it twice. */
  const keys = new WeakMap<Principal, string>();

  function keyFor(principal: Principal): string {
    const known = keys.get(principal);
    if (known !== undefined) return known;
    const key = keyOf(principal.org, principal.grant);
    keys.set(principal, key);
    return key;
  }

  function remember(org: string, grant: string, names: readonly string[]): void {
    const key = keyOf(org, grant);
    const before = lists.get(key)?.names;
    lists.delete(key);
    lists.set(key, { names, readAtMs: now() });
    if (lists.size > REMEMBERED) lists.delete(lists.keys().next().value ?? key);
    if (before === undefined || before.join() === names.join()) return;
    for (const listener of listeners) listener(org, grant);
  }

  async function read(org: string, grant: string): Promise<void> {
    remember(org, grant, await getLoadedTools(store, org, grant));
  }

  const unsubscribe = await store.subscribe(listChangedChannel(), (message) => {
    const change = readListChange(message);
    if (change && lists.has(keyOf(change.org, change.grant))) read(change.org, change.grant).catch(warn);
  });

  return {
    prepare(principal) {
      const { org, grant } = principal;
      const known = lists.get(keyFor(principal));
      if (!known) return read(org, grant);
      if (now() - known.readAtMs >= FRESH_MS) {
        known.readAtMs = now();
        read(org, grant).catch(warn);
      }
      return undefined;
    },
    of: (principal) => lists.get(keyFor(principal))?.names ?? [],
    async add({ org, grant }, names) {
      const all = await addLoadedTools(store, org, grant, names);
      remember(org, grant, all);
      return all;
    },
    changed(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      listeners.clear();
      await unsubscribe();
    },
  };
}
