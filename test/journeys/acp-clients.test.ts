import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type McpServer, methods, RequestError } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { doors } from '../support/aca.ts';
import { answerIn, ask, type EditorOptions, editor, startedEditor } from '../support/acp.ts';
import { published } from '../support/mcp.ts';
import { calls, says, slowly } from '../support/model-server/script.ts';
import { soak, sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const { session: names } = methods.agent;

const edit = ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }] as [string, object];
const read = ['Read', { file_path: 'a.txt' }] as [string, object];
const colors = ['AskUser', { question: 'Which color?', choices: ['Red', 'Blue'] }] as [string, object];

describe('an error in the answer of a client never ends the session', () => {
  const errors = [
    RequestError.internalError(),
    RequestError.methodNotFound('it'),
    RequestError.invalidParams(),
    RequestError.requestCancelled(),
    RequestError.authRequired(),
    RequestError.sessionNotFound('it'),
  ];
  const throwing = (error: RequestError) => (): never => {
    throw error;
  };
  const failed = throwing(RequestError.internalError());
  sweep<[what: string, options: EditorOptions]>([
    ...errors.map((error): [string, EditorOptions] => [
      `a permission request: ${error.message}`,
      { answer: throwing(error) },
    ]),
    ['a form', { answerForm: failed }],
    ['reading a file', { buffers: new Map(), read: failed }],
    ['writing a file', { buffers: new Map(), write: failed }],
  ])('%s', async (what, options) => {
    const space = await workspace({ 'a.txt': 'one\ntwo\n' });
    const script = [calls(read), calls(edit), calls(colors), says('First.'), says('Second.')];
    const it = await startedEditor(space, script, options);
    expect(await ask(it, it.sessionId, 'change it')).toEqual({ stopReason: 'end_turn' });
    expect(await ask(it, it.sessionId, 'and then')).toEqual({ stopReason: 'end_turn' });
    expect(answerIn(it.updates)).toContain('Second.');
    const isWritten = ['a form', 'reading a file'].includes(what);
    expect(await readFile(path.join(space.root, 'a.txt'), 'utf8')).toBe(
      isWritten ? 'one\nthree\n' : 'one\ntwo\n',
    );
  });
});

describe('a cancellation is honored whenever it comes', () => {
  const moments = Array.from({ length: 26 }, (_, index) => index * 2);

  sweep(['notification', 'request'])('up to 50 ms after the prompt, as a %s', async (how) => {
    const bash = ['Bash', { command: 'sleep 30' }] as [string, object];
    const script = moments.map(() => calls(bash));
    const it = await startedEditor(await workspace(), script, { args: ['--allow', 'Bash'] });
    for (const ms of moments) {
      const stop = new AbortController();
      const prompt = [{ type: 'text' as const, text: `${ms} ms` }];
      const { sessionId } = it;
      const sent = { cancellationSignal: stop.signal };
      const answered = it.agent.request(names.prompt, { sessionId, prompt }, sent);
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      if (how === 'request') stop.abort();
      else await it.agent.notify(names.cancel, { sessionId });
      expect(await answered, `${ms} ms`).toEqual({ stopReason: 'cancelled' });
    }
  });

  test('a prompt that follows it at once is answered', async () => {
    const it = await startedEditor(await workspace(), [
      slowly(says('Never.'), { firstMs: 60_000 }),
      says('Here.'),
    ]);
    const first = ask(it, it.sessionId, 'one');
    await expect.poll(() => it.server.requests.length).toBe(1);
    void it.agent.notify(names.cancel, { sessionId: it.sessionId });
    const second = ask(it, it.sessionId, 'two');
    expect(await Promise.all([first, second])).toEqual([
      { stopReason: 'cancelled' },
      { stopReason: 'end_turn' },
    ]);
    expect(answerIn(it.updates)).toBe('Here.');
  });
});

describe('what an editor hands over', () => {
  sweep<[what: string, cwd: string, message: RegExp]>([
    ['does not exist', '/nowhere/at/all', /does not exist.*\/nowhere\/at\/all/],
    ['is a file', '/etc/passwd', /not a folder: \/etc\/passwd/],
    ['is relative', 'here', /absolute/],
  ])('a folder that %s is refused by its name', async (_, cwd, message) => {
    const it = await startedEditor(await workspace(), []);
    const place = { cwd, mcpServers: [] };
    const begin = it.agent.request(names.new, place);
    await expect(begin).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(message) });
    const more = { cwd: process.cwd(), mcpServers: [], additionalDirectories: [cwd] };
    await expect(it.agent.request(names.new, more)).rejects.toMatchObject({ code: -32602 });
  });

  test('an MCP server may have a name with spaces', soak, async () => {
    const space = await workspace();
    const it = await startedEditor(space, [says('Done.')]);
    const { command, args } = published('memory');
    const server: McpServer = { name: 'My Docs', command, args, env: [] };
    const began = await it.agent.request(names.new, { cwd: space.root, mcpServers: [server] });
    await ask(it, began.sessionId, 'hello');
    expect(JSON.stringify(it.server.requests[0]?.tools)).toContain('McpCall');
  });
});

describe('what is asked', () => {
  test('a change is shown first, and each kind of answer is offered once', async () => {
    const space = await workspace({ 'a.txt': 'one\ntwo\n' });
    const bash = ['Bash', { command: 'touch made' }] as [string, object];
    const remove = ['Delete', { file_path: 'a.txt' }] as [string, object];
    const it = await startedEditor(
      space,
      [calls(read), calls(edit), calls(bash), calls(remove), says('Done.')],
      {},
    );
    await ask(it, it.sessionId, 'change it');
    expect(it.asked[0]?.toolCall.content?.[0]).toMatchObject({ type: 'diff' });
    expect(it.asked.length).toBeGreaterThan(1);
    for (const { options } of it.asked) {
      const kinds = options.map(({ kind }) => kind);
      expect(new Set(kinds).size).toBe(kinds.length);
      expect(options.map(({ optionId }) => optionId)).not.toContain('always');
    }
  });

  test('choices are never shown as options of one kind: the model asks in its text', async () => {
    const it = await startedEditor(await workspace(), [calls(colors), says('Tell me.')], {
      answer: ({ options }) => options[0]?.optionId ?? 'none',
    });
    await ask(it, it.sessionId, 'paint it');
    expect(it.asked).toEqual([]);
    expect(answerIn(it.updates)).toContain('Which color?\n\n1. Red\n2. Blue');
    expect(JSON.stringify(it.server.requests[1])).toContain('the next prompt has the answer');
  });

  test('a plan is accepted by the kind of the answer', soak, async () => {
    const plan = ['PresentPlan', { plan: '# Plan\n\n1. Look' }] as [string, object];
    const it = await startedEditor(await workspace(), [calls(plan), says('Started.')], {
      args: ['--mode', 'plan'],
      answer: ({ options }) => options.find(({ kind }) => kind === 'allow_once')?.optionId ?? 'none',
    });
    await ask(it, it.sessionId, 'plan it');
    expect(it.asked[0]?.options.map(({ kind }) => kind)).toEqual([
      'allow_always',
      'allow_once',
      'reject_once',
    ]);
    expect(JSON.stringify(it.asked[0]?.toolCall.content)).toContain('1. Look');
    expect((await it.sees('current_mode_update')).currentModeId).toBe('default');
  });

  test('nothing is told of a call before the call, and its end comes with its result', soak, async () => {
    const space = await workspace({ 'a.txt': 'one\ntwo\n' });
    const it = await startedEditor(space, [
      calls(read, ['Todo', {}], ['Nonsense', {}], ['Read', { file_path: 'no' }]),
      calls(['Todo', { todos: [{ content: 'Look', status: 'pending' }] }]),
      says('Done.'),
    ]);
    await ask(it, it.sessionId, 'go');
    const ended = new Map<string, number>();
    for (const update of it.updates) {
      if (update.sessionUpdate === 'tool_call') {
        expect(ended.has(update.toolCallId)).toBe(false);
        ended.set(update.toolCallId, 0);
      }
      if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') continue;
      expect(ended.get(update.toolCallId)).toBe(0);
      if (update.status === 'completed' || update.status === 'failed') {
        expect(update.content?.length).toBeGreaterThan(0);
        ended.set(update.toolCallId, 1);
      }
    }
    expect([...ended.values()]).toEqual([1, 1, 1, 1, 1]);
  });
});

test('a session that is loaded again has its mode, model, effort, changes, files and plan, also after a crash', async () => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const items = [{ text: 'Look', status: 'in_progress' }];
  const it = await startedEditor(space, [
    calls(read),
    calls(edit, ['Todo', { items }]),
    says('1'),
    says('2'),
  ]);
  const { sessionId, agent } = it;
  await ask(it, sessionId, 'one');
  await agent.request(names.setMode, { sessionId, modeId: 'plan' });
  const chosen = { model: 'anthropic/claude-opus-4-20250514', effort: 'high', sandbox: 'strict' };
  for (const [configId, value] of Object.entries(chosen))
    await agent.request(names.setConfigOption, { sessionId, configId, value });
  await ask(it, sessionId, 'two');
  it.child.kill('SIGKILL');

  const { model, env } = doors.anthropic(it.server.url);
  const later = await editor(space, { args: ['--model', model], env });
  const { modes, configOptions } = await later.agent.request(names.load, {
    sessionId,
    cwd: space.root,
    mcpServers: [],
  });
  expect(modes?.currentModeId).toBe('plan');
  const values = Object.fromEntries((configOptions ?? []).map(({ id, currentValue }) => [id, currentValue]));
  expect(values).toMatchObject({ ...chosen, mode: 'plan' });
  const file = path.join(space.root, 'a.txt');
  expect(later.updates).toContainEqual(
    expect.objectContaining({
      sessionUpdate: 'tool_call',
      kind: 'edit',
      locations: [{ path: file }],
      content: [{ type: 'diff', path: file, oldText: 'two', newText: 'three' }],
    }),
  );
  expect((await later.sees('plan')).entries).toMatchObject([{ content: 'Look', status: 'in_progress' }]);
});
