import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { bench, use } from '../../test/support/tool-context.ts';
import type { ToolContext } from '../contract/tool.ts';
import { bash } from './bash.ts';
import { bashOutput } from './bash-output.ts';
import { killShell } from './kill-shell.ts';

const start = (command: string, context: ToolContext) =>
  use(bash, { command, run_in_background: true }, context);

describe('background commands', () => {
  test('are started, read and stopped by id', async () => {
    const { context } = await bench();
    const command = "exec 2>/dev/null; trap 'echo down; exit 0' TERM; echo up; while :; do sleep 0.05; done";
    expect(await start(command, context)).toEqual({
      success: true,
      output:
        'Started in the background as bg_1. BashOutput reads its output, KillShell stops it; it is stopped when the session ends.',
      metadata: { id: 'bg_1', command },
      summary: { kind: 'started', id: 'bg_1' },
    });
    expect(await use(bashOutput, { id: 'bg_1', wait_ms: 20_000, until: '^up$' }, context)).toEqual({
      success: true,
      output: 'bg_1 is running.\nup\n',
      display: { kind: 'text', text: 'up\n' },
      metadata: { id: 'bg_1', command, running: true, exitCode: null, signal: null },
    });
    expect(await use(bashOutput, { id: 'bg_1' }, context)).toMatchObject({
      output: 'bg_1 is running.\n(no new output)',
    });
    expect(await use(killShell, { id: 'bg_1' }, context)).toEqual({
      success: true,
      output: 'bg_1 was stopped. BashOutput has its last output.',
      metadata: { id: 'bg_1', command },
    });
    expect(await use(bashOutput, { id: 'bg_1' }, context)).toEqual({
      success: true,
      output: 'bg_1 ended with exit code 0.\ndown\n',
      display: { kind: 'text', text: 'down\n' },
      metadata: { id: 'bg_1', command, running: false, exitCode: 0, signal: null },
      summary: { kind: 'exit', exitCode: 0 },
    });
    expect(await use(killShell, { id: 'bg_1' }, context)).toMatchObject({
      output: 'bg_1 had already ended. BashOutput has its last output.',
    });
  });

  test('waiting ends with output that matches, the end of the command, a timeout, or an abort', async () => {
    const { root, context } = await bench();
    const until = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`;
    const go = (name: string) => writeFile(path.join(root, name), '');
    await start(`${until('go')}; printf '\\033[32mgreen\\033[0m'; ${until('end')}; kill -SEGV $$`, context);
    const timed = async (wait_ms: number, pattern?: string) => {
      const started = Date.now();
      const { output } = (await use(bashOutput, { id: 'bg_1', wait_ms, until: pattern }, context)) as {
        output: string;
      };
      return { output, ms: Date.now() - started };
    };
    const nothing = await timed(50);
    const [green] = await Promise.all([timed(30_000, 'gr[e]+n'), go('go')]);
    const [end] = await Promise.all([timed(30_000), go('end')]);
    expect([nothing.output, green.output, end.output]).toEqual([
      'bg_1 is running.\n(no new output)',
      'bg_1 is running.\ngreen',
      'bg_1 was killed by signal SIGSEGV.\n(no new output)',
    ]);
    expect(Math.max(nothing.ms, green.ms, end.ms)).toBeLessThan(20_000);

    await start('sleep 60', context);
    const controller = new AbortController();
    const waiting = use(
      bashOutput,
      { id: 'bg_2', wait_ms: 30_000 },
      { ...context, signal: controller.signal },
    );
    await sleep(50);
    controller.abort();
    await expect(waiting).rejects.toThrow();
    expect(context.shell.check('bg_2')?.running).toBe(true);
    await context.shell.stop('bg_2');
  });

  test('waiting collects everything that is printed until the end, in one call', async () => {
    const { context } = await bench();
    await start('for i in 1 2 3 4; do echo line $i; sleep 0.2; done', context);
    expect(await use(bashOutput, { id: 'bg_1', wait_ms: 30_000 }, context)).toMatchObject({
      output: 'bg_1 ended with exit code 0.\nline 1\nline 2\nline 3\nline 4\n',
    });
    expect(await use(bashOutput, { id: 'bg_1', until: '(' }, context)).toMatchObject({ success: false });
  });

  test('an unknown id is answered with the known ones', async () => {
    const { context } = await bench();
    const none = { success: false, error: 'There is no bg_7: nothing was started in the background.' };
    expect(await use(bashOutput, { id: 'bg_7' }, context)).toEqual(none);
    expect(await use(killShell, { id: 'bg_7' }, context)).toEqual(none);
    await start('true', context);
    const other = { success: false, error: 'There is no bg_7. Running in the background: bg_1.' };
    expect(await use(bashOutput, { id: 'bg_7', wait_ms: 30_000 }, context)).toEqual(other);
    expect(await use(killShell, { id: 'bg_7' }, context)).toEqual(other);
  });

  test('need no access and no approval; starting one asks like any command', () => {
    expect(bashOutput.access(bashOutput.input.parse({ id: 'bg_1' }))).toEqual([]);
    expect(killShell.access(killShell.input.parse({ id: 'bg_1' }))).toEqual([]);
    expect(bash.access(bash.input.parse({ command: 'ls', run_in_background: true }))).toEqual([
      { kind: 'execute', target: 'ls' },
    ]);
    expect(bashOutput.input.safeParse({ id: 'bg_1', wait_ms: 600_001 }).success).toBe(false);
  });
});
