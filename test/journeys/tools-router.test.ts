// @module-tag soak
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AcaOptions, aca, doors, parseStream } from '../support/aca.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

async function start(space: Workspace, script: Step[]) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const run = (args: string[], options: AcaOptions = {}) =>
    aca(space, [...args, '--model', model, '--output-format', 'stream-json'], { ...options, env });
  return { server, run };
}

const allowAll = ['--allow', 'Bash'];

describe('[L12] [T14] [T15] one call, one run', () => {
  test('a call the vendor sends twice under one id runs once and is answered twice', async () => {
    const space = await workspace();
    const again = calls(['Bash', { command: 'echo x >> log' }, { id: 'toolu_01SameSameSame' }]);
    const { run, server } = await start(space, [again, again, says('done')]);
    const { code, stdout } = await run(['-p', 'go', ...allowAll]);
    expect(code).toBe(0);
    expect(await space.tree()).toEqual({ log: 'x\n' });
    expect(server.refusals).toEqual([]);
    expect(parseStream(stdout).events.filter((event) => event.type === 'tool_start').length).toBe(1);
  });

  test('a server that counts its calls from the start in each reply has each of them run', async () => {
    const space = await workspace();
    const counted = () => calls(['Bash', { command: 'echo x >> log' }, { id: 'call_0' }]);
    const { run } = await start(space, [counted(), counted(), says('done')]);
    await run(['-p', 'go', ...allowAll]);
    expect(await space.tree()).toEqual({ log: 'x\nx\n' });
  });

  test('after kill -9 a finished call keeps its answer, a running one is unknown, one that waited did not happen', async () => {
    const space = await workspace();
    const { run, server } = await start(space, [
      calls(
        ['Bash', { command: 'echo one >> log' }],
        ['Bash', { command: 'echo two >> log; sleep 60' }],
        ['Bash', { command: 'echo three >> log' }],
      ),
      says('I see.'),
    ]);
    const killed = await run(['-p', 'go', ...allowAll], {
      onSpawn: (child) => {
        const log = path.join(space.root, 'log');
        const watch = setInterval(() => {
          if (existsSync(log) && readFileSync(log, 'utf8').includes('two\n')) child.kill('SIGKILL');
        }, 10);
        child.once('exit', () => clearInterval(watch));
      },
    });
    expect(killed.code).toBe(null);
    const { code } = await run(['-p', 'what happened?', '--continue']);
    expect(code).toBe(0);
    expect(server.requests[1]?.messages.at(-2)?.results.map((result) => result.text)).toEqual([
      '(no output)',
      'The assistant stopped while this call was running; its outcome is unknown. Check before repeating it.',
      'The assistant stopped before this call ran; it did not happen.',
    ]);
    expect(server.refusals).toEqual([]);
    expect(await space.tree()).toEqual({ log: 'one\ntwo\n' });
  });
});

test('[Y39] a huge output reaches the model as head and tail; Read pages the whole of it, unasked', async () => {
  const space = await workspace();
  const command = 'node -e "for (let i = 1; i <= 5000; i++) console.log(\'line \' + i)"';
  const { run, server } = await start(space, [
    calls(['Bash', { command }]),
    (request) => {
      const text = request.messages.at(-1)?.results[0]?.text ?? '';
      const file = /all of them are in (\S+):/.exec(text)?.[1] ?? 'no file was named';
      return calls(['Read', { file_path: file, offset: 2500, limit: 1 }]);
    },
    says('done'),
  ]);
  const { stdout } = await run(['-p', 'go', ...allowAll]);
  const first = server.requests[1]?.messages.at(-1)?.results[0]?.text ?? '';
  expect(first).toMatch(/^line 1\nline 2\n/);
  expect(first).toContain('\n... [truncated] ...\n');
  expect(first).toContain('line 5000\n');
  expect(first.length).toBeLessThan(40_500);
  expect(server.requests[2]?.messages.at(-1)?.results[0]?.text).toContain('2500\tline 2500');
  const { events, report } = parseStream(stdout);
  expect(report.denials).toEqual([]);
  const end = events.find((event) => event.type === 'tool_end');
  const file = String(end?.type === 'tool_end' && end.metadata?.fullOutput);
  expect((await readFile(file, 'utf8')).split('\n').length).toBeGreaterThanOrEqual(5000);
});

test('[L06] [Z01] commands that only look run side by side and need no question', async () => {
  const space = await workspace();
  const looks = [1, 2, 3, 4].map((n): [string, unknown] => ['Bash', { command: `sleep 0.${n}` }]);
  const { run } = await start(space, [calls(...looks), says('done')]);
  const { events, report } = parseStream((await run(['-p', 'go'])).stdout);
  expect(report.denials).toEqual([]);
  const steps = events
    .map((event) => event.type)
    .filter((type) => type === 'tool_start' || type === 'tool_end');
  expect(steps).toEqual([...Array(4).fill('tool_start'), ...Array(4).fill('tool_end')]);
});
