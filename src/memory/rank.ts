import { wordsOf } from './words.ts';

/** An embedding. Only its direction matters. */
export type Vector = ArrayLike<number>;

/** Embeds texts, one vector each; null if the service did not answer, or not in time. Never rejects. */
export type Embed = (
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<readonly (readonly number[])[] | null>;

/** A match this much weaker than the best one is a coincidence: one common everyday word. */
const WEAKEST = 0.2;
/** The usual constant of reciprocal rank fusion: dampens the weight of the very first ranks. */
const RANK_OFFSET = 60;
/** Below this, two texts are unrelated, whatever the model. */
const LEAST_COSINE = 0.3;

/** With more candidates than this, those with the fewest common words are skipped. */
const MOST_LOOKED_AT = 200;

/** The texts that match the query, best first, as indexes of the list. Empty if none does. */
export async function rankByWords(query: string, texts: readonly string[]): Promise<number[]> {
  const wanted = [...new Set(wordsOf(query))];
  const candidates = likely(wanted, texts);
  if (candidates.length === 0) return [];
  const { default: MiniSearch } = await import('minisearch');
  const index = new MiniSearch<{ id: number; text: string }>({
    fields: ['text'],
    tokenize: wordsOf,
    processTerm: (term) => term,
  });
  index.addAll(candidates.map((id) => ({ id, text: texts[id] ?? '' })));
  const hits = index.search(wanted.join(' '), {
    tokenize: (words) => words.split(' '),
    prefix: (term) => term.length > 4,
  });
  const best = hits[0]?.score ?? 0;
  return hits.filter(({ score }) => score >= best * WEAKEST).map(({ id }) => id as number);
}

/** Tokenizing thousands of texts takes too long: those without any of the words are skipped. */
function likely(words: readonly string[], texts: readonly string[]): number[] {
  const roots = words.map((word) => (word.length > 5 ? word.slice(0, -1) : word));
  const found = texts.flatMap((text, id) => {
    const plain = text.normalize('NFKC').toLowerCase();
    const hits = roots.filter((root) => plain.includes(root)).length;
    return hits > 0 ? [{ id, hits }] : [];
  });
  if (found.length > MOST_LOOKED_AT) found.sort((a, b) => b.hits - a.hits);
  return found.slice(0, MOST_LOOKED_AT).map(({ id }) => id);
}

/** By meaning. Skips texts without a vector. */
export function rankByVectors(query: Vector, vectors: readonly (Vector | null)[]): number[] {
  const scores = vectors.flatMap((vector, id) => (vector ? [{ id, score: cosine(query, vector) }] : []));
  const mean = scores.reduce((sum, { score }) => sum + score, 0) / scores.length;
  const spread = Math.sqrt(scores.reduce((sum, { score }) => sum + (score - mean) ** 2, 0) / scores.length);
  // Models differ in the similarity of unrelated texts: a match must stand out from the rest.
  const least = Math.max(LEAST_COSINE, scores.length > 1 ? mean + spread / 2 : LEAST_COSINE);
  return scores
    .filter(({ score }) => score >= least)
    .sort((a, b) => b.score - a.score)
    .map(({ id }) => id);
}

/** Merges several rankings: what ranks high in any of them ranks high in the result. */
export function fuse(orders: readonly (readonly number[])[]): number[] {
  const scores = new Map<number, number>();
  for (const order of orders) {
    for (const [place, id] of order.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_OFFSET + place));
  }
  return [...scores].sort(([, a], [, b]) => b - a).map(([id]) => id);
}

function cosine(a: Vector, b: Vector): number {
  if (a.length !== b.length) return 0;
  let dot = 0;
  let lengthA = 0;
  let lengthB = 0;
  // Runs millions of times: a plain loop takes a tenth of an iterator's time.
  for (let i = 0; i < a.length; i++) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    dot += x * y;
    lengthA += x * x;
    lengthB += y * y;
  }
  return dot === 0 ? 0 : dot / Math.sqrt(lengthA * lengthB);
}
