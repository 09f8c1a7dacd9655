import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { headerOf, SessionStore } from '../../session/store.ts';
import { dailyHousekeeping } from './housekeeping.ts';

const DAY = 24 * 60 * 60 * 1000;
const config = { cleanupPeriodDays: 30, storageLimitMb: 4096, undoLimitMb: 2048 };

test('[S05] [Y38] runs once a day, and never removes an open session', async () => {
  const { home: root } = await workspace();
  const store = new SessionStore(path.join(root, 'sessions'));
  const add = async () => {
    const opened = store.create('/p', { model: 'a/b' });
    await opened.journal.append(headerOf(opened.session), {
      type: 'message',
      message: { role: 'user', content: [{ type: 'text', text: 'hi' }], timestamp: '' },
    });
    const then = new Date(Date.now() - 40 * DAY);
    utimesSync(path.join(root, 'sessions', `${opened.session.id}.jsonl`), then, then);
    mkdirSync(path.join(root, 'outputs', opened.session.id), { recursive: true });
    writeFileSync(path.join(root, 'outputs', opened.session.id, 'long.txt'), 'x');
    return opened;
  };
  const open = await add();
  const closed = await add();
  await closed.close();
  const house = { root, store, config };
  const ids = () => store.list().map(({ id }) => id);
  const [first] = await dailyHousekeeping(house);
  expect(first).toMatch(/^2 sessions will be removed tomorrow or later \(unused for more than 30 days\): /);
  expect(first).toContain(`${closed.session.id.slice(0, 8)} hi`);
  expect(first).toContain(
    'Run `aca sessions pin ID` to keep one, or `aca sessions clean --dry-run` to list them.',
  );
  expect(ids().length).toBe(2);
  expect(await dailyHousekeeping(house, Date.now() + DAY - 60_000)).toEqual([]);
  expect(ids().length).toBe(2);

  const used = await add();
  await used.close();
  expect(await dailyHousekeeping(house, Date.now() + DAY + 1000)).toEqual([
    expect.stringMatching(/^1 session was removed \(unused for more than 30 days; \d+ B\)\./),
    expect.stringMatching(/^1 session will be removed tomorrow or later/),
  ]);
  expect(ids().sort()).toEqual([open.session.id, used.session.id].sort());
  expect(readdirSync(path.join(root, 'outputs')).sort()).toEqual([open.session.id, used.session.id].sort());

  await open.close();
  await store.add(used.session.id, { type: 'pin', pinned: true });
  const file = path.join(root, 'last-housekeeping');
  const yesterday = new Date(Date.now() - DAY - 1000);
  utimesSync(file, yesterday, yesterday);
  await dailyHousekeeping(house, Date.now() + 2 * DAY);
  expect(ids()).not.toContain(closed.session.id);
  expect(ids()).toContain(used.session.id);
});

test('a session used after its removal was announced stays; one with an unreadable announcement is announced again', async () => {
  const { home: root } = await workspace();
  const store = new SessionStore(path.join(root, 'sessions'));
  const { session, journal, close } = store.create('/p', { model: 'a/b' });
  const message = { role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }], timestamp: '' };
  await journal.append(headerOf(session), { type: 'message', message });
  await close();
  const file = path.join(root, 'sessions', `${session.id}.jsonl`);
  const age = (days: number) => {
    const then = new Date(Date.now() - days * DAY);
    utimesSync(file, then, then);
  };
  const house = { root, store, config };
  age(40);
  expect(await dailyHousekeeping(house)).toHaveLength(1);
  writeFileSync(path.join(root, 'last-housekeeping'), 'spoilt');
  expect(await dailyHousekeeping(house, Date.now() + 2 * DAY)).toEqual([
    expect.stringContaining('1 session will be removed'),
  ]);
  age(1);
  expect(await dailyHousekeeping(house, Date.now() + 4 * DAY)).toEqual([]);
  expect(store.list().length).toBe(1);
});
