import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { type Contestant, contestantFrom, ours } from './contestant.ts';
import { median } from './process-figures.ts';
import { type RaceRow, race } from './race.ts';

/**
 * Races this program, as JavaScript and as a binary where one was built, beside others in one run: `npm run
 * bench:compare -- other.json`. Each file tells how to start one; docs/bench.md shows such a file. `--record` appends the
 * table to bench/results.md.
 */

const outdir = '.bench-dist';
const ROUNDS = 15;

async function compare(files: readonly string[]): Promise<void> {
  execFileSync(process.execPath, ['scripts/build.mjs', '--quiet', '--outdir', outdir], { stdio: 'inherit' });
  const binary = path.resolve(`build/aca-${process.platform}-${process.arch}`);
  const contestants: Contestant[] = [
    ours('this, on Node', [process.execPath, path.resolve(outdir, 'main.cjs')]),
    ...(existsSync(binary) ? [ours('this, binary', [binary])] : []),
    ...(await Promise.all(files.map(contestantFrom))),
  ];
  const bare = await bareRuntime();
  const tables: RaceRow[][] = [];
  for (const contestant of contestants) tables.push(await race(contestant));
  const lines = (tables[0] ?? []).map(({ what }, row) =>
    cells([what, ...tables.map((table) => shown(table[row]?.figure ?? Number.NaN))]),
  );
  const text = [
    `Bare runtime, spawn to exit: ${bare.toFixed(1)} ms.`,
    '',
    cells(['what', ...contestants.map(({ name }) => name)]),
    cells(['---', ...contestants.map(() => '---')]),
    ...lines,
  ].join('\n');
  console.log(text);
  if (!process.argv.includes('--record')) return;
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const heading = `## Beside others, ${new Date().toISOString().slice(0, 10)}, ${commit}, Node ${process.version}, ${cpus().length} cores`;
  await appendFile('bench/results.md', `\n${heading}\n\n${text}\n`);
}

async function bareRuntime(): Promise<number> {
  const figures: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    // As bare as the others are: certificates of the environment, say, would be read at every start.
    const env = { PATH: process.env.PATH ?? '' };
    const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore', env });
    await new Promise((resolve) => child.on('close', resolve));
    figures.push(performance.now() - started);
  }
  return median(figures);
}

function cells(words: readonly string[]): string {
  return `| ${words.join(' | ')} |`;
}

function shown(figure: number): string {
  return figure < 100 ? figure.toFixed(1) : figure.toFixed(0);
}

await compare(process.argv.slice(2).filter((word) => !word.startsWith('--')));
