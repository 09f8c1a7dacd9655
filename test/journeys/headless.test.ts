import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import { type AcaOptions, aca, doors, parseStream } from '../support/aca.ts';
import {
  both,
  calls,
  fails,
  hangs,
  type Step,
  says,
  slowly,
  thinks,
} from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

async function start(space: Workspace, script: Step[]) {
  const server = await serve(script);
  const { model, env } = doors['openai-chat'](server.url);
  const run = (args: string[], options: AcaOptions = {}) =>
    aca(space, [...args, '--model', model], { ...options, env: { ...env, ...options.env } });
  return { server, run };
}

const jsonOf = (stdout: string) => JSON.parse(stdout) as Report;

describe('output', () => {
  test('text: nothing but the last answer on standard output', async () => {
    const space = await workspace({ 'a.txt': 'alpha' });
    const { run } = await start(space, [
      thinks('hm', both('Let me see.', ['Read', { file_path: 'a.txt' }])),
      says('It says alpha.'),
    ]);
    expect(await run(['-p', 'what is in a.txt?'])).toEqual({
      code: 0,
      stdout: 'It says alpha.\n',
      stderr: '',
    });
  });

  test('json: one object with everything a script needs', async () => {
    const space = await workspace({ 'a.txt': 'alpha\n', '.env': 'SECRET=1\n' });
    const { run } = await start(space, [
      calls(
        ['Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'beta' }],
        ['Bash', { command: 'exit 7' }],
      ),
      calls(['Bash', { command: 'touch made' }]),
      says('Partly done.', { usage: { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0 } }),
    ]);
    const { code, stdout } = await run([
      '-p',
      'go',
      '--output-format',
      'json',
      '--allow',
      'Edit(a.txt)',
      '--allow',
      'Bash(exit *)',
    ]);
    const report = jsonOf(stdout);
    expect(code).toBe(3);
    expect(report).toMatchObject({
      type: 'result',
      provider: 'openai-chat',
      model: 'gpt-4-turbo',
      stopReason: 'done',
      result: 'Partly done.',
      turns: 3,
      filesChanged: ['a.txt'],
      commands: [{ command: 'exit 7', exitCode: 7 }],
      changes: [{ path: 'a.txt', lines: { added: 1, removed: 1 } }],
      checks: [],
      denials: [{ tool: 'Bash', input: { command: 'touch made' } }],
    });
    expect(report.denials[0]?.because).toContain("--allow 'Bash(touch made)'");
    expect(report.usage.inputTokens).toBeGreaterThan(100);
    expect(report.costUsd).toBeGreaterThan(0);
    expect(report.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect((await space.tree())['a.txt']).toBe('beta\n');
  });

  test('[C13] verbosity: quiet tells errors only, verbose every call', async () => {
    const space = await workspace({ 'a.txt': 'alpha' });
    const script = () => [
      calls(['Read', { file_path: 'a.txt' }], ['Bash', { command: 'touch x' }]),
      says('ok'),
    ];
    const quiet = await (await start(space, script())).run(['-p', 'go', '--quiet']);
    expect(quiet.stderr).toBe('');
    const normal = await (await start(space, script())).run(['-p', 'go']);
    expect(normal.stderr).toMatch(/^refused: .* needs approval .*\n$/);
    const verbose = await (await start(space, script())).run(['-p', 'go', '--verbose']);
    expect(verbose.stderr).toContain('→ Read a.txt\n');
    expect(verbose.stderr).toMatch(/✓ Read a.txt \(1 line, \d+ ms\)/);
  });
});

describe('input', () => {
  test('what is piped in joins the prompt; alone it is the prompt', soak, async () => {
    const space = await workspace();
    const { run, server } = await start(space, [says('a'), says('b')]);
    await run(['-p', 'explain'], { stdin: 'line one\nline two\n' });
    expect(server.requests[0]?.messages[0]?.text).toBe('explain\n\nline one\nline two\n');
    await run(['-p'], { stdin: 'only this' });
    expect(server.requests[1]?.messages[0]?.text).toBe('only this');
  });

  test('a pipe that nobody writes to does not hang the run', soak, async () => {
    const space = await workspace();
    const { run } = await start(space, [says('went on')]);
    const outcome = await run(['-p', 'go'], { stdin: { open: true } });
    expect(outcome).toMatchObject({ code: 0, stdout: 'went on\n' });
  });
});

describe('structured results', () => {
  const schema = JSON.stringify({
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  });

  test('the answer is validated, sent back with what is wrong, and printed alone', async () => {
    const space = await workspace();
    const { run, server } = await start(space, [
      says('Sure: it is five.'),
      says('{"n": "five"}'),
      says('```json\n{"n": 5}\n```'),
    ]);
    const { code, stdout } = await run(['-p', 'how many?', '--json-schema', schema]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"n":5}\n' });
    expect(server.requests[0]?.messages[0]?.text).toContain(schema);
    expect(server.requests[1]?.messages.at(-1)?.text).toContain('The answer is not JSON.');
    expect(server.requests[2]?.messages.at(-1)?.text).toContain('answer/n must be integer');
  });

  test('an answer that never fits is an error, and standard output stays empty', soak, async () => {
    const space = await workspace({ 'schema.json': schema });
    const { run } = await start(space, [says('a'), says('b'), says('c')]);
    const text = await run(['-p', 'how many?', '--json-schema', path.join(space.root, 'schema.json')]);
    expect(text).toMatchObject({ code: 1, stdout: '' });
    expect(text.stderr).toContain('The answer does not match the JSON Schema');
  });

  sweep([
    ['a missing file', 'nowhere.json', 'nowhere.json cannot be read'],
    ['broken JSON', '{"type":', 'is not JSON'],
    ['a broken schema', '{"type":"nonsense"}', 'is not a valid JSON Schema'],
  ])('%s is refused before any request', async (_name, value, words) => {
    const space = await workspace();
    const { run, server } = await start(space, []);
    const outcome = await run(['-p', 'go', '--json-schema', value]);
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain(words);
    expect(server.requests).toEqual([]);
  });
});

describe('sessions', () => {
  test('--continue goes on with the last session of the folder, --resume with any', soak, async () => {
    const space = await workspace();
    const { run, server } = await start(space, [says('one'), says('two'), says('three')]);
    const first = jsonOf((await run(['-p', 'a', '--output-format', 'json'])).stdout);
    await run(['-p', 'b', '--continue']);
    expect(server.requests[1]?.messages.map((message) => message.text)).toEqual(['a', 'one', 'b']);
    const third = jsonOf(
      (await run(['-p', 'c', '--resume', first.sessionId.slice(0, 6), '--output-format', 'json'])).stdout,
    );
    expect(third.sessionId).toBe(first.sessionId);
    expect(server.requests[2]?.messages.map((message) => message.text)).toEqual([
      'a',
      'one',
      'b',
      'two',
      'c',
    ]);
    const list = await aca(space, ['sessions']);
    expect(list.stdout).toContain('6 messages');
  });

  test('no such session is said plainly', async () => {
    const space = await workspace();
    const { run } = await start(space, []);
    expect(await run(['-p', 'a', '--resume', 'abc'])).toMatchObject({
      code: 2,
      stderr: 'There is no session "abc".\nRun `aca sessions` to list all sessions.\n',
    });
    expect((await run(['-p', 'a', '--continue'])).stderr).toContain('No session to continue in this folder.');
  });

  test('a session is on disk message by message, with nothing of the key', async () => {
    const space = await workspace();
    const { run } = await start(space, [says('one')]);
    await run(['-p', 'a']);
    const folder = path.join(space.home, '.ai-assistant', 'sessions');
    const names = await readdir(folder);
    const journal = names.find((name) => name.endsWith('.jsonl')) ?? '';
    const text = await readFile(path.join(folder, journal), 'utf8');
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
    ).toEqual(['header', 'message', 'epoch', 'reply', 'delta', 'cost', 'estimate', 'message', 'end']);
    expect(text).not.toContain('sk-test');
    const snapshot = await readFile(path.join(folder, journal.replace('.jsonl', '.json')), 'utf8');
    expect(JSON.parse(snapshot)).toMatchObject({ workingDirectory: space.root, messages: [{}, {}] });
  });
});

describe('ends', () => {
  test('[Y35] [R07] the turn limit: exit code 4, reason told', async () => {
    const space = await workspace({ 'a.txt': '' });
    const { run } = await start(
      space,
      Array.from({ length: 5 }, () => calls(['Read', { file_path: 'a.txt' }])),
    );
    const { code, stdout, stderr } = await run(['-p', 'go', '--max-turns', '3', '--output-format', 'json']);
    expect(code).toBe(4);
    expect(jsonOf(stdout)).toMatchObject({ stopReason: 'max_turns', turns: 3 });
    expect(stderr).toContain('Stopped at the limit of 3 turns.');
  });

  test('a cut-off answer: exit code 4', soak, async () => {
    const space = await workspace();
    const { run } = await start(space, Array(4).fill(says('half ', { stop: 'max_tokens' })));
    expect(await run(['-p', 'go'])).toMatchObject({ code: 4, stdout: 'half half half half \n' });
  });

  test('[N11] a vendor error: exit code 1, its words, nothing on standard output', async () => {
    const space = await workspace();
    const { run } = await start(space, [fails(401, { message: 'Incorrect API key provided' })]);
    const { code, stdout, stderr } = await run(['-p', 'go']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('Incorrect API key provided');
    expect(stderr).not.toContain('sk-test');
  });

  sweep([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    '[L10] %s in mid-stream: exit code %d, the partial answer kept, the session valid',
    async (signal, expected) => {
      const space = await workspace();
      const long = slowly(says('word '.repeat(200)), { betweenMs: 50 });
      const { run, server } = await start(space, [long, says('went on')]);
      const outcome = await run(['-p', 'go', '--output-format', 'stream-json'], {
        onSpawn: (child) => {
          const onText = (text: Buffer | string) => {
            if (!/^\{"type":"text"/m.test(String(text))) return;
            child.stdout?.off('data', onText);
            child.kill(signal);
          };
          child.stdout?.on('data', onText);
        },
      });
      expect(outcome.code).toBe(expected);
      expect(parseStream(outcome.stdout).report).toMatchObject({ stopReason: 'interrupted' });
      await run(['-p', 'again', '--continue']);
      const roles = server.requests[1]?.messages.map((message) => message.role);
      expect(roles).toEqual(['user', 'assistant', 'user']);
      expect(server.refusals).toEqual([]);
    },
  );

  test('[L10] a signal while a command runs ends the command, too', soak, async () => {
    const space = await workspace();
    const { run } = await start(space, [calls(['Bash', { command: 'sleep 300; touch survived' }])]);
    const outcome = await run(
      ['-p', 'go', '--allow', 'Bash(sleep *)', '--allow', 'Bash(touch *)', '--output-format', 'stream-json'],
      {
        onSpawn: (child) => {
          child.stdout?.on(
            'data',
            (text: string) => text.includes('"tool_start"') && setTimeout(() => child.kill('SIGINT'), 200),
          );
        },
      },
    );
    expect(outcome.code).toBe(130);
    expect(await space.tree()).toEqual({});
    const last = parseStream(outcome.stdout).events.findLast((event) => event.type === 'message');
    expect(last).toMatchObject({ message: { role: 'tool', success: false } });
  });

  test('a server that never answers can be interrupted', soak, async () => {
    const space = await workspace();
    const { run, server } = await start(space, [hangs()]);
    const outcome = await run(['-p', 'go'], {
      onSpawn: (child) => {
        const timer = setInterval(() => {
          if (server.requests.length === 0) return;
          clearInterval(timer);
          child.kill('SIGINT');
        }, 20);
      },
    });
    expect(outcome.code).toBe(130);
  });
});

describe('wrong usage', () => {
  sweep([
    ['an unknown flag', ['--modell', 'x'], "error: unknown option '--modell'"],
    ['a bad number', ['-p', 'x', '--max-turns', 'many'], 'Use a whole number above zero.'],
    ['a bad choice', ['-p', 'x', '--mode', 'yolo'], 'Allowed choices are default'],
    ['two verbosities', ['-p', 'x', '-q', '-v'], 'cannot be used with'],
    ['no task', ['-p'], 'No task given.'],
    ['an unknown provider', ['-p', 'x', '--model', 'antropic/claude'], 'Did you mean'],
    ['no key', ['-p', 'x', '--model', 'anthropic/claude-sonnet-4-20250514'], 'No API key for anthropic.'],
    ['a bad rule', ['-p', 'x', '--allow', 'Bash(', '--model', 'ollama/x'], 'Bash('],
    [
      'stream-json input without its output',
      ['-p', '--input-format', 'stream-json'],
      'needs --output-format stream-json',
    ],
  ])('%s: exit code 2 and a way on', async (_name, args, words) => {
    const space = await workspace();
    const outcome = await aca(space, args);
    expect(outcome.stdout).toBe('');
    expect(outcome.stderr).toContain(words);
    expect(outcome.code).toBe(2);
  });
});
