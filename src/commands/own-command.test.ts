import { expect, test } from 'vitest';
import type { CommandOutcome, CommandRun, Shell } from '../contract/tool.ts';
import { ownCommandIn, runOwnCommand } from './own-command.ts';

const ended: CommandOutcome = {
  stdout: '',
  stderr: '',
  exitCode: 0,
  signal: null,
  timedOut: false,
  durationMs: 1,
  sandbox: { kind: 'host', level: 'permissive' } as CommandOutcome['sandbox'],
};

/** A shell with a fixed outcome that records its calls. */
function shellOf(outcome: Partial<CommandOutcome>): { shell: Shell; runs: CommandRun[] } {
  const runs: CommandRun[] = [];
  const run = async (asked: CommandRun) => {
    runs.push(asked);
    return { ...ended, ...outcome };
  };
  // Only `run` is used.
  return { shell: { run } as unknown as Shell, runs };
}

const { signal } = new AbortController();
const onOutput = () => undefined;

test.each<[line: string, command: string | null]>([
  ['!ls -l', 'ls -l'],
  ['  ! git status ', 'git status'],
  ['!', null],
  ['hello!', null],
  ['!a\nb', 'a\nb'],
])('%j is the command %j', (line, command) => {
  expect(ownCommandIn(line)).toBe(command);
});

test('runs as the user, outside the sandbox; the user and the model get the output', async () => {
  const { shell, runs } = shellOf({ stdout: 'a\nb\n', stderr: 'warned\n' });

  expect(await runOwnCommand('ls', { shell, signal, onOutput })).toEqual({
    ending: '',
    told: 'The user ran a command of their own, and may mean its output:\n$ ls\na\nb\nwarned',
  });
  expect(runs).toEqual([{ command: 'ls', timeoutMs: 600_000, signal, unconfined: true, onOutput }]);
});

test('the exit status is reported unless it is success', async () => {
  const { shell } = shellOf({ exitCode: 3 });
  expect((await runOwnCommand('false', { shell, signal, onOutput })).ending).toBe('(exit code 3)');
  const killed = shellOf({ exitCode: null, signal: 'SIGKILL', stdout: 'x' });
  expect((await runOwnCommand('x', { shell: killed.shell, signal, onOutput })).ending).toBe(
    '(ended by SIGKILL)',
  );
  const silent = shellOf({});
  expect((await runOwnCommand('true', { shell: silent.shell, signal, onOutput })).ending).toBe('(no output)');
});

test('for a long output the model gets both ends, and the file with everything', async () => {
  const { shell } = shellOf({
    stdout: `${'a'.repeat(8_000)}${'b'.repeat(8_000)}`,
    fullOutput: '/tmp/all.txt',
  });
  const { told } = await runOwnCommand('cat', { shell, signal, onOutput });

  expect(told).toContain('[... 6000 characters omitted ...]');
  expect(told.endsWith('All of its output is in /tmp/all.txt.')).toBe(true);
});
