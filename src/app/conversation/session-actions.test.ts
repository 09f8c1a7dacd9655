import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { UserError } from '../../contract/errors.ts';
import type { Message } from '../../contract/message.ts';
import { headerOf, type OpenSession, SessionStore } from '../../session/store.ts';
import { createSessionActions } from './session-actions.ts';

const said = (text: string): Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
  timestamp: '2026-03-01T12:00:00.000Z',
});

async function deskFor(store: SessionStore, cwd: string, { keeps = true } = {}) {
  const opened = store.create(cwd, { model: 'a/b' });
  const warnings: string[] = [];
  const nexts: OpenSession[] = [];
  const desk = createSessionActions({
    opened,
    store,
    keeps,
    cwd,
    redact: (session) => session,
    confirm: async () => true,
    warn: (text) => warnings.push(text),
    goOn: (next) => void nexts.push(next),
  });
  /** As the controller does it: written first, then announced. */
  const say = async (text: string) => {
    const header = opened.session.messages.length === 0 ? [headerOf(opened.session)] : [];
    opened.session.messages.push(said(text));
    if (keeps) await opened.journal.append(...header, { type: 'message', message: said(text) });
    await desk.messageAdded();
  };
  return { desk, opened, say, warnings, nexts };
}

sweep([15, 60])(
  'whatever is sent, renamed and rewound, the file matches the conversation (%i runs)',
  async (numRuns) => {
    const { home } = await workspace();
    const store = new SessionStore(path.join(home, 'sessions'));
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ say: fc.string({ minLength: 1 }) }) },
      fc.record({ keep: fc.nat(6) }),
      fc.record({ title: fc.string({ minLength: 1 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const { desk, opened, say } = await deskFor(store, home);
        await say('first');
        for (const one of steps) {
          if ('say' in one) await say(one.say);
          else if ('title' in one) await desk.rename(one.title);
          else await desk.rewind(Math.min(one.keep, opened.session.messages.length));
        }
        const { messages, title } = opened.session;
        expect(await store.read(opened.session.id)).toMatchObject({
          messages,
          ...(title !== undefined && { title }),
        });
        await opened.close();
      }),
      { numRuns },
    );
  },
);

test('a copy has the messages before it; rewound messages can be recovered in a separate copy', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  const { desk, opened, say, nexts } = await deskFor(store, home);
  for (const text of ['one', 'two', 'three']) await say(text);
  const id = await desk.fork(2);
  expect(nexts.map(({ session }) => session.id)).toEqual([id]);
  expect(nexts[0]?.session).toMatchObject({
    messages: [said('one'), said('two')],
    parent: { id: opened.session.id, messages: 2 },
  });

  await desk.rewind(1);
  await say('other');
  const back = await store.fork(opened.session.id, undefined, { rewound: true });
  expect(back?.session.messages).toEqual([said('one'), said('two'), said('three')]);
  const same = await store.fork(id, undefined, { rewound: true });
  expect(same?.session.messages).toEqual([said('one'), said('two')]);
  for (const session of [...nexts, back, same, opened]) await session?.close();
});

test('a session that is not saved leaves no trace and says so; a title waits for the first message', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  const lost = await deskFor(store, home, { keeps: false });
  await lost.desk.rename('x');
  await lost.say('one');
  await lost.desk.rewind(0);
  await expect(lost.desk.fork()).rejects.toThrow(UserError);
  const early = await deskFor(store, home);
  await early.desk.rename('Early');
  expect(store.list()).toEqual([]);
  await early.say('one');
  expect(store.list()).toMatchObject([{ title: 'Early', messageCount: 1 }]);
  for (const { opened } of [lost, early]) await opened.close();
});

test('another session is opened before this one is closed', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  const first = await deskFor(store, home);
  await first.say('one');
  const second = await deskFor(store, home);
  await second.say('two');
  const { id } = first.opened.session;
  await expect(second.desk.goTo(id)).rejects.toThrow('is open in another process');
  await expect(second.desk.goTo(second.opened.session.id)).rejects.toThrow(
    'You are already in that session.',
  );
  await expect(second.desk.goTo('zzz')).rejects.toThrow('There is no session "zzz".');
  await first.opened.close();
  await second.desk.goTo(id);
  expect(second.nexts[0]?.session.messages).toEqual([said('one')]);
  for (const session of [...second.nexts, second.opened]) await session.close();
});

test('a new session starts empty; the previous one is unchanged', async () => {
  const { home } = await workspace();
  const store = new SessionStore(path.join(home, 'sessions'));
  const { desk, opened, say, nexts } = await deskFor(store, home);
  await say('one');
  desk.begin();
  expect(nexts.map(({ session }) => [session.id === opened.session.id, session.messages])).toEqual([
    [false, []],
  ]);
  for (const session of [...nexts, opened]) await session.close();
  expect(store.list()).toMatchObject([{ id: opened.session.id, messageCount: 1 }]);
});
