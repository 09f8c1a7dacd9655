import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { choosing, type Member } from '../../../../test/support/hosted.ts';
import { hosting } from '../../../../test/support/hosting.ts';
import { calls, hangs, says } from '../../../../test/support/model-server/script.ts';
import { type Workspace, workspace } from '../../../../test/support/workspace.ts';
import { serverMethods } from '../server-methods.ts';

const { session: names } = methods.agent;
const read = ['Read', { file_path: 'a.txt' }] as [string, object];
const edit = ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }] as [string, object];
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const send = (member: Member, sessionId: string, text: string, promptId: string) =>
  member.agent.request(names.prompt, {
    sessionId,
    prompt: [{ type: 'text', text }],
    _meta: { aca: { promptId } },
  });

/** What somebody sees of the prompts and calls who comes now. */
async function seenBy(member: Member, id: string) {
  await member.attach(id);
  await member.until(() => member.isCaughtUp);
  return member.updates.flatMap(({ update, meta }) => {
    if (update.sessionUpdate === 'user_message_chunk')
      return [[meta.by, update.content.type === 'text' ? update.content.text : update.content.type]];
    if (update.sessionUpdate === 'tool_call') return [[meta.decision?.by, meta.decision?.optionId]];
    return [];
  });
}

const keptIn = (space: Workspace) => {
  const folder = path.join(space.home, 'serve/prompts');
  return existsSync(folder) ? readdirSync(folder) : [];
};

test('who comes later sees who typed what, images included, and who approved what', async () => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const { join, hosted } = await hosting(space, [calls(read), calls(edit), says('Done.'), says('Seen.')]);
  const ada = await join({ name: 'Ada' });
  const id = await ada.create(space.root);
  const bob = await join({ name: 'Bob', role: 'editor', answer: choosing('once') });
  await bob.attach(id);
  await ada.prompt(id, 'change it');
  const image = { type: 'image' as const, mimeType: 'image/png', data: PIXEL };
  await bob.agent.request(names.prompt, { sessionId: id, prompt: [image] });
  const seen = [
    ['Ada', 'change it'],
    [undefined, undefined],
    ['Bob', 'once'],
    ['Bob', 'image'],
  ];

  expect(await seenBy(await join({ name: 'Eve', role: 'viewer' }), id)).toEqual(seen);
  await hosted.close(id);
  expect(await seenBy(await join({ name: 'Eve', role: 'viewer' }), id)).toEqual(seen);
  expect(await seenBy(await join({ name: 'Ada' }), id)).toEqual(seen);
  await expect.poll(() => keptIn(space)).toEqual([]);
});

test('prompts that wait survive the end of the server; each runs once, also if it is sent again', async () => {
  const space = await workspace();
  const before = await hosting(space, [hangs()]);
  const ada = await before.join({ name: 'Ada' });
  const id = await ada.create(space.root);
  void send(ada, id, 'first', 'p-1').catch(() => undefined);
  await expect.poll(() => before.model.requests.length).toBe(1);
  const bob = await before.join({ name: 'Bob', role: 'editor' });
  await bob.attach(id);
  for (const [text, promptId] of [
    ['second', 'p-2'],
    ['second', 'p-2'],
    ['third', 'p-3'],
  ] as const)
    void send(bob, id, text, promptId).catch(() => undefined);
  const waitingIn = (member: Member) => member.events.findLast(({ type }) => type === 'prompts_waiting');
  const isThirdWaiting = (member: Member) => JSON.stringify(waitingIn(member) ?? {}).includes('third');
  await bob.until(() => isThirdWaiting(bob));
  await before.hosted.closeAll();

  const after = await hosting(space, [says('One.'), says('Two.'), says('Three.')]);
  const carol = await after.join({ name: 'Carol', role: 'editor' });
  await carol.attach(id);
  await carol.until(() => isThirdWaiting(carol));
  expect(waitingIn(carol)).toMatchObject({
    prompts: [
      { text: 'second', by: 'Bob', promptId: 'p-2', held: true },
      { text: 'third', by: 'Bob', promptId: 'p-3', held: true },
    ],
  });
  expect(after.model.requests).toHaveLength(0);
  await send(carol, id, 'first', 'p-1');
  await send(carol, id, 'second', 'p-2');
  await carol.agent.request(serverMethods.resumeRun, { sessionId: id });
  const { session } = await after.hosted.get(id);
  await expect.poll(() => session.isBusy || session.waiting.length > 0).toBe(false);

  const sent = session.opened.controller.session.messages.flatMap(({ content, role }) =>
    role === 'user' ? content.flatMap((part) => (part.type === 'text' && part.sent ? [part] : [])) : [],
  );
  expect(sent).toEqual([
    { type: 'text', text: 'first', typed: true, sent: { id: 'p-1', by: 'Ada' } },
    { type: 'text', text: 'second', typed: true, sent: { id: 'p-2', by: 'Bob' } },
    { type: 'text', text: 'third', typed: true, sent: { id: 'p-3', by: 'Bob' } },
  ]);
  await expect.poll(() => keptIn(space)).toEqual([]);
});

test('prompts that wait after a restart can be dropped, and then do not come back', async () => {
  const space = await workspace();
  const before = await hosting(space, [hangs()]);
  const ada = await before.join({ name: 'Ada' });
  const id = await ada.create(space.root);
  await ada.attach(id);
  void send(ada, id, 'first', 'p-1').catch(() => undefined);
  await ada.until(() => ada.prompts.length === 1);
  void send(ada, id, 'second', 'p-2').catch(() => undefined);
  await ada.until(() => ada.events.at(-1)?.type === 'prompts_waiting');
  await before.hosted.closeAll();

  const after = await hosting(space, []);
  const again = await after.join({ name: 'Ada' });
  await again.attach(id);
  await again.until(() => again.events.some(({ type }) => type === 'prompts_waiting'));
  await again.agent.notify(names.cancel, { sessionId: id });
  await again.until(() => {
    const last = again.events.findLast((event) => event.type === 'prompts_waiting');
    return last?.type === 'prompts_waiting' && last.prompts.length === 0;
  });
  await after.hosted.close(id);
  expect((await after.hosted.get(id)).session.waiting).toEqual([]);
});
