/** Text to words that can be compared: lower case, phrases joined, spelling mended, stemmed, brought to concepts. */
import { CONCEPTS, INTENTS, STOP_WORDS } from "./words.ts";

export type Intent = keyof typeof INTENTS;

export interface Asked {
  /** Stemmed words and concepts, without stop words and words of intent; in order, without repetition. */
  readonly terms: readonly string[];
  /** Words of intent, as terms: looked for with little weight. */
  readonly verbs: readonly string[];
  readonly intents: ReadonlySet<Intent>;
}

const WORD = /[a-z0-9]+/g;
/** Longer questions are cut: what matters stands early. */
const MAX_WORDS = 40;
const LONGEST_PHRASE = 6;
const MAX_WORD_LENGTH = 40;

const intentOf = new Map<string, Intent>();
const conceptOf = new Map<string, string>();
for (const [intent, words] of Object.entries(INTENTS)) {
  for (const word of words) intentOf.set(keyOf(word), intent as Intent); // the keys of INTENTS
}
for (const [concept, words] of Object.entries(CONCEPTS)) {
  for (const word of [concept, ...words]) conceptOf.set(keyOf(word), concept);
}

/** All single words of the tables: what a misspelt word may have meant. */
export const TABLE_WORDS: readonly string[] = [
  ...Object.keys(CONCEPTS),
  ...[...Object.values(CONCEPTS), ...Object.values(INTENTS)].flat().flatMap(wordsOf),
];

export function wordsOf(text: string): string[] {
  return text.toLowerCase().replace(/['’]/g, "").match(WORD) ?? [];
}

/** Phrase or word as the tables keep it: stemmed words joined by blanks. */
function keyOf(text: string): string {
  return wordsOf(text).map(stem).join(" ");
}

/** `mend` brings a misspelt word to a known one; words it does not know stay. */
export function termsOf(text: string, mend: (word: string) => string = (word) => word): Asked {
  const words = wordsOf(text)
    .slice(0, MAX_WORDS)
    .map((word) => stem(mend(word.slice(0, MAX_WORD_LENGTH))));
  const terms = new Set<string>();
  const verbs = new Set<string>();
  const intents = new Set<Intent>();
  for (let at = 0; at < words.length; ) {
    const taken = longestPhrase(words, at);
    const key = words.slice(at, at + taken).join(" ");
    const intent = intentOf.get(key);
    const concept = conceptOf.get(key);
    if (intent !== undefined) intents.add(intent);
    if (concept !== undefined) terms.add(concept);
    else if (intent !== undefined) verbs.add(key);
    else if (!STOP_WORDS.has(key)) terms.add(key);
    // a phrase's words count on their own too, so that `guest portal` still finds `guest`
    if (taken > 1) for (const word of words.slice(at, at + taken)) addWord(word, terms);
    at += taken;
  }
  return { terms: [...terms], verbs: [...verbs], intents };
}

function addWord(word: string, terms: Set<string>): void {
  if (STOP_WORDS.has(word) || intentOf.has(word)) return;
  terms.add(conceptOf.get(word) ?? word);
}

/** How many words from here make the longest entry of the tables; 1 where none does. */
function longestPhrase(words: readonly string[], at: number): number {
  for (let length = Math.min(LONGEST_PHRASE, words.length - at); length > 1; length -= 1) {
    const key = words.slice(at, at + length).join(" ");
    if (conceptOf.has(key) || intentOf.has(key)) return length;
  }
  return 1;
}

/** A light stem: plurals, -ing, -ed. Good enough because both sides get the same. */
export function stem(word: string): string {
  if (word.length <= 3) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  if (word.endsWith("s") && !/(ss|us|is)$/.test(word)) return word.slice(0, -1);
  if (word.endsWith("ing") && word.length > 5) return undouble(word.slice(0, -3));
  if (word.endsWith("ed") && word.length > 4 && !word.endsWith("eed")) return undouble(word.slice(0, -2));
  return word;
}

function undouble(word: string): string {
  return /([bdgmnprt])\1$/.test(word) ? word.slice(0, -1) : word;
}
