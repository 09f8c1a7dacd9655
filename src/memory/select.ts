import { limited } from '../lib/async/abort.ts';
import { fuse, rankByVectors, rankByWords } from './rank.ts';
import type { VectorCache } from './vectors.ts';

/** Where meaning can be asked for, and how long to wait for it. */
export type ByMeaning = { vectors: VectorCache; withinMs: number };

/** Texts that matter to the query, the best first, as places in the list: by their words, and by meaning if possible. */
export async function rankTexts(
  query: string,
  texts: readonly string[],
  byMeaning: ByMeaning | null,
): Promise<number[]> {
  const [words, meaning] = await Promise.all([
    rankByWords(query, texts),
    byMeaning ? orderByMeaning(query, texts, byMeaning) : [],
  ]);
  return meaning.length > 0 ? fuse([words, meaning]) : words;
}

/** A service that is slow or gone costs its time and nothing else. */
async function orderByMeaning(
  query: string,
  texts: readonly string[],
  { vectors, withinMs }: ByMeaning,
): Promise<number[]> {
  const known = vectors.peek(texts);
  if (known.every((vector) => vector === null)) return [];
  const asked = await vectors.query(query, limited(withinMs));
  return asked ? rankByVectors(asked, known) : [];
}
