import { limited } from '../lib/async/abort.ts';
import { fuse, rankByVectors, rankByWords } from './rank.ts';
import type { VectorCache } from './vectors.ts';

/** The embeddings for semantic search, and how long to wait for them. */
export type ByMeaning = { vectors: VectorCache; withinMs: number };

/** Texts relevant to the query, best first, as indexes of the list: by words, and by meaning if possible. */
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

/** A slow or missing service costs only its time limit. */
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
