import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { answerIn, ask, type Editor, showsOptions, startedEditor } from '../support/acp.ts';
import { calls, fails, hangs, says, slowly } from '../support/model-server/script.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const { session: names } = methods.agent;

const edit = ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }] as [string, object];
const read = ['Read', { file_path: 'a.txt' }] as [string, object];
const statuses = ({ updates }: Pick<Editor, 'updates'>) =>
  updates.flatMap((update) =>
    update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update'
      ? [[update.toolCallId, update.status]]
      : [],
  );

test('an edit is approved, shown as a diff, and written', async () => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const it = await startedEditor(space, [calls(read), calls(edit), says('Done.')]);

  const { stopReason } = await ask(it, it.sessionId, 'change it');

  const file = path.join(space.root, 'a.txt');
  expect(stopReason).toBe('end_turn');
  expect(answerIn(it.updates)).toContain('Done.');
  expect(it.asked).toHaveLength(1);
  expect(it.asked[0]?.toolCall).toMatchObject({ kind: 'edit', locations: [{ path: file }] });
  const place = { _meta: { aca: { oldLine: 1, line: 1 } } };
  const diff = { type: 'diff', path: file, oldText: 'one\ntwo\n', newText: 'one\nthree\n', ...place };
  const contents = it.updates.flatMap((update) =>
    update.sessionUpdate === 'tool_call_update' ? (update.content ?? []) : [],
  );
  expect(contents).toContainEqual(diff);
  expect(await readFile(file, 'utf8')).toBe('one\nthree\n');
  const info = await it.sees('session_info_update');
  expect(info.title).toBe('change it');
  expect((await it.sees('usage_update')).size).toBeGreaterThan(1_000);
});

test('what is allowed always is not asked again, also in a later session', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const again = ['Edit', { file_path: 'a.txt', old_string: 'three', new_string: 'two' }] as [string, object];
  const it = await startedEditor(
    space,
    [calls(read), calls(edit), calls(again), says('1'), calls(read), calls(edit), says('2')],
    {
      answer: () => 'always',
      capabilities: showsOptions,
    },
  );
  await ask(it, it.sessionId, 'twice');
  expect(it.asked).toHaveLength(1);

  const { sessionId } = await it.agent.request(names.new, { cwd: space.root, mcpServers: [] });
  await ask(it, sessionId, 'once more');
  expect(it.asked).toHaveLength(1);
});

test('a refusal fails the call and the model goes on', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const it = await startedEditor(space, [calls(read), calls(edit), says('Understood.')], {
    answer: () => 'no',
  });

  expect(await ask(it, it.sessionId, 'change it')).toMatchObject({ stopReason: 'end_turn' });
  expect(statuses(it).at(-1)?.[1] ?? 'failed').toBe('failed');
  expect(await readFile(path.join(space.root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
});

describe('cancel', () => {
  test('while a permission is open: nothing is written, and the question is withdrawn', async () => {
    const space = await workspace({ 'a.txt': 'one\ntwo\n' });
    let withdrawn = false;
    const it = await startedEditor(space, [calls(read), calls(edit)], {
      answer: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            withdrawn = true;
            resolve('cancelled');
          });
        }),
    });
    const answered = ask(it, it.sessionId, 'change it');
    await it.sees('tool_call', ({ kind }) => kind === 'edit');
    await expect.poll(() => it.asked.length).toBe(1);
    await it.agent.notify(names.cancel, { sessionId: it.sessionId });

    expect(await answered).toEqual({ stopReason: 'cancelled' });
    await expect.poll(() => withdrawn).toBe(true);
    expect(await readFile(path.join(space.root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  test('while the model is silent, and of nothing', soak, async () => {
    const space = await workspace();
    const it = await startedEditor(space, [hangs(), says('Here again.')]);
    await it.agent.notify(names.cancel, { sessionId: it.sessionId });
    await it.agent.notify(names.cancel, { sessionId: 'unknown' });

    const answered = ask(it, it.sessionId, 'go');
    await expect.poll(() => it.server.requests.length).toBe(1);
    await it.agent.notify(names.cancel, { sessionId: it.sessionId });
    expect(await answered).toEqual({ stopReason: 'cancelled' });
    expect(await ask(it, it.sessionId, 'again')).toEqual({ stopReason: 'end_turn' });
    expect(answerIn(it.updates)).toContain('Here again.');
  });
});

test('a second prompt steers the run, and both end with it', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const it = await startedEditor(space, [slowly(calls(read), { firstMs: 1_000 }), says('Blue it is.')]);
  const first = ask(it, it.sessionId, 'paint it');
  await expect.poll(() => it.server.requests.length).toBe(1);
  const second = ask(it, it.sessionId, 'in blue');

  expect(await Promise.all([first, second])).toEqual([
    { stopReason: 'end_turn' },
    { stopReason: 'end_turn' },
  ]);
  expect(it.server.requests).toHaveLength(2);
  expect(JSON.stringify(it.server.requests[1])).toContain('in blue');
});

test('sessions are listed, loaded with their history, resumed without it, closed and deleted', async () => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const it = await startedEditor(space, [calls(read), says('It has two lines.'), says('Yes.')]);
  const { agent, sessionId } = it;
  await ask(it, sessionId, 'how many lines?');
  const place = { sessionId, cwd: space.root, mcpServers: [] };

  const { sessions } = await agent.request(names.list, { cwd: space.root });
  expect(sessions).toMatchObject([{ sessionId, cwd: space.root, title: 'how many lines?' }]);
  expect((await agent.request(names.list, { cwd: '/elsewhere' })).sessions).toEqual([]);

  await agent.request(names.close, { sessionId });
  await expect(ask(it, sessionId, 'closed?')).rejects.toThrow(/not found/i);

  it.updates.length = 0;
  await agent.request(names.load, place);
  expect(it.updates.map(({ sessionUpdate }) => sessionUpdate).slice(0, 3)).toEqual([
    'user_message_chunk',
    'tool_call',
    'agent_message_chunk',
  ]);
  expect(answerIn(it.updates)).toBe('It has two lines.');
  await it.sees('available_commands_update');

  it.updates.length = 0;
  await agent.request(names.close, { sessionId });
  await agent.request(names.resume, place);
  await ask(it, sessionId, 'sure?');
  expect(answerIn(it.updates)).toBe('Yes.');

  await agent.request(names.delete, { sessionId });
  expect((await agent.request(names.list, {})).sessions).toEqual([]);
  await expect(agent.request(names.load, place)).rejects.toMatchObject({ code: -32002 });
});

test('a loaded session has the calls of subagents in those that started them, for editors that nest calls', async () => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const task = ['Task', { description: 'look around', prompt: 'LOOK' }] as [string, object];
  const it = await startedEditor(space, [calls(task), calls(read), says('Seen.'), says('Done.')], {
    capabilities: { _meta: { aca: { subagents: true } } },
  });
  const { agent, sessionId, updates } = it;
  const told = () =>
    updates.flatMap((update) =>
      update.sessionUpdate === 'tool_call' ? [[update.toolCallId, update._meta?.aca]] : [],
    );
  await ask(it, sessionId, 'look');
  const live = told();
  const [[outer] = []] = live;
  expect(live).toEqual([
    [outer, undefined],
    [expect.any(String), { parent: outer }],
  ]);

  await agent.request(names.close, { sessionId });
  updates.length = 0;
  await agent.request(names.load, { sessionId, cwd: space.root, mcpServers: [] });
  expect(told()).toEqual(live);
});

describe('modes and options', () => {
  test('read-only mode cannot write, and the mode is told to whoever shows it', soak, async () => {
    const space = await workspace({ 'a.txt': 'one\ntwo\n' });
    const it = await startedEditor(space, [calls(read), calls(edit), says('I may not.')]);
    await it.agent.request(names.setMode, { sessionId: it.sessionId, modeId: 'read-only' });

    await ask(it, it.sessionId, 'change it');

    expect(it.asked).toEqual([]);
    expect(await readFile(path.join(space.root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect((await it.sees('current_mode_update')).currentModeId).toBe('read-only');
    const unknown = it.agent.request(names.setMode, { sessionId: it.sessionId, modeId: 'yolo' });
    await expect(unknown).rejects.toThrow(/no mode "yolo"/);
  });

  test('another model answers the next prompt of the same session', soak, async () => {
    const space = await workspace();
    const it = await startedEditor(space, [says('One.'), says('Two.')]);
    const { agent, sessionId } = it;
    await ask(it, sessionId, 'first');
    const wanted = 'anthropic/claude-opus-4-20250514';
    const { configOptions } = await agent.request(names.setConfigOption, {
      sessionId,
      configId: 'model',
      value: wanted,
    });
    await ask(it, sessionId, 'second');

    expect(configOptions.find(({ id }) => id === 'model')).toMatchObject({ currentValue: wanted });
    expect(it.server.requests.map(({ model }) => model)).toEqual([
      'claude-sonnet-4-20250514',
      'claude-opus-4-20250514',
    ]);
    expect(JSON.stringify(it.server.requests[1])).toContain('first');
    const options = [
      { configId: 'effort', value: 'high' },
      { configId: 'effort', value: 'default' },
      { configId: 'effort', value: 'low' },
      { configId: 'sandbox', value: 'strict' },
      { configId: 'mode', value: 'plan' },
    ];
    for (const option of options)
      expect(
        (await agent.request(names.setConfigOption, { sessionId, ...option })).configOptions,
      ).toContainEqual(expect.objectContaining({ id: option.configId, currentValue: option.value }));
    const wrong = agent.request(names.setConfigOption, { sessionId, configId: 'colour', value: 'red' });
    await expect(wrong).rejects.toThrow(/colour/);
  });
});

test('a slash command is run and a failed run is an error with the next step', soak, async () => {
  const space = await workspace();
  await writeFile(path.join(space.root, 'AGENTS.md'), 'Be kind.');
  const it = await startedEditor(space, [fails(401)]);
  const commands = await it.sees('available_commands_update');
  expect(commands.availableCommands.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['context', 'compact']),
  );

  expect(await ask(it, it.sessionId, '/context')).toEqual({ stopReason: 'end_turn' });
  expect(answerIn(it.updates)).toMatch(/tokens/);
  expect(it.server.requests).toEqual([]);
  await expect(ask(it, it.sessionId, 'hello')).rejects.toMatchObject({
    code: -32000,
    message: expect.stringMatching(/key/) as string,
  });
});

describe('an editor that shares its files', () => {
  test('unsaved text is read, a change lands in the buffer, and a path outside stays closed', async () => {
    const space = await workspace({ 'a.txt': 'one\ntwo\n' });
    const file = path.join(space.root, 'a.txt');
    const buffers = new Map([[file, 'one\ntwo\nunsaved\n']]);
    const outside = ['Read', { file_path: '/etc/shadow' }] as [string, object];
    const it = await startedEditor(space, [calls(read, outside), calls(edit), says('Done.')], { buffers });

    await ask(it, it.sessionId, 'change it');

    expect(JSON.stringify(it.server.requests[1])).toContain('unsaved');
    expect(buffers.get(file)).toBe('one\nthree\nunsaved\n');
    expect(await readFile(file, 'utf8')).toBe('one\nthree\nunsaved\n');
    expect(
      it.messages.filter(
        (message) =>
          JSON.stringify(message).includes('fs/read_text_file"') &&
          JSON.stringify(message).includes('shadow'),
      ),
    ).toEqual([]);
  });

  test('text typed while the model was thinking stays, and the edit is made beside it', soak, async () => {
    const space = await workspace({ 'a.txt': 'one\ntwo\n' });
    const file = path.join(space.root, 'a.txt');
    const buffers = new Map([[file, 'one\ntwo\n']]);
    const it = await startedEditor(space, [calls(read), calls(edit), says('I see.')], {
      buffers,
      answer: () => {
        buffers.set(file, 'one\ntwo\nthree typed\n');
        return 'once';
      },
    });

    await ask(it, it.sessionId, 'change it');

    expect(buffers.get(file)).toBe('one\nthree\nthree typed\n');
    expect(await readFile(file, 'utf8')).toBe('one\nthree\nthree typed\n');
  });
});

describe('a question of the model', () => {
  const question = ['AskUser', { question: 'Which colour?', choices: ['Red', 'Blue'] }] as [string, object];

  test('is a form where the editor has forms', soak, async () => {
    const space = await workspace();
    const it = await startedEditor(space, [calls(question), says('Painted.')], { answerForm: () => 'Blue' });
    await ask(it, it.sessionId, 'paint it');
    expect(JSON.stringify(it.server.requests[1])).toContain('Blue');
    expect(it.asked).toEqual([]);
  });
});
