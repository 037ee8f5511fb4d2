/** The checks that every call passes before anything is asked of a console: tool, arguments, kind, gates, place. */

import { toolNotFound } from "../catalog/arguments.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { NetworkConsole, Row } from "../controller/controller.ts";
import { EdgeError } from "../errors.ts";
import type { Action } from "../principal.ts";
import { containsMarker } from "../redaction/redact.ts";
import type { Tool } from "../tools/tool.ts";
import type { CallOwner } from "../tunnel/calls.ts";
import type { Journal } from "./journal.ts";
import type { Policy } from "./policy.ts";

export interface ConsolePlace {
  readonly network: NetworkConsole;
  /** Site that a call without `site` means. */
  readonly defaultSite: string;
  /** Where it is reached, for `/health` and messages: host and port, no credentials. */
  readonly address: string;
}

/** What a call or a batch's operation asks. */
export interface Asked {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly console?: string | undefined;
  readonly site?: string | undefined;
  readonly owner: CallOwner;
}

export interface Prepared {
  readonly tool: Tool;
  /** As the schema has them, without the confirmation arguments. */
  readonly args: Row;
  readonly kind: "read" | "write";
  readonly action: Action;
  readonly consoleName: string;
  readonly console: ConsolePlace;
  readonly siteName: string;
  readonly confirm: boolean;
  readonly confirmToken: string | undefined;
  /** The gate that forbids this write; it is shut to a new one, never to the outcome of one that the journal knows. */
  readonly denied: EdgeError | undefined;
  /**
   * Keyed hash over organisation, grant, tool, arguments and place: equal calls have equal ones. Made when it is asked
   * for: a read needs it only where its id comes twice.
   */
  readonly fingerprint: () => Buffer;
}

export interface PrepareDeps {
  readonly consoles: ReadonlyMap<string, ConsolePlace>;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly catalog: Pick<Catalog, "checkArguments" | "nearest" | "actionOf">;
  readonly journal: Pick<Journal, "hmac">;
  readonly policy: Policy;
}

/** In this order; each refusal is an EdgeError that says what would be right. A shut gate is told and not thrown. */
export function prepare(deps: PrepareDeps, asked: Asked): Prepared {
  const tool = deps.tools.get(asked.tool);
  if (tool === undefined) throw toolNotFound(asked.tool, deps.catalog.nearest(asked.tool));
  const checked = deps.catalog.checkArguments(tool.name, asked.args);
  const marked = containsMarker(checked);
  if (marked !== undefined) throw markerSent(tool.name, marked);
  const { confirm, confirm_token: confirmToken, ...args } = checked;
  const action = deps.catalog.actionOf(tool.name, checked);
  const place = placeOf(deps.consoles, asked);
  return {
    tool,
    args,
    kind: action === "read" ? "read" : "write",
    action,
    ...place,
    confirm: confirm === true,
    confirmToken: typeof confirmToken === "string" && confirmToken !== "" ? confirmToken : undefined,
    denied: action === "read" ? undefined : deniedBy(deps.policy, tool, checked),
    fingerprint: () =>
      deps.journal.hmac(
        asked.owner.org,
        asked.owner.grant,
        tool.name,
        args,
        place.consoleName,
        place.siteName.toLowerCase(),
      ),
  };
}

function deniedBy(policy: Policy, tool: Tool, args: Row): EdgeError | undefined {
  try {
    policy.assertWrite(tool, args);
    return undefined;
  } catch (error) {
    if (error instanceof EdgeError) return error;
    throw error;
  }
}

/** A read-modify-write by a model would save the marker as the new password. */
function markerSent(tool: string, path: string): EdgeError {
  return new EdgeError("ARGUMENTS_INVALID", `${tool}: ${path} holds the marker that stands for a hidden secret.`, {
    hint: "Leave that field out to keep its value, or send the real one.",
  });
}

interface Place {
  readonly consoleName: string;
  readonly console: ConsolePlace;
  readonly siteName: string;
}

/** The console by name, by a `console/site` prefix, or the first; the site as asked, or that console's own default. */
function placeOf(consoles: ReadonlyMap<string, ConsolePlace>, asked: Pick<Asked, "console" | "site">): Place {
  const [prefix, rest] = splitSite(asked.site);
  const byPrefix = asked.console === undefined && prefix !== undefined && consoles.has(prefix);
  const name = asked.console ?? (byPrefix ? prefix : undefined) ?? consoles.keys().next().value;
  const place = name === undefined ? undefined : consoles.get(name);
  if (name === undefined || place === undefined) {
    const valid = [...consoles.keys()];
    throw new EdgeError("CONSOLE_UNKNOWN", `This agent has no such console. It has: ${valid.join(", ")}.`, {
      details: { valid_consoles: valid },
    });
  }
  return { consoleName: name, console: place, siteName: (byPrefix ? rest : asked.site) || place.defaultSite };
}

function splitSite(site: string | undefined): readonly [string | undefined, string | undefined] {
  const slash = site?.indexOf("/") ?? -1;
  return site === undefined || slash < 0 ? [undefined, undefined] : [site.slice(0, slash), site.slice(slash + 1)];
}
