import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildProgram } from '../test/support/build-program.ts';
import { type Contestant, contestantFrom, ours } from './contestant.ts';
import { median } from './process-figures.ts';
import { publish } from './publish.ts';
import { type RaceRow, race } from './race.ts';

/**
 * Compares this program, as JavaScript and as a binary if one was built, with others in one run: `npm run
 * bench:compare -- other.json`. Each file says how to start one program; docs/bench.md shows an example. With
 * `--before DIR`, another built checkout of this repository, each build is compared with its earlier version.
 * `--record` appends the table to bench/results.md.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { before: { type: 'string' }, record: { type: 'boolean', default: false } },
});
const BARE_ROUNDS = 15;

async function compare(): Promise<void> {
  buildProgram();
  const now = buildsIn('.', 'this');
  const before = values.before === undefined ? [] : buildsIn(values.before, 'before');
  const contestants = [...before, ...now, ...(await Promise.all(positionals.map(contestantFrom)))];
  const bare = await bareRuntime();
  const rows = await race(contestants);
  const pairs = Math.min(before.length, now.length);
  const text = [
    `Bare runtime, spawn to exit: ${bare.toFixed(1)} ms.`,
    '',
    cells(['what', ...contestants.map(({ name }) => name), ...Array(pairs).fill('ratio')]),
    cells(['---', ...contestants.map(() => '---'), ...Array(pairs).fill('---')]),
    ...rows.map((row) => cells([row.what, ...row.figures.map(shown), ...ratios(row, before.length, pairs)])),
  ].join('\n');
  await publish(values.before === undefined ? 'Beside others' : 'Beside an earlier build', text);
}

/** The builds of a checkout: on Node first, then the binary if there is one. */
function buildsIn(folder: string, name: string): Contestant[] {
  const main = path.resolve(folder, 'dist/main.cjs');
  const binary = path.resolve(folder, `build/aca-${process.platform}-${process.arch}`);
  return [
    ours(`${name}, on Node`, [process.execPath, main]),
    ...(existsSync(binary) ? [ours(`${name}, binary`, [binary])] : []),
  ];
}

/** Each build relative to its earlier version. */
function ratios({ figures }: RaceRow, before: number, pairs: number): string[] {
  return Array.from({ length: pairs }, (_, i) =>
    ((figures[before + i] ?? Number.NaN) / (figures[i] ?? Number.NaN)).toFixed(2),
  );
}

async function bareRuntime(): Promise<number> {
  const figures: number[] = [];
  for (let round = 0; round < BARE_ROUNDS; round++) {
    const started = performance.now();
    // A minimal environment, as for the others: certificates in it, for example, would be read at every
    // start.
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

await compare();
