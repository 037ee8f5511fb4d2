/** What one kind of caller sees: tools in their fixed order, the index of each app, and `tools/list`, made once. */
import { type Arguments, createArgumentCheck, toolNotFound } from "../catalog/arguments.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { actionOfCall, mildestAction } from "../catalog/classify.ts";
import { checkForeignArguments } from "../catalog/foreign.ts";
import { APPS, type App, type ManifestTool } from "../catalog/manifest.ts";
import { createNearest } from "../catalog/nearest.ts";
import type { Search } from "../catalog/search/search.ts";
import { type Narrowing, refusalOf, type Selection } from "../catalog/selection.ts";
import { createToolIndex, type IndexedTool, type ToolIndex } from "../catalog/tool-index.ts";
import { EdgeError } from "../errors.ts";
import type { Action, Principal } from "../principal.ts";
import { listedTool, type Placement } from "./domain-tools.ts";
import type { Visible } from "./execution.ts";
import { LIST_LOCATIONS, type ListedTool, type MetaTool, metaToolsOf } from "./meta-tools.ts";
import type { View } from "./view.ts";

export interface Listing {
  /** What all callers with this listing have in common; part of every cached answer's key. */
  readonly key: string;
  readonly apps: readonly App[];
  /** Selected and permitted, in the fixed order: the manifest's, then foreign tools by name. */
  readonly tools: readonly IndexedTool[];
  meta(name: string): MetaTool | undefined;
  /** A known tool, permitted or not, so that a refusal can say why; undefined = there is no such tool. */
  tool(name: string): ManifestTool | undefined;
  nearest(name: string): readonly string[];
  checkMeta(name: string, args: unknown): Arguments;
  /** Throws TOOL_NOT_FOUND, ARGUMENTS_INVALID, or why this caller may not: nothing has left yet. */
  admit(
    name: string,
    args: unknown,
  ): { readonly tool: ManifestTool; readonly args: Arguments; readonly action: Action };
  index(app: App): ToolIndex;
  /** For indexes of a part of the tools. */
  readonly search: Search;
  definition(name: string): ListedTool | undefined;
  /** `tools/list` with what load_tools added; names that are not (or no longer) selected are left out. */
  list(loaded: readonly string[]): readonly ListedTool[];
}

export interface ListingParts {
  readonly catalog: Catalog;
  readonly selection: Selection;
  readonly located: boolean;
}

/** Request arguments of meta-tools hold others' arguments, so their bounds are wider than one tool's. */
const META_BOUNDS = { depth: 40, size: 8 * 1024 * 1024 };

export function createListing(
  { catalog, selection, located }: ListingParts,
  principal: Pick<Principal, "role" | "scopes">,
  view: View,
  visible: Visible,
  key: string,
): Listing {
  const narrowing: Narrowing = {
    selection,
    apps: view.apps,
    readonly: view.readonly,
    principal,
    lacking: visible.lacking,
  };
  const foreign = new Map(visible.foreign.map((entry) => [entry.tool.name, entry] as const));
  const known: readonly IndexedTool[] = [
    ...catalog.tools.map((tool) => ({ tool })),
    ...[...foreign.values()].filter(({ tool }) => catalog.get(tool.name) === undefined).sort(byName),
  ];
  const tools = known.filter(
    ({ tool }) => visible.apps.has(tool.app) && refusalOf(tool, mildestAction(tool), narrowing) === undefined,
  );
  const names = new Set(tools.map(({ tool }) => tool.name));
  const apps = APPS.filter(
    (app) => visible.apps.has(app) && (view.apps?.includes(app) ?? true) && known.some(({ tool }) => tool.app === app),
  );
  const meta = new Map(metaOf(apps, view, located).map((tool) => [tool.rules.name, tool]));
  const placement: Placement = { located, several: visible.locations.length > 1 };
  const nearest = createNearest([...names]);
  const checkMeta = createArgumentCheck(
    new Map([...meta].map(([name, { rules }]) => [name, rules])),
    nearest,
    META_BOUNDS,
  );
  const indexes = new Map<App, ToolIndex>();
  const definitions = new Map<string, ListedTool>();

  const toolOf = (name: string) => catalog.get(name) ?? foreign.get(name)?.tool;

  function definition(name: string): ListedTool | undefined {
    const tool = names.has(name) ? toolOf(name) : undefined;
    if (tool === undefined) return undefined;
    const made = definitions.get(name) ?? listedTool(tool, placement);
    definitions.set(name, made);
    return made;
  }

  return {
    key,
    apps,
    tools,
    meta: (name) => meta.get(name),
    tool: toolOf,
    nearest,
    checkMeta,
    admit(name, given) {
      const tool = toolOf(name);
      if (tool === undefined) throw meta.has(name) ? calledDirectly(name) : toolNotFound(name, nearest(name));
      // whoever may not even read with it learns that before their arguments are judged
      const closed = refusalOf(tool, mildestAction(tool), narrowing);
      if (closed !== undefined) throw closed;
      const args =
        catalog.get(name) === undefined ? checkForeignArguments(tool, given) : catalog.checkArguments(name, given);
      const action = actionOfCall(tool, args);
      const refusal = refusalOf(tool, action, narrowing);
      if (refusal !== undefined) throw refusal;
      return { tool, args, action };
    },
    index(app) {
      const made =
        indexes.get(app) ??
        createToolIndex(
          tools.filter(({ tool }) => tool.app === app),
          catalog.search,
        );
      indexes.set(app, made);
      return made;
    },
    search: catalog.search,
    definition,
    list(loaded) {
      const shown = view.mode === "eager" ? names : new Set(view.mode === "lazy" ? loaded : []);
      return [
        ...[...meta.values()].map((tool) => tool.listed(view.readonly)),
        ...tools.flatMap(({ tool }) => (shown.has(tool.name) ? (definition(tool.name) ?? []) : [])),
      ];
    },
  };
}

function metaOf(apps: readonly App[], view: View, located: boolean): readonly MetaTool[] {
  const ofApps = apps
    .flatMap((app) => metaToolsOf(app, located))
    .filter(({ kind }) => kind !== "load_tools" || view.mode === "lazy");
  return located ? [...ofApps, LIST_LOCATIONS] : ofApps;
}

function calledDirectly(name: string): EdgeError {
  return new EdgeError("ARGUMENTS_INVALID", `${name} is called directly, not through another meta-tool.`);
}

const byName = (a: { readonly tool: ManifestTool }, b: { readonly tool: ManifestTool }) =>
  a.tool.name < b.tool.name ? -1 : 1;
