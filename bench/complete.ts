import path from 'node:path';
import { FileNames } from '../src/frontends/shared/file-names/file-names.ts';
import { projectFiles } from '../src/sandbox/files/project-files.ts';
import type { ToolRow } from './tools.ts';
import { hundredThousandFiles } from './tree.ts';

const ROUNDS = 15;
/** Typical input: one letter, a word, scattered letters, a path. */
const QUERIES = ['c', 'count', 'pt4cnt', 'area-3/part-4/x'];

/** The cost of a key press while completing a file after `@` in a project of 100,000 files. */
export async function completeRows(): Promise<ToolRow[]> {
  const root = await hundredThousandFiles(path.resolve('node_modules/.cache/bench-tree'));
  const { signal } = new AbortController();
  const files = await projectFiles(root, signal);
  const names = new FileNames({ list: async () => files, now: () => 0, onChange: () => undefined });
  await names.refresh();
  const rows = QUERIES.map((query): ToolRow => {
    const [ours, bare]: [number[], number[]] = [[], []];
    for (let round = 0; round <= ROUNDS; round++) {
      ours.push(timed(() => names.search(query, 50)));
      bare.push(timed(() => files.filter((name) => name.includes(query))));
    }
    return {
      what: `completion of @${query} among 100,000 files`,
      ms: median(ours.slice(1)),
      baseline: { what: 'names that include it', ms: median(bare.slice(1)) },
      target: 'under 50',
    };
  });
  names.close();
  return rows;
}

function timed(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

function median(figures: number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}
