/** The answer of `*_tool_index`: filter, search, pages and schemas over one narrowed list of tools of one app. */
import { createHash } from "node:crypto";
import MiniSearch from "minisearch";
import { EdgeError } from "../errors.ts";
import type { ManifestTool } from "./manifest.ts";

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

/** Words that say nothing about a tool. */
const STOP_WORDS = new Set(
  "a an and any are at by do for from how i in is it me my of on or please show the to what which who with".split(" "),
);
/** What people say for what the console calls it; a tool is found under both. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  wlan: ["wifi", "ssid", "wireless"],
  passphrase: ["password"],
  reboot: ["restart"],
  restart: ["reboot"],
  firmware: ["upgrade"],
  delete: ["remove"],
  create: ["add", "new"],
  update: ["change", "edit"],
  network: ["vlan", "subnet"],
  client: ["connected", "station", "host"],
};
const MAX_TERMS = 16;
const MIN_FUZZY_LENGTH = 4;
const FUZZINESS = 0.2;
const WORD = /[a-z0-9]+/g;

/** The list's order is the answer's order, except where a search ranks; equal ranks keep it. */
export function createToolIndex(entries: readonly IndexedTool[]): ToolIndex {
  const categories = [...new Set(entries.map(({ tool }) => tool.category))].sort();
  let search: ((text: string) => readonly IndexedTool[]) | undefined;

  function matches(query: IndexQuery): readonly IndexedTool[] {
    // built at the first search: most callers list
    search ??= createSearch(entries);
    const found = isGiven(query.search) ? search(query.search) : entries;
    const category = query.category?.toLowerCase();
    return isGiven(category) ? found.filter(({ tool }) => tool.category.toLowerCase() === category) : found;
  }

  return {
    query(query) {
      const found = matches(query);
      const from = query.cursor === undefined ? 0 : readCursor(query.cursor, query);
      const to = query.limit === undefined ? found.length : Math.min(from + query.limit, found.length);
      const describe = query.include_schemas === true ? fullEntry : compactEntry;
      return JSON.stringify({
        tools: found.slice(from, to).map(describe),
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

function fullEntry({ tool, locations }: IndexedTool): object {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    ...(locations === undefined ? {} : { locations }),
    schema: tool.schema,
    annotations: tool.annotations,
    permission_category: tool.permission_category,
    permission_action: tool.permission_action,
  };
}

/** All words first; where no tool has them all, any of them. Prefixes and near spellings count less than words. */
function createSearch(entries: readonly IndexedTool[]): (text: string) => readonly IndexedTool[] {
  const engine = new MiniSearch({
    fields: ["name", "title", "summary", "category", "description"],
    idField: "id",
    tokenize: wordsOf,
    processTerm: withSynonyms,
    searchOptions: {
      processTerm: (term) => term,
      boost: { name: 4, title: 3, summary: 3, category: 2 },
      prefix: true,
      fuzzy: (term) => (term.length < MIN_FUZZY_LENGTH ? false : FUZZINESS),
      weights: { prefix: 0.6, fuzzy: 0.3 },
    },
  });
  engine.addAll(
    entries.map(({ tool: { name, title, summary, category, description } }, id) => ({
      id,
      name,
      title,
      summary,
      category,
      description,
    })),
  );

  const nameWords = entries.map(({ tool }) => wordsOf(tool.name).slice(1));
  /** Share of a name's words (its prefix left out) that were asked for: the plain tool before its special cousins. */
  const coverage = (id: number, asked: readonly string[]) => {
    const words = nameWords[id] ?? [];
    return words.length === 0 ? 0 : words.filter((word) => asked.includes(word)).length / words.length;
  };

  return (text) => {
    const asked = wordsOf(text)
      .filter((word) => !STOP_WORDS.has(word))
      .slice(0, MAX_TERMS);
    if (asked.length === 0) return [];
    const all = engine.search(asked.join(" "), { combineWith: "AND" });
    const found = all.length > 0 ? all : engine.search(asked.join(" "), { combineWith: "OR" });
    return found
      .map((hit) => ({ id: Number(hit.id), score: hit.score * (1 + coverage(Number(hit.id), asked)) }))
      .sort((a, b) => b.score - a.score || a.id - b.id)
      .flatMap(({ id }) => entries[id] ?? []);
  };
}

function withSynonyms(term: string): string[] {
  const singular = term.replace(/s$/, "");
  return [term, ...(Object.hasOwn(SYNONYMS, singular) ? (SYNONYMS[singular] ?? []) : [])];
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
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
