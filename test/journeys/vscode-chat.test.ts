import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type AgentProcess, startAgent } from '../../editors/vscode/src/agent/agent-process.ts';
import { Chat } from '../../editors/vscode/src/chat/chat.ts';
import { capabilities } from '../../editors/vscode/src/chat/client-app.ts';
import type { Problem } from '../../editors/vscode/src/chat/problem.ts';
import type { ChatEvent } from '../../web/chat/connection.ts';
import { cleanEnv, doors } from '../support/aca.ts';
import { calls, hangs, type Step, says } from '../support/model-server/script.ts';
import { program } from '../support/program.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

type Stage = {
  answer?: string | null;
  args?: string[];
  lastSession?: string;
};

/** The chat of the VS Code extension without the editor around it: the real program, files on the disk. */
async function chatIn(
  space: Workspace,
  script: readonly Step[],
  { answer = 'once', args = [], lastSession }: Stage = {},
) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const events: ChatEvent[] = [];
  const problems: (Problem | null)[] = [];
  const started: AgentProcess[] = [];
  let last = lastSession;
  const chat: Chat = new Chat({
    async start(app) {
      const { file, args: first } = program(['acp', '--model', model, ...args]);
      const command = { file, args: first, cwd: space.root, env: cleanEnv(space, env) };
      const process = await startAgent({ command, app, capabilities, log: () => undefined });
      started.push(process);
      return process;
    },
    place: () => ({ cwd: space.root, additionalDirectories: [] }),
    documents: {
      read: (file) => readFile(file, 'utf8'),
      write: (file, text) => writeFile(file, text),
      reload: async () => undefined,
    },
    confirmStop: async () => true,
    lastSession: {
      get: () => last,
      set: (id) => {
        last = id;
      },
    },
    onEvent(event) {
      events.push(event);
      if (event.type === 'permission_asked') void chat.answer(event.request.requestId, answer);
    },
    onProblem: (problem) => problems.push(problem),
  });
  onTestFinished(() => chat.stop());
  const sees = (type: ChatEvent['type']) =>
    expect
      .poll(() => events.filter((event) => event.type === type).length, { interval: 10 })
      .toBeGreaterThan(0);
  return { chat, server, events, problems, started, sees, last: () => last };
}

const read = ['Read', { file_path: 'a.txt' }] as [string, object];
const edit = (from: string, to: string): [string, object] => [
  'Edit',
  { file_path: 'a.txt', old_string: from, new_string: to },
];
const text = (words: string) => [{ type: 'text' as const, text: words }];
const lines = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n';

function said(events: readonly ChatEvent[]): string {
  return events
    .flatMap((event) =>
      event.type === 'update' &&
      event.update.sessionUpdate === 'agent_message_chunk' &&
      event.update.content.type === 'text'
        ? [event.update.content.text]
        : [],
    )
    .join('');
}

test('ask, approve an edit, reject one hunk of it, and accept the other', async () => {
  const space = await workspace({ 'a.txt': lines });
  const it = await chatIn(space, [calls(read), calls(edit('two', '2'), edit('nine', '9')), says('Done.')]);
  await it.chat.prompt(text('change it'));
  await it.sees('turn_ended');

  expect(it.events.map(({ type }) => type)).toEqual(
    expect.arrayContaining([
      'connection',
      'session',
      'turn_started',
      'permission_asked',
      'permission_settled',
    ]),
  );
  expect(said(it.events)).toBe('Done.');
  const [file] = await it.chat.files.changes();
  expect(file).toMatchObject({ path: path.join(space.root, 'a.txt'), status: 'modified' });
  const [first, second] = file?.hunks ?? [];
  expect([first?.lines, second?.lines]).toEqual([
    expect.arrayContaining(['-two', '+2']),
    expect.arrayContaining(['-nine', '+9']),
  ]);
  expect(await it.chat.files.originalText(file?.path ?? '')).toBe(lines);

  await it.chat.files.revertHunks(file?.path, [first?.id ?? '']);
  expect(await readFile(path.join(space.root, 'a.txt'), 'utf8')).toBe(lines.replace('nine', '9'));
  await it.chat.files.acceptHunks(file?.path, [second?.id ?? '']);
  expect(await it.chat.files.changes()).toEqual([]);
  expect(it.chat.history.filter(({ type }) => type === 'update').length).toBeGreaterThan(3);
});

test('a program that dies is started again, and the session goes on', soak, async () => {
  const space = await workspace({ 'a.txt': lines });
  const it = await chatIn(space, [says('Hello.'), hangs(), says('Still here.')]);
  await it.chat.prompt(text('hello'));
  await it.sees('turn_ended');
  await it.chat.prompt(text('think'));
  await expect.poll(() => it.server.requests.length).toBe(2);
  const [pid] = it.started.map(({ pid: id }) => id);
  process.kill(pid ?? 0, 'SIGKILL');

  await it.sees('turn_failed');
  await expect.poll(() => it.started.length).toBe(2);
  await it.chat.prompt(text('are you there?'));
  await expect.poll(() => said(it.events)).toBe('Hello.Still here.');
  // The model is told what was said before.
  expect(JSON.stringify(it.server.requests.at(-1))).toContain('hello');
  expect(it.events.filter(({ type }) => type === 'session')).toHaveLength(1);
  expect(it.problems).not.toContainEqual(expect.objectContaining({ type: 'stopped' }));
});

test('a program that dies again and again is left alone, with the reason', soak, async () => {
  const space = await workspace();
  const it = await chatIn(space, []);
  await it.chat.open();
  for (let round = 0; round < 4; round++) {
    await expect.poll(() => it.started.length).toBe(round + 1);
    process.kill(it.started[round]?.pid ?? 0, 'SIGKILL');
  }
  await expect
    .poll(() => it.problems.at(-1))
    .toEqual({ type: 'stopped', reason: 'It was ended by SIGKILL.' });
  await it.chat.restart();
  expect(it.problems.at(-1)).toBeNull();
});

test(
  'sessions are listed, resumed with their conversation, and the last one is opened again',
  soak,
  async () => {
    const space = await workspace();
    const it = await chatIn(space, [says('First.'), says('Second.')]);
    await it.chat.prompt(text('one'));
    await it.sees('turn_ended');
    const first = it.last() ?? '';
    await it.chat.newSession();
    await it.chat.prompt(text('two'));
    await expect.poll(() => said(it.events)).toContain('Second.');
    expect((await it.chat.listSessions()).map(({ title }) => title).sort()).toEqual(['one', 'two']);

    await it.chat.openSession(first);
    expect(said(it.chat.history)).toBe('First.');
    await it.chat.stop();

    const later = await chatIn(space, [], { lastSession: first });
    await later.chat.open();
    expect(said(later.chat.history)).toBe('First.');
  },
);

test('stop withdraws the question, and nothing is written', soak, async () => {
  const space = await workspace({ 'a.txt': lines });
  const it = await chatIn(space, [calls(read), calls(edit('two', '2')), says('never')], { answer: null });
  await it.chat.prompt(text('change it'));
  await it.sees('permission_settled');
  await it.chat.cancel();
  await it.sees('turn_ended');
  expect(await readFile(path.join(space.root, 'a.txt'), 'utf8')).toBe(lines);
});

test('no model, and a program that does not start', soak, async () => {
  const space = await workspace();
  const none = await chatIn(space, [], { args: ['--no-such-flag'] });
  await expect(none.chat.open()).rejects.toThrow('aca stopped.');
  expect(none.problems.at(-1)).toMatchObject({ type: 'stopped' });
});
