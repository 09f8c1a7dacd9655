import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import type { Message } from '../contract/message.ts';
import { headerOf, SessionStore } from './store.ts';
import { subagentFiles, subagentId } from './subagent-files.ts';

const at = '2026-01-01T00:00:00.000Z';
const said = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }], timestamp: at });
const origin = { callId: 'call_1', agent: 'general', task: 'work' };
const place = { workingDirectory: '/p', settings: { model: 'a/b' } };

async function written(folder: string) {
  const { session, journal } = subagentFiles(folder).create(origin, place);
  await journal.append(
    headerOf(session),
    { type: 'subagent', ...origin },
    { type: 'message', message: said('hi') },
  );
  await journal.close();
  return session.id;
}

test('the id of a subagent depends only on its call, and differs between agents', () => {
  expect(subagentId({ callId: 'call_1' })).toBe(subagentId({ callId: 'call_1' }));
  const ids = [{ callId: '1' }, { callId: '2' }, { callId: '1', parent: 'a' }, { callId: 'a/1' }].map(
    subagentId,
  );
  expect(new Set(ids).size).toBe(4);
});

test('written conversations are read back completely, as one list', async () => {
  const { home } = await workspace();
  const files = subagentFiles(path.join(home, 'x'));
  expect([await files.all(), await files.open('abc'), await files.open('../x')]).toEqual([[], null, null]);
  const id = await written(path.join(home, 'x'));
  expect((await files.open(id))?.session).toMatchObject({ id, messages: [said('hi')], subagent: origin });
  expect((await files.all()).map((session) => session.subagent)).toEqual([origin]);
});

test('a fork copies the conversations, and deleting a session removes them', async () => {
  const { home } = await workspace();
  const store = new SessionStore(home);
  const opened = store.create('/p', { model: 'a/b' });
  const { id } = opened.session;
  opened.session.messages.push(said('go'));
  await opened.journal.append(headerOf(opened.session), { type: 'message', message: said('go') });
  await written(path.join(home, `${id}.subagents`));
  await opened.close();

  const copy = await store.fork(id);
  await copy?.close();
  const copied = await store.read(copy?.session.id ?? '');
  expect(copied?.subagents?.map(({ subagent }) => subagent)).toEqual([origin]);
  await store.delete(id);
  expect(await subagentFiles(path.join(home, `${id}.subagents`)).all()).toEqual([]);
  expect((await store.read(copy?.session.id ?? ''))?.subagents).toHaveLength(1);
});

test('a session that was never written leaves no subagents behind', async () => {
  const { home } = await workspace();
  const opened = new SessionStore(home).create('/p', { model: 'a/b' });
  const folder = path.join(home, `${opened.session.id}.subagents`);
  await written(folder);
  await opened.close();
  expect(await subagentFiles(folder).all()).toEqual([]);
});

test('a reused id starts another conversation, and the earlier one is kept', async () => {
  const { home } = await workspace();
  for (let i = 0; i < 3; i++) await written(path.join(home, 'x'));
  const all = await subagentFiles(path.join(home, 'x')).all();
  expect(all.map(({ messages }) => messages)).toEqual([[said('hi')], [said('hi')], [said('hi')]]);
});
