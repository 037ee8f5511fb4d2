/** Who sees and may run which tools: the operator's selection, the connection's narrowing and the caller's rights. */
import { EdgeError } from "../errors.ts";
import {
  ACTIONS_OF_ROLE,
  type Action,
  hintForScope,
  holdsScope,
  type Principal,
  SCOPE_OF_ACTION,
} from "../principal.ts";
import type { App, ManifestTool } from "./manifest.ts";

/** UNIFI_ENABLED_CATEGORIES and UNIFI_ENABLED_TOOLS, lower case. Empty lists select everything. */
export interface Selection {
  readonly categories: readonly string[];
  readonly tools: readonly string[];
}

export const SELECT_ALL: Selection = { categories: [], tools: [] };

export interface Narrowing {
  readonly selection: Selection;
  /** `?apps=` on the MCP URL; undefined = all. */
  readonly apps: readonly App[] | undefined;
  /** `?readonly=true` on the MCP URL. */
  readonly readonly: boolean;
  readonly principal: Pick<Principal, "role" | "scopes">;
  /** Tools that no visible location has. */
  readonly lacking: ReadonlySet<string>;
}

interface Question extends Narrowing {
  readonly tool: ManifestTool;
  readonly action: Action;
}

/** Each says why the call is refused, or nothing. The first that speaks decides. */
const RULES: readonly ((question: Question) => EdgeError | undefined)[] = [
  function selected({ tool, selection }) {
    const { categories, tools } = selection;
    if (categories.length === 0 && tools.length === 0) return undefined;
    if (categories.includes(tool.category) || tools.includes(tool.name)) return undefined;
    return unavailable(tool, "the operator did not enable it (UNIFI_ENABLED_CATEGORIES, UNIFI_ENABLED_TOOLS)");
  },
  function ofNarrowedApp({ tool, apps }) {
    return apps === undefined || apps.includes(tool.app)
      ? undefined
      : unavailable(tool, `this connection is narrowed to ?apps=${apps.join(",")}`);
  },
  function somewherePresent({ tool, lacking }) {
    return lacking.has(tool.name) ? unavailable(tool, "no visible location's agent has it") : undefined;
  },
  function readUnderReadonly({ tool, action, readonly }) {
    if (!readonly || action === "read") return undefined;
    return new EdgeError("PERMISSION_DENIED", `${tool.name} writes, and this connection is read-only.`, {
      hint: "Connect to the MCP URL without ?readonly=true to write.",
    });
  },
  function roleAllows({ tool, action, principal }) {
    if (ACTIONS_OF_ROLE[principal.role].includes(action)) return undefined;
    return new EdgeError("PERMISSION_DENIED", `The role ${principal.role} may not run ${tool.name} (${action}).`, {
      hint: "An administrator of the organisation can grant a higher role.",
    });
  },
  function scopeAllows({ tool, action, principal }) {
    const needed = SCOPE_OF_ACTION[action];
    if (holdsScope(principal.scopes, needed)) return undefined;
    return new EdgeError(
      "INSUFFICIENT_SCOPE",
      `${tool.name} needs the scope ${needed}, which this connection was not granted.`,
      {
        hint: hintForScope(needed),
        details: { required_scope: needed },
      },
    );
  },
];

/** Why this caller may not run this tool with this action, or undefined. The same rules hide it from every list. */
export function refusalOf(tool: ManifestTool, action: Action, narrowing: Narrowing): EdgeError | undefined {
  const question = { ...narrowing, tool, action };
  for (const rule of RULES) {
    const refusal = rule(question);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function unavailable(tool: ManifestTool, because: string): EdgeError {
  return new EdgeError("TOOL_UNAVAILABLE", `${tool.name} is not available here: ${because}.`);
}
