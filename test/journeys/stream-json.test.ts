import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import { type AcaOptions, aca, doors } from '../support/aca.ts';
import { calls, fails, hangs, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
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

  test('each result is its own, however many prompts wait', soak, async () => {
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

  test('messages of Claude Code with text and images', async () => {
    const space = await workspace();
    const { run, server } = await start(space, [says('first'), says('second')]);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
    const lines = [
      { type: 'user', message: { role: 'user', content: 'one' } },
      { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'two' }, image] } },
    ];
    const { code } = await run(streaming, { stdin: jsonLines(lines) });
    expect(code).toBe(0);
    expect(server.requests.map(({ messages }) => messages.at(-1))).toMatchObject([
      { text: 'one' },
      { text: 'two', images: 1 },
    ]);
    const other = [{ type: 'user', message: { content: [{ type: 'document' }] } }];
    const refused = await run(streaming, { stdin: jsonLines(other) });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('Only text and base64 images can be sent');
  });
});

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const streaming = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'];
const jsonLines = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

type Question = { type: string; request_id: string; request: { input: { file_path: string } } };

describe('permission questions over the stream', () => {
  const edit = (file: string) => ['Edit', { file_path: file, old_string: 'one', new_string: 'two' }] as const;
  const files = { 'a.txt': 'one', 'b.txt': 'one', 'c.txt': 'one', 'd.txt': 'one' };

  test('each is answered by the program at the other end; without an answer it is a no', async () => {
    const space = await workspace(files);
    const { run } = await start(space, [
      ...['a', 'b', 'c', 'd'].map((name) => calls([...edit(`${name}.txt`)])),
      says('Done.'),
    ]);
    const asked: string[] = [];
    const answers: Record<string, object | null> = {
      'a.txt': { behavior: 'allow' },
      'b.txt': { behavior: 'deny', message: 'not this one' },
      'c.txt': { behavior: 'allow', updatedInput: { file_path: 'd.txt' } },
      'd.txt': null,
    };
    const { code, stdout } = await run([...streaming, '--permission-prompt-tool', 'stdio'], {
      stdin: { open: true },
      onSpawn(child) {
        child.stdin?.write(jsonLines([{ type: 'user', text: 'go' }]));
        let rest = '';
        child.stdout?.on('data', (text: string) => {
          const lines = `${rest}${text}`.split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) {
            const { type, request_id, request } = JSON.parse(line) as Question;
            if (type !== 'control_request') continue;
            asked.push(request.input.file_path);
            const response = answers[request.input.file_path];
            if (!response) child.stdin?.end();
            else
              child.stdin?.write(
                jsonLines([
                  { type: 'control_response', response: { subtype: 'success', request_id, response } },
                ]),
              );
          }
        });
      },
    });
    expect({ asked, code }).toEqual({ asked: ['a.txt', 'b.txt', 'c.txt', 'd.txt'], code: 3 });
    expect(await space.tree()).toEqual({ ...files, 'a.txt': 'two' });
    const { denials } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Report;
    expect(denials.map(({ because }) => because)).toEqual([
      'User denied permission: not this one',
      'User denied permission: it was approved with other input, which is not supported',
      'User denied permission: nobody answered the permission request',
    ]);
  });

  test('an interrupt ends a command and leaves the conversation open', soak, async () => {
    const space = await workspace({ 'a.txt': 'one\n' });
    execFileSync('git', ['init', '-q'], { cwd: space.root });
    execFileSync('git', ['add', '.'], { cwd: space.root });
    const { run, server } = await start(space, [hangs(), says('hello')]);
    const { stdout } = await run(streaming, {
      stdin: { open: true },
      async onSpawn(child) {
        child.stdin?.write(jsonLines([{ type: 'user', text: '/review staged' }]));
        await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBe(1);
        child.stdin?.end(jsonLines([{ type: 'interrupt' }, { type: 'user', text: 'hi' }]));
      },
    });
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Report)
      .filter(({ type }) => type === 'result');
    expect(results.map(({ stopReason, result }) => [stopReason, result])).toEqual([
      ['interrupted', ''],
      ['done', 'hello'],
    ]);
  });

  test('control requests change the mode and the model, and unknown ones are refused', soak, async () => {
    const space = await workspace(files);
    const { run, server } = await start(space, [calls([...edit('a.txt')]), says('Done.')]);
    const request = (id: string, body: object) => ({
      type: 'control_request',
      request_id: id,
      request: body,
    });
    const { stdout } = await run(streaming, {
      stdin: jsonLines([
        request('1', { subtype: 'set_permission_mode', mode: 'acceptEdits' }),
        request('2', { subtype: 'set_model', model: 'anthropic/claude-opus-4-1' }),
        request('3', { subtype: 'rewind_files' }),
        { type: 'keep_alive' },
        { type: 'user', text: 'go' },
      ]),
    });
    const responses = stdout
      .split('\n')
      .filter((line) => line.includes('control_response'))
      .map((line) => (JSON.parse(line) as { response: object }).response);
    expect(responses).toEqual([
      { subtype: 'success', request_id: '1', response: { mode: 'acceptEdits' } },
      { subtype: 'success', request_id: '2', response: {} },
      {
        subtype: 'error',
        request_id: '3',
        error: 'The control request rewind_files is not supported. Leave it out.',
      },
    ]);
    expect(server.requests[0]?.model).toBe('claude-opus-4-1');
    expect((await space.tree())['a.txt']).toBe('two');
  });
});

describe('--compat claude', () => {
  test('a task in the shapes of Claude Code, with its exit code', async () => {
    const space = await workspace({ 'a.txt': 'one' });
    const { run } = await start(space, [
      calls(['Read', { file_path: 'a.txt' }], ['Bash', { command: 'touch made' }]),
      says('It says one.'),
    ]);
    const { code, stdout } = await run(
      ['-p', 'look', '--output-format', 'stream-json', '--verbose', '--compat', 'claude'],
      { stdin: '' },
    );
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown> & { type: string; session_id: string });
    expect(code).toBe(0);
    expect(lines.map(({ type }) => type)).toEqual([
      ...['system', 'assistant', 'user', 'user', 'assistant', 'result'],
    ]);
    const [init, , , , , result] = lines;
    expect(init).toMatchObject({
      ...{ subtype: 'init', cwd: space.root, permissionMode: 'default', mcp_servers: [] },
      tools: expect.arrayContaining(['Read', 'Edit', 'Bash']) as unknown,
      slash_commands: expect.arrayContaining(['compact', 'cost']) as unknown,
    });
    expect(result).toMatchObject({
      ...{ subtype: 'success', is_error: false, result: 'It says one.', num_turns: 2 },
      session_id: init?.session_id,
      permission_denials: [{ tool_name: 'Bash', tool_input: { command: 'touch made' } }],
    });
  });

  test('one result, also of a run that failed', soak, async () => {
    const space = await workspace();
    const { run } = await start(space, [says('a'), fails(401)]);
    const args = ['--output-format', 'json', '--compat', 'claude'];
    const good = await run(['-p', 'hi', ...args]);
    expect(JSON.parse(good.stdout)).toMatchObject({ type: 'result', subtype: 'success', result: 'a' });
    const bad = await run(['-p', 'hi', ...args]);
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.stdout)).toMatchObject({ subtype: 'error_during_execution', is_error: true });
  });
});
