/** `*_load_tools`: adds tools to the list of the caller's grant and returns their definitions. */
import { printable } from "../../catalog/printable.ts";
import type { Call } from "../caller.ts";
import type { LoadedTools } from "../execution.ts";
import { MAX_LOADED } from "../meta-tools.ts";

export interface Loading {
  /** JSON of `{loaded, errors, message, definitions}`. */
  readonly json: string;
  readonly isError: boolean;
  /** The grant's list is another one than before. */
  readonly changed: boolean;
}

export async function loadTools(loaded: LoadedTools, call: Call, names: readonly string[]): Promise<Loading> {
  const { listing, principal } = call.caller;
  const wanted = [...new Set(names)];
  const known = wanted.filter((name) => listing.definition(name) !== undefined);
  const before = loaded.of(principal);
  const after = known.length === 0 ? before : await loaded.add(principal, known);
  const taken = known.filter((name) => after.includes(name));
  const errors = wanted.flatMap((tool) => {
    if (taken.includes(tool)) return [];
    if (known.includes(tool)) return { tool, error: `The list holds ${MAX_LOADED} tools at most.` };
    return {
      tool: printable(tool, 100),
      error: `There is no such tool here. Nearest: ${listing.nearest(tool).join(", ")}.`,
    };
  });

  return {
    json: JSON.stringify({
      success: taken.length > 0,
      loaded: taken,
      errors: errors.length === 0 ? null : errors,
      message: `${taken.length} of ${wanted.length} loaded; ${after.length} in your list.`,
      definitions: taken.flatMap((name) => listing.definition(name) ?? []),
    }),
    isError: taken.length === 0,
    changed: after.length !== before.length || after.some((name) => !before.includes(name)),
  };
}
