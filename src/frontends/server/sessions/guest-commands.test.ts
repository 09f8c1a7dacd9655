import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import type { Member } from '../../../../test/support/hosted.ts';
import { hosting } from '../../../../test/support/hosting.ts';
import { hangs, says } from '../../../../test/support/model-server/script.ts';
import { workspace } from '../../../../test/support/workspace.ts';
import { builtinCommands } from '../../../commands/index.ts';

/** Who may use each command in a session of the server. */
const USERS = {
  'add-dir': 'owner',
  branch: 'owner',
  budget: 'owner',
  cache: 'guests',
  changes: 'guests',
  clear: 'owner',
  commit: 'owner',
  compact: 'guests',
  config: 'owner',
  context: 'guests',
  cost: 'guests',
  diag: 'owner',
  diff: 'guests',
  doctor: 'owner',
  effort: 'guests',
  export: 'owner',
  fork: 'owner',
  help: 'guests',
  history: 'owner',
  import: 'owner',
  init: 'guests',
  learned: 'owner',
  lsp: 'owner',
  mcp: 'owner',
  memory: 'owner',
  mode: 'guests',
  'output-style': 'guests',
  permissions: 'owner',
  pin: 'guests',
  plan: 'guests',
  plugins: 'owner',
  quit: 'owner',
  redo: 'guests',
  refresh: 'owner',
  remember: 'owner',
  rename: 'guests',
  resume: 'owner',
  review: 'guests',
  rewind: 'owner',
  sessions: 'owner',
  stats: 'guests',
  trust: 'owner',
  uncompact: 'guests',
  undo: 'guests',
  unpin: 'guests',
  voice: 'owner',
};

const namesOf = (user: string) => Object.entries(USERS).flatMap(([name, of]) => (of === user ? [name] : []));

test('each command says whether guests may use it', () => {
  const said = builtinCommands.map(({ name, forGuests }) => [name, forGuests ? 'guests' : 'owner']);
  expect(Object.fromEntries(said)).toEqual(USERS);
});

const offered = (member: Member) =>
  member.updates.flatMap(({ update }) =>
    update.sessionUpdate === 'available_commands_update' ? update.availableCommands : [],
  );

test('an editor can use only the commands that stay within the session, and is offered no others', async () => {
  const space = await workspace();
  await mkdir(path.join(space.home, '.ai-assistant/commands'), { recursive: true });
  await writeFile(path.join(space.home, '.ai-assistant/commands/greet.md'), 'Say hello.');
  const { join, audited, model } = await hosting(space, [says('Hello.'), hangs()]);
  const ada = await join();
  const id = await ada.create(space.root);
  const bob = await join({ name: 'Bob', role: 'editor' });
  await bob.attach(id);
  await ada.attach(id);
  const refusalOf = (text: string, after = false) => {
    const prompt = [{ type: 'text' as const, text }];
    return bob.agent
      .request(methods.agent.session.prompt, { sessionId: id, prompt, _meta: { aca: { after } } })
      .then(
        () => 'done',
        (error: Error) => error.message.replace('Invalid request: ', ''),
      );
  };

  const refused = namesOf('owner');
  for (const name of refused) expect(await refusalOf(`/${name}`)).toBe(`Only the owner can use /${name}.`);
  for (const text of ['  /History a', '/project:history', '/USER:export /tmp/x.md', '/sessions\nall'])
    expect(await refusalOf(text), text).toMatch(/^Only the owner can use /);
  const refusals = audited.filter(({ event }) => event === 'refused');
  expect(refusals).toHaveLength(refused.length + 4);
  expect(refusals[0]).toMatchObject({
    session: id,
    by: { name: 'Bob' },
    detail: 'Only the owner can use /add-dir. /add-dir',
  });

  await bob.prompt(id, '/help');
  await bob.until(() => bob.said.includes('/compact'));
  for (const name of refused) expect(bob.said).not.toContain(`/${name} `);
  await bob.prompt(id, '/mode plan');
  await bob.prompt(id, '/greet');
  expect(model.requests).toHaveLength(1);
  await bob.until(() => offered(bob).some(({ name }) => name === 'greet'));
  const builtin = (member: Member) => offered(member).flatMap(({ name }) => (name in USERS ? [name] : []));
  expect(new Set(builtin(bob))).toEqual(new Set(namesOf('guests')));
  expect(builtin(ada)).toContain('history');

  // While something runs, commands wait for its end; they are refused at once.
  const turn = bob.prompt(id, 'work');
  await bob.until(() => bob.prompts.includes('work'));
  expect(await refusalOf('/history')).toBe('Only the owner can use /history.');
  expect(await refusalOf('/history', true)).toBe('Only the owner can use /history.');
  await ada.agent.notify(methods.agent.session.cancel, { sessionId: id });
  expect(await turn).toBe('cancelled');
});
