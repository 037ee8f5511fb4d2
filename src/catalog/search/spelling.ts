/** Brings a misspelt word to the nearest known one: at most one slip in short words, two in longer ones. */

const MIN_LENGTH = 4;
const LONG = 7;
/** Words come from strangers, so the memory of them is bounded. */
const MAX_KEPT = 2000;

/** `known` in order of preference: of equally near words the first wins. */
export function createSpelling(known: Iterable<string>): (word: string) => string {
  const words = [...new Set(known)].filter((word) => word.length >= MIN_LENGTH - 1);
  const exact = new Set(known);
  const kept = new Map<string, string>();
  return (word) => {
    if (word.length < MIN_LENGTH || exact.has(word) || /\d/.test(word)) return word;
    const before = kept.get(word);
    if (before !== undefined) return before;
    const mended = nearestOf(word, words);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(word, mended);
    return mended;
  };
}

function nearestOf(word: string, words: readonly string[]): string {
  let best = word;
  let bound = word.length >= LONG ? 2 : 1;
  for (const candidate of words) {
    if (Math.abs(candidate.length - word.length) > bound) continue;
    const distance = slips(word, candidate, bound);
    // a wrong first letter is rarer than any other slip
    const cost = candidate[0] === word[0] ? distance : distance + 0.5;
    if (cost <= bound && (best === word || cost < bound)) {
      best = candidate;
      bound = cost;
      if (cost === 0) break;
    }
  }
  return best;
}

/** Damerau-Levenshtein (adjacent swaps count once), given up as soon as it passes `bound`: then bound + 1. */
function slips(a: string, b: string, bound: number): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > bound) return bound + 1;
    before = last;
    last = row;
  }
  return last[b.length] ?? bound + 1;
}
