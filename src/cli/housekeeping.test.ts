import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { headerOf, SessionStore } from '../session/store.ts';
import { keepHouseDaily } from './housekeeping.ts';

const DAY = 24 * 60 * 60 * 1000;
const config = { cleanupPeriodDays: 30, storageLimitMb: 4096 };

test('[S05] [Y38] once a day, and never a session that is open', async () => {
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
  expect(await keepHouseDaily(house)).toMatch(
    /^1 session was removed \(unused for more than 30 days; \d+ B\)\./,
  );
  expect(store.list().map(({ id }) => id)).toEqual([open.session.id]);
  expect(readdirSync(path.join(root, 'outputs'))).toEqual([open.session.id]);

  await open.close();
  expect(await keepHouseDaily(house)).toBeNull();
  expect(await keepHouseDaily(house, Date.now() + 23 * 60 * 60 * 1000)).toBeNull();
  expect(store.list().length).toBe(1);
  expect(await keepHouseDaily(house, Date.now() + DAY + 1000)).toContain('1 session was removed');
  expect(store.list()).toEqual([]);
  expect(await keepHouseDaily(house, Date.now() + 3 * DAY)).toBeNull();
});
