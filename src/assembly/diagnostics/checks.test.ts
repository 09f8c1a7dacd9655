import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CommandOutcome } from '../../contract/tool.ts';
import { Checks, findingsIn } from './checks.ts';

const cwd = path.resolve('/project');
const signal = new AbortController().signal;

/** Checks whose command prints what `prints` says, one text per run; empty means that it found nothing. */
function checksWith(prints: (string | Partial<CommandOutcome>)[], files: string[] = []) {
  const warnings: string[] = [];
  const runs: string[] = [];
  const checks = new Checks({
    checks: [{ command: 'lint', files, timeoutMs: 1_000 }],
    cwd,
    signal,
    warn: (text) => warnings.push(text),
    shell: {
      async run({ command }) {
        runs.push(command);
        const printed = prints.shift() ?? '';
        const outcome =
          typeof printed === 'string' ? { stdout: printed, exitCode: printed === '' ? 0 : 1 } : printed;
        return {
          ...{ stdout: '', stderr: '', exitCode: 0, signal: null, timedOut: false, durationMs: 1 },
          sandbox: { kind: 'host', level: 'standard', network: 'open' },
          ...outcome,
        };
      },
    },
  });
  const change = (name: string) => checks.changed(path.join(cwd, name));
  return { checks, warnings, runs, change };
}

test('only what is new is reported, wherever its line is now', async () => {
  const { checks, change } = checksWith([
    'a.ts:3:1: old\n',
    'b.ts:1:1: new\na.ts:9:1: old\n',
    'a.ts:9:1: old\n',
  ]);
  await checks.beforeChange(signal);
  change('a.ts');
  expect(await checks.remainingWork(0, signal)).toBe('After your changes, `lint` reports:\nb.ts:1:1: new');
  change('b.ts');
  expect(await checks.remainingWork(1, signal)).toBeNull();
});

test('it runs only after a matching file has changed, and the baseline once', async () => {
  const { checks, change, runs } = checksWith(['', '', ''], ['*.ts', 'docs/**']);
  await checks.beforeChange(signal);
  await checks.beforeChange(signal);
  change('a.py');
  expect(await checks.remainingWork(0, signal)).toBeNull();
  expect(runs).toHaveLength(1);
  change('src/a.ts');
  await checks.remainingWork(0, signal);
  await checks.remainingWork(0, signal);
  expect(runs).toHaveLength(2);
});

test('without a baseline, only lines about changed files count', async () => {
  const { checks, change } = checksWith(['a.ts:1:1: mine\nb.ts:1:1: not mine\n']);
  change('a.ts');
  expect(await checks.remainingWork(0, signal)).toBe('After your changes, `lint` reports:\na.ts:1:1: mine');
});

test('a check that stays unsatisfied does not keep the model working', async () => {
  const { checks, change } = checksWith(['a.ts:1: x', 'a.ts:1: y']);
  change('a.ts');
  expect(await checks.remainingWork(3, signal)).toBeNull();
});

test.each<[string, Partial<CommandOutcome>, string]>([
  ['takes too long', { timedOut: true, exitCode: null }, 'did not finish within 1s'],
  [
    'is missing',
    { exitCode: 127, stderr: 'bash: lint: command not found\n' },
    'bash: lint: command not found',
  ],
  ['is killed', { exitCode: null, signal: 'SIGKILL', stderr: 'Killed' }, 'cannot run: Killed'],
])('a command that %s is reported to the user, not to the model', async (_, outcome, warning) => {
  const { checks, change, warnings } = checksWith([outcome]);
  change('a.ts');
  expect(await checks.remainingWork(0, signal)).toBeNull();
  expect(warnings).toEqual([expect.stringContaining(warning)]);
});

describe('what a command printed', () => {
  test.each([
    ['src/a.ts(3,7): error TS2322: Type x', 'src/a.ts', 3, 7],
    ['src/a.ts:3:7 - error TS2322: Type x', 'src/a.ts', 3, 7],
    ['./main.go:12:4: undefined: y', 'main.go', 12, 4],
    ['vet: ./main.go:12:4: undefined: y', '', 0, 0],
    ['app.py:5: error: bad [misc]', 'app.py', 5, 1],
    ['\u001b[31mapp.py:5:9: F401 unused\u001b[0m', 'app.py', 5, 9],
  ])('%s', (line, file, at, column) => {
    const [finding] = findingsIn(`${line}\n`, 'lint', cwd);
    expect(finding).toMatchObject({ path: file && path.join(cwd, file), line: at, column });
  });

  test('is taken as a whole if no line names a place, and numbers in it are not news', () => {
    const [first] = findingsIn('2 tests failed in 31 ms', 'npm test', cwd);
    const [second] = findingsIn('2 tests failed in 77 ms', 'npm test', cwd);
    expect(first?.message).toBe(second?.message);
  });
});

test('trouble that stays is reported once, and again when it comes back', async () => {
  const missing = { exitCode: 127, stderr: 'lint: not found' };
  const { checks, change, warnings } = checksWith([missing, missing, '', missing]);
  await checks.beforeChange(signal);
  for (const reported of [1, 1, 2]) {
    change('a.ts');
    await checks.remainingWork(0, signal);
    expect(warnings).toEqual(Array(reported).fill('The check `lint` cannot run: lint: not found'));
  }
});
