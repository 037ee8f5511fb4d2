/** What a search costs at 300 and 2,000 tools, and how often it is right beside two yardsticks. */
import { loadManifest } from "../../src/catalog/load.ts";
import type { ManifestTool } from "../../src/catalog/manifest.ts";
import { createSearch } from "../../src/catalog/search/search.ts";
import { plainSearch, qualityOf, type Rank, tokenSearch } from "../catalog/quality.ts";
import KEPT from "../catalog/questions-kept.json" with { type: "json" };
import { median } from "./measure.ts";

/** Tools, and the most that the median question may cost in milliseconds. */
const SIZES = [
  { tools: 300, mostMs: 1 },
  { tools: 2000, mostMs: 5 },
] as const;
const FIRST = 0.8;
const WITHIN_FIVE = 0.95;

/** Prints both tables; false when a target is missed. */
export function searchMeetsTargets(): boolean {
  const { tools } = loadManifest(new URL("../../tools_manifest.json", import.meta.url));
  const ours = rankOf(tools);
  const rows = (
    [
      ["ours", ours],
      ["every word counted", tokenSearch(tools)],
      ["library alone, over descriptions", plainSearch(tools)],
    ] as const
  ).map(([search, rank]) => ({ search, ...qualityOf(rank, KEPT, tools) }));
  const costs = SIZES.map(({ tools: size, mostMs }) => ({ tools: size, "p50 ms": costOf(grown(tools, size)), mostMs }));
  console.log("\nSearch: questions that were kept away from tuning; shares of right answers");
  console.table(rows);
  console.table(costs);
  const [quality] = rows;
  return (
    (quality?.first ?? 0) >= FIRST &&
    (quality?.withinFive ?? 0) >= WITHIN_FIVE &&
    costs.every((cost) => cost["p50 ms"] < cost.mostMs)
  );
}

function rankOf(tools: readonly ManifestTool[]): Rank {
  const search = createSearch(tools);
  return (text) => search.rank(text).map(({ tool }) => tool.name);
}

/** Copies under other names, so that every word has its usual share of tools. */
function grown(tools: readonly ManifestTool[], size: number): readonly ManifestTool[] {
  return Array.from({ length: size }, (_, at) => {
    const tool = tools[at % tools.length];
    if (tool === undefined) throw new Error("The manifest has no tools.");
    return { ...tool, name: `${tool.name}_${Math.floor(at / tools.length)}` };
  });
}

function costOf(tools: readonly ManifestTool[]): number {
  const search = createSearch(tools);
  const ask = () =>
    KEPT.map(({ ask: text }) => {
      const startedAt = performance.now();
      search.rank(text);
      return performance.now() - startedAt;
    });
  ask(); // warm
  return Math.round(median(ask()) * 1000) / 1000;
}
