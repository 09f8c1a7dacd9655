// @module-tag soak
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Problem } from '../../editors/vscode/src/chat/problem.ts';
import { AttachedChat } from '../../editors/vscode/src/server/attached-chat.ts';
import { serverAddress } from '../../src/frontends/server/server-address.ts';
import { localAccess, type ServerAccess } from '../../src/frontends/server/server-socket.ts';
import type { ChatEvent } from '../../web/chat/connection.ts';
import { aca } from '../support/aca.ts';
import { prepared } from '../support/aca-server.ts';
import { calls, says, slowly } from '../support/model-server/script.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const text = (words: string) => [{ type: 'text' as const, text: words }];

/** The chat of an attached VS Code without the editor around it. */
function attachedChat({ root }: Workspace, access: () => ServerAccess) {
  const events: ChatEvent[] = [];
  const problems: (Problem | null)[] = [];
  const chat = new AttachedChat({
    access,
    place: () => ({ cwd: root, additionalDirectories: [] }),
    documents: {
      read: (file) => readFile(file, 'utf8'),
      write: (file, content) => writeFile(file, content),
      reload: async () => undefined,
    },
    onEvent: (event) => events.push(event),
    onProblem: (problem) => problems.push(problem),
    onSession: () => undefined,
  });
  onTestFinished(() => chat.stop());
  const said = () =>
    events
      .slice(events.findLastIndex(({ type }) => type === 'session'))
      .flatMap((event) =>
        event.type === 'update' &&
        event.update.sessionUpdate === 'agent_message_chunk' &&
        event.update.content.type === 'text'
          ? [event.update.content.text]
          : [],
      )
      .join('');
  const says = (words: string) => expect.poll(said, { timeout: 60_000, interval: 10 }).toContain(words);
  const sees = (type: ChatEvent['type']) =>
    expect
      .poll(() => events.filter((event) => event.type === type).length, { timeout: 60_000, interval: 10 })
      .toBeGreaterThan(0);
  return { chat, events, problems, said, says, sees };
}

const own =
  ({ home }: Workspace) =>
  () => {
    const access = localAccess({ HOME: home });
    if (!access) throw new Error('No server is running.');
    return access;
  };

/** In front of a server: all connections can be cut at once. */
async function cuttable() {
  const open = new Set<Socket>();
  const target = { url: '' };
  const proxy = createServer((client) => {
    const server = connect(Number(new URL(target.url).port), '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of open) socket.destroy();
    open.clear();
  };
  onTestFinished(() => {
    cut();
    proxy.close();
  });
  return { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}`, target, cut };
}

test('VS Code attaches to the server of this machine, approves there, and returns after a restart', async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const { start, join } = await prepared(space, [
    calls(['Write', { file_path: 'b.txt', content: 'new\n' }]),
    says('Written.'),
    says('Still here.'),
  ]);
  const server = await start();
  const ada = await join(server.url);
  const id = await ada.create(space.root);
  await ada.attach(id);
  const it = attachedChat(space, own(space));

  expect((await it.chat.listSessions()).map((one) => [one.id, one.cwd])).toEqual([[id, space.root]]);
  await it.chat.openSession(id);
  await it.sees('session');
  await it.chat.prompt(text('write it'));
  await it.sees('permission_asked');
  const asked = it.events.find((event) => event.type === 'permission_asked');
  await it.chat.answer(asked?.type === 'permission_asked' ? asked.request.requestId : '', 'once');
  await it.says('Written.');
  expect(await space.tree()).toEqual({ 'a.txt': 'one\n', 'b.txt': 'new\n' });
  expect((await it.chat.files.changes()).map(({ status }) => status)).toEqual(['added']);
  expect(ada.prompts).toEqual(['write it']);

  // Its next address may be another one.
  server.child.kill('SIGKILL');
  await start(server.process.pid);
  await expect
    .poll(() => it.events.filter(({ type }) => type === 'session').length, { timeout: 60_000 })
    .toBe(2);
  await it.says('Written.');
  await it.chat.prompt(text('and now?'));
  await it.says('Still here.');
});

test('after lost connections VS Code has every event once, in order', async () => {
  const space = await workspace();
  const words = Array.from({ length: 60 }, (_, i) => `word${i} `).join('');
  const { host, target, cut } = await cuttable();
  const { start, join } = await prepared(
    space,
    [slowly(says(words, { pieceLength: 8 }), { betweenMs: 60 })],
    ['--allow-host', host],
  );
  const { url } = await start();
  target.url = url;
  const ada = await join(url);
  const id = await ada.create(space.root);
  await ada.attach(id);
  const { secret } = own(space)();
  const it = attachedChat(space, () => ({ url: `http://${host}`, secret }));
  await it.chat.openSession(id);
  await it.sees('session');

  const answered = ada.prompt(id, 'count');
  for (const word of ['word3 ', 'word12 ', 'word25 ']) {
    await it.says(word);
    cut();
  }
  await answered;
  await it.sees('turn_ended');

  expect(it.said()).toBe(words);
  const seen = it.events.flatMap(({ seq }) => (seq === undefined ? [] : [seq]));
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  expect(it.events.filter(({ type }) => type === 'session')).toHaveLength(1);
});

test('a viewer with an invitation sees everything and can do nothing, until it is revoked', async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const { start, join } = await prepared(space, [
    calls(['Write', { file_path: 'b.txt', content: 'new\n' }]),
    says('Written.'),
  ]);
  const { url } = await start();
  const ada = await join(url);
  const id = await ada.create(space.root);
  await ada.attach(id);
  const { stdout } = await aca(space, ['serve', 'invite', '--name', 'Eve']);
  const invited = serverAddress(/http\S+#code=\S+/.exec(stdout)?.[0] ?? '');
  const it = attachedChat(space, () => ({ url: invited.url, secret: invited.secret ?? '' }));
  await it.chat.openSession(id);
  await it.sees('session');
  expect(it.events.find(({ type }) => type === 'session')).toMatchObject({ session: { role: 'viewer' } });

  await expect(it.chat.prompt(text('do it'))).rejects.toThrow('You can only watch');
  await expect(it.chat.newSession()).rejects.toThrow();
  await expect(it.chat.setMode('auto')).rejects.toThrow();
  void ada.prompt(id, 'write it').catch(() => undefined);
  await it.sees('permission_asked');
  const asked = it.events.find((event) => event.type === 'permission_asked');
  const requestId = asked?.type === 'permission_asked' ? asked.request.requestId : '';
  await expect(it.chat.answer(requestId, 'once')).rejects.toThrow();
  expect(await space.tree()).toEqual({ 'a.txt': 'one\n' });
  expect(ada.prompts).toEqual(['write it']);

  await aca(space, ['serve', 'revoke', '--all']);
  await expect.poll(() => it.problems.at(-1), { timeout: 60_000 }).toEqual({ type: 'refused' });
  await expect(it.chat.restart()).rejects.toThrow('does not accept');
});
