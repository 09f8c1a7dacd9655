import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { commandJudge, loadJudge } from '../src/assembly/safety/judge-command.ts';

type JudgeRow = { what: string; ms: number; target?: string };

const LINES = 1000;

/** The command judge over its whole table of cases, and the built program asked for 1,000 verdicts. */
export async function judgeRows(main: string): Promise<JudgeRow[]> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-bench-judge-')));
  try {
    const lines = await commandLines();
    await loadJudge();
    const judge = commandJudge({ cwd: folder, home: homedir(), trusted: false });
    const figures = lines.map((line) => {
      const started = performance.now();
      judge(line);
      return performance.now() - started;
    });
    const sorted = figures.toSorted((a, b) => a - b);
    const input = path.join(folder, 'lines');
    await writeFile(
      input,
      lines
        .slice(0, LINES)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    return [
      {
        what: `judge: a line, mean of ${lines.length}`,
        ms: sum(figures) / figures.length,
        target: 'under 2',
      },
      {
        what: 'judge: a line, 99 of 100 are faster',
        ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
      },
      {
        what: `aca policy test, ${LINES} lines, spawn to exit`,
        ms: await program(main, { folder, input }),
        target: 'under 1000',
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Every case of the tables, shuffled deterministically. */
async function commandLines(): Promise<string[]> {
  const cases = path.resolve('test/policy/cases');
  const texts = await Promise.all(
    (await readdir(cases)).map((name) => readFile(path.join(cases, name), 'utf8')),
  );
  const lines = texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line !== '' && !line.startsWith('##'))
    .map((line) => line.slice(6).replaceAll('⏎', '\n'));
  const step = 7;
  return Array.from({ length: step }, (_, first) => lines.filter((_line, i) => i % step === first)).flat();
}

async function program(main: string, { folder, input }: { folder: string; input: string }): Promise<number> {
  const text = await readFile(input);
  const args = [main, 'policy', 'test', '--json', '--stdin-format', 'json'];
  const env = { PATH: process.env.PATH ?? '', HOME: folder, AI_ASSISTANT_HOME: path.join(folder, 'data') };
  const run = async () => void execFileSync(process.execPath, args, { cwd: folder, env, input: text });
  await run();
  return Math.min(await timed(run), await timed(run), await timed(run));
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function sum(figures: number[]): number {
  return figures.reduce((total, one) => total + one, 0);
}
