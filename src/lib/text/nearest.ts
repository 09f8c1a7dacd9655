import { distance } from 'fastest-levenshtein';

/** The candidate a mistyped word most likely meant, or null if none is close. Ignores case. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const typed = word.toLowerCase();
  const limit = Math.min(4, Math.max(1, Math.floor(typed.length / 2)));
  let best: { candidate: string; steps: number } | null = null;
  for (const candidate of candidates) {
    const steps = stepsTo(typed, candidate.toLowerCase());
    if (steps <= limit && steps < (best?.steps ?? Number.POSITIVE_INFINITY)) best = { candidate, steps };
  }
  return best?.candidate ?? null;
}

/** One letter more, less or other, or two neighbours swapped. */
export function isOneSlip(typed: string, word: string): boolean {
  return stepsTo(typed, word) <= 1;
}

/** Swapped neighbours are the most common typo: they cost less than a missing or extra letter. */
function stepsTo(typed: string, word: string): number {
  const at = [...typed].findIndex((letter, i) => letter !== word[i]);
  const swapped = typed.slice(0, at) + (typed[at + 1] ?? '') + (typed[at] ?? '') + typed.slice(at + 2);
  return at >= 0 && swapped === word ? 0.5 : distance(typed, word);
}

/** ` Did you mean X?` with its leading space, or empty: for the end of a message about an unknown word. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates);
  return meant === null ? '' : ` Did you mean ${meant}?`;
}
