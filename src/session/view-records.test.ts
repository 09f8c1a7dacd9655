import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { prompt, reply } from '../../test/support/histories.ts';
import { workspace } from '../../test/support/workspace.ts';
import { type ViewChange, wholeView } from '../contract/view.ts';
import { SessionStore } from './store.ts';

const compaction = (at: number): ViewChange => ({
  type: 'compaction',
  summary: '[Open: x]',
  kept: 'Facts pinned by the user:\n- é',
  keepFrom: 2,
  squeezeUntil: 2,
  level: 0,
  at,
  tokensBefore: 100,
  tokensAfter: 20,
  by: 'p/m',
});

async function written(...changes: ViewChange[]) {
  const { home } = await workspace();
  const store = new SessionStore(home);
  const opened = store.create('/project', { model: 'm' });
  const { id } = opened.session;
  await opened.journal.append(
    {
      type: 'header',
      version: 1,
      id,
      workingDirectory: '/project',
      startedAt: '2026-01-01',
      settings: { model: 'm' },
    },
    ...[prompt('a'), reply('b'), prompt('c'), reply('d')].map((message) => ({
      type: 'message' as const,
      message,
    })),
    ...changes,
  );
  await opened.close();
  return { store, id, file: path.join(home, `${id}.jsonl`) };
}

test('[Y05] a session resumes with its view, and has all its messages', async () => {
  const { store, id } = await written({ type: 'pin_fact', text: 'é' }, compaction(4), {
    type: 'estimate',
    model: 'm',
    factor: 1.2,
  });
  const session = await store.read(id);
  const { type: _type, ...expected } = compaction(4) as Extract<ViewChange, { type: 'compaction' }>;
  const view = { ...wholeView, compactions: [expected], pins: ['é'], countFrom: 4, factors: { m: 1.2 } };
  expect(session?.view).toEqual(view);
  expect(session?.messages.length).toBe(4);
});

test('/uncompact and /unpin persist, too', async () => {
  const { store, id } = await written(
    { type: 'pin_fact', text: 'é' },
    compaction(4),
    { type: 'uncompact', at: 4 },
    { type: 'unpin_fact', text: 'é' },
  );
  expect((await store.read(id))?.view).toEqual({ ...wholeView, countFrom: 4 });
});

test('a fork copies the view, unless it refers to messages that are not copied', async () => {
  const { store, id } = await written({ type: 'pin_fact', text: 'é' }, compaction(4));
  const whole = await store.fork(id);
  await whole?.close();
  expect((await store.read(whole?.session.id ?? ''))?.view?.compactions.length).toBe(1);
  const part = await store.fork(id, 2);
  await part?.close();
  expect((await store.read(part?.session.id ?? ''))?.view).toMatchObject({ compactions: [], pins: ['é'] });
});

test('a rewind reverts the compactions made after it', async () => {
  const { store, id, file } = await written(compaction(4));
  await appendFile(file, `${JSON.stringify({ type: 'rewind', keep: 2 })}\n`);
  expect((await store.read(id))?.view?.compactions).toEqual([]);
});

test('a damaged compaction is skipped', async () => {
  const { store, id, file } = await written(compaction(4));
  await appendFile(
    file,
    '{"type":"compaction","summary":"x","kept":"","keepFrom":-1,"squeezeUntil":0,"level":0,"at":4,"tokensBefore":1,"tokensAfter":1,"by":"m"}\n',
  );
  expect((await store.read(id))?.view?.compactions.length).toBe(1);
});
