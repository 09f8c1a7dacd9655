import { methods } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { choosing } from '../../../../test/support/hosted.ts';
import { hosting } from '../../../../test/support/hosting.ts';
import { calls, fails, hangs, says, slowly } from '../../../../test/support/model-server/script.ts';
import { workspace } from '../../../../test/support/workspace.ts';
import type { Role } from '../identity.ts';
import {
  type PermissionMeta,
  type SessionOverview,
  serverMethods,
  serverNotifications,
} from '../server-methods.ts';

const { session: names } = methods.agent;
const edit = ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }] as [string, object];
const read = ['Read', { file_path: 'a.txt' }] as [string, object];

test('a plain client of the protocol creates a session, prompts and gets the answer once', async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const { join } = await hosting(space, [says('Hello.')]);
  const ada = await join();
  const id = await ada.create(space.root);

  expect(await ada.prompt(id, 'hi')).toBe('end_turn');

  expect(ada.said).toBe('Hello.');
  expect(ada.prompts).toEqual([]);
  expect((await ada.agent.request(names.list, {})).sessions).toMatchObject([{ sessionId: id }]);
});

test('everyone sees who typed what, and who approved; the first answer counts', async () => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const { join, audited } = await hosting(space, [calls(read), calls(edit), says('Done.')]);
  const ada = await join({ name: 'Ada' });
  const id = await ada.create(space.root);
  await ada.attach(id);
  const bob = await join({ name: 'Bob', role: 'editor', answer: choosing('once') });
  const eve = await join({ name: 'Eve', role: 'viewer', answer: choosing('once') });
  await bob.attach(id);
  await eve.attach(id);

  expect(await ada.prompt(id, 'change it')).toBe('end_turn');

  for (const member of [ada, bob, eve]) {
    await member.until(() => member.events.at(-1)?.type === 'turn_ended');
    expect(member.prompts).toEqual(['change it']);
    expect(member.said).toBe('Done.');
    expect(member.updates.find(({ update }) => update.sessionUpdate === 'user_message_chunk')?.meta.by).toBe(
      'Ada',
    );
    expect(member.events).toMatchObject([
      { type: 'turn_started' },
      { type: 'permission_asked' },
      { type: 'permission_settled', optionId: 'once', by: 'Bob' },
      { type: 'turn_ended', stopReason: 'end_turn' },
    ]);
    const numbers = member.updates.flatMap(({ meta }) => meta.seq ?? []);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  }
  expect(ada.asked).toHaveLength(1);
  expect(eve.asked).toHaveLength(0);
  expect(audited).toContainEqual(
    expect.objectContaining({ event: 'approved', session: id, by: expect.objectContaining({ name: 'Bob' }) }),
  );
  expect(await space.tree()).toEqual({ 'a.txt': 'one\nthree\n' });
});

describe('with nobody there', () => {
  test('a run goes on, its question waits, and whoever comes next answers it', async () => {
    const space = await workspace({ 'a.txt': 'one\ntwo\n' });
    const { join, hosted } = await hosting(space, [calls(read), calls(edit), says('Done.')]);
    const ada = await join();
    const id = await ada.create(space.root);
    void ada.prompt(id, 'change it').catch(() => undefined);
    await ada.until(() => ada.asked.length > 0);
    ada.close();

    const phone = await join({ answer: choosing('once') });
    const overview = await phone.agent.request<{ sessions: SessionOverview[] }>(serverMethods.overview, {});
    expect(overview.sessions).toMatchObject([{ id, title: 'change it', state: 'waiting', cwd: space.root }]);
    await phone.attach(id);
    await phone.until(() => phone.events.at(-1)?.type === 'turn_ended');

    expect(phone.prompts).toEqual(['change it']);
    expect(phone.said).toBe('Done.');
    expect(hosted.overview()).toMatchObject([{ state: 'done', lastLine: 'Done.' }]);
    expect(await space.tree()).toEqual({ 'a.txt': 'one\nthree\n' });
  });

  test('a client that was cut off gets what it missed, each update once', async () => {
    const space = await workspace();
    const words = Array.from({ length: 200 }, (_, i) => `word${i} `).join('');
    const { join } = await hosting(space, [slowly(says(words), { betweenMs: 2 })]);
    const ada = await join();
    const id = await ada.create(space.root);
    void ada.prompt(id, 'talk').catch(() => undefined);

    let position = { epoch: '', seq: 0 };
    const updates: string[] = [];
    let resets = 0;
    for (let isDone = false; !isDone; ) {
      const member = await join({ name: 'Bob', role: 'viewer' });
      const { epoch, seq, reset } = await member.attach(id, position);
      if (reset) {
        resets++;
        updates.length = 0;
      }
      await member.until(() => member.isCaughtUp || !reset);
      await member.until(() => member.updates.length > 5 || member.events.at(-1)?.type === 'turn_ended');
      isDone = member.events.at(-1)?.type === 'turn_ended';
      member.close();
      updates.push(member.said);
      const last = member.updates.findLast(({ meta }) => meta.seq !== undefined);
      position = { epoch, seq: last?.meta.seq ?? (reset ? seq : position.seq) };
    }

    expect(updates.join('')).toBe(words);
    expect(resets).toBe(1);
  });
});

test('an answer with another digest is refused, and the question stays open', async () => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const { join, audited } = await hosting(space, [calls(read), calls(edit), says('Done.')]);
  const ada = await join();
  const id = await ada.create(space.root);
  const meta = { aca: { requestId: 'now-1', digest: 'made up' } };
  const mallory = await join({
    name: 'Mallory',
    role: 'editor',
    answer: () => ({ outcome: { outcome: 'selected', optionId: 'once' }, _meta: meta }),
  });
  await mallory.attach(id);
  const turn = ada.prompt(id, 'change it');
  await mallory.until(() => mallory.asked.length === 3);
  expect(await space.tree()).toEqual({ 'a.txt': 'one\ntwo\n' });

  const bob = await join({ name: 'Bob', role: 'editor', answer: choosing('no') });
  await bob.attach(id);

  expect(await turn).toBe('end_turn');
  expect(audited.filter(({ event }) => event === 'refused')).toHaveLength(3);
  expect(await space.tree()).toEqual({ 'a.txt': 'one\ntwo\n' });
});

test('an answer counts only if it was offered, and repeats what the client was asked if it can', async () => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const run = ['Bash', { command: 'make it' }] as [string, object];
  const { join, audited } = await hosting(space, [calls(run), says('Done.')]);
  const ada = await join();
  const id = await ada.create(space.root);
  const bob = await join({ name: 'Bob', role: 'editor', answer: choosing('always') });
  await bob.attach(id);
  const outcome = { outcome: 'selected' as const, optionId: 'no' };
  const silent = await join({ name: 'Eve', role: 'editor', answer: () => ({ outcome }) });
  await silent.attach(id);
  const turn = ada.prompt(id, 'change it');
  await bob.until(() => bob.asked.length === 3);
  await silent.until(() => silent.asked.length === 3);
  await ada.until(() => ada.asked.length === 1);

  const offered = (of: typeof bob) => of.asked[0]?.options.map(({ optionId }) => optionId);
  expect(offered(ada)).toEqual(['once', 'sandboxed', 'session', 'always', 'trust', 'no']);
  expect(offered(bob)).toEqual(['once', 'session', 'no']);
  await expect.poll(() => audited.filter(({ event }) => event === 'refused').length).toBe(6);
  const { requestId } = (bob.asked[0]?._meta?.aca ?? {}) as PermissionMeta;
  const why = audited.flatMap(({ event, detail }) => (event === 'refused' ? [detail] : []));
  expect(new Set(why)).toEqual(
    new Set([`answer that was not offered for ${requestId}`, `wrong digest for ${requestId}`]),
  );

  // A client that knows only the protocol.
  const plain = await join({ name: 'Kim', role: 'editor', answer: () => ({ outcome }) });
  await plain.agent.request(names.resume, { sessionId: id, cwd: space.root, mcpServers: [] });
  expect(await turn).toBe('end_turn');
});

describe('roles', () => {
  const refused: [role: Role, method: string, params: (id: string) => object][] = [
    ['viewer', names.prompt, (sessionId) => ({ sessionId, prompt: [{ type: 'text', text: 'hi' }] })],
    ['viewer', names.setMode, (sessionId) => ({ sessionId, modeId: 'auto' })],
    ['viewer', names.new, () => ({ cwd: '/', mcpServers: [] })],
    ['viewer', '_aca/changes/revert', (sessionId) => ({ sessionId })],
    ['viewer', serverMethods.resumeRun, (sessionId) => ({ sessionId })],
    ['editor', names.delete, (sessionId) => ({ sessionId })],
    ['editor', names.close, (sessionId) => ({ sessionId })],
    ['editor', names.prompt, (sessionId) => ({ sessionId, prompt: [{ type: 'text', text: ' !id' }] })],
    [
      'editor',
      names.setConfigOption,
      (sessionId) => ({ sessionId, configId: 'sandbox', value: 'permissive' }),
    ],
    ['editor', serverMethods.openTerminal, (sessionId) => ({ sessionId, columns: 80, rows: 24, env: {} })],
    ['owner', '_aca/anything', () => ({})],
    ['owner', 'constructor', () => ({})],
  ];

  test('a method that a role does not include is an error', async () => {
    const space = await workspace();
    const { join, audited, model } = await hosting(space, [says('Hello.')]);
    const id = await (await join()).create(space.root);
    for (const [role, method, params] of refused) {
      const guest = await join({ name: role, role });
      const asked = guest.agent.request(method, params(id)).then(
        () => 'done',
        (error: Error) => error.message,
      );
      expect(await asked, `${role} ${method}`).not.toBe('done');
      guest.close();
    }
    expect(audited.filter(({ event }) => event === 'refused').length).toBeGreaterThanOrEqual(
      refused.length - 1,
    );
    expect(model.requests).toHaveLength(0);
  });

  test('a session that a guest is not invited to does not exist for them', async () => {
    const space = await workspace();
    const { join } = await hosting(space, [says('Hello.')]);
    const ada = await join();
    const id = await ada.create(space.root);
    await ada.prompt(id, 'hi');
    const guest = await join({ name: 'Bob', role: 'editor', sessions: ['other'] });

    await expect(guest.attach(id)).rejects.toThrow('not invited');
    expect((await guest.agent.request(names.list, {})).sessions).toEqual([]);
    expect(await guest.agent.request(serverMethods.overview, {})).toEqual({ sessions: [] });
  });
});

test('participants and typing are relayed to the others', async () => {
  const space = await workspace();
  const { join } = await hosting(space, []);
  const ada = await join({ name: 'Ada' });
  const id = await ada.create(space.root);
  await ada.attach(id);
  const bob = await join({ name: 'Bob', role: 'editor' });
  const { you, participants, role } = await bob.attach(id);

  expect(participants.map(({ name }) => name)).toEqual(['Ada', 'Bob']);
  expect(role).toBe('editor');
  await bob.agent.notify(serverNotifications.typing, { sessionId: id, isTyping: true });
  await ada.until(() => ada.typing.length > 0);
  expect(ada.typing).toEqual([
    { sessionId: id, isTyping: true, participant: { id: you, name: 'Bob', role: 'editor' } },
  ]);
  bob.close();
  await ada.until(() => ada.participants.at(-1)?.participants.length === 1);
});

test('a failed run is told to everyone, and a cancel by anyone ends a run', async () => {
  const space = await workspace();
  const { join, hosted } = await hosting(space, [fails(400, { message: 'Nope.' }), hangs()]);
  const ada = await join();
  const id = await ada.create(space.root);
  const bob = await join({ name: 'Bob', role: 'editor' });
  await bob.attach(id);

  await expect(ada.prompt(id, 'hi')).rejects.toThrow('Nope.');
  await bob.until(() => bob.events.some(({ type }) => type === 'turn_failed'));
  expect(hosted.overview()[0]?.state).toBe('failed');

  const turn = ada.prompt(id, 'again');
  await bob.until(() => bob.prompts.length === 2);
  await bob.agent.notify(names.cancel, { sessionId: id });
  expect(await turn).toBe('cancelled');
});

test('prompts sent during a run are shown to everyone as waiting, also to who comes later', async () => {
  const space = await workspace();
  const { join } = await hosting(space, [hangs()]);
  const ada = await join({ name: 'Ada' });
  const id = await ada.create(space.root);
  const { you } = await ada.attach(id);
  const turn = ada.prompt(id, 'hi');
  await ada.until(() => ada.prompts.length === 1);
  void ada.prompt(id, 'and this').catch(() => undefined);
  const waiting = { type: 'prompts_waiting', prompts: [{ text: 'and this', from: you, by: 'Ada' }] };
  await ada.until(() => ada.events.at(-1)?.type === 'prompts_waiting');

  const bob = await join({ name: 'Bob', role: 'viewer' });
  await bob.attach(id);
  await bob.until(() => bob.isCaughtUp);

  expect(ada.events.at(-1)).toMatchObject(waiting);
  expect(bob.events.at(-1)).toMatchObject(waiting);
  expect(bob.prompts).toEqual(['hi']);
  await ada.agent.notify(names.cancel, { sessionId: id });
  expect(await turn).toBe('cancelled');
  await bob.until(() => bob.events.some((event) => event.type === 'turn_ended'));
  expect(bob.events.findLast(({ type }) => type === 'prompts_waiting')).toMatchObject({ prompts: [] });
});

test('an answer in words is shown with the name of who gave it', async () => {
  const space = await workspace();
  const question = { question: 'Which colour?', choices: ['Red', 'Blue'] };
  const { join } = await hosting(space, [calls(['AskUser', question]), says('Done.')]);
  const ada = await join({ name: 'Ada' });
  const id = await ada.create(space.root);
  await ada.attach(id);
  const turn = ada.prompt(id, 'paint');
  const bob = await join({ name: 'Bob', role: 'editor', answer: choosing('1') });
  await bob.attach(id);

  expect(await turn).toBe('end_turn');

  await ada.until(() => ada.events.at(-1)?.type === 'turn_ended');
  expect(ada.events.find(({ type }) => type === 'question_settled')).toMatchObject({
    question: 'Which colour?',
    answer: 'Blue',
    by: 'Bob',
  });
});

test('whether to trust the folder is asked of owners, bound to its digest; all see who answered', async () => {
  const rules = JSON.stringify({ permissions: { allow: ['Bash(make *)'] } });
  const space = await workspace({ '.ai-assistant.json': rules });
  const { join, audited } = await hosting(space, [says('Hello.'), says('Done.')]);
  const ada = await join({ name: 'Ada' });
  const id = await ada.create(space.root);
  await ada.attach(id);
  const eve = await join({ name: 'Eve', role: 'viewer', answer: choosing('yes') });
  await eve.attach(id);
  const forged = { aca: { requestId: 'now-1', digest: 'made up' } };
  const mallory = await join({
    name: 'Mallory',
    answer: () => ({ outcome: { outcome: 'selected', optionId: 'yes' }, _meta: forged }),
  });
  await mallory.attach(id);
  const guest = await join({ name: 'Guest', role: 'editor', answer: choosing('yes') });
  await guest.attach(id);
  // What guests prompt neither asks this nor waits for the answer.
  expect(await guest.prompt(id, 'hello')).toBe('end_turn');
  const turn = ada.prompt(id, 'go');
  await mallory.until(() => mallory.asked.length === 3);
  const again = await join({ name: 'Ada' });
  await again.attach(id);
  await again.until(() => again.asked.length === 1);

  const bob = await join({ name: 'Bob', answer: choosing('no') });
  await bob.attach(id);

  expect(await turn).toBe('end_turn');
  expect([...eve.asked, ...guest.asked]).toEqual([]);
  const [asked] = ada.asked;
  const { requestId } = (asked?._meta?.aca ?? {}) as PermissionMeta;
  expect(again.asked[0]?._meta).toEqual(asked?._meta);
  expect(JSON.stringify(asked?.toolCall)).toContain('Bash(make *)');
  const question = 'Trust this folder?';
  for (const member of [ada, eve, bob, guest, again]) {
    await member.until(() => member.events.at(-1)?.type === 'turn_ended');
    expect(member.events.filter(({ type }) => type.startsWith('question_'))).toEqual([
      { type: 'question_asked', requestId, question },
      { type: 'question_settled', requestId, question, answer: 'No', by: 'Bob' },
    ]);
    expect(member.updates.filter(({ update }) => update.sessionUpdate === 'tool_call')).toEqual([]);
  }
  expect(audited.filter(({ event }) => event === 'refused')).toHaveLength(3);
  expect(audited).toContainEqual(
    expect.objectContaining({ event: 'declined', session: id, detail: question }),
  );
});
