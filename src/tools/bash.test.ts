import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { bench, use } from '../../test/support/hands.ts';
import { bash } from './bash.ts';

describe('[T11] [Y18] Bash', () => {
  test.each([
    ['echo out', { success: true, output: 'out\n' }, 0],
    ['echo out; echo err >&2', { success: true, output: 'out\n\n[stderr]\nerr\n' }, 0],
    ['true', { success: true, output: '(no output)' }, 0],
    ["printf '\\033[31mred\\033[0m'", { success: true, output: 'red' }, 0],
    ['echo out; echo err >&2; exit 3', { success: false, error: 'Exit code 3\nout\n\n[stderr]\nerr\n' }, 3],
    ['exit 4', { success: false, error: 'Exit code 4' }, 4],
    ['echo a; kill -KILL $$', { success: false, error: 'Ended by signal SIGKILL\na\n' }, null],
  ])('%s', async (command, expected, exitCode) => {
    const { context } = await bench();
    const result = await use(bash, { command }, context);
    const text = result.success ? result.output : result.error;
    const shown = exitCode === 0 ? text.replace('(no output)', '') : text.split('\n').slice(1).join('\n');
    expect(result).toEqual({
      ...expected,
      display: { kind: 'command', command, exitCode, output: shown },
      metadata: {
        exitCode,
        durationMs: expect.any(Number),
        command,
        ...(exitCode === null && { signal: 'SIGKILL' }),
      },
    });
  });

  test('a command past its time is stopped and says what it had said', async () => {
    const { context } = await bench();
    expect(await use(bash, { command: 'echo early; sleep 30', timeout: 300 }, context)).toMatchObject({
      success: false,
      error:
        'Timed out after 300 ms and was stopped. If it needs longer, pass a larger timeout (at most 600000).\nearly\n',
      metadata: { timedOut: true, signal: 'SIGTERM' },
    });
  });

  test('runs where it is told, tells what it hears, and asks for what it touches', async () => {
    const { root, context } = await bench({ 'sub/a': '' });
    expect(await use(bash, { command: 'pwd', working_directory: 'sub' }, context)).toMatchObject({
      output: `${path.join(root, 'sub')}\n`,
    });
    expect(context.told).toEqual([`${path.join(root, 'sub')}\n`]);
    expect(await use(bash, { command: 'pwd', working_directory: 'gone' }, context)).toMatchObject({
      error: 'gone is not a folder. Give a folder in working_directory, or leave it out.',
    });
    await expect(use(bash, { command: 'pwd', working_directory: '/etc' }, context)).rejects.toThrow(
      /^Permission denied/,
    );
    expect(bash.access(bash.input.parse({ command: 'ls', working_directory: 'sub' }))).toEqual([
      { kind: 'execute', target: 'ls' },
      { kind: 'read', target: 'sub' },
    ]);
  });

  test('the time limit is 120,000 ms unless said otherwise, and never above 600,000', () => {
    expect(bash.input.parse({ command: 'ls' })).toEqual({ command: 'ls', timeout: 120_000 });
    expect(bash.input.safeParse({ command: 'ls', timeout: 600_001 }).success).toBe(false);
  });

  test('a NUL byte is told, not thrown', async () => {
    const { context } = await bench();
    expect(await use(bash, { command: 'echo \0' }, context)).toMatchObject({ success: false });
  });
});
