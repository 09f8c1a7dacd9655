import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { honestRequests, hostileRequests, type Victim } from '../../../../test/support/hostile-requests.ts';
import { sendRaw } from '../../../../test/support/raw-http.ts';
import { startServer } from './server.ts';

async function browser(url: string, code: string, name = '') {
  const response = await fetch(`${url}/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ code, name }),
  });
  const { key } = (await response.json()) as { key: string };
  return { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '', key };
}

test('none of the hostile requests succeeds', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'hostile-'));
  const folder = path.join(root, 'serve');
  let connected = 0;
  const server = await startServer({
    folder,
    auditFile: path.join(root, 'audit.jsonl'),
    listen: '127.0.0.1:0',
    onTrouble: (t) => expect.unreachable(t),
    onSocket: () => {
      connected += 1;
    },
  });
  const { url, port } = server;
  const code = async () => new URL(await server.signInLink()).hash.slice(6);
  const usedCode = await code();
  const signedOut = await browser(url, usedCode);
  await fetch(`${url}/api/sign-out`, {
    method: 'POST',
    headers: { origin: url, cookie: signedOut.cookie, 'x-aca-key': signedOut.key },
  });
  const owner = { id: 'owner', name: 'o', role: 'owner', sessions: 'all' } as const;
  const { invitation, link } = await server.invitations.create({ role: 'editor' }, owner);
  await server.invitations.revoke(invitation.id, owner);
  const victim: Victim = {
    port,
    token: (await readFile(path.join(folder, 'token'), 'utf8')).trim(),
    ...(await browser(url, await code())),
    usedCode,
    signedOut,
    revoked: new URL(link).hash.slice(6),
    otherToken: 'A'.repeat(43),
  };
  const rows = hostileRequests(victim);
  const bad: unknown[] = [];
  for (const { name, bytes } of rows) {
    const response = await sendRaw(port, bytes);
    const refused = response.status === 0 || response.status >= 400;
    if (!refused || response.headers['access-control-allow-origin'])
      bad.push([name, response.status, response.body.slice(0, 80)]);
    else if (response.status !== 0 && !response.headers['content-security-policy'])
      bad.push([name, response.status, 'no csp', response.text.slice(0, 100)]);
    if (response.text.includes(victim.token) || response.text.includes('root:')) bad.push([name, 'leak']);
  }
  expect(bad).toEqual([]);
  expect(connected).toBe(0);
  expect(rows.length).toBeGreaterThan(200);

  // The secrets do work where they belong, also from an address with so many failures.
  for (const bytes of honestRequests(victim))
    expect([200, 101]).toContain((await sendRaw(port, bytes)).status);
  expect(connected).toBe(2);
  await server.close();
  await rm(root, { recursive: true });
});
