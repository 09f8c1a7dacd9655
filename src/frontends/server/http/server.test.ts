import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { connect as connectTo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../../../../test/support/free-port.ts';
import { soak } from '../../../../test/support/soak.ts';
import { readAccesses } from '../../../observability/audit/access-log.ts';
import { verifyAudit } from '../../../observability/audit/verify-audit.ts';
import type { Identity } from '../identity.ts';
import { startServer } from './server.ts';
import type { RunningServer, ServerOptions } from './types.ts';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Started = { server: RunningServer; folder: string; auditFile: string; token: string; seen: Identity[] };

async function start(options: Partial<ServerOptions> = {}): Promise<Started> {
  const root = await mkdtemp(path.join(tmpdir(), 'door-'));
  const { folder = path.join(root, 'serve') } = options;
  const auditFile = path.join(root, 'audit.jsonl');
  const seen: Identity[] = [];
  const server = await startServer({
    folder,
    auditFile,
    listen: '127.0.0.1:0',
    onTrouble: (message) => expect.unreachable(message),
    onAccessChanged: () => undefined,
    onSocket(socket, who) {
      seen.push(who);
      socket.on('message', (data) => socket.send(`${who.name}: ${data}`));
    },
    ...options,
  });
  closing.push(
    () => server.close(),
    () => rm(root, { recursive: true }),
  );
  const token = (await readFile(path.join(folder, 'token'), 'utf8')).trim();
  return { server, folder, auditFile, token, seen };
}

type Browser = {
  cookie: string;
  key: string;
  setCookie: string;
  body: Record<string, unknown>;
  status: number;
};

async function signIn({ url }: RunningServer, code: string, name = ''): Promise<Browser> {
  const response = await fetch(`${url}/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ code, name }),
  });
  const setCookie = response.headers.get('set-cookie') ?? '';
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  return {
    cookie: setCookie.split(';')[0] ?? '',
    key: String(body.key),
    setCookie,
    body,
    status: response.status,
  };
}

const codeOf = (link: string) => new URL(link).hash.replace('#code=', '');

function connect({ url }: RunningServer, { cookie, key }: Pick<Browser, 'cookie' | 'key'>): WebSocket {
  return new WebSocket(`${url.replace('http', 'ws')}/acp`, ['aca.v1', `aca.key.${key}`], {
    origin: url,
    headers: { cookie },
    rejectUnauthorized: false,
  });
}

const opened = (socket: WebSocket) =>
  new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
const closed = (socket: WebSocket) => new Promise<number>((resolve) => socket.on('close', resolve));
const answer = (socket: WebSocket) =>
  new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))));

const me = ({ url }: RunningServer, { cookie, key }: Pick<Browser, 'cookie' | 'key'>) =>
  fetch(`${url}/api/me`, { headers: { cookie, 'x-aca-key': key } });

test('a client that connects as soon as the port is open gets an answer', async () => {
  const port = await freePort();
  const starting = start({ listen: `127.0.0.1:${port}` });
  const answered = async () => {
    for (;;) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/acp`, { handshakeTimeout: 5_000 });
      const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
      if (error.code !== 'ECONNREFUSED') return error.message;
    }
  };
  expect(await answered()).toBe('Unexpected server response: 401');
  await starting;
});

test('the owner signs in once with a link, connects, and signs out', async () => {
  const { server, auditFile, seen } = await start();
  const code = codeOf(await server.signInLink());
  const browser = await signIn(server, code);
  expect(browser.setCookie).toMatch(
    new RegExp(`^aca-${server.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=\\d+$`),
  );
  expect((await signIn(server, code)).status).toBe(401);
  expect(await (await me(server, browser)).json()).toMatchObject({ role: 'owner', sessions: 'all' });

  const socket = connect(server, browser);
  await opened(socket);
  expect(socket.protocol).toBe('aca.v1');
  socket.send('hello');
  expect(await answer(socket)).toMatch(/: hello$/);
  expect(seen).toMatchObject([{ id: 'owner', role: 'owner', sessions: 'all' }]);

  const ended = closed(socket);
  await fetch(`${server.url}/api/sign-out`, {
    method: 'POST',
    headers: { cookie: browser.cookie, 'x-aca-key': browser.key, origin: server.url },
  });
  expect(await ended).toBe(4401);
  expect((await me(server, browser)).status).toBe(401);

  await server.close();
  const events = (await readAccesses(auditFile, { tail: 99 })).map(({ event }) => event).sort();
  expect(events).toEqual(['connected', 'disconnected', 'refused', 'refused', 'signed in', 'signed out']);
  expect(verifyAudit(auditFile)).toMatchObject({ broken: null, entries: 6 });
});

test('a refused upgrade is closed, also if the client keeps its half open', async () => {
  const { server } = await start();
  const upgrade = ['GET /acp HTTP/1.1', `Host: 127.0.0.1:${server.port}`, 'Connection: Upgrade'];
  const socket = connectTo({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write([...upgrade, 'Upgrade: websocket', '', ''].join('\r\n'));
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  const drip = setInterval(() => socket.write('a'), 20);
  // How it learns that nobody is on the other side.
  await new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve));
  clearInterval(drip);
  expect(answer).toMatch(/^HTTP\/1.1 401 /);
});

test('an access that expires ends its connections at once', soak, async () => {
  const { server } = await start();
  const began = performance.now();
  const { link } = await server.invitations.create(
    { role: 'viewer', name: 'Eve', expiresInMs: 5_000 },
    { id: 'owner', name: 'me', role: 'owner', sessions: 'all' },
  );
  const socket = connect(server, await signIn(server, codeOf(link)));
  await opened(socket);
  expect(await closed(socket)).toBe(4401);
  // The next heartbeat would notice it, too.
  expect(performance.now() - began).toBeLessThan(12_000);
});

test('a viewer can send short messages only', async () => {
  const { server } = await start();
  const owner: Identity = { id: 'owner', name: 'me', role: 'owner', sessions: 'all' };
  const codes: (number | 'answered')[] = [];
  for (const role of ['viewer', 'editor'] as const) {
    const { link } = await server.invitations.create({ role, name: 'Eve' }, owner);
    const socket = connect(server, await signIn(server, codeOf(link)));
    await opened(socket);
    const end = Promise.race([closed(socket), answer(socket).then(() => 'answered' as const)]);
    socket.send('x'.repeat(65 * 1024));
    codes.push(await end);
  }
  expect(codes).toEqual([1009, 'answered']);
});

test('programs send the token, and their folder is out of reach for others', async () => {
  const { server, folder, token } = await start();
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${server.url}/api/me`, { headers })).status).toBe(200);
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/acp`, { headers });
  await opened(socket);
  socket.terminate();
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const file of ['token', 'access.json'])
    expect((await stat(path.join(folder, file))).mode & 0o777, file).toBe(0o600);
  expect(await readFile(path.join(folder, 'access.json'), 'utf8')).not.toContain(token);
});

test('an invitation gives its role and sessions until it is revoked, and its connections are cut at once', async () => {
  const { server, seen } = await start();
  const owner: Identity = { id: 'owner', name: 'me', role: 'owner', sessions: 'all' };
  const { invitation, link } = await server.invitations.create({ role: 'viewer', sessions: ['s1'] }, owner);
  expect(await signIn(server, codeOf(link))).toMatchObject({ status: 422, body: { needs: 'name' } });
  const browser = await signIn(server, codeOf(link), ' <b>Eve\u202e\n</b> ');
  const socket = connect(server, browser);
  await opened(socket);
  expect(seen).toMatchObject([{ name: '<b>Eve </b>', role: 'viewer', sessions: ['s1'] }]);
  expect(await server.invitations.list()).toMatchObject([
    { id: invitation.id, lastUsedAt: expect.any(String) },
  ]);

  const ended = closed(socket);
  expect(await server.invitations.revoke(invitation.id, owner)).toBe(true);
  expect(await ended).toBe(4401);
  expect((await me(server, browser)).status).toBe(401);
  expect((await signIn(server, codeOf(link), 'Eve')).status).toBe(401);
  expect(await server.invitations.list()).toEqual([]);
});

/** Like `fetch`, for a certificate of our own. */
function post(url: string, headers: Record<string, string>, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { method: 'POST', headers, rejectUnauthorized: false, agent: false }, resolve)
      .on('error', reject)
      .end(body);
  });
}

test('a server on TLS keeps its certificate, and its cookies never travel without TLS', async () => {
  const { server, folder } = await start({ tls: 'own' });
  expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(server.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  const body = JSON.stringify({ code: codeOf(await server.signInLink()) });
  const headers = { origin: server.url, 'content-type': 'application/json' };
  const response = await post(`${server.url}/api/sign-in`, headers, body);
  expect(response.headers['set-cookie']?.[0]).toMatch(
    new RegExp(
      `^__Host-aca-${server.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=\\d+; Secure$`,
    ),
  );
  expect((response.socket as TLSSocket).getPeerCertificate().fingerprint256).toBe(server.fingerprint);

  const again = await start({ tls: 'own', folder });
  expect(again.server.fingerprint).toBe(server.fingerprint);
  expect((await stat(path.join(folder, 'tls-key.pem'))).mode & 0o777).toBe(0o600);
});

describe('a certificate of our own', () => {
  const DAY_MS = 24 * 60 * 60_000;
  const rows: [when: string, days: number, isRenewed: boolean][] = [
    ['has expired', -1, true],
    ['expires soon', 10, true],
    ['is valid for months', 100, false],
  ];

  test.each(rows)('that %s', async (_when, days, isRenewed) => {
    const folder = path.join(await mkdtemp(path.join(tmpdir(), 'door-')), 'serve');
    await mkdir(folder, { mode: 0o700 });
    const notAfterDate = new Date(Date.now() + days * DAY_MS);
    const made = await generate([{ name: 'commonName', value: 'aca' }], {
      keyType: 'ec',
      notBeforeDate: new Date(Date.now() - 300 * DAY_MS),
      notAfterDate,
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    await writeFile(path.join(folder, 'tls-cert.pem'), made.cert, { mode: 0o600 });
    await writeFile(path.join(folder, 'tls-key.pem'), made.private, { mode: 0o600 });
    const before = new X509Certificate(made.cert);

    const { server } = await start({ tls: 'own', folder });

    expect(server.fingerprint !== before.fingerprint256).toBe(isRenewed);
    expect(server.ownCertificate).toEqual({ replaces: isRenewed ? before.validTo : null });
    const response = await post(`${server.url}/api/sign-in`, { origin: server.url }, '{}');
    const used = (response.socket as TLSSocket).getPeerCertificate();
    expect(used.fingerprint256).toBe(server.fingerprint);
    expect(Date.parse(used.valid_to) > Date.now() + 30 * DAY_MS).toBe(true);
    const again = await start({ tls: 'own', folder });
    expect(again.server.fingerprint).toBe(server.fingerprint);
    expect(again.server.ownCertificate).toEqual({ replaces: null });
  });
});

async function pemFiles(folder: string, days = 100) {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    notAfterDate: new Date(Date.now() + days * 24 * 60 * 60_000),
  });
  const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  await writeFile(cert, made.cert);
  await writeFile(key, made.private);
  return { cert, key, fingerprint: new X509Certificate(made.cert).fingerprint256 };
}

test('a given certificate is used, and its renewal without a restart; a damaged one changes nothing', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'pem-'));
  closing.push(() => rm(folder, { recursive: true }));
  const { cert, key, fingerprint } = await pemFiles(folder);
  const troubles: string[] = [];
  const { server } = await start({
    tls: { cert, key },
    renewMs: 50,
    onTrouble: (message) => void troubles.push(message),
  });
  const used = async () => {
    const { socket } = await post(`${server.url}/api/sign-in`, { origin: server.url }, '{}');
    return (socket as TLSSocket).getPeerCertificate().fingerprint256;
  };
  expect(server.ownCertificate).toBe(null);
  expect([server.fingerprint, await used()]).toEqual([fingerprint, fingerprint]);

  const renewed = await pemFiles(folder);
  await expect.poll(used, { timeout: 60_000 }).toBe(renewed.fingerprint);

  await writeFile(cert, 'no certificate');
  await expect.poll(() => troubles.at(-1), { timeout: 60_000 }).toMatch(/^Cannot renew the certificate: /);
  expect(await used()).toBe(renewed.fingerprint);
});

test('a certificate that is expired or has another key is refused at the start', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'pem-'));
  closing.push(() => rm(folder, { recursive: true }));
  const expired = await pemFiles(folder, -1);
  await expect(start({ tls: expired })).rejects.toThrow('expired on');
  const { key } = await pemFiles(folder);
  await rename(key, `${key}.old`);
  const { cert } = await pemFiles(folder);
  await expect(start({ tls: { cert, key: `${key}.old` } })).rejects.toThrow('is not the private key of');
});

test('browsers can install the page: its manifest and icons are there', async () => {
  const { server } = await start();
  const response = await fetch(`${server.url}/manifest.webmanifest`);
  expect(response.headers.get('content-type')).toMatch(/^application\/manifest\+json/);
  const manifest = (await response.json()) as { icons: { src: string; type: string }[] };
  expect(manifest).toMatchObject({ short_name: 'aca', start_url: '/', scope: '/', display: 'standalone' });
  expect(manifest.icons.map(({ src }) => src)).toEqual(['/icon.svg', '/icon-192.png', '/icon-512.png']);
  for (const { src, type } of manifest.icons) {
    const icon = await fetch(`${server.url}${src}`);
    expect([src, icon.status, icon.headers.get('content-type')]).toEqual([src, 200, type]);
  }
  expect(await (await fetch(server.url)).text()).toContain('href="/manifest.webmanifest"');
});

test('behind a proxy, the name that browsers use is accepted, with TLS only', async () => {
  const { server } = await start({ allowHosts: ['code.example.com'], behindProxy: true });
  expect(server.publicUrl).toBe('https://code.example.com');
  const direct = await start({ allowHosts: ['box.local'], tls: 'own' });
  expect(direct.server.publicUrl).toBe(`https://box.local:${direct.server.port}`);
  const status = (host: string, origin: string) =>
    new Promise((resolve, reject) => {
      const { port } = server;
      plainRequest({ port, path: '/api/me', headers: { host, origin } }, ({ statusCode }) =>
        resolve(statusCode),
      )
        .on('error', reject)
        .end();
    });
  expect(await status('code.example.com', 'https://code.example.com')).toBe(401);
  expect(await status('code.example.com', 'http://code.example.com')).toBe(403);
  expect(await status('evil.example.com', 'https://evil.example.com')).toBe(421);
});
