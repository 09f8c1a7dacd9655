import { createHash } from 'node:crypto';
import { fuse, rankByVectors, rankByWords, type Vector } from '../src/memory/rank.ts';
import { keywordQueries, notes, paraphraseQueries } from './memory-notes.ts';
import recorded from './memory-vectors.json' with { type: 'json' };

type Query = readonly [query: string, note: number];
type Way = { how: string; rank(query: string): Promise<number[]> };

/** Maximum number of notes sent with a first prompt. */
const TOLD = 8;

/**
 * How often the right note is found, by words, by meaning and by both, as table rows. The vectors of an
 * embedding model are stored next to this file, so that the figures can be reproduced without a model.
 */
export async function foundTable(): Promise<string[]> {
  const vectorOf = recordedVectors();
  const known = notes.map(vectorOf);
  const byMeaning = (query: string) => rankByVectors(vectorOf(query), known);
  const ways: Way[] = [
    { how: 'words', rank: (query) => rankByWords(query, notes) },
    { how: 'meaning', rank: async (query) => byMeaning(query) },
    {
      how: 'both, fused by rank',
      rank: async (query) => fuse([await rankByWords(query, notes), byMeaning(query)]),
    },
  ];
  const rows = await Promise.all(ways.map(rowOf));
  const asked = [
    `${keywordQueries.length} questions in the note's words`,
    `${paraphraseQueries.length} in other words`,
  ];
  return [`| how | ${asked.join(' | ')} | told on average |`, '|---|---|---|---|', ...rows];
}

async function rowOf({ how, rank }: Way): Promise<string> {
  const keyword = await foundBy(rank, keywordQueries);
  const paraphrase = await foundBy(rank, paraphraseQueries);
  const told = mean([...keyword.told, ...paraphrase.told]).toFixed(1);
  return `| ${how} | ${keyword.share} | ${paraphrase.share} | ${told} |`;
}

/** `share` is how often the right note was first, and how often it was included at all. */
async function foundBy(
  rank: Way['rank'],
  queries: readonly Query[],
): Promise<{ share: string; told: number[] }> {
  const orders = await Promise.all(
    queries.map(async ([query, note]) => ({ note, order: await rank(query) })),
  );
  const first = orders.filter(({ note, order }) => order[0] === note);
  const among = orders.filter(({ note, order }) => order.slice(0, TOLD).includes(note));
  return {
    share: [first, among].map(({ length }) => share(length, orders.length)).join(', '),
    told: orders.map(({ order }) => Math.min(order.length, TOLD)),
  };
}

/** Rounded half up to hundredths: 23 of 40 is 0.58, which floating-point division does not give. */
function share(part: number, whole: number): string {
  return (Math.round((100 * part) / whole) / 100).toFixed(2);
}

function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}

/**
 * One byte per number: each vector is quantized to 1/127 of its largest number, which is precise enough for
 * cosines.
 */
function recordedVectors(): (text: string) => Vector {
  const { model, texts: wanted, dimensions, vectors } = recorded;
  const texts = [...notes, ...[...keywordQueries, ...paraphraseQueries].map(([query]) => query)];
  const print = createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);
  if (print !== wanted)
    throw new Error(`bench/memory-vectors.json is for other texts: make the numbers again with ${model}.`);
  const all = new Int8Array(Buffer.from(vectors, 'base64'));
  return (text) => {
    const at = texts.indexOf(text) * dimensions;
    return all.subarray(at, at + dimensions);
  };
}
