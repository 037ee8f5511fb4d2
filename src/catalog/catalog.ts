/** The catalogue of the tools we know: look-up, classification and the check of arguments, from one manifest. */
import { createHash } from "node:crypto";
import { type Action, SCOPE_OF_ACTION, type Scope } from "../principal.ts";
import { type Arguments, createArgumentCheck } from "./arguments.ts";
import { actionOfCall } from "./classify.ts";
import type { Manifest, ManifestTool } from "./manifest.ts";
import { createNearest } from "./nearest.ts";
import { createSearch, type Search } from "./search/search.ts";

export interface Catalog {
  readonly manifest: Manifest;
  /** The manifest as JSON bytes: what an agent shows and a gateway files. */
  readonly bytes: Buffer;
  /** SHA-256 hex of `bytes`. */
  readonly digest: string;
  readonly tools: readonly ManifestTool[];
  get(name: string): ManifestTool | undefined;
  /** Over all tools, built at its first question and kept: one for all who share this manifest. */
  readonly search: Search;
  /** The three names that are most like this one, also across spelling and a missing prefix. */
  nearest(name: string): readonly string[];
  /** What this call would do; an unknown tool counts as the strictest. `args` as checkArguments returns them. */
  actionOf(name: string, args: Arguments): Action;
  kindOf(name: string, args: Arguments): "read" | "write";
  scopeOf(name: string, args: Arguments): Scope;
  /**
   * Arguments as the client wrote them (an object, or JSON text of one), brought to the declared names and forms.
   * Throws EdgeError ARGUMENTS_INVALID naming every wrong path and the valid names; TOOL_NOT_FOUND for an unknown tool.
   */
  checkArguments(name: string, args: unknown): Arguments;
}

export function createCatalog(manifest: Manifest): Catalog {
  const bytes = Buffer.from(JSON.stringify(manifest));
  const byName = new Map(manifest.tools.map((tool) => [tool.name, tool]));
  const nearest = createNearest([...byName.keys()]);
  const check = createArgumentCheck(byName, nearest);
  const actionOf = (name: string, args: Arguments): Action => {
    const tool = byName.get(name);
    return tool === undefined ? "delete" : actionOfCall(tool, args);
  };

  let built: Search | undefined;
  const searchOf = (): Search => {
    built ??= createSearch(manifest.tools);
    return built;
  };

  return {
    manifest,
    bytes,
    digest: createHash("sha256").update(bytes).digest("hex"),
    tools: manifest.tools,
    get: (name) => byName.get(name),
    search: {
      covers: (tool) => byName.get(tool.name) === tool,
      rank: (text) => searchOf().rank(text),
    },
    nearest,
    actionOf,
    kindOf: (name, args) => (actionOf(name, args) === "read" ? "read" : "write"),
    scopeOf: (name, args) => SCOPE_OF_ACTION[actionOf(name, args)],
    checkArguments: check,
  };
}
