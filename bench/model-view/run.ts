/**
 * What a model sees and says: `npm run bench:model-view -- [--commits 300] REPOSITORY...`
 *
 * Calls needed to read the source files that the last commits changed, commits that `git show` shows whole, what is left
 * of the reports of test runners, and what becomes of calls in the dialects of other assistants. The repositories are
 * clones with their history, such as `git clone https://github.com/django/django`; by default it is this one.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { prepareCall } from '../../src/agent/prepare-call.ts';
import { fullLimits, type ResultLimits, resultLimits } from '../../src/lib/results/result-limits.ts';
import { shortenOutput } from '../../src/lib/results/shorten-output.ts';
import { failureLines } from '../../src/lib/results/test-reports.ts';
import { builtinTools } from '../../src/tools/index.ts';
import { numberedPage, pageOf, pageSize } from '../../src/tools/reading/page.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { foreignCalls } from '../../test/support/foreign-calls.ts';
import { depsOf } from '../../test/support/router.ts';

const WINDOWS = [8_000, 32_000, 200_000];
const SOURCE = /\.(py|[cm]?[jt]sx?|rs|go|java|rb|php|c|h|cc|cpp|cs|vue|svelte)$/;
const REPORTS = path.join(import.meta.dirname, '../../test/support/test-reports');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { commits: { type: 'string', default: '300' } },
});

function git(repository: string, ...args: string[]): string {
  const program = 'git';
  return execFileSync(program, ['-C', repository, ...args], { encoding: 'utf8', maxBuffer: 1 << 30 });
}

function callsToRead(text: string, limits: ResultLimits): number {
  const { total } = pageOf(text, { offset: 0, limit: 0 });
  let calls = 0;
  for (let offset = 1; calls === 0 || offset <= total; calls++) {
    const size = pageSize({ offset }, limits);
    const { lines } = pageOf(text, { offset: size.offset, limit: size.lines });
    offset += Math.max(1, numberedPage(lines, size).shown);
  }
  return calls;
}

function repositoryRows(repository: string): object[] {
  const commits = git(repository, 'log', '--no-merges', '--format=%H', '-n', values.commits, 'HEAD')
    .trim()
    .split('\n');
  const changed = new Set(
    commits.flatMap((commit) =>
      git(repository, 'show', '--format=', '--name-only', commit).trim().split('\n'),
    ),
  );
  const present = new Set(git(repository, 'ls-tree', '-r', '--name-only', 'HEAD').split('\n'));
  const files = [...changed].filter((file) => SOURCE.test(file) && present.has(file));
  const texts = files.map((file) => git(repository, 'show', `HEAD:${file}`));
  const shown = commits.map((commit) => git(repository, 'show', commit).length);
  return WINDOWS.map((window) => {
    const limits = resultLimits(window);
    const calls = texts.map((text) => callsToRead(text, limits)).sort((a, b) => a - b);
    return {
      repository: path.basename(repository.replace(/\/repo$/, '')),
      window,
      files: files.length,
      'calls, mean': Number((calls.reduce((sum, count) => sum + count, 0) / calls.length).toFixed(2)),
      'calls, p90': calls[Math.floor(calls.length * 0.9)],
      'in one call, %': percent(calls.filter((count) => count === 1).length, calls.length),
      'commits whole, %': percent(shown.filter((length) => length <= limits.output).length, shown.length),
    };
  });
}

function reportRows(): object[] {
  return readdirSync(REPORTS).map((name) => {
    const text = readFileSync(path.join(REPORTS, name), 'utf8');
    const isFailure = failureLines(text) ?? (() => false);
    const failures = text.split('\n').filter(isFailure);
    const log = 'some other line of a long build\n'.repeat(3_000);
    const left = (whole: string, limits: ResultLimits) => {
      const lines = shortenOutput(whole, limits.output).split('\n');
      return `${failures.filter((line) => lines.includes(line)).length} of ${failures.length}`;
    };
    return {
      report: name,
      characters: text.length,
      'window 8,000': left(text, resultLimits(8_000)),
      'within 190,000 characters of log': left(`${log}${text}${log}`, fullLimits),
    };
  });
}

function dialectRows(): object[] {
  const registry = createRegistry(builtinTools());
  const deps = depsOf({
    find: registry.find,
    toolNames: () => registry.definitions().map(({ name }) => name),
  });
  const rows = new Map<string, { dialect: string; right: number; refused: number; wrong: number }>();
  for (const [dialect, name, input, meaning] of foreignCalls) {
    const row = rows.get(dialect) ?? { dialect, right: 0, refused: 0, wrong: 0 };
    rows.set(dialect, row);
    const item = prepareCall({ type: 'tool_call', id: '1', name, input }, deps);
    if (item.answer) row.refused++;
    else if ('refused' in meaning || item.tool?.name !== meaning.tool || !holds(item.input, meaning.input))
      row.wrong++;
    else row.right++;
  }
  const all = [...rows.values()];
  const sum = (key: 'right' | 'refused' | 'wrong') => all.reduce((total, row) => total + row[key], 0);
  return [...all, { dialect: 'all', right: sum('right'), refused: sum('refused'), wrong: sum('wrong') }];
}

function holds(input: unknown, wanted: Readonly<Record<string, unknown>>): boolean {
  const fields = input as Record<string, unknown>;
  return Object.entries(wanted).every(
    ([key, value]) => JSON.stringify(fields[key]) === JSON.stringify(value),
  );
}

function percent(part: number, whole: number): number {
  return Math.round((100 * part) / Math.max(1, whole));
}

const repositories = positionals.length > 0 ? positionals : [path.join(import.meta.dirname, '../..')];
console.table(repositories.flatMap(repositoryRows));
console.table(reportRows());
console.table(dialectRows());
