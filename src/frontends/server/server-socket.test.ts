import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { thisProcess } from '../../lib/files/process-identity.ts';
import { startServer } from './http/server.ts';
import { trustOnly, unknownCertificate } from './pinned-certificate.ts';
import { findServer } from './server-record.ts';
import { ownerAccess, serverSocket } from './server-socket.ts';

const elsewhere = { ...thisProcess(), host: 'a57b1c', boot: '01234567', pids: '4026531999' };

async function recorded(url: string, process = thisProcess()) {
  const { root } = await workspace();
  const folder = path.join(root, 'serve');
  await mkdir(folder, { mode: 0o700 });
  const about = { publicUrl: url, version: '1.0.0', startedAt: new Date().toISOString() };
  await writeFile(path.join(folder, 'server.json'), JSON.stringify({ process, url, ...about }));
  const server = findServer(root);
  if (!server) throw new Error('It is not on record.');
  return { root, folder, server };
}

test('the token goes to a server that runs here', async () => {
  const { root, server } = await recorded('http://127.0.0.1:7317');
  expect(ownerAccess(server, root)).toMatchObject({ url: server.url, secret: expect.any(String) });
});

test.each(['http://127.0.0.1:7317', 'https://127.0.0.1:7317'])(
  'the token does not go to %s of this machine for a server that runs on another one',
  async (url) => {
    const { root, server } = await recorded(url, elsewhere);
    expect(() => ownerAccess(server, root)).toThrow('runs on another machine or in a container');
  },
);

test('it goes there if the certificate proves who answers', async () => {
  const { root, folder, server } = await recorded('https://192.0.2.7:7317', elsewhere);
  const { cert } = await generate([{ name: 'commonName', value: 'aca' }], { keyType: 'ec' });
  await writeFile(path.join(folder, 'server-cert.pem'), cert);
  expect(ownerAccess(server, root).tls).toMatchObject({ ca: [cert] });
});

test('a certificate that this machine does not know is shown before anything is sent, and then the only one', async () => {
  const { root } = await workspace();
  const start = async (name: string, tls?: 'own') => {
    const server = await startServer({
      folder: path.join(root, name),
      auditFile: null,
      listen: '127.0.0.1:0',
      ...(tls && { tls }),
      onSocket: (socket) => socket.send('hello'),
      onAccessChanged: () => undefined,
      onTrouble: (message) => expect.unreachable(message),
    });
    onTestFinished(() => server.close());
    return server;
  };
  const [server, other, plain] = [await start('a', 'own'), await start('b', 'own'), await start('c')];
  const found = await unknownCertificate(server.url);
  expect(found?.fingerprint).toBe(server.fingerprint);
  expect(await unknownCertificate(plain.url)).toBe(null);
  const secret = (await readFile(path.join(root, 'a/token'), 'utf8')).trim();
  const tls = trustOnly(found?.pem ?? '');
  const said = (url: string) =>
    new Promise<string>((resolve) => {
      const socket = serverSocket({ url, secret, tls });
      socket.once('message', (data) => {
        resolve(String(data));
        socket.terminate();
      });
      socket.once('error', (error) => resolve(error.message));
    });
  expect(await said(server.url)).toBe('hello');
  expect(await said(other.url)).toMatch(/self-signed|not the certificate/);
});
