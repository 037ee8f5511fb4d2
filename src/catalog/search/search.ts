/** Ranks tools by a question in plain words: their own words, the ways people ask for them, and what is to be done. */
import MiniSearch from "minisearch";
import type { Action } from "../../principal.ts";
import type { ManifestTool } from "../manifest.ts";
import { createSpelling } from "./spelling.ts";
import { type Asked, TABLE_WORDS, termsOf, wordsOf } from "./text.ts";

export interface Ranked {
  readonly tool: ManifestTool;
  readonly score: number;
}

export interface Search {
  /** Whether this very tool is among those searched. */
  covers(tool: ManifestTool): boolean;
  /** Best first; equal scores keep the order of the tools. Nothing for a question without words. */
  rank(text: string): readonly Ranked[];
}

/** One document a tool, and one a way of asking: the best way counts, not their average. */
interface Entry {
  readonly id: number;
  readonly tool: number;
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly category: string;
  readonly description: string;
  readonly ask: string;
}

const BOOSTS = { name: 3, title: 3, summary: 4, category: 1.5, description: 1.2, ask: 3 };
const ASK_WEIGHT = 3;
/** Beyond the best way of asking, each further one of the same tool confirms it less. */
const ASK_DECAY = 0.7;
/** A question that is a tool's name and nothing else means that tool. */
const NAMED = 2;
const VERB_WEIGHT = 1.3;
/** Who names no action wants to look rather than to change. */
const LOOKING = 1.3;
const ACTION_HIT = 1.4;
const ACTION_MISS = 0.7;
/** Words of a question that the table does not know and no tool has are tried as beginnings of words. */
const PREFIX_MIN = 3;

export function createSearch(tools: readonly ManifestTool[]): Search {
  const engine = new MiniSearch<Entry>({
    fields: Object.keys(BOOSTS),
    storeFields: ["tool"],
    tokenize: (text) => text.split(" "),
    processTerm: (term) => (term === "" ? null : term),
    searchOptions: { boost: BOOSTS, combineWith: "OR", prefix: false, fuzzy: false },
  });
  const entries = tools.flatMap(entriesOf).map((entry, id) => ({ ...entry, id }));
  engine.addAll(entries);
  const documents = frequencies(entries);
  const nameTerms = tools.map((tool) => textOf(tool.name.replace(/^[a-z]+_/, "").replaceAll("_", " ")).split(" "));
  const mend = createSpelling([...TABLE_WORDS, ...tools.flatMap(rawWords)]);

  function rank(text: string): readonly Ranked[] {
    const asked = termsOf(text, mend);
    const terms = asked.terms.length === 0 ? asked.verbs : asked.terms;
    if (terms.length === 0) return [];
    const scores = new Map<number, Score>();
    const weights = new Map(
      terms.map((term) => [term, Math.log(1 + entries.length / (1 + (documents.get(term) ?? 0)))]),
    );
    const hits = engine.search([...terms, ...asked.verbs].join(" "), {
      prefix: (term) => !documents.has(term) && term.length >= PREFIX_MIN,
      boostTerm: (term) => (asked.verbs.includes(term) && asked.terms.length > 0 ? VERB_WEIGHT : 1),
    });
    for (const hit of hits) add(scores, entries[Number(hit.id)], hit.score, hit.queryTerms);
    return [...scores]
      .map(([id, score]) => ({
        id,
        tool: tools[id],
        score: totalOf(score, weights, asked, tools[id]) * (isNamed(nameTerms[id] ?? [], asked) ? NAMED : 1),
      }))
      .sort((a, b) => b.score - a.score || a.id - b.id)
      .flatMap(({ tool, score }) => (tool === undefined ? [] : [{ tool, score }]));
  }

  const covered = new Set(tools);
  return { covers: (tool) => covered.has(tool), rank };
}

const FIELDS = ["name", "title", "summary", "category", "description", "ask"] as const;

function entriesOf(tool: ManifestTool, at: number): Omit<Entry, "id">[] {
  const none = { name: "", title: "", summary: "", category: "", description: "", ask: "" };
  const own = {
    ...none,
    tool: at,
    name: textOf(tool.name.replace(/^[a-z]+_/, "").replaceAll("_", " ")),
    title: textOf(tool.title),
    summary: textOf(tool.summary),
    category: textOf(tool.category.replaceAll("_", " ")),
    description: textOf(tool.description),
  };
  return [own, ...(tool.asks ?? []).map((ask) => ({ ...none, tool: at, ask: textOf(ask) }))];
}

/** Terms and verbs: a tool is also found by what it does. */
function textOf(text: string): string {
  const { terms, verbs } = termsOf(text);
  return [...terms, ...verbs].join(" ");
}

function rawWords(tool: ManifestTool): string[] {
  return wordsOf([tool.name.replaceAll("_", " "), tool.title, tool.summary, ...(tool.asks ?? [])].join(" "));
}

interface Score {
  own: number;
  readonly asks: number[];
  readonly terms: Set<string>;
}

function add(scores: Map<number, Score>, entry: Entry | undefined, points: number, terms: readonly string[]): void {
  if (entry === undefined) return;
  const score = scores.get(entry.tool) ?? { own: 0, asks: [], terms: new Set<string>() };
  if (entry.ask === "") score.own = points;
  else score.asks.push(points);
  for (const term of terms) score.terms.add(term);
  scores.set(entry.tool, score);
}

/** How many documents have each term: rare words tell more. */
function frequencies(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    for (const term of new Set(FIELDS.flatMap((field) => entry[field].split(" ")))) {
      counts.set(term, (counts.get(term) ?? 0) + 1);
    }
  }
  return counts;
}

function totalOf(
  score: Score,
  weights: ReadonlyMap<string, number>,
  { intents }: Asked,
  tool: ManifestTool | undefined,
): number {
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const found = [...weights].reduce((sum, [term, weight]) => sum + (score.terms.has(term) ? weight : 0), 0);
  const coverage = whole === 0 ? 1 : found / whole;
  const asks = score.asks.toSorted((a, b) => b - a).reduce((sum, each, at) => sum + each * ASK_DECAY ** at, 0);
  const points = score.own + ASK_WEIGHT * asks;
  return points * (0.05 + 0.95 * coverage) * actionFactor(intents, tool?.permission_action);
}

/** In any order, and whatever tells an action apart from its like (`list` and `show`). */
function isNamed(name: readonly string[], { terms, verbs }: Asked): boolean {
  const asked = [...terms, ...verbs];
  return name.length === asked.length && name.every((term) => asked.includes(term));
}

function actionFactor(intents: Asked["intents"], action: Action | undefined): number {
  if (action === undefined) return 1;
  if (intents.size === 0) return action === "read" ? LOOKING : 1;
  return intents.has(action) ? ACTION_HIT : ACTION_MISS;
}
