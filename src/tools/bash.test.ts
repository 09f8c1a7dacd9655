import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { bench, use } from '../../test/support/tool-context.ts';
import type { Shell } from '../contract/tool.ts';
import { bash, createBash } from './bash.ts';
import { bashOutput } from './bash-output.ts';

describe('[T11] [Y18] Bash', () => {
  test.each([
    ['echo out', { success: true, output: 'out\n' }, 0],
    ['echo out; echo err >&2', { success: true, output: 'out\n\n[stderr]\nerr\n' }, 0],
    ['true', { success: true, output: '(no output)' }, 0],
    ["printf '\\033[31mred\\033[0m'", { success: true, output: 'red' }, 0],
    ['echo out; echo err >&2; exit 3', { success: false, error: 'Exit code 3\nout\n\n[stderr]\nerr\n' }, 3],
    ['exit 4', { success: false, error: 'Exit code 4' }, 4],
    ['echo a; kill -KILL $$', { success: false, error: 'Killed by signal SIGKILL\na\n' }, null],
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
        signal: exitCode === null ? 'SIGKILL' : null,
        durationMs: expect.any(Number),
        command,
        sandbox: { kind: 'host', level: 'permissive', network: 'open' },
      },
    });
  });

  test('a command that reaches its time limit continues in the background, with its output so far', async () => {
    const { root, context } = await bench();
    const command = 'echo early; while [ ! -e go ]; do sleep 0.05; done; echo late';
    const { output, ...result } = (await use(bash, { command, timeout: 1_000 }, context)) as {
      output: string;
    };
    expect(result).toMatchObject({
      success: true,
      metadata: { id: 'bg_1', timedOut: true },
      summary: { kind: 'started', id: 'bg_1' },
    });
    expect(output).toMatch(/^Still running after 1000 ms, .* as bg_1\..*\nearly\n$/);
    await writeFile(path.join(root, 'go'), '');
    expect(await use(bashOutput, { id: 'bg_1', wait_ms: 20_000 }, context)).toMatchObject({
      output: 'bg_1 ended with exit code 0.\nlate\n',
    });
  });

  test('where too many run in the background, it is stopped instead', async () => {
    const { context } = await bench();
    const { run } = context.shell;
    const shell: Shell = {
      ...context.shell,
      run: ({ continuesInBackground: _, ...command }) => run(command),
    };
    const call = { command: 'echo early; sleep 30', timeout: 1_000 };
    expect(await use(bash, call, { ...context, shell })).toMatchObject({
      success: false,
      error:
        'Timed out after 1000 ms and was stopped. If it needs longer, pass a larger timeout (at most 600000) or set run_in_background.\nearly\n',
      metadata: { timedOut: true, signal: 'SIGTERM' },
    });
  });

  test('runs in the given folder, reports progress, and declares its access', async () => {
    const { root, context } = await bench({ 'sub/a': '' });
    expect(await use(bash, { command: 'pwd', working_directory: 'sub' }, context)).toMatchObject({
      output: `${path.join(root, 'sub')}\n`,
    });
    expect(context.told).toEqual([`${path.join(root, 'sub')}\n`]);
    expect(await use(bash, { command: 'pwd', working_directory: 'gone' }, context)).toMatchObject({
      error: 'gone is not a folder. Pass a folder as working_directory, or omit it.',
    });
    await expect(use(bash, { command: 'pwd', working_directory: '/etc' }, context)).rejects.toThrow(
      /^Permission denied/,
    );
    expect(bash.access(bash.input.parse({ command: 'ls', working_directory: 'sub' }))).toEqual([
      { kind: 'execute', target: 'ls' },
      { kind: 'read', target: 'sub' },
    ]);
  });

  test('[X01] a command outside the sandbox is marked as such, and a failure inside it names the alternative', async () => {
    const { context } = await bench();
    const wanted = { command: 'npm publish', outside_sandbox: true };
    expect(bash.access(bash.input.parse(wanted))).toEqual([
      { kind: 'execute', target: 'npm publish', unconfined: true },
    ]);
    const runs: object[] = [];
    const sandbox = { kind: 'bubblewrap', level: 'standard', network: 'none' } as const;
    const shell: Shell = {
      ...context.shell,
      run: async (run) => {
        runs.push({ command: run.command, unconfined: run.unconfined });
        return { ...(await context.shell.run(run)), sandbox };
      },
    };
    const command = 'echo "curl: (6) Could not resolve host: a" >&2; exit 6';
    expect(await use(bash, { command }, { ...context, shell })).toMatchObject({
      success: false,
      error:
        'Exit code 6\nThe sandbox blocked this (there is no network). If it is necessary, ask for outside_sandbox.\n\n[stderr]\ncurl: (6) Could not resolve host: a\n',
      metadata: { sandbox },
    });
    await use(bash, { command: 'true', outside_sandbox: true }, { ...context, shell });
    expect(runs).toEqual([
      { command, unconfined: undefined },
      { command: 'true', unconfined: true },
    ]);
  });

  test.each([
    [{}, {}, 120_000],
    [{}, { timeout: 7 }, 7],
    [{ maxTimeoutMs: 500 }, {}, 500],
  ])('%j with a requested %j has a timeout of %i ms', async (options, asked, timeoutMs) => {
    const { context } = await bench();
    const limits: unknown[] = [];
    const { run } = context.shell;
    const shell: Shell = {
      ...context.shell,
      run(command) {
        limits.push(command.timeoutMs);
        return run({ ...command, timeoutMs: 20_000 });
      },
    };
    await use(createBash(options), { command: 'true', ...asked }, { ...context, shell });
    expect(limits).toEqual([timeoutMs]);
    expect(bash.input.safeParse({ command: 'ls', timeout: 0 }).success).toBe(false);
  });

  test('a timeout above the maximum is lowered, and the model is notified if the command reaches it', async () => {
    const { context } = await bench();
    const patient = createBash({ maxTimeoutMs: 20_000 });
    expect(await use(patient, { command: 'echo done', timeout: 900_000 }, context)).toMatchObject({
      success: true,
      output: 'done\n',
    });
    const tool = createBash({ maxTimeoutMs: 300 });
    expect(await use(tool, { command: 'sleep 30', timeout: 900_000 }, context)).toMatchObject({
      success: true,
      output: expect.stringMatching(/^Still running after 300 ms, /),
    });
    await context.shell.stop('bg_1');
  });

  test('names the shell it runs in', () => {
    expect(createBash({ shell: 'powershell' }).description).toMatch(/^Run a command in powershell and wait/);
    expect(bash.description).toMatch(/^Run a command in the system shell and wait/);
  });

  test('its title is one short line; the preview shows what the title leaves out', async () => {
    const { context } = await bench();
    const long = `echo ${'x'.repeat(200)}`;
    const seen = async (command: string) => {
      const input = bash.input.parse({ command });
      return [bash.title(input, String), await bash.preview?.(input, context)];
    };
    expect(await seen('ls -l')).toEqual(['Bash ls -l', undefined]);
    expect(await seen('cat <<E\nrm -rf x\nE')).toEqual([
      'Bash cat <<E …',
      { kind: 'text', text: 'cat <<E\nrm -rf x\nE' },
    ]);
    expect(await seen(long)).toEqual([`Bash ${long.slice(0, 78)} …`, { kind: 'text', text: long }]);
    expect(await seen('ls \u001B[2K; id')).toEqual([
      'Bash ls  [2K; id',
      { kind: 'text', text: 'ls \u001B[2K; id' },
    ]);
  });

  test('[Y39] output too long for memory comes with the file that holds it; the display has only its ends', async () => {
    const { context } = await bench();
    const shell: Shell = {
      ...context.shell,
      run: async (run) => ({ ...(await context.shell.run(run)), fullOutput: '/kept/output.txt' }),
    };
    const result = await use(bash, { command: 'yes | head -c 12000000; echo end' }, { ...context, shell });
    expect(result.metadata).toMatchObject({ exitCode: 0, fullOutput: '/kept/output.txt' });
    expect(result.display).toMatchObject({ kind: 'command', output: expect.stringMatching(/y\nend\n$/) });
    expect(JSON.stringify(result.display).length).toBeLessThan(20_000);
  });

  test('a NUL byte is reported, not thrown', async () => {
    const { context } = await bench();
    expect(await use(bash, { command: 'echo \0' }, context)).toMatchObject({ success: false });
  });
});
