/** The answer of `*_tool_index`: filter, search, pages and schemas over one narrowed list of tools of one app. */
import { createHash } from "node:crypto";
import { EdgeError } from "../errors.ts";
import type { ManifestTool } from "./manifest.ts";
import { createSearch, type Search } from "./search/search.ts";
import { shareSchemas } from "./shared-schemas.ts";

export interface IndexQuery {
  readonly category?: string;
  readonly search?: string;
  readonly include_schemas?: boolean;
  readonly limit?: number;
  readonly cursor?: string;
}

/** A tool and, where not every location has it, the locations that do. */
export interface IndexedTool {
  readonly tool: ManifestTool;
  readonly locations?: readonly string[];
}

export interface ToolIndex {
  /** One JSON object `{tools, count, categories, filtered?, next_cursor?}`; `count` counts all matches, on every page. */
  query(query: IndexQuery): string;
}

/**
 * The list's order is the answer's order, except where a search ranks; equal ranks keep it. `search` covers the tools of
 * our own manifest, whoever may see them: one for all; tools that it does not know (a location's own) are searched apart.
 */
export function createToolIndex(entries: readonly IndexedTool[], search: Search): ToolIndex {
  const categories = [...new Set(entries.map(({ tool }) => tool.category))].sort();
  const places = new Map(entries.map((entry, place) => [entry.tool, place]));
  const others = entries.map(({ tool }) => tool).filter((tool) => !search.covers(tool));
  let otherSearch: Search | undefined;

  function ranked(text: string): readonly IndexedTool[] {
    if (others.length > 0) otherSearch ??= createSearch(others);
    return [...search.rank(text), ...(otherSearch?.rank(text) ?? [])]
      .sort((a, b) => b.score - a.score || placeOf(a.tool) - placeOf(b.tool))
      .flatMap(({ tool }) => entries[placeOf(tool)] ?? []);
  }

  const placeOf = (tool: ManifestTool) => places.get(tool) ?? entries.length;

  function matches(query: IndexQuery): readonly IndexedTool[] {
    const found = isGiven(query.search) ? ranked(query.search) : entries;
    const category = query.category?.toLowerCase();
    return isGiven(category) ? found.filter(({ tool }) => tool.category.toLowerCase() === category) : found;
  }

  return {
    query(query) {
      const found = matches(query);
      const from = query.cursor === undefined ? 0 : readCursor(query.cursor, query);
      const to = query.limit === undefined ? found.length : Math.min(from + query.limit, found.length);
      const page = found.slice(from, to);
      return JSON.stringify({
        ...(query.include_schemas === true ? fullEntries(page) : { tools: page.map(compactEntry) }),
        count: found.length,
        categories,
        ...(isGiven(query.search) || isGiven(query.category) ? { filtered: true } : {}),
        ...(to < found.length ? { next_cursor: writeCursor(to, query) } : {}),
      });
    },
  };
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text.trim() !== "";

function compactEntry({ tool, locations }: IndexedTool): object {
  return { name: tool.name, description: tool.summary, ...(locations === undefined ? {} : { locations }) };
}

function fullEntries(page: readonly IndexedTool[]): object {
  const { $defs, schemas } = shareSchemas(page.map(({ tool }) => tool));
  const tools = page.map(({ tool, locations }, at) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    ...(locations === undefined ? {} : { locations }),
    schema: schemas[at],
    annotations: tool.annotations,
    permission_category: tool.permission_category,
    permission_action: tool.permission_action,
  }));
  return Object.keys($defs).length === 0 ? { tools } : { $defs, tools };
}

// A cursor is an offset bound to its question: another question's cursor would skip tools silently.

function writeCursor(offset: number, query: IndexQuery): string {
  return Buffer.from(`${offset}.${questionHash(query)}`).toString("base64url");
}

function readCursor(cursor: string, query: IndexQuery): number {
  const [offset, hash] = Buffer.from(cursor, "base64url").toString("latin1").split(".");
  if (hash !== questionHash(query) || offset === undefined || !/^\d{1,6}$/.test(offset)) {
    throw new EdgeError("ARGUMENTS_INVALID", "This cursor is not one of this question.", {
      hint: "Repeat the question without cursor.",
    });
  }
  return Number(offset);
}

function questionHash({ category, search }: IndexQuery): string {
  return createHash("sha256")
    .update(JSON.stringify([category ?? "", search ?? ""]))
    .digest("base64url")
    .slice(0, 8);
}
