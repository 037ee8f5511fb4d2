/** How well a search answers questions whose right tools are known. */
import MiniSearch from "minisearch";
import type { ManifestTool } from "../../src/catalog/manifest.ts";

export interface Question {
  readonly ask: string;
  /** Every tool that a reasonable admin would accept. */
  readonly right: readonly string[];
  readonly kind: string;
}

export type Rank = (text: string) => readonly string[];

export interface Quality {
  readonly asked: number;
  /** Shares, 0 to 1. */
  readonly first: number;
  readonly withinFive: number;
}

/** Questions whose right tools are all missing from `tools` are not asked. */
export function qualityOf(rank: Rank, questions: readonly Question[], tools: readonly ManifestTool[]): Quality {
  const names = new Set(tools.map(({ name }) => name));
  const asked = questions.filter(({ right }) => right.some((name) => names.has(name)));
  const places = asked.map(({ ask, right }) => rank(ask).findIndex((name) => right.includes(name)));
  const share = (within: number) => places.filter((place) => place >= 0 && place < within).length / asked.length;
  return { asked: asked.length, first: share(1), withinFive: share(5) };
}

/** Yardstick: tools by how many of the question's words occur in name or summary. */
export function tokenSearch(tools: readonly ManifestTool[]): Rank {
  const texts = tools.map(({ name, summary }) => `${name} ${summary}`.toLowerCase());
  return (text) => {
    const words = text.toLowerCase().split(/\s+/);
    return texts
      .map((searched, at) => ({ at, hits: words.filter((word) => searched.includes(word)).length }))
      .filter(({ hits }) => hits > 0)
      .sort((a, b) => b.hits - a.hits || a.at - b.at)
      .flatMap(({ at }) => tools[at]?.name ?? []);
  };
}

/** Yardstick: the library with its defaults over names, titles and descriptions. */
export function plainSearch(tools: readonly ManifestTool[]): Rank {
  const engine = new MiniSearch({ idField: "name", fields: ["words", "title", "description"] });
  engine.addAll(tools.map((tool) => ({ ...tool, words: tool.name.replaceAll("_", " ") })));
  return (text) => engine.search(text, { prefix: true, fuzzy: 0.2 }).map(({ id }) => String(id));
}
