import { X509Certificate } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { answer, type Lab, openLab } from '../support/lab.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { folderOf, Served } from '../support/served.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** A server with TLS and one session, and a guest with a home of their own. */
async function elsewhere(script: readonly Step[], { role = 'editor' } = {}) {
  const [owner, guest] = [await workspace({ 'secret-name.txt': 'text' }), await workspace()];
  const model = await serve([says('Hello.'), ...script]);
  const { model: name, env } = doors.anthropic(model.url);
  const start = (...args: string[]) =>
    Served.start(owner, { args: ['--tls', '--model', name, ...args], env });
  const served = await start();
  await aca(owner, ['--background', 'Say hello']);
  const { stdout } = await aca(owner, ['serve', 'invite', '--role', role, '--name', 'Ada']);
  const link = /https:\S+#code=\S+/.exec(stdout)?.[0] ?? '';
  const id = /serve revoke (\w+)/.exec(stdout)?.[1] ?? '';
  const guestEnv: Record<string, string> = {};
  const attach = (...flags: string[]) =>
    openLab(guest, ['attach', link, ...flags], {
      columns: 300,
      inShell: true,
      env: guestEnv,
      whenDone: onTestFinished,
    });
  return { owner, guest, guestEnv, model, served, link, id, start, attach };
}

async function fingerprintOf(owner: Workspace): Promise<string> {
  return new X509Certificate(await readFile(path.join(folderOf(owner), 'tls-cert.pem'))).fingerprint256;
}

async function detach(lab: Lab): Promise<void> {
  lab.type('\u0004');
  await lab.waitFor('Attach again with');
}

test(
  'an invitation link opens the terminal on a server elsewhere, once its certificate was accepted',
  soak,
  async () => {
    const write = (file_path: string): Step => calls(['Write', { file_path, content: 'x\n' }]);
    const { owner, id, attach, model } = await elsewhere([write('a.md'), says('Written.')]);
    const lab = attach();
    await lab.waitFor('does not know the certificate of https://127.0.0.1:');
    await lab.waitFor(await fingerprintOf(owner));
    await lab.waitFor('Connect? [y/n]');
    lab.type('y\r');
    await lab.waitFor('Hello.');

    lab.type('Write it\r');
    await lab.waitFor('Write a.md');
    await lab.waitFor('this session');
    // What outlives the session is for the owner.
    expect(lab.rows().join('\n')).not.toContain('in this folder');
    await answer(lab, 'Write a.md', 'y\r');
    await lab.waitFor('Written.');
    expect(await readFile(path.join(owner.root, 'a.md'), 'utf8')).toBe('x\n');

    for (const name of ['permissions', 'resume', 'history', 'config']) {
      lab.type(`/${name}\r`);
      await lab.waitFor(`Only the owner can use /${name}.`);
    }
    lab.type('!id\r');
    await lab.waitFor('Only the owner can run commands with !.');
    expect(model.requests).toHaveLength(3);
    await detach(lab);

    const again = attach();
    await again.waitFor('Written.');
    expect(again.all().join('\n')).not.toContain('certificate');
    await aca(owner, ['serve', 'revoke', id]);
    await again.waitFor('Your access to the server has ended.');
    const refused = attach();
    await refused.waitFor('does not accept this token or invitation');
    const { stdout } = await aca(owner, ['audit', 'access', '--tail', '100']);
    expect(stdout).toMatch(/Ada.*Write it/);
    expect(stdout).toMatch(/refused.*Ada.*Only the owner can use \/permissions/);
  },
);

test('a viewer watches, and can neither prompt nor change the mode nor list files', soak, async () => {
  const { owner, served, start, attach, model } = await elsewhere([], { role: 'viewer' });
  const lab = attach('--fingerprint', await fingerprintOf(owner));
  await lab.waitFor('Hello.');
  lab.type('Do it\r');
  await lab.waitFor('You can only watch this session.');
  lab.type('\u001b[Z');
  await lab.waitFor('You can only watch this session.', { times: 2 });
  lab.type('/mode plan\r');
  await lab.waitFor('You can only watch this session.', { times: 3 });
  lab.type('@secret');
  await lab.waitFor('@secret');
  expect(await lab.quiet(500)).toBeLessThan(1_000);
  expect(lab.rows().join('\n')).not.toContain('secret-name.txt');
  expect(model.requests).toHaveLength(1);

  // After a restart the session is saved, and viewers open nothing.
  served.child.kill('SIGKILL');
  await rm(path.join(folderOf(owner), 'server.json'));
  await start('--listen', `127.0.0.1:${served.port}`);
  await lab.waitFor('This session is not open. Ask its owner or an editor to open it.');
  expect(lab.all().join('\n')).not.toContain('Invalid request');
});

describe('a certificate', soak, () => {
  test('is not accepted if it is another one than was named, or than was accepted before', async () => {
    const { owner, served, start, attach } = await elsewhere([]);
    const wrong = attach('--fingerprint', 'AB:'.repeat(31).concat('AB'));
    await wrong.waitFor('is not the one you named.');
    const declined = attach();
    await declined.waitFor('Connect? [y/n]');
    declined.type('n\r');
    await declined.waitFor('Not connected.');

    const lab = attach('--fingerprint', (await fingerprintOf(owner)).toLowerCase());
    await lab.waitFor('Hello.');
    await detach(lab);
    served.child.kill('SIGKILL');
    for (const name of ['tls-cert.pem', 'tls-key.pem', 'server.json'])
      await rm(path.join(folderOf(owner), name), { force: true });
    await start('--listen', `127.0.0.1:${served.port}`);
    const changed = attach();
    await changed.waitFor('has changed: another server may answer there.');
    await changed.waitFor(await fingerprintOf(owner));
  });

  test('that this machine trusts is not asked about, and is refused if another one was named', async () => {
    const { owner, guestEnv, attach } = await elsewhere([]);
    guestEnv.NODE_EXTRA_CA_CERTS = path.join(folderOf(owner), 'tls-cert.pem');
    const wrong = attach('--fingerprint', 'AB:'.repeat(31).concat('AB'));
    await wrong.waitFor('is not the one you named.');
    const lab = attach();
    await lab.waitFor('Hello.');
    expect(lab.all().join('\n')).not.toContain('does not know the certificate');
  });

  test('is not asked about where nobody can answer', async () => {
    const { guest, link } = await elsewhere([]);
    const { code, stderr } = await aca(guest, ['attach', link]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('`aca attach` needs a terminal.')]);
  });
});
