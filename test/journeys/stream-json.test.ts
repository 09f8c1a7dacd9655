import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import { type AcaOptions, aca, doors } from '../support/aca.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { sweep } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

async function start(space: Workspace, script: Step[]) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const run = (args: string[], options: AcaOptions = {}) =>
    aca(space, [...args, '--model', model], { env, ...options });
  return { server, run };
}

describe('stream-json input', () => {
  test('a conversation over standard input', async () => {
    const space = await workspace();
    const { run, server } = await start(space, [says('first'), says('second')]);
    const stdin = '{"type":"user","text":"one"}\n\n{"type":"user","text":"two"}\n';
    const { code, stdout } = await run(
      ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'],
      { stdin },
    );
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; result?: string });
    expect(code).toBe(0);
    expect(lines.filter((line) => line.type === 'result').map((line) => line.result)).toEqual([
      'first',
      'second',
    ]);
    expect(server.requests[1]?.messages.map((message) => message.text)).toEqual(['one', 'first', 'two']);
  });

  test('each result is its own, however many prompts wait', async () => {
    const space = await workspace({ 'a.txt': 'alpha', 'b.txt': 'beta' });
    const prompts = ['one', 'two', 'three', 'four', 'five'];
    const used = (inputTokens: number, outputTokens: number) => ({ usage: { inputTokens, outputTokens } });
    const { run } = await start(space, [
      { ...calls(['Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'x' }]), ...used(1, 10) },
      says('1', used(2, 20)),
      says('2', used(4, 40)),
      { ...calls(['Bash', { command: 'echo hi' }]), ...used(8, 80) },
      says('3', used(16, 160)),
      says('4', used(32, 320)),
      { ...calls(['Edit', { file_path: 'b.txt', old_string: 'beta', new_string: 'y' }]), ...used(64, 640) },
      says('5', used(128, 1280)),
    ]);
    const stdin = prompts.map((text) => `${JSON.stringify({ type: 'user', text })}\n`).join('');
    const { stdout } = await run(
      ['-p', '--mode', 'auto', '--input-format', 'stream-json', '--output-format', 'stream-json'],
      { stdin },
    );
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Report)
      .filter(({ type }) => type === 'result')
      .map(({ result, turns, usage, costUsd, filesChanged, commands }) => ({
        result,
        turns,
        inputTokens: usage.inputTokens,
        outputTokens: usage.outputTokens,
        cost: Number(((costUsd ?? 0) * 1e6).toFixed(3)),
        filesChanged,
        commands: commands.length,
      }));
    const expected = (result: string, turns: number, [inputTokens, outputTokens]: [number, number]) => ({
      result,
      turns,
      inputTokens,
      outputTokens,
      cost: 3 * inputTokens + 15 * outputTokens,
    });
    expect(results).toEqual([
      { ...expected('1', 2, [3, 30]), filesChanged: ['a.txt'], commands: 0 },
      { ...expected('2', 1, [4, 40]), filesChanged: [], commands: 0 },
      { ...expected('3', 2, [24, 240]), filesChanged: [], commands: 1 },
      { ...expected('4', 1, [32, 320]), filesChanged: [], commands: 0 },
      { ...expected('5', 2, [192, 1920]), filesChanged: ['b.txt'], commands: 0 },
    ]);
  });

  sweep([
    ['not JSON', 'hello\n', 'This input line is not JSON: hello'],
    ['of an unknown kind', '{"type":"usr"}\n', 'Unknown input line: {"type":"usr"}'],
  ])('a line that is %s says what to send', async (_name, stdin, words) => {
    const space = await workspace();
    const { run } = await start(space, []);
    const outcome = await run(['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'], {
      stdin,
    });
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain(words);
  });
});
