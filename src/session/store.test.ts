import { existsSync, rmSync } from 'node:fs';
import { appendFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { type Message, type ToolMessage, textOf } from '../contract/message.ts';
import type { Permission } from '../contract/permission.ts';
import { tryLock } from '../lib/files/lock.ts';
import { headerOf, SessionStore, snapshotOf } from './store.ts';

const hello: Message = { role: 'user', content: [{ type: 'text', text: 'hello' }], timestamp: '' };
const grant: Permission = {
  type: 'execute',
  pattern: 'Bash(ls)',
  action: 'allow',
  scope: 'session',
  grantedAt: '',
};

async function save(store: SessionStore, folder: string) {
  const { session, journal, close } = store.create(folder, { model: 'a/b' });
  await journal.append(headerOf(session));
  await journal.append({ type: 'message', message: hello });
  await journal.append({ type: 'grant', permission: grant });
  await close();
  return session;
}

test('[S03] [P11] a session is restored completely, by id or prefix', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  const saved = await save(store, '/project');
  const expected = { ...saved, messages: [hello], permissions: [grant] };
  for (const wanted of [saved.id, saved.id.slice(0, 8)]) {
    const open = await store.resume(wanted);
    expect(open?.session).toEqual(expected);
    await open?.close();
  }
  expect(await store.resume('nothing')).toBe(null);
});

test('[T14] calls running when the process died are known', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  const { session, journal, close } = store.create('/project', { model: 'a/b' });
  const answer = (callId: string): ToolMessage => ({
    role: 'tool',
    callId,
    name: 'Bash',
    success: true,
    content: [{ type: 'text', text: callId }],
    timestamp: '',
  });
  await journal.append(headerOf(session));
  for (const callId of ['a', 'b', 'c']) await journal.append({ type: 'call_started', callId });
  await journal.append({ type: 'call_answered', message: answer('b') });
  await journal.append({ type: 'call_answered', message: answer('a') });
  await journal.append({ type: 'message', message: answer('a') });
  await close();
  expect((await store.resume(session.id))?.unfinished).toEqual({
    started: new Set(['b', 'c']),
    answered: new Map([['b', answer('b')]]),
  });
});

test('a session without a record leaves no file', async () => {
  const { home } = await workspace();
  new SessionStore(path.join(home, 'sessions')).create('/project', { model: 'a/b' });
  expect(await readdir(home)).toEqual([]);
});

test('[S03] the list is newest first; the latest is that of the folder', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  expect(await store.list()).toEqual([]);
  const ids: string[] = [];
  for (const folder of ['/a', '/b', '/a', '/b']) {
    ids.unshift((await save(store, folder)).id);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  const list = await store.list();
  expect(list.map((summary) => summary.id)).toEqual(ids);
  expect(list[0]?.messageCount).toBe(1);
  const latest = await store.latest('/a');
  expect(latest?.session.id).toBe(ids[1]);
  await latest?.close();
  expect(await store.latest('/c')).toBe(null);
});

test('[S02] [S04] a clean end leaves the documented JSON next to the journal, and no temporary file', async () => {
  const { home } = await workspace();
  const folder = path.join(home, 'sessions');
  const store = new SessionStore(folder);
  const open = store.create('/project', { model: 'a/b' });
  open.session.messages.push(hello);
  await open.journal.append(headerOf(open.session), { type: 'message', message: hello });
  await open.close();
  const { id } = open.session;
  expect((await readdir(folder)).sort()).toEqual([`${id}.json`, `${id}.jsonl`, 'index.cache'].sort());
  expect(await readFile(path.join(folder, `${id}.json`), 'utf8')).toBe(
    `${JSON.stringify(open.session, null, 2)}\n`,
  );
});

test('a session taken over by another process is no longer written to', async () => {
  const { home } = await workspace();
  const folder = path.join(home, 'sessions');
  const store = new SessionStore(folder);
  const open = store.create('/project', { model: 'a/b' });
  expect(existsSync(folder)).toBe(false);
  await open.journal.append(headerOf(open.session), { type: 'message', message: hello });
  open.session.messages.push(hello);
  const file = path.join(folder, `${open.session.id}.jsonl`);
  const before = await readFile(file, 'utf8');
  // As if a container had been suspended for half a minute.
  rmSync(`${file}.lock`);
  const other = tryLock(file);
  await expect(open.journal.append({ type: 'message', message: hello })).rejects.toThrow(
    'another process opened the session',
  );
  await expect(open.close()).rejects.toThrow('another process opened the session');
  expect(await readFile(file, 'utf8')).toBe(before);
  expect(existsSync(path.join(folder, `${open.session.id}.json`))).toBe(false);
  expect(other?.isHeld()).toBe(true);
  other?.release();
});

test('a session that is open elsewhere is refused, with the alternative', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  const { id } = await save(store, '/project');
  const first = await store.resume(id);
  await expect(store.resume(id)).rejects.toMatchObject({
    message: `Session ${id.slice(0, 8)} is open in another process.`,
    hint: expect.stringContaining('--fork'),
  });
  await expect(store.delete(id)).rejects.toThrow('open in another process');
  await first?.close();
  const second = await store.resume(id);
  expect(second).not.toBe(null);
  await second?.close();
});

test('a fork has the first messages, the grants and its origin; the origin is unchanged', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  const saved = await save(store, '/project');
  await store.add(saved.id, { type: 'message', message: { ...hello, timestamp: '2' } });
  const fork = await store.fork(saved.id, 1);
  await fork?.close();
  const id = fork?.session.id ?? '';
  expect(id).not.toBe(saved.id);
  expect(await store.read(id)).toMatchObject({
    messages: [hello],
    permissions: [grant],
    parent: { id: saved.id, messages: 1 },
  });
  expect((await store.read(saved.id))?.messages.length).toBe(2);
});

test('titles, pins and rewinds are ordinary records and are restored', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  const { id } = await save(store, '/project');
  await store.add(id, { type: 'title', title: 'Login bug' }, { type: 'pin', pinned: true });
  await store.add('login BUG', { type: 'message', message: hello }, { type: 'rewind', keep: 1 });
  expect(await store.read('login bug')).toMatchObject({
    id,
    title: 'Login bug',
    pinned: true,
    messages: [hello],
  });
  expect(store.list()).toMatchObject([
    { id, title: 'Login bug', pinned: true, messageCount: 1, firstPrompt: 'hello' },
  ]);
  await store.delete(id);
  expect(store.list()).toEqual([]);
});

test('the partial text of an unfinished reply is restored', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  const { session, journal, close } = store.create('/project', { model: 'a/b' });
  await journal.append(
    headerOf(session),
    { type: 'message', message: hello },
    { type: 'reply', provider: 'a', model: 'b', at: 'then' },
    { type: 'delta', kind: 'thinking', text: 'hm' },
    { type: 'delta', kind: 'text', text: 'Good ' },
    { type: 'delta', kind: 'text', text: 'day' },
  );
  await close();
  expect((await store.read(session.id))?.messages[1]).toEqual({
    role: 'assistant',
    content: [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'Good day' },
    ],
    provider: 'a',
    model: 'b',
    stopReason: 'cut',
    timestamp: 'then',
  });
});

test('a long session shows its end at once and is complete when ready', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  const { session, journal, close } = store.create('/project', { model: 'a/b' });
  await journal.append(headerOf(session));
  const long = (i: number): Message => ({
    ...hello,
    content: [{ type: 'text', text: `${i} ${'x'.repeat(5000)}` }],
  });
  for (let i = 0; i < 1000; i++) await journal.append({ type: 'message', message: long(i) });
  await close();
  const open = await store.resume(session.id);
  expect(open?.session.messages.at(-1)).toEqual(long(999));
  expect(open?.session.messages.length).toBeLessThan(1000);
  await open?.ready;
  expect(open?.session.messages.map((message) => textOf(message))).toEqual(
    Array.from({ length: 1000 }, (_, i) => textOf(long(i))),
  );
  await open?.close();
});

test('damaged lines are set aside, and everything else is restored', async () => {
  const { home } = await workspace();
  const folder = path.join(home, 'sessions');
  const store = new SessionStore(folder);
  const { id } = await save(store, '/project');
  await appendFile(path.join(folder, `${id}.jsonl`), 'garbage\n{"type":"message","message":{"role":"x"}}\n');
  await store.add(id, { type: 'newer-kind', what: 1 } as never, { type: 'message', message: hello });
  const open = await store.resume(id);
  await open?.ready;
  expect(open?.session.messages).toEqual([hello, hello]);
  expect(open?.damaged.length).toBe(2);
  await open?.close();
  expect(await readFile(path.join(folder, `${id}.damaged.txt`), 'utf8')).toContain('garbage');
});

test('[U12] search covers all sessions and returns matching lines', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  const { id } = await save(store, '/project');
  const talk: Message = {
    ...hello,
    content: [{ type: 'text', text: 'first\nThe "Frobnicator" failed\nlast' }],
  };
  await store.add(id, { type: 'message', message: talk });
  for (const words of ['frobnicator', '"Frob'])
    expect(store.catalog.search(words, 10)).toMatchObject([
      { summary: { id }, message: 1, role: 'user', line: 'The "Frobnicator" failed' },
    ]);
  expect(store.catalog.search('nowhere', 10)).toEqual([]);
});

test('[U07] an exported session is imported with its conversation, without the permissions of its author', async () => {
  const { home } = await workspace();
  const theirs = new SessionStore(path.join(home, 'theirs'));
  const saved = await save(theirs, '/theirs');
  await theirs.add(saved.id, { type: 'title', title: 'Login bug' });
  const exported = snapshotOf((await theirs.read(saved.id)) ?? saved);

  const mine = new SessionStore(path.join(home, 'mine'));
  const copy = await mine.importFrom(exported, '/mine', { model: 'a/b' });
  await copy.close();
  expect(copy.session.id).not.toBe(saved.id);
  expect(await mine.read(copy.session.id)).toMatchObject({
    workingDirectory: '/mine',
    title: 'Login bug',
    messages: [hello],
    permissions: [],
  });
  for (const wrong of ['', '[]', '{"messages":[]}', '{"messages":[{"role":"root"}]}'])
    await expect(mine.importFrom(wrong, '/mine', { model: 'a/b' })).rejects.toThrow(
      'not an exported session',
    );
});
