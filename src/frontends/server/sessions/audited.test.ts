import { methods } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { choosing } from '../../../../test/support/hosted.ts';
import { hosting } from '../../../../test/support/hosting.ts';
import { calls, says } from '../../../../test/support/model-server/script.ts';
import { workspace } from '../../../../test/support/workspace.ts';
import { extensionMethods } from '../../acp/extension-methods.ts';
import { serverMethods } from '../server-methods.ts';

const { session: names } = methods.agent;
const edit = ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }] as [string, object];
const read = ['Read', { file_path: 'a.txt' }] as [string, object];

test('everything that participants do is in the audit log, with who did it and to what', async () => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const question = { question: 'Which colour?', choices: ['Red', 'Blue'] };
  const { join, audited } = await hosting(space, [
    calls(read),
    calls(edit),
    calls(['AskUser', question]),
    says('Done.'),
  ]);
  const ada = await join({ name: 'Ada' });
  const id = await ada.create(space.root);
  const bob = await join({
    name: 'Bob',
    role: 'editor',
    answer: (request, signal) =>
      choosing(request.options.some(({ optionId }) => optionId === '1') ? '1' : 'once')(request, signal),
  });
  await bob.attach(id);
  const eve = await join({ name: 'Eve', role: 'viewer' });
  await eve.attach(id);
  expect(await bob.prompt(id, 'change it')).toBe('end_turn');
  const sessionId = id;
  await bob.agent.request(extensionMethods.undo, { sessionId });
  await bob.agent.request(extensionMethods.redo, { sessionId });
  await bob.agent.request(extensionMethods.acceptChanges, { sessionId, path: `${space.root}/a.txt` });
  await bob.agent.request(extensionMethods.revertChanges, { sessionId });
  await bob.agent.request(names.setMode, { sessionId, modeId: 'plan' });
  await bob.agent.request(names.setConfigOption, { sessionId, configId: 'effort', value: 'high' });
  await bob.agent.notify(names.cancel, { sessionId });
  await ada.agent.request(names.close, { sessionId });
  await ada.agent.request(serverMethods.open, { sessionId });
  await ada.agent.request(names.delete, { sessionId });

  expect(new Set(audited.map(({ session }) => session))).toEqual(new Set([id]));
  expect(audited.map(({ event, by, detail }) => [event, by?.name, detail])).toEqual([
    ['created', 'Ada', space.root],
    ['watched', 'Bob', undefined],
    ['watched', 'Eve', undefined],
    ['prompted', 'Bob', 'change it'],
    ['approved', 'Bob', expect.stringMatching(/a\.txt.* \(once\)$/)],
    ['answered', 'Bob', 'Which colour? Blue'],
    ['undone', 'Bob', undefined],
    ['redone', 'Bob', undefined],
    ['accepted', 'Bob', `${space.root}/a.txt`],
    ['reverted', 'Bob', undefined],
    ['mode', 'Bob', 'plan'],
    ['option', 'Bob', 'effort high'],
    ['cancelled', 'Bob', undefined],
    ['closed', 'Ada', undefined],
    ['opened', 'Ada', undefined],
    ['deleted', 'Ada', undefined],
  ]);
});

test('no secret of a prompt, a refused prompt or a call that was asked about is in the audit log', async () => {
  const space = await workspace();
  const key = `ghp_${'aB3dE6gH9jK2mN5pQ8'.repeat(2)}`;
  const command = `curl -H "Authorization: Bearer ${key}" https://example.com`;
  const { join, audited } = await hosting(space, [calls(['Bash', { command }]), says('Done.')]);
  const ada = await join();
  const id = await ada.create(space.root);
  const bob = await join({ name: 'Bob', role: 'editor', answer: choosing('no') });
  await bob.attach(id);
  // Cut in the middle of the key, its beginning would not be recognised.
  const long = `${'.'.repeat(180)} ${key}`;
  await expect(bob.prompt(id, `/history ${key}`)).rejects.toThrow('Only the owner');
  expect(await bob.prompt(id, long)).toBe('end_turn');

  const events = audited.map(({ event }) => event);
  expect(events).toEqual(['created', 'watched', 'refused', 'prompted', 'declined']);
  expect(JSON.stringify(audited)).not.toContain(key.slice(0, 12));
  expect(audited[4]?.detail).toMatch(/\[secret:[^\]]+\]/);
});
