import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { AccessRecord } from '../../src/observability/audit/access-log.ts';
import { aca } from '../support/aca.ts';
import type { Victim } from '../support/hostile/request.ts';
import { honestRequests, hostileRequests } from '../support/hostile/requests.ts';
import { rawRequest, sendRaw } from '../support/raw-http.ts';
import { folderOf, Served } from '../support/served.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

/** Word for word: each of them keeps injected markup from something. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; " +
  "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'";

async function victimOf(served: Served): Promise<Victim> {
  const usedCode = await served.secretOf(['link']);
  const signedOut = await served.signIn(usedCode);
  await served.signOut(signedOut);
  const revoked = await served.secretOf(['invite', '--role', 'editor', '--name', 'Eve']);
  const { port, token } = served;
  const { cookie, key } = await served.signIn(token);
  return { port, token, cookie, key, usedCode, signedOut, revoked, otherToken: 'A'.repeat(43) };
}

test('none of more than 200 hostile requests succeeds, and the owner is not locked out', async () => {
  const space = await workspace();
  const served = await Served.start(space);
  const victim = await victimOf(served);
  const [{ id }] = JSON.parse(`[${(await aca(space, ['serve', 'invitations', '--json'])).stdout.trim()}]`);
  expect((await aca(space, ['serve', 'revoke', id])).stdout).toBe(`Revoked ${id}.\n`);

  const rows = hostileRequests(victim);
  const wrong: string[] = [];
  for (const { name, bytes } of rows) {
    const { status, headers, text } = await sendRaw(served.port, bytes);
    const isRefused = status === 0 || (status >= 400 && headers['content-security-policy'] === POLICY);
    const isSilent = !text.includes(victim.token) && !/root:|access-control-allow/i.test(text);
    if (!isRefused || !isSilent) wrong.push(`${name}: ${text.slice(0, 300)}`);
  }
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThan(200);

  // The same secrets do work where they belong, also after so many failures.
  for (const bytes of honestRequests(victim))
    expect([200, 101]).toContain((await sendRaw(served.port, bytes)).status);
  expect((await fetch(served.url)).headers.get('content-security-policy')).toBe(POLICY);
  expect(served.child.exitCode).toBe(null);
  expect(served.errors).toBe('');

  const { stdout } = await aca(space, ['audit', 'access', '--json', '--tail', '999']);
  const refused = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AccessRecord)
    .filter(({ event }) => event === 'refused');
  // Beyond a limit, they are only counted.
  expect(refused.length).toBeGreaterThanOrEqual(60);
  expect(refused.length).toBeLessThan(100);
  expect(stdout).not.toContain(victim.token);
  expect((await aca(space, ['audit', 'verify'])).stdout).toMatch(/^Intact: /);
});

/** A WebSocket frame; `head` replaces the first two bytes and the length. */
function frame(
  opcode: number,
  payload: Buffer,
  { masked = true, head = null as Buffer | null } = {},
): Buffer {
  const mask = Buffer.from([1, 2, 3, 4]);
  const body = masked ? payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0)) : payload;
  const first = head ?? Buffer.from([0x80 | opcode, (masked ? 0x80 : 0) | payload.length]);
  return Buffer.concat([first, ...(masked ? [mask] : []), body]);
}

const huge = Buffer.alloc(10);
huge.writeUInt8(0x81, 0);
huge.writeUInt8(0xff, 1);
huge.writeBigUInt64BE(2n ** 33n, 2);

const brokenFrames: [name: string, bytes: Buffer, code: number][] = [
  ['an announced length of 8 GB', frame(1, Buffer.alloc(0), { head: huge }), 1009],
  ['a frame without a mask', frame(1, Buffer.from('{}'), { masked: false }), 1002],
  ['reserved bits', frame(1, Buffer.from('{}'), { head: Buffer.from([0xf1, 0x82]) }), 1002],
  ['an unknown opcode', frame(11, Buffer.from('{}')), 1002],
  ['a fragmented ping', frame(9, Buffer.from('x'), { head: Buffer.from([0x09, 0x81]) }), 1002],
  ['text that is not UTF-8', frame(1, Buffer.from([0xc0, 0xaf])), 1007],
  ['a continuation of nothing', frame(0, Buffer.from('x')), 1002],
];

test('a broken frame closes its connection and nothing else', async () => {
  const served = await Served.start(await workspace());
  const upgrade = rawRequest('GET /acp HTTP/1.1', [
    `Host: 127.0.0.1:${served.port}`,
    `Authorization: Bearer ${served.token}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]);
  const codes: [string, number][] = [];
  for (const [name, bytes] of brokenFrames) {
    const { text } = await sendRaw(served.port, Buffer.concat([Buffer.from(upgrade), bytes]), () => false);
    expect(text, name).toMatch(/^HTTP\/1\.1 101 /);
    const closing = Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4), 'latin1');
    codes.push([name, closing.length >= 4 ? closing.readUInt16BE(2) : 0]);
  }
  expect(codes).toEqual(brokenFrames.map(([name, , code]) => [name, code]));
  expect(served.child.exitCode).toBe(null);
});

/** Resolves when the server has cut it off. A `silent` one sends nothing until the server says something, or ends. */
function slowClient(
  port: number,
  start: string,
  { allowHalfOpen = false, silent = false } = {},
): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen }, () => socket.write(start));
    const drip = () => setInterval(() => socket.write('a'), 500);
    let dripping = silent ? undefined : drip();
    socket.on('error', () => undefined).on('data', () => undefined);
    // A half-open client notices only by writing that nobody is on the other side.
    socket.on('end', () => {
      dripping ??= drip();
    });
    socket.on('close', () => {
      clearInterval(dripping);
      resolve();
    });
  });
}

test('clients that send slowly are cut off, and others are served meanwhile', soak, async () => {
  const served = await Served.start(await workspace());
  const host = `Host: 127.0.0.1:${served.port}`;
  const post = `POST /api/sign-in HTTP/1.1\r\n${host}\r\n`;
  const upgrade = `GET /acp HTTP/1.1\r\n${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
  const secured = await Served.start(await workspace(), { args: ['--tls'] });
  const rows: [port: number, count: number, start: string, how?: object][] = [
    [served.port, 200, `GET / HTTP/1.1\r\n${host}\r\n`],
    [served.port, 50, `${post}Content-Length: 4000\r\n\r\n{`],
    [served.port, 50, ''],
    [served.port, 100, `${upgrade}\r\n`, { allowHalfOpen: true }],
    [served.port, 50, `${upgrade}Sec-WebSocket-Key: a\r\n\r\n`, { allowHalfOpen: true }],
    [served.port, 50, 'no request\r\n\r\n', { allowHalfOpen: true }],
    [served.port, 50, `GET / HTTP/1.1\r\n${host}\r\n`, { allowHalfOpen: true }],
    [secured.port, 50, '', { allowHalfOpen: true, silent: true }],
    // The first byte of a TLS record, and a request without TLS.
    [secured.port, 50, '\u0016', { allowHalfOpen: true, silent: true }],
    [secured.port, 50, `GET / HTTP/1.1\r\n${host}\r\n\r\n`, { allowHalfOpen: true }],
  ];
  const ended = rows.flatMap(([port, count, start, how]) =>
    Array.from({ length: count }, () => slowClient(port, start, how)),
  );
  expect((await fetch(served.url)).status).toBe(200);
  await Promise.all(ended);
  expect((await fetch(served.url)).status).toBe(200);
});

test('names are text: they inject no header and no markup', soak, async () => {
  const space = await workspace();
  const served = await Served.start(space);
  const code = await served.secretOf(['invite']);
  const names = [
    '<img src=x onerror=alert(1)>',
    'a\r\nSet-Cookie: x=y',
    '"><script>',
    '\u001b]0;pwned\u0007',
    '\u202eevE',
    '{{7*7}}',
  ];
  for (const name of names) {
    const response = await fetch(`${served.url}/api/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: served.url },
      body: JSON.stringify({ code, name }),
    });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.getSetCookie()).toHaveLength(1);
    const body = (await response.json()) as { name: string };
    expect(body.name).toMatch(/^[^\p{C}]+$/u);
  }
  const { stdout } = await aca(space, ['audit', 'access']);
  expect(stdout).toMatch(/^[^\p{Cc}]+$/mu);
  expect(await readFile(path.join(folderOf(space), 'access.json'), 'utf8')).not.toContain(code);
});
