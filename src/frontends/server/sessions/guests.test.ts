import { methods } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { hosting } from '../../../../test/support/hosting.ts';
import { hangs, says } from '../../../../test/support/model-server/script.ts';
import { workspace } from '../../../../test/support/workspace.ts';
import { serverMethods } from '../server-methods.ts';

const { session: names } = methods.agent;

test('prompts that wait do not run once the access of their sender has ended', async () => {
  const space = await workspace();
  const { hosted, join, audited, revoked } = await hosting(space, [hangs(), says('Done.')]);
  const ada = await join({ name: 'Ada' });
  const id = await ada.create(space.root);
  await ada.attach(id);
  const bob = await join({ name: 'Bob', role: 'editor' });
  await bob.attach(id);
  const turn = ada.prompt(id, 'work');
  await ada.until(() => ada.prompts.includes('work'));
  const later = bob.prompt(id, 'and this').catch(() => 'cut off');
  await bob.until(() => bob.events.at(-1)?.type === 'prompts_waiting');
  const mine = ada.prompt(id, 'mine').catch(() => 'cut off');
  await ada.until(() => JSON.stringify(ada.events.at(-1)).includes('mine'));
  await hosted.dropRevoked();
  expect(JSON.stringify(ada.events.at(-1))).toContain('and this');

  // The connection may have been closed before.
  revoked.add('Bob');
  await hosted.dropRevoked();

  expect(await later).toBe('cancelled');
  await ada.until(() => !JSON.stringify(ada.events.at(-1)).includes('and this'));
  expect(ada.events.at(-1)).toMatchObject({ type: 'prompts_waiting', prompts: [{ text: 'mine' }] });
  expect(audited.at(-1)).toEqual({
    event: 'refused',
    session: id,
    detail: 'Bob has no access any more: and this',
  });
  await ada.agent.notify(names.cancel, { sessionId: id });
  await Promise.all([turn, mine]);
});

test('the list of a guest names no sessions but theirs, not even as a cursor', async () => {
  const space = await workspace();
  const { hosted, join } = await hosting(space, Array(3).fill(says('Hello.')));
  const ada = await join();
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) {
    const id = await ada.create(space.root);
    await ada.prompt(id, 'hi');
    ids.push(id);
  }
  const guest = await join({ name: 'Bob', role: 'viewer', sessions: ids.slice(0, 1) });
  expect((await guest.agent.request(names.list, {})).sessions.map(({ sessionId }) => sessionId)).toEqual(
    ids.slice(0, 1),
  );
  await expect(guest.agent.request(names.list, { cursor: ids[1] })).rejects.toThrow('cursor is unknown');
  const seen = hosted.sessions.list({}, (id) => id === ids[0]);
  expect(seen).toMatchObject({ sessions: [{ sessionId: ids[0] }] });
  expect(seen).not.toHaveProperty('nextCursor');
});

test('a guest who asks too much is disconnected, and an owner is not', async () => {
  const space = await workspace();
  const { join, audited } = await hosting(space, []);
  const ada = await join();
  const id = await ada.create(space.root);
  const eve = await join({ name: 'Eve', role: 'viewer' });
  const ask = (member: typeof ada, count: number) =>
    Promise.allSettled(
      Array.from({ length: count }, () => member.agent.request(serverMethods.attach, { sessionId: id })),
    );
  await ask(ada, 60);
  expect(ada.isClosed).toBe(false);
  void ask(eve, 200);
  await eve.until(() => eve.isClosed);
  expect(audited.filter(({ detail }) => detail === 'too many requests')).toHaveLength(1);
  expect((await ask(ada, 1))[0]?.status).toBe('fulfilled');
});
