import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rankTexts } from '../src/memory/select.ts';
import { VectorCache } from '../src/memory/vectors.ts';
import { foundTable } from './memory-found.ts';
import { keywordQueries, notes } from './memory-notes.ts';

type MemoryRow = { what: string; ms: number; target?: string };

const MANY = 2_000;
const ROUNDS = 15;
/** Typical for small embedding models. */
const DIMENSIONS = 768;

/** How long it takes to find relevant notes among 2,000, and how often they are found among 50. */
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
  const found = (await foundTable()).join('\n');
  console.log(found);
  if (process.argv.includes('--record'))
    await appendFile('bench/results.md', `\n${headingOf()}\n\n${found}\n`);
  return [
    {
      what: `memory: first search among ${MANY} notes`,
      ms: times[0] ?? Number.NaN,
      target: 'under 50',
    },
    {
      what: `memory: the same by meaning, too, numbers read from the disk`,
      ms: await firstByMeaning(many),
    },
    {
      what: `memory: search among ${MANY} notes`,
      ms: times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN,
      target: 'under 50',
    },
  ];
}

/** Excludes the time of the embedding model for the query. */
async function firstByMeaning(many: readonly string[]): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'aca-bench-'));
  try {
    const file = path.join(folder, 'vectors-bench.jsonl');
    const embed = async (texts: readonly string[]) => texts.map((text) => wave(text.length));
    await new VectorCache({ file, embed }).learn(many, AbortSignal.timeout(60_000));
    const vectors = new VectorCache({ file, embed });
    const started = performance.now();
    await rankTexts(keywordQueries[0]?.[0] ?? '', many, { vectors, withinMs: 1000 });
    return performance.now() - started;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function wave(seed: number): number[] {
  return Array.from({ length: DIMENSIONS }, (_, i) => Math.sin(seed * (i + 1)));
}

function headingOf(): string {
  const date = new Date().toISOString().slice(0, 10);
  return `## ${date}, memory: found first, and among the eight told, of ${notes.length} notes`;
}
