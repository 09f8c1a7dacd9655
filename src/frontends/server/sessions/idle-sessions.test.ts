import { methods } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { hosting } from '../../../../test/support/hosting.ts';
import { calls, says } from '../../../../test/support/model-server/script.ts';
import { workspace } from '../../../../test/support/workspace.ts';
import type { HostedSessions } from './hosted-sessions.ts';

const { session: names } = methods.agent;
const edit = ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }] as [string, object];
const read = ['Read', { file_path: 'a.txt' }] as [string, object];

describe('a session that nobody uses', () => {
  const isClosed = (hosted: HostedSessions, id: string) =>
    expect.poll(() => {
      hosted.closeIdle(0);
      return hosted.find(id);
    });

  test('is closed after a while, and opens again as it was', async () => {
    const space = await workspace();
    const { join, hosted, model } = await hosting(space, [says('Hello.'), says('Again.')]);
    const ada = await join();
    const id = await ada.create(space.root);
    await ada.prompt(id, 'hi');
    await ada.agent.request(names.setMode, { sessionId: id, modeId: 'plan' });
    const position = await ada.attach(id);
    ada.close();
    await isClosed(hosted, id).toBeUndefined();
    expect(hosted.overview()).toMatchObject([{ id, state: 'done', lastLine: 'Hello.' }]);

    const back = await join();
    const { reset, modes } = await back.attach(id, position);
    await back.until(() => back.isCaughtUp);
    expect({ reset, mode: modes.currentModeId }).toEqual({ reset: true, mode: 'plan' });
    expect([back.prompts, back.said]).toEqual([['hi'], 'Hello.']);
    expect(await back.prompt(id, 'go on')).toBe('end_turn');
    await back.until(() => back.events.at(-1)?.type === 'turn_ended');
    expect(back.said).toBe('Hello.Again.');
    expect(model.requests).toHaveLength(2);
  });

  test('is not closed while a question waits', async () => {
    const space = await workspace({ 'a.txt': 'one\ntwo\n' });
    const { join, hosted } = await hosting(space, [calls(read), calls(edit), says('Done.')]);
    const ada = await join();
    const id = await ada.create(space.root);
    void ada.prompt(id, 'change it').catch(() => undefined);
    await ada.until(() => ada.asked.length > 0);
    ada.close();
    await expect.poll(() => hosted.overview()[0]?.participants).toBe(0);
    hosted.closeIdle(0);

    expect(hosted.find(id)?.state).toBe('waiting');
  });

  test('is shown to a viewer as it was saved, without being opened, and live once somebody opens it', async () => {
    const space = await workspace();
    const { join, hosted } = await hosting(space, [says('Hello.'), says('Again.')]);
    const ada = await join();
    const id = await ada.create(space.root);
    await ada.prompt(id, 'hi');
    ada.close();
    await isClosed(hosted, id).toBeUndefined();

    const eve = await join({ name: 'Eve', role: 'viewer' });
    const { state, role } = await eve.attach(id);
    await eve.until(() => eve.isCaughtUp);
    expect({ state, role, said: eve.said, open: hosted.find(id) }).toEqual({
      state: 'done',
      role: 'viewer',
      said: 'Hello.',
      open: undefined,
    });
    for (const method of [names.load, names.resume])
      await expect(
        eve.agent.request(method, { sessionId: id, cwd: space.root, mcpServers: [] }),
      ).rejects.toThrow('not open');
    expect(hosted.find(id)).toBeUndefined();

    const bob = await join({ name: 'Bob', role: 'editor' });
    await bob.attach(id);
    expect(await bob.prompt(id, 'go on')).toBe('end_turn');
    await eve.until(() => eve.said === 'Hello.Again.' && eve.events.at(-1)?.type === 'turn_ended');
    expect(eve.prompts).toEqual(['hi', 'go on']);
  });
});

test('a session that its owner closed opens again with the next prompt, and whoever was there follows it', async () => {
  const space = await workspace();
  const { join, hosted } = await hosting(space, [says('Hello.'), says('Again.')]);
  const ada = await join();
  const id = await ada.create(space.root);
  await ada.attach(id);
  const [bob, eve] = [
    await join({ name: 'Bob', role: 'editor' }),
    await join({ name: 'Eve', role: 'viewer' }),
  ];
  await bob.attach(id);
  await eve.attach(id);
  await ada.prompt(id, 'hi');

  await ada.agent.request(names.close, { sessionId: id });
  expect(hosted.find(id)).toBeUndefined();
  expect(await bob.prompt(id, 'go on')).toBe('end_turn');

  for (const member of [ada, bob, eve]) {
    await member.until(() => member.said === 'Hello.Again.' && member.events.at(-1)?.type === 'turn_ended');
    expect(member.prompts).toEqual(['hi', 'go on']);
  }
});
