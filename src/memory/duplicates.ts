import { wordsOf } from './words.ts';

/** Two notes with so many words in common say the same. */
const SAME = 0.75;

/** The one of `known` that says what `text` says, if any. */
export function twinOf<T extends { text: string }>(text: string, known: readonly T[]): T | undefined {
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

/** Of all words of both, how many stand in both. */
function overlap(words: ReadonlySet<string>, others: readonly string[]): number {
  const set = new Set(others);
  if (words.size === 0 || set.size === 0) return 0;
  const shared = [...words].filter((word) => set.has(word)).length;
  return shared / (words.size + set.size - shared);
}
