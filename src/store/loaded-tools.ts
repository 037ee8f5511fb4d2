/** The tools that load_tools added to a grant's list: until a day after the last load. */
import Type from "typebox";
import { EdgeError } from "../errors.ts";
import { LOADED_TOOLS_TTL_MS, listChangedChannel, loadedToolsKey } from "./keys.ts";
import { hintReader } from "./published-hint.ts";
import type { Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

export const LOADED_TOOLS_MAX = 40;
const ATTEMPTS = 10;

const readNames = recordReader("loaded tools", Type.Array(Type.String(), { maxItems: LOADED_TOOLS_MAX }));

/** Told on `listChangedChannel` as JSON when a grant's list has changed. */
export const readListChange = hintReader(Type.Object({ org: Type.String(), grant: Type.String() }));

/** In the order of loading. */
export async function getLoadedTools(store: Store, org: string, grant: string): Promise<readonly string[]> {
  return readNames(await store.get(loadedToolsKey(org, grant))) ?? [];
}

/**
 * Adds names, starts the day anew, and returns the whole list. Names for which there is no more room are left out:
 * they are callable without being listed.
 */
export async function addLoadedTools(
  store: Store,
  org: string,
  grant: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const key = loadedToolsKey(org, grant);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const stored = await store.get(key);
    const before = readNames(stored) ?? [];
    const after = [...new Set([...before, ...names])].slice(0, LOADED_TOOLS_MAX);
    const done = await store.commit({
      if: [stored === undefined ? { key, is: "absent" } : { key, equals: stored }],
      set: [{ key, value: JSON.stringify(after), ttlMs: LOADED_TOOLS_TTL_MS }],
    });
    if (!done) continue;
    if (after.length > before.length) await store.publish(listChangedChannel(), JSON.stringify({ org, grant }));
    return after;
  }
  throw new EdgeError("OVERLOADED", "Tools are being loaded many times at once.", { retryAfterSeconds: 1 });
}
