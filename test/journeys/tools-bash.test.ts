import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AcaOptions, aca, doors, parseStream } from '../support/aca.ts';
import { calls, hangs, type Step, says } from '../support/model-server/script.ts';
import { leftAfter, runningWith } from '../support/processes.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** `word` is a program's name nobody else uses: whatever it starts can be found in the process table. */
async function start(script: (word: string) => Step[]) {
  const space = await workspace();
  const word = `aca-${randomUUID()}`;
  await makeProgram(space, word);
  const server = await serve(script(word));
  const { model, env } = doors['openai-chat'](server.url);
  const args = ['-p', 'go', '--model', model, '--output-format', 'stream-json'];
  const allow = ['--allow', 'Bash(*)'];
  const run = (options: AcaOptions = {}) =>
    aca(space, [...args, ...allow], { ...options, env: { ...env, ...options.env } });
  onTestFinished(async () => {
    expect(await leftAfter(word, 3_000)).toEqual([]);
  });
  return { space, word, server, run };
}

/** A program that runs until it is ended, deaf to TERM when its first argument says so. */
async function makeProgram(space: Workspace, word: string): Promise<void> {
  const file = path.join(space.root, 'bin', word);
  await mkdir(path.dirname(file));
  const lines = [
    '#!/bin/bash',
    `[ "$1" = deaf ] && trap '' TERM`,
    'echo "$1 ready"',
    'while :; do sleep 0.1; done',
  ];
  await writeFile(file, lines.join('\n'), { mode: 0o755 });
}

/** What the model was told of its calls, in order. */
function answers(stdout: string): { success: boolean; text: string; metadata: Record<string, unknown> }[] {
  return parseStream(stdout).events.flatMap((event) => {
    if (event.type !== 'message' || event.message.role !== 'tool') return [];
    const { success, content, metadata = {} } = event.message;
    return [
      { success, text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''), metadata },
    ];
  });
}

async function until(condition: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 30_000; !condition(); await sleep(50)) {
    if (Date.now() > deadline) throw new Error('It did not come to that.');
  }
}

const bash = (command: string, more: object = {}) => calls(['Bash', { command, ...more }]);

/** Words the gate could not read through, so that a rule of the user's must allow them as a whole. */
const script = (text: string, more: object = {}) => bash(`bash -c '${text}'`, more);

describe.skipIf(process.platform === 'win32')('[T11] [L10] commands that misbehave', () => {
  test(
    'a fork that ignores TERM continues after its time, is stopped on request, and the run goes on',
    soak,
    async () => {
      const { run } = await start((word) => [
        script(`bin/${word} deaf & bin/${word} deaf`, { timeout: 5000 }),
        calls(['KillShell', { id: 'bg_1' }]),
        says('went on'),
      ]);
      const { code, stdout } = await run();
      const [answer] = answers(stdout);
      expect(answer).toMatchObject({ success: true, metadata: { timedOut: true, id: 'bg_1' } });
      expect(answer?.text).toMatch(/^Still running after 5000 ms, /);
      expect(answer?.text).toContain('deaf ready');
      expect(answer?.metadata.durationMs).toBeLessThan(20_000);
      expect({ code, result: parseStream(stdout).report.result }).toEqual({ code: 0, result: 'went on' });
    },
  );

  test('[Y39] `yes` for a second: both ends reach the model, the run goes on', soak, async () => {
    const { run } = await start(() => [bash('echo begin; timeout 1 yes; echo end'), says('went on')]);
    const { code, stdout } = await run();
    const [answer] = answers(stdout);
    expect(answer?.success).toBe(true);
    expect(answer?.text.slice(0, 10)).toBe('begin\ny\ny\n');
    expect(answer?.text).toContain('\n... [truncated] ...\n');
    expect(answer?.text).toContain('y\nend\n');
    expect(answer?.text.length).toBeLessThan(41_000);
    expect(stdout.length).toBeLessThan(2_000_000);
    expect({ code, result: parseStream(stdout).report.result }).toEqual({ code: 0, result: 'went on' });
  });

  test('one that wants input fails at once', soak, async () => {
    const { run } = await start(() => [
      bash('read -r answer'),
      bash('cat; echo "nothing to read"'),
      script('read -r word < /dev/tty'),
      says('went on'),
    ]);
    const { stdout } = await run();
    const [read, cat, terminal] = answers(stdout);
    expect(read).toMatchObject({ success: false, text: 'Exit code 1' });
    expect(cat).toMatchObject({ success: true, text: 'nothing to read\n' });
    expect(terminal?.text).toMatch(/^Exit code 1\n\n\[stderr\]\n.*\/dev\/tty/);
    for (const { metadata } of answers(stdout)) expect(metadata.durationMs).toBeLessThan(20_000);
  });

  test(
    'what holds the pipe, or left for a session of its own, holds up nobody and ends with the run',
    soak,
    async () => {
      const { run } = await start((word) => [
        script(`bin/${word} deaf & (setsid nohup bin/${word} away &) ; sleep 0.2; echo done`),
        says('went on'),
      ]);
      const { stdout } = await run();
      const [answer] = answers(stdout);
      expect(answer).toMatchObject({ success: true, metadata: { exitCode: 0, signal: null } });
      expect(answer?.text).toContain('done\n');
      // Two seconds are granted to them, on a machine that may be busy.
      expect(answer?.metadata.durationMs).toBeLessThan(100_000);
    },
  );
});

describe.skipIf(process.platform === 'win32')('commands in the background', () => {
  test('a server is started, asked and ended, without a question for the asking', soak, async () => {
    const command = (word: string) => `bin/${word} server`;
    const { run, word } = await start((name) => [
      bash(command(name), { run_in_background: true }),
      calls(['BashOutput', { id: 'bg_1', wait_ms: 10_000 }]),
      calls(['KillShell', { id: 'bg_1' }]),
      calls(['BashOutput', { id: 'bg_1' }]),
      says('done'),
    ]);
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(answers(stdout).map(({ success, text }) => [success, text])).toEqual([
      [true, expect.stringMatching(/^Started in the background as bg_1\./)],
      [true, 'bg_1 is running.\nserver ready\n'],
      [true, 'bg_1 was stopped. BashOutput has its last output.'],
      [true, 'bg_1 was killed by signal SIGTERM.\n(no new output)'],
    ]);
    expect(answers(stdout)[1]?.metadata).toMatchObject({ command: command(word), running: true });
  });

  test('one that was forgotten ends with the run, the deaf too', soak, async () => {
    const { run } = await start((word) => [
      bash(`bin/${word} deaf`, { run_in_background: true }),
      calls(['BashOutput', { id: 'bg_1', wait_ms: 10_000 }]),
      says('done'),
    ]);
    const { stdout } = await run();
    expect(answers(stdout)[1]?.text).toBe('bg_1 is running.\ndeaf ready\n');
  });

  test(
    'kill -9 of the assistant ends what it had started: in the background, in the foreground, left behind',
    soak,
    async () => {
      const { run, word } = await start((name) => [
        bash(`bin/${name} deaf`, { run_in_background: true }),
        script(`(setsid bin/${name} away &) ; bin/${name} front`),
        hangs(),
      ]);
      let kill = () => false;
      const ended = run({
        onSpawn: (child) => {
          kill = () => child.kill('SIGKILL');
        },
      });
      await until(() => ['deaf', 'away', 'front'].every((role) => runningWith(`${word} ${role}`).length > 0));
      kill();
      await ended.catch(() => undefined);
      expect(await leftAfter(word, 4_000)).toEqual([]);
    },
  );
});
