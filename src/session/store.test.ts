import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import type { Message, ToolMessage } from '../contract/message.ts';
import type { Permission } from '../contract/permission.ts';
import { headerOf, SessionStore } from './store.ts';

const hello: Message = { role: 'user', content: [{ type: 'text', text: 'hello' }], timestamp: '' };
const grant: Permission = {
  type: 'execute',
  pattern: 'Bash(ls)',
  action: 'allow',
  scope: 'session',
  grantedAt: '',
};

async function save(store: SessionStore, folder: string) {
  const { session, journal } = store.create(folder, { model: 'a/b' });
  await journal.append(headerOf(session));
  await journal.append({ type: 'message', message: hello });
  await journal.append({ type: 'grant', permission: grant });
  await journal.close();
  return session;
}

test('[S03] [P11] a session comes back whole, by id or its first characters', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  const saved = await save(store, '/project');
  const expected = { ...saved, messages: [hello], permissions: [grant] };
  expect((await store.resume(saved.id))?.session).toEqual(expected);
  expect((await store.resume(saved.id.slice(0, 8)))?.session).toEqual(expected);
  expect(await store.resume('nothing')).toBe(null);
});

test('[T14] what was under way when the process died is known', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  const { session, journal } = store.create('/project', { model: 'a/b' });
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
  await journal.close();
  expect((await store.resume(session.id))?.unfinished).toEqual({
    started: new Set(['b', 'c']),
    answered: new Map([['b', answer('b')]]),
  });
});

test('a session without a record leaves no trace', async () => {
  const { home } = await workspace();
  new SessionStore(path.join(home, 'sessions')).create('/project', { model: 'a/b' });
  expect(await readdir(home)).toEqual([]);
});

test('[S03] the list is newest first; the latest is the one of the folder', async () => {
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
  expect((await store.latest('/a'))?.session.id).toBe(ids[1]);
  expect(await store.latest('/c')).toBe(null);
});
