import { execFileSync } from 'node:child_process';
import { chmod, readFile, stat } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { extensionMethods } from '../../src/frontends/acp/extension-methods.ts';
import { ownerMethods } from '../../src/frontends/server/owner-methods.ts';
import { serverMethods } from '../../src/frontends/server/server-methods.ts';
import type { AccessRecord } from '../../src/observability/audit/access-log.ts';
import { aca, doors } from '../support/aca.ts';
import { Member } from '../support/hosted.ts';
import { calls, says } from '../support/model-server/script.ts';
import { serve as serveModel } from '../support/serve.ts';
import { folderOf, Served } from '../support/served.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const socketUrl = ({ url }: Served) => `${url.replace('http', 'ws')}/acp`;

async function accesses(space: Workspace): Promise<AccessRecord[]> {
  const { stdout } = await aca(space, ['audit', 'access', '--json', '--tail', '999']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AccessRecord);
}

/** A session that waits for an approval, and a client of its owner. */
async function waitingSession(space: Workspace) {
  const edit: [string, object] = ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }];
  const model = await serveModel([calls(['Read', { file_path: 'a.txt' }]), calls(edit), says('Done.')]);
  const { model: name, env } = doors.anthropic(model.url);
  const served = await Served.start(space, { args: ['--model', name], env });
  const owner = await Member.connect(socketUrl(served), {
    headers: { authorization: `Bearer ${served.token}` },
  });
  const id = await owner.create(space.root);
  void owner.prompt(id, 'change it').catch(() => undefined);
  await owner.until(() => owner.asked.length > 0);
  return { served, owner, id };
}

/** Sends messages as they are, and collects what is answered by id. */
class RawClient {
  readonly answers = new Map<unknown, { error?: { message: string }; result?: unknown }>();
  readonly socket: WebSocket;
  #changed: () => void = () => undefined;

  constructor(url: string, secret: string) {
    this.socket = new WebSocket(url, { headers: { authorization: `Bearer ${secret}` } });
    this.socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (!('method' in message)) this.answers.set(message.id, message);
      this.#changed();
    });
  }

  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.once('open', () => resolve()).once('error', reject);
    });
  }

  closed(): Promise<number> {
    return new Promise((resolve) => this.socket.once('close', resolve));
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  async answerTo(id: unknown): Promise<{ error?: { message: string }; result?: unknown }> {
    while (!this.answers.has(id))
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    return this.answers.get(id) ?? {};
  }
}

/** What a viewer must not get by asking for it. */
function forbidden(sessionId: string): [method: unknown, params: unknown][] {
  const prompt = [{ type: 'text', text: '!touch pwned' }];
  return [
    ['session/prompt', { sessionId, prompt }],
    ['session/new', { cwd: '/', mcpServers: [] }],
    ['session/delete', { sessionId }],
    ['session/close', { sessionId }],
    ['session/set_mode', { sessionId, modeId: 'auto' }],
    ['session/set_config_option', { sessionId, configId: 'sandbox', value: 'off' }],
    ['session/fork', { sessionId, cwd: '/' }],
    [serverMethods.resumeRun, { sessionId }],
    [serverMethods.openTerminal, { sessionId: 'another', columns: 80, rows: 24, env: {} }],
    [extensionMethods.revertChanges, { sessionId }],
    [extensionMethods.acceptChanges, { sessionId }],
    [extensionMethods.undo, { sessionId }],
    [extensionMethods.redo, { sessionId }],
    [extensionMethods.completeFile, { sessionId, query: '' }],
    [ownerMethods.createInvitation, { role: 'editor' }],
    [ownerMethods.listInvitations, {}],
    [ownerMethods.revokeInvitation, { id: 'x' }],
    [ownerMethods.listSignIns, {}],
    [ownerMethods.endSignIn, { id: 'x' }],
    [ownerMethods.readAudit, {}],
    [ownerMethods.spending, {}],
    ['session/load', { sessionId: 'another', cwd: '/', mcpServers: [] }],
    [serverMethods.attach, { sessionId: 'another' }],
    ['session/request_permission', { sessionId }],
    ['fs/read_text_file', { sessionId, path: '/etc/passwd' }],
    ['terminal/create', { sessionId, command: 'id' }],
    ['__proto__', {}],
    ['constructor', {}],
    ['SESSION/PROMPT', { sessionId, prompt }],
    ['session/prompt ', { sessionId, prompt }],
    [['session/prompt'], { sessionId, prompt }],
    [null, { sessionId }],
  ];
}

test('a viewer can watch, but obtains no approval, by whatever message', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\ntwo\n' });
  const { served, owner, id } = await waitingSession(space);
  const secret = await served.secretOf([
    'invite',
    '--session',
    id.slice(0, 8),
    '--name',
    'Eve',
    '--expires',
    '2h',
  ]);
  const eve = new RawClient(socketUrl(served), secret);
  await eve.opened();
  eve.send({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params: { protocolVersion: 1 } });
  eve.send({ jsonrpc: '2.0', id: 'watch', method: serverMethods.attach, params: { sessionId: id } });
  expect(await eve.answerTo('watch')).toMatchObject({ result: { role: 'viewer' } });

  const rows = forbidden(id);
  rows.forEach(([method, params], i) => {
    eve.send({ jsonrpc: '2.0', id: `row ${i}`, method, params });
  });
  const permitted: unknown[] = [];
  for (const [i, row] of rows.entries()) if (!(await eve.answerTo(`row ${i}`)).error) permitted.push(row);
  expect(permitted).toEqual([]);

  // Answers to questions that were put to others, with every id that the server may have used, and in a batch.
  const { _meta, options } = owner.asked[0] ?? {};
  const [{ optionId } = { optionId: '' }] = options ?? [];
  const result = { outcome: { outcome: 'selected', optionId }, _meta };
  const ids = [
    ...Array.from({ length: 50 }, (_, i) => i),
    ...Array.from({ length: 20 }, (_, i) => String(i)),
    null,
  ];
  for (const guess of ids) eve.send({ jsonrpc: '2.0', id: guess, result });
  eve.send([
    { jsonrpc: '2.0', id: 'batch', method: 'session/prompt', params: { sessionId: id, prompt: [] } },
  ]);
  eve.send({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: id } });
  for (const text of ['', '{', 'null', '1', '"session/prompt"', '{}', '[]', '{"id":1}']) eve.send(text);
  eve.send({ jsonrpc: '2.0', id: 'last', method: serverMethods.overview, params: {} });
  expect((await eve.answerTo('last')).result).toMatchObject({ sessions: [{ id, state: 'waiting' }] });
  expect(await space.tree()).toEqual({ 'a.txt': 'one\ntwo\n' });

  // Her texts reach neither the owner's terminal nor a log that grows without limit.
  expect(served.errors).toBe('');

  const ended = eve.closed();
  const [invitation] = (await aca(space, ['serve', 'invitations'])).stdout.split(' ');
  await aca(space, ['serve', 'revoke', invitation ?? '']);
  expect(await ended).toBe(4401);
  const entries = await accesses(space);
  expect(entries.filter(({ event, by }) => event === 'refused' && by?.name === 'Eve').length).toBeGreaterThan(
    20,
  );
  expect(entries.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['invited', 'connected', 'revoked']),
  );
  expect(entries.some(({ event }) => event === 'approved')).toBe(false);
});

test('other users of the machine cannot read the token, and a token they could have read is refused', async () => {
  const space = await workspace();
  const served = await Served.start(space);
  const folder = folderOf(space);
  for (const name of ['token', 'access.json', 'server.json'])
    expect((await stat(path.join(folder, name))).mode & 0o077, name).toBe(0);
  expect((await stat(folder)).mode & 0o077).toBe(0);
  if (process.getuid?.() === 0) {
    // Even if the folders above were open.
    const open = path.dirname(space.home);
    for (const place of [open, space.home, path.dirname(folder)]) await chmod(place, 0o755);
    const as = (file: string) =>
      execFileSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', 'cat', file], {
        stdio: 'pipe',
      });
    expect(() => as(path.join(folder, 'token'))).toThrow(/Permission denied/);
    expect(() => as(path.join(folder, 'access.json'))).toThrow(/Permission denied/);
  }
  expect((await fetch(`${served.url}/api/me`)).status).toBe(401);

  await chmod(path.join(folder, 'token'), 0o644);
  const { code, stderr } = await aca(space, ['serve', 'link']);
  expect(code).toBe(2);
  expect(stderr).toContain(`Other users can access ${path.join(folder, 'token')}.`);
});

test('`aca serve revoke --all` signs everybody out and replaces the token', soak, async () => {
  const space = await workspace();
  const served = await Served.start(space);
  const browser = await served.signIn(await served.secretOf(['link']));
  const program = new RawClient(socketUrl(served), served.token);
  await program.opened();
  const ended = program.closed();
  expect((await aca(space, ['serve', 'revoke', '--all'])).code).toBe(0);
  expect(await ended).toBe(4401);
  const headers = [
    { authorization: `Bearer ${served.token}` },
    { cookie: browser.cookie, 'x-aca-key': browser.key },
  ];
  for (const one of headers)
    expect((await fetch(`${served.url}/api/me`, { headers: one as never })).status).toBe(401);
  expect((await aca(space, ['serve', '--status'])).stdout).toContain(served.url);
});

const outside = Object.values(networkInterfaces())
  .flatMap((list = []) => list)
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

test('on other addresses there is only TLS, and who guesses there has to wait', soak, async ({ skip }) => {
  if (outside === undefined) return skip('This machine has no other address.');
  const space = await workspace();
  const served = await Served.start(space, { args: ['--listen', `${outside}:0`] });
  expect(served.url).toBe(`https://${outside}:${served.port}`);
  await expect(fetch(served.url.replace('https', 'http'))).rejects.toThrow();
  expect((await aca(space, ['serve', '--status'])).stdout).toContain(served.url);

  const statusOf = (secret: string) =>
    new Promise<number>((resolve) => {
      const headers = { authorization: `Bearer ${secret}` };
      const socket = new WebSocket(`${served.url.replace('http', 'ws')}/acp`, {
        headers,
        rejectUnauthorized: false,
      });
      socket.on('unexpected-response', (request, { statusCode = 0 }) => {
        request.destroy();
        resolve(statusCode);
      });
      socket.on('open', () => {
        socket.terminate();
        resolve(101);
      });
      socket.on('error', () => undefined);
    });
  expect(await statusOf(served.token)).toBe(101);
  const seen: number[] = [];
  for (let i = 0; i < 10; i++) seen.push(await statusOf('A'.repeat(43)));
  expect(seen.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
  expect(seen.at(-1)).toBe(429);
  // The correct token, too: otherwise one could go on guessing.
  expect(await statusOf(served.token)).toBe(429);
  expect(await readFile(path.join(folderOf(space), 'tls-cert.pem'), 'utf8')).toContain('BEGIN CERTIFICATE');
});
