import { rankTexts } from '../src/memory/select.ts';
import { keywordQueries, notes, paraphraseQueries } from './memory-notes.ts';

type MemoryRow = { what: string; ms: number; target?: string };

const MANY = 2_000;
const ROUNDS = 15;

/** How long it takes to find what matters among 2,000 notes, and how often it is found among 50. */
export async function memoryRows(): Promise<MemoryRow[]> {
  const many = Array.from(
    { length: MANY },
    (_, i) => `${notes[i % notes.length]} (part ${i}, ${notes[(i * 7) % notes.length]?.slice(0, 40)})`,
  );
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    await rankTexts(keywordQueries[round]?.[0] ?? '', many, null);
    times.push(performance.now() - started);
  }
  for (const [what, queries] of [
    ['keyword', keywordQueries],
    ['paraphrase', paraphraseQueries],
  ] as const) {
    const { first, eight } = await recall(queries);
    console.log(`memory, ${what} queries: found first ${first.toFixed(2)}, among eight ${eight.toFixed(2)}`);
  }
  return [
    { what: `memory: first search among ${MANY} notes`, ms: times[0] ?? Number.NaN },
    {
      what: `memory: search among ${MANY} notes`,
      ms: times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN,
      target: 'under 50',
    },
  ];
}

async function recall(
  queries: readonly [query: string, note: number][],
): Promise<{ first: number; eight: number }> {
  let first = 0;
  let eight = 0;
  for (const [query, note] of queries) {
    const found = await rankTexts(query, notes, null);
    if (found[0] === note) first += 1;
    if (found.slice(0, 8).includes(note)) eight += 1;
  }
  return { first: first / queries.length, eight: eight / queries.length };
}
