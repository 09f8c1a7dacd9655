import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type ClientCapabilities, methods } from '@agentclientprotocol/sdk';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aca, cleanEnv, doors } from '../support/aca.ts';
import { ask, type EditorOptions, editor, startedEditor } from '../support/acp.ts';
import { both, calls, hangs, says, thinks } from '../support/model-server/script.ts';
import { isRunning } from '../support/processes.ts';
import { program } from '../support/program.ts';
import { journalOf, play, write } from '../support/replay.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const { session: names } = methods.agent;

/** The program with raw lines on both sides. */
function rawAgent(space: Workspace, env: Record<string, string> = {}) {
  const line = program(['acp']);
  const child = spawn(line.file, line.args, { env: cleanEnv(space, env), stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let received = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  const lines = () =>
    received
      .split('\n')
      .filter(Boolean)
      .map((text) => JSON.parse(text) as { id?: unknown; error?: { code: number }; result?: unknown });
  const send = (text: string) => child.stdin.write(`${text}\n`);
  const answered = (id: unknown) =>
    expect.poll(() => lines().find((message) => message.id === id)).toBeTruthy();
  return { child, send, lines, answered };
}

const initialize = (id: number, protocolVersion: number) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params: { protocolVersion } });

describe('bad input gets a valid error and harms nothing', () => {
  const frames: [what: string, frame: string, code: number][] = [
    ['text that is not JSON', 'hello', -32700],
    ['half a message', '{"jsonrpc":"2.0","id":1', -32700],
    ['a batch', '[]', -32600],
    ['an unknown method', '{"jsonrpc":"2.0","id":8,"method":"session/fly"}', -32601],
    [
      'parameters of a wrong type',
      '{"jsonrpc":"2.0","id":9,"method":"session/new","params":{"cwd":1}}',
      -32602,
    ],
    [
      'a relative folder',
      '{"jsonrpc":"2.0","id":10,"method":"session/new","params":{"cwd":"here","mcpServers":[]}}',
      -32602,
    ],
    [
      'an unknown session',
      '{"jsonrpc":"2.0","id":11,"method":"session/prompt","params":{"sessionId":"x","prompt":[]}}',
      -32002,
    ],
  ];

  test('malformed and unexpected messages', async () => {
    const space = await workspace();
    const { send, lines, answered } = rawAgent(space);
    send(initialize(0, 1));
    await answered(0);
    for (const [what, frame, code] of frames) {
      const before = lines().length;
      send(frame);
      await expect.poll(() => lines().length, { message: what }).toBeGreaterThan(before);
      expect(lines().at(-1)?.error?.code, what).toBe(code);
    }
    send(initialize(99, 1));
    await answered(99);
  });

  test('an unknown protocol version is answered with ours', soak, async () => {
    const space = await workspace();
    const { send, lines, answered } = rawAgent(space);
    send(initialize(1, 999));
    await answered(1);
    expect(lines()[0]?.result).toMatchObject({ protocolVersion: 1 });
  });
});

test(
  'a client that dies takes the run and its commands with it, and nothing said is lost',
  soak,
  async () => {
    const space = await workspace();
    const server = await serve([
      both('Starting.', ['Bash', { command: 'echo $$ > pid; sleep 300' }]),
      hangs(),
    ]);
    const { model, env } = doors.anthropic(server.url);
    const it = await editor(space, { args: ['--model', model, '--allow', 'Bash'], env });
    const { sessionId } = await it.agent.request(names.new, { cwd: space.root, mcpServers: [] });
    void ask(it, sessionId, 'run it').catch(() => undefined);
    const pid = () => readFile(path.join(space.root, 'pid'), 'utf8').catch(() => '');
    await expect.poll(pid, { timeout: 20_000 }).not.toBe('');

    it.child.stdin?.destroy();
    it.child.stdout?.destroy();

    await expect.poll(() => it.child.exitCode ?? it.child.signalCode, { timeout: 20_000 }).not.toBeNull();
    await expect.poll(() => isRunning(Number(it.child.pid))).toBe(false);
    const later = await editor(space, { args: ['--model', model], env });
    const { sessions } = await later.agent.request(names.list, {});
    expect(sessions).toMatchObject([{ sessionId, title: 'run it' }]);
  },
);

test('a session that is open elsewhere is refused with a clear message', soak, async () => {
  const space = await workspace();
  const server = await serve([says('One.')]);
  const { model, env } = doors.anthropic(server.url);
  const first = await editor(space, { args: ['--model', model], env });
  const { sessionId } = await first.agent.request(names.new, { cwd: space.root, mcpServers: [] });
  await ask(first, sessionId, 'hello');
  const second = await editor(space, { args: ['--model', model], env });
  const loading = second.agent.request(names.load, { sessionId, cwd: space.root, mcpServers: [] });

  await expect(loading).rejects.toThrow(/in use|another process|open/);
});

test(
  'an imported session is loaded and goes on; one of a newer version is refused with that reason',
  soak,
  async () => {
    const space = await workspace({ 'a.txt': 'one\n' });
    const id = await play(space, [write('b.txt', 'two\n'), says('Done.')]);
    await aca(space, ['sessions', 'export', id, '--bundle', '-o', 'moved.aca']);
    const other = await workspace();
    await aca(other, ['sessions', 'import', path.join(space.root, 'moved.aca')]);
    const opened = await startedEditor(other, [says('On it.')]);
    const load = { sessionId: id, cwd: other.root, mcpServers: [] };
    await opened.agent.request(names.load, load);
    await ask(opened, id, 'go on');
    const sent = JSON.stringify(opened.server.requests.at(-1)?.messages);
    expect(sent).toContain('Done.');
    expect(sent).not.toContain(space.root);
    await opened.agent.request(names.close, { sessionId: id });

    const [first = '', ...rest] = (await readFile(journalOf(other, id), 'utf8')).split('\n');
    await writeFile(journalOf(other, id), [first.replace('"version":1', '"version":9'), ...rest].join('\n'));
    const because = `Session ${id.slice(0, 8)} was written by a newer version of aca (journal version 9).`;
    await expect(opened.agent.request(names.load, load)).rejects.toThrow(because);
    const { model, env } = doors.anthropic(opened.server.url);
    const resumed = await aca(other, ['-p', 'more', '--resume', id, '--model', model], { env });
    expect(resumed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(because) });
  },
);

test('without a model a session needs to be set up first', soak, async () => {
  const space = await workspace();
  const it = await editor(space, { args: ['--offline'] });
  const opening = it.agent.request(names.new, { cwd: space.root, mcpServers: [] });

  await expect(opening).rejects.toMatchObject({ code: -32000 });
});

const everything: ClientCapabilities = {
  terminal: true,
  auth: { terminal: true },
  session: { compaction: {}, notices: {} },
  _meta: { terminal_output: true },
};

sweep<[what: string, EditorOptions]>(
  [
    ['can do everything', { capabilities: everything, buffers: new Map(), answerForm: () => 'Blue' }],
    ['can do nothing', {}],
  ],
  0,
)('every message of a long session fits the published schema, for a client that %s', async (_, options) => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const todo = { todos: [{ content: 'Look', status: 'in_progress' }] };
  const server = await serve([
    thinks('Let me see.', both('Looking.', ['Read', { file_path: 'a.txt' }], ['Grep', { pattern: 'two' }])),
    calls(['Todo', todo]),
    calls(['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }]),
    calls(
      ['Bash', { command: 'echo out; echo err >&2; exit 3' }],
      ['Nonsense', {}],
      ['Read', { file_path: 'no' }],
    ),
    calls(['AskUser', { question: 'Which colour?', choices: ['Red', 'Blue'] }]),
    calls(['Delete', { file_path: 'a.txt' }], ['WebFetch', { url: 'http://127.0.0.1:1/x' }]),
    says('Done.'),
  ]);
  const { model, env } = doors.anthropic(server.url);
  const it = await editor(space, { ...options, args: ['--model', model], env });
  const { sessionId } = await it.agent.request(names.new, { cwd: space.root, mcpServers: [] });
  await ask(it, sessionId, 'do it all');
  await ask(it, sessionId, '/cost');
  await it.agent.request(names.setMode, { sessionId, modeId: 'plan' });
  await it.agent.request(names.close, { sessionId });
  await it.agent.request(names.load, { sessionId, cwd: space.root, mcpServers: [] });

  const check = await schemaCheck();
  expect(it.messages.length).toBeGreaterThan(30);
  for (const message of it.messages) expect(check(message), JSON.stringify(message)).toEqual([]);
  expect(
    check({ method: 'session/update', params: { sessionId, update: { sessionUpdate: 'tool_call' } } }),
  ).not.toEqual([]);
});

type Sent = { method?: string; params?: unknown };

/** Checks what an agent sends on its own account; answers are checked by the client library. */
async function schemaCheck(): Promise<(message: unknown) => unknown[]> {
  const library = createRequire(import.meta.url).resolve('@agentclientprotocol/sdk');
  const file = path.join(library.slice(0, library.lastIndexOf('dist')), 'schema/v1/schema.json');
  const schema = JSON.parse(await readFile(file, 'utf8')) as {
    $defs: Record<string, { 'x-method'?: string; 'x-side'?: string }>;
  };
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(schema, 'acp');
  const types = Object.fromEntries(
    Object.entries(schema.$defs).flatMap(([type, { 'x-method': method, 'x-side': side }]) =>
      method && side !== 'agent' && !type.endsWith('Response') ? [[method, type]] : [],
    ),
  );
  return (message) => {
    const { method, params } = message as Sent;
    if (method === undefined) return [];
    const type = types[method];
    if (!type) return [`unknown method ${method}`];
    const validate = ajv.getSchema(`acp#/$defs/${type}`);
    return validate?.(params) ? [] : [...(validate?.errors ?? ['no schema'])];
  };
}

test('an image that is damaged is left out and named, and the session goes on', async () => {
  const space = await workspace();
  const opened = await startedEditor(space, [says('One.'), says('Two.')]);
  const image = (data: string) => ({ type: 'image' as const, mimeType: 'image/png', data });
  const prompt = [{ type: 'text' as const, text: 'look' }, image(''), image('AAAA'), image('not base64')];
  const { agent, sessionId, server } = opened;
  expect(await agent.request(names.prompt, { sessionId, prompt })).toMatchObject({ stopReason: 'end_turn' });
  expect(await ask(opened, sessionId, 'go on')).toMatchObject({ stopReason: 'end_turn' });
  expect(server.refusals).toEqual([]);
  expect(
    server.requests.map(({ messages }) => messages.reduce((sum, one) => sum + (one.images ?? 0), 0)),
  ).toEqual([0, 0]);
  expect(JSON.stringify(server.requests[0]?.messages)).toContain('image not attached');
});
