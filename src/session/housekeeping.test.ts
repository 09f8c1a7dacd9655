import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sweep } from '../../test/support/soak.ts';
import { command, storeFor, undo } from '../../test/support/undo.ts';
import { workspace } from '../../test/support/workspace.ts';
import type { Message } from '../contract/message.ts';
import { planHousekeeping, pruneSessions, spaceUse } from './housekeeping.ts';
import { headerOf, SessionStore } from './store.ts';
import { pruneUndo } from './undo/prune.ts';

const DAY = 24 * 60 * 60 * 1000;
const hello: Message = { role: 'user', content: [{ type: 'text', text: 'hello' }], timestamp: '' };

async function house(ages: readonly number[]) {
  const { home: root } = await workspace();
  const folder = path.join(root, 'sessions');
  const store = new SessionStore(folder);
  const ids: string[] = [];
  for (const days of ages) {
    const { session, journal, close } = store.create('/project', { model: 'a/b' });
    await journal.append(headerOf(session), { type: 'message', message: hello });
    await close();
    mkdirSync(path.join(root, 'outputs', session.id), { recursive: true });
    writeFileSync(path.join(root, 'outputs', session.id, 'long.txt'), 'x'.repeat(1000));
    const then = new Date(Date.now() - days * DAY);
    utimesSync(path.join(folder, `${session.id}.jsonl`), then, then);
    ids.push(session.id);
  }
  return { root, store, ids };
}

test('[S05] [Y38] expired sessions are removed with all their files; pinned ones stay; a plan changes nothing', async () => {
  const { root, store, ids } = await house([40, 31, 29, 100]);
  const [oldest = '', older = '', young = '', pinned = ''] = ids;
  await store.add(pinned, { type: 'pin', pinned: true });
  const then = new Date(Date.now() - 100 * DAY);
  utimesSync(path.join(root, 'sessions', `${pinned}.jsonl`), then, then);

  const options = { root, store, days: 30, limitBytes: 1e9, undoLimitBytes: 1e9 };
  const plan = planHousekeeping(options);
  expect(plan.map(({ session, because }) => [session.id, because]).sort()).toEqual(
    [oldest, older].map((id) => [id, 'unused for more than 30 days']).sort(),
  );
  expect(store.list().length).toBe(4);

  const { removed, freedBytes } = await pruneSessions(plan, options);
  expect(removed.length).toBe(2);
  expect(freedBytes).toBeGreaterThan(2000);
  expect(
    store
      .list()
      .map(({ id }) => id)
      .sort(),
  ).toEqual([young, pinned].sort());
  expect(readdirSync(path.join(root, 'outputs')).sort()).toEqual([young, pinned].sort());
});

test('above the limit the least recently used sessions are removed first', async () => {
  const { root, store, ids } = await house([3, 2, 1]);
  const total = spaceUse(root).reduce((sum, { bytes }) => sum + bytes, 0);
  const plan = planHousekeeping({ root, store, days: 30, limitBytes: total - 1, undoLimitBytes: 1e9 });
  expect(plan).toMatchObject([{ session: { id: ids[0] }, because: 'session storage limit reached' }]);
});

test('only sessions count towards their limit: not models, undo or logs', async () => {
  const { root, store } = await house([3, 2]);
  const total = spaceUse(root).reduce((sum, { bytes }) => sum + bytes, 0);
  for (const part of ['models', 'runtime', 'cache', 'undo', 'logs', 'ledger', 'memory', 'anything']) {
    mkdirSync(path.join(root, part), { recursive: true });
    writeFileSync(path.join(root, part, 'large'), 'x'.repeat(100_000));
  }
  expect(planHousekeeping({ root, store, days: 30, limitBytes: total + 1, undoLimitBytes: 1e9 })).toEqual([]);
});

sweep([10, 40])(
  'property: whatever the content of the data root, sessions are removed only for their age or size, pinned ones never (%i runs)',
  async (numRuns) => {
    const session = fc.record({
      days: fc.integer({ min: 0, max: 60 }),
      kb: fc.nat({ max: 30 }),
      pinned: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(session, { maxLength: 6 }),
        fc.nat({ max: 60 }),
        fc.nat({ max: 200 }),
        async (sessions, limitKb, foreignKb) => {
          const { root, store, ids } = await house(sessions.map(({ days }) => days));
          for (const [i, { kb, pinned, days }] of sessions.entries()) {
            const id = ids[i] ?? '';
            writeFileSync(path.join(root, 'outputs', id, 'more.txt'), 'x'.repeat(kb * 1024));
            if (pinned) await store.add(id, { type: 'pin', pinned: true });
            const then = new Date(Date.now() - days * DAY);
            utimesSync(path.join(root, 'sessions', `${id}.jsonl`), then, then);
          }
          mkdirSync(path.join(root, 'undo'));
          writeFileSync(path.join(root, 'undo', 'large'), 'x'.repeat(foreignKb * 1024));
          const options = { root, store, days: 30, undoLimitBytes: 0 };
          const plan = planHousekeeping({ ...options, limitBytes: limitKb * 1024 });
          const gone = plan.map((removal) => removal.session.id);
          const own = (id: string) =>
            ['jsonl', 'json'].reduce(
              (sum, kind) => {
                const file = path.join(root, 'sessions', `${id}.${kind}`);
                return sum + (existsSync(file) ? statSync(file).size : 0);
              },
              1000 + (sessions[ids.indexOf(id)]?.kb ?? 0) * 1024,
            );
          for (const [i, { pinned, days }] of sessions.entries()) {
            const id = ids[i] ?? '';
            if (pinned) expect(gone).not.toContain(id);
            else if (days > 31) expect(gone).toContain(id);
          }
          // Without the last one removed for the limit, sessions would exceed it.
          const last = plan.at(-1);
          if (last?.because === 'session storage limit reached') {
            const left = ids.filter((id) => !gone.includes(id) || id === last.session.id);
            expect(left.reduce((sum, id) => sum + own(id), 0)).toBeGreaterThan(limitKb * 1024);
          }
        },
      ),
      { numRuns },
    );
  },
);

test('an open session stays', async () => {
  const { root, store, ids } = await house([40]);
  const open = await store.resume(ids[0] ?? '');
  const options = { root, store, days: 30, limitBytes: 1e9, undoLimitBytes: 1e9 };
  expect((await pruneSessions(planHousekeeping(options), options)).removed).toEqual([]);
  await open?.close();
});

test('unneeded contents are removed; those needed for an undo stay', async () => {
  const { root, home, store, open } = await storeFor({ 'a.txt': 'one', 'big.txt': 'x'.repeat(5000) });
  store.beginRun({ at: '', prompt: '', message: 0 });
  await command(store, root, 'rm a.txt');
  writeFileSync(path.join(root, 'big.txt'), 'small now');
  await command(store, root, 'true');
  await store.close();
  const folder = path.join(home, 'undo');
  expect(await pruneUndo(folder)).toMatchObject({ freedBytes: 0 });
  const { freedBytes } = await pruneUndo(folder, { now: Date.now() + DAY });
  expect(freedBytes).toBeGreaterThan(4000);
  expect((await undo(open()))?.restored).toEqual([path.join(root, 'a.txt')]);
});
