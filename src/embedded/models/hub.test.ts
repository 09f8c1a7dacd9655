import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askHub, fetchModel, hubUrl } from './hub.ts';

const content = Buffer.from('a model, let us say');
const sha256 = createHash('sha256').update(content).digest('hex');
const wanted = { repo: 'me/mine-GGUF', file: 'mine-Q4.gguf' };
const signal = new AbortController().signal;

let folder: string;
let server: Server;
let endpoint: string;
const seen: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'aca-hub-'));
  seen.length = 0;
  server = createServer((request, response) => {
    const { authorization = 'nobody' } = request.headers;
    seen.push(`${request.method} ${request.url} ${authorization}`);
    if (request.url === '/me/closed/resolve/main/x.gguf' && authorization === 'nobody')
      response.writeHead(401).end();
    else if (request.url === '/files/1')
      response.writeHead(200, { 'content-length': content.length }).end(content);
    else if (request.url?.endsWith('/mine-Q4.gguf'))
      response
        .writeHead(302, {
          location: '/files/1',
          'x-linked-etag': `"${sha256}"`,
          'x-linked-size': content.length,
        })
        .end();
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await rm(folder, { recursive: true, force: true });
});

test('R02 the hub is asked for size and checksum first, and the download is checked against them', async () => {
  const offer = await askHub(wanted, { endpoint }, { signal });
  expect(offer).toEqual({ bytes: content.length, sha256 });
  const file = path.join(folder, 'mine.gguf');
  await fetchModel({ wanted, offer, file }, { endpoint }, { signal });

  expect(await readFile(file)).toEqual(content);
  expect(seen).toEqual([
    'HEAD /me/mine-GGUF/resolve/main/mine-Q4.gguf nobody',
    'GET /me/mine-GGUF/resolve/main/mine-Q4.gguf nobody',
    'GET /files/1 nobody',
  ]);
});

test('a wrong checksum is reported with the next step', async () => {
  const work = {
    wanted,
    offer: { bytes: content.length, sha256: 'ab'.repeat(32) },
    file: path.join(folder, 'm.gguf'),
  };

  await expect(fetchModel(work, { endpoint }, { signal })).rejects.toMatchObject({
    name: 'UserError',
    message: expect.stringContaining('the checksum does not match'),
    hint: expect.stringContaining('The download was discarded'),
  });
});

test('a private repository asks for a token, and gets it', async () => {
  const closed = { repo: 'me/closed', file: 'x.gguf' };
  await expect(askHub(closed, { endpoint }, { signal })).rejects.toMatchObject({
    hint: expect.stringContaining('then set HF_TOKEN'),
  });
  await expect(askHub(closed, { endpoint, token: 't0k' }, { signal })).rejects.toMatchObject({
    hint: expect.stringContaining('the available files'),
  });
  expect(seen.at(-1)).toBe('HEAD /me/closed/resolve/main/x.gguf Bearer t0k');
});

test('if the hub is unreachable, the error says how to provide the file otherwise', async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));

  await expect(askHub(wanted, { endpoint }, { signal })).rejects.toMatchObject({
    hint: expect.stringContaining('--model path/to/mine-Q4.gguf'),
  });
});

test('names that could lead outside the folder are rejected', () => {
  expect(hubUrl({ repo: 'a/b', file: 'sub/c d.gguf' }, { endpoint: 'https://hub/' })).toBe(
    'https://hub/a/b/resolve/main/sub/c%20d.gguf',
  );
  for (const [repo, file] of [
    ['a', 'b.gguf'],
    ['a/../b', 'c.gguf'],
    ['a/b', '../c.gguf'],
    ['a/b', 'c.bin'],
    ['a/b?x', 'c.gguf'],
  ] as const)
    expect(() => hubUrl({ repo, file }, { endpoint: 'https://hub' }), `${repo} ${file}`).toThrow(/is not a /);
});
