import { wordsOf } from './words.ts';

/** Two notes with this share of common words are duplicates. */
const SAME = 0.75;

/** The note in `known` that says the same as `text`, if any. */
export function duplicateOf<T extends { text: string }>(text: string, known: readonly T[]): T | undefined {
  const plain = plainOf(text);
  const words = new Set(wordsOf(text));
  return known.find((other) => plainOf(other.text) === plain || overlap(words, wordsOf(other.text)) >= SAME);
}

function plainOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The share of common words among all words of both. */
function overlap(words: ReadonlySet<string>, others: readonly string[]): number {
  const set = new Set(others);
  if (words.size === 0 || set.size === 0) return 0;
  const shared = [...words].filter((word) => set.has(word)).length;
  return shared / (words.size + set.size - shared);
}
