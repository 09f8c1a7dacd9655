import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { soak } from '../../../test/support/soak.ts';
import { download, type Progress } from './download.ts';
import { DownloadError, type DownloadFault, type Wait } from './download-retry.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

const content = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 251));
const sha256 = createHash('sha256').update(content).digest('hex');
const never = new AbortController().signal;

let folder: string;
let file: string;
let servers: Server[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'aca-download-'));
  file = path.join(folder, 'deep', 'model.gguf');
});

afterEach(async () => {
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  servers = [];
  await rm(folder, { recursive: true, force: true });
});

async function serve(answer: Answer): Promise<{ url: string; ranges: (string | undefined)[] }> {
  const ranges: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    ranges.push(request.headers.range);
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/model.gguf`, ranges };
}

type Filed = { cutAfter?: number; etag?: string; body?: Buffer; target?: string };

/** Serves ranges like a file server; breaks the connection `cutAfter` bytes into each response. */
function filed(options: Filed = {}): Answer {
  const { cutAfter = Number.POSITIVE_INFINITY, etag = '"one"', body = content, target = file } = options;
  return async (request, response) => {
    const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
    const stale = request.headers['if-range'] !== undefined && request.headers['if-range'] !== etag;
    const from = asked === undefined || stale ? 0 : Number(asked);
    if (from >= body.length) {
      response.writeHead(416, { 'content-range': `bytes */${body.length}` }).end();
      return;
    }
    const part = body.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      etag,
      'content-length': part.length,
      ...(from > 0 && { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` }),
    });
    if (part.length <= cutAfter) response.end(part);
    else {
      response.write(part.subarray(0, cutAfter));
      // Data in flight may be lost when a connection breaks; here it must arrive.
      while (!response.destroyed && (await sizeOf(`${target}.part`)) < from + cutAfter) await sleep(5);
      response.destroy();
    }
  };
}

/** Zero if it does not exist yet. */
function sizeOf(name: string): Promise<number> {
  return stat(name).then(
    ({ size }) => size,
    () => 0,
  );
}

async function faultOf(work: Promise<unknown>): Promise<DownloadFault> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DownloadError)) throw error ?? new Error('It succeeded.');
  return error.fault;
}

test('a file is downloaded with its folder created, and progress ends at its size', async () => {
  const { url } = await serve(filed());
  const told: Progress[] = [];

  const { bytes } = await download({ url, file, sha256 }, { signal: never, progress: (p) => told.push(p) });

  expect(bytes).toBe(content.length);
  expect((await readFile(file)).equals(content)).toBe(true);
  expect(told.at(-1)).toMatchObject({ done: content.length, total: content.length });
  await expect(stat(`${file}.part`)).rejects.toThrow('ENOENT');
});

test('a repeatedly broken connection is resumed where it broke', async () => {
  const { url, ranges } = await serve(filed({ cutAfter: 80_000 }));

  await download({ url, file, sha256 }, { signal: never });

  expect((await readFile(file)).equals(content)).toBe(true);
  expect(ranges).toEqual([undefined, 'bytes=80000-', 'bytes=160000-', 'bytes=240000-']);
});

test('a second process resumes what the first one left', async () => {
  const first = await serve(filed());
  const stop = new AbortController();
  const cancelled = download(
    { url: first.url, file, sha256 },
    { signal: stop.signal, progress: () => stop.abort(new Error('enough')) },
  );
  await expect(cancelled).rejects.toThrow('enough');
  const { size } = await stat(`${file}.part`);
  expect(size).toBeGreaterThan(0);
  await writeFile(`${file}.part`, content.subarray(0, 1000));

  const second = await serve(filed());
  await download({ url: second.url, file, sha256 }, { signal: never });

  expect(second.ranges).toEqual(['bytes=1000-']);
  expect((await readFile(file)).equals(content)).toBe(true);
});

test('a file that changed on the server meanwhile is fetched again from the start', async () => {
  const other = Buffer.from('another file by now');
  const { url } = await serve(filed({ body: other, etag: '"two"' }));
  await download({ url, file: path.join(folder, 'made') }, { signal: never });
  const part = path.join(folder, 'model.part');
  await writeFile(part, content.subarray(0, 5));
  await writeFile(`${part}.etag`, '"one"');

  await download({ url, file: path.join(folder, 'model') }, { signal: never });

  expect(await readFile(path.join(folder, 'model'))).toEqual(other);
});

test('a part that is already complete is verified and used', async () => {
  const { url } = await serve(filed());
  const here = path.join(folder, 'model.gguf');
  await writeFile(`${here}.part`, content);

  await download({ url, file: here, sha256 }, { signal: never });

  expect((await readFile(here)).equals(content)).toBe(true);
});

test('a wrong checksum leaves nothing behind', async () => {
  const { url } = await serve(filed());

  expect(await faultOf(download({ url, file, sha256: 'ab'.repeat(32) }, { signal: never }))).toBe('mismatch');
  await expect(stat(file)).rejects.toThrow('ENOENT');
  await expect(stat(`${file}.part`)).rejects.toThrow('ENOENT');
});

test('a wrong sha512 is a mismatch, too', async () => {
  const { url } = await serve(filed());
  const sha512 = createHash('sha512').update(content).digest('base64');

  await download({ url, file, sha512 }, { signal: never });
  const other = path.join(folder, 'b');
  expect(
    await faultOf(download({ url, file: other, sha512: `A${sha512.slice(1)}` }, { signal: never })),
  ).toBe('mismatch');
});

test('redirects are followed, and a secret header stays with its host', async () => {
  const seen: (string | undefined)[] = [];
  const target = await serve((request, response) => {
    seen.push(request.headers.authorization);
    filed()(request, response);
  });
  const { url } = await serve((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(302, { location: target.url }).end();
  });

  await download({ url, file, sha256, headers: { authorization: 'Bearer x' } }, { signal: never });

  expect((await readFile(file)).equals(content)).toBe(true);
  expect(seen).toEqual(['Bearer x', undefined]);
});

test('redirects in a circle end', async () => {
  const { url } = await serve((_, response) => response.writeHead(302, { location: '/model.gguf' }).end());

  expect(await faultOf(download({ url, file }, { signal: never }))).toBe('refused');
});

test('an error response is reported with its status', async () => {
  const { url } = await serve((_, response) => response.writeHead(404).end('nothing here'));

  await expect(download({ url, file }, { signal: never })).rejects.toMatchObject({
    fault: 'refused',
    status: 404,
    message: expect.stringMatching(/^127\.0\.0\.1:\d+ answered 404 for model\.gguf\.$/),
  });
});

test('insufficient disk space is detected before anything is written', async () => {
  const { url } = await serve(filed());

  const work = download({ url, file }, { signal: never, freeBytes: async () => 1000 });

  await expect(work).rejects.toMatchObject({ fault: 'disk_full' });
  await expect(stat(`${file}.part`)).rejects.toThrow('ENOENT');
});

test.skipIf(process.platform !== 'linux')(
  'a disk that fills up during the download is reported as such',
  async () => {
    const { url } = await serve(filed());
    const here = path.join(folder, 'model.gguf');
    // A file that accepts no data, as on a full disk.
    await symlink('/dev/full', `${here}.part`);

    expect(await faultOf(download({ url, file: here }, { signal: never }))).toBe('disk_full');
  },
);

test('a refused connection is reported at once', async () => {
  const { url } = await serve(filed());
  for (const server of servers) server.close();
  await new Promise((done) => setTimeout(done, 20));

  expect(await faultOf(download({ url, file }, { signal: never }))).toBe('unreachable');
});

test('a server that accepts the connection and sends nothing times out', async () => {
  const silent = createTcpServer();
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const start = performance.now();

  const reasons: string[] = [];
  const options = { connectMs: 50, answerMs: 150, waiting: ({ reason }: Wait) => void reasons.push(reason) };
  expect(await faultOf(download({ url, file }, { signal: never, ...options }))).toBe('unreachable');
  expect(performance.now() - start).toBeLessThan(4500);
  expect(reasons).toEqual([expect.stringContaining('has not begun to send')]);
  silent.close();
});

test('a host that accepts connections is waited for, though it answers late', async () => {
  const { url } = await serve((_request, response) => void setTimeout(() => response.end(content), 200));
  await download({ url, file }, { signal: never, connectMs: 20 });
  expect((await readFile(file)).equals(content)).toBe(true);
});

test('a server that stalls midway is given up after some retries, and the partial file is kept', async () => {
  const { url, ranges } = await serve((request, response) => {
    response.writeHead(request.headers.range ? 206 : 200, {
      'content-length': request.headers.range ? 199_000 : 200_000,
      ...(request.headers.range && { 'content-range': 'bytes 1000-199999/200000' }),
    });
    if (request.headers.range) response.flushHeaders();
    else response.write(content.subarray(0, 1000));
  });

  expect(await faultOf(download({ url, file }, { signal: never, silenceMs: 100, delaysMs: [1, 1] }))).toBe(
    'cut',
  );
  expect((await stat(`${file}.part`)).size).toBe(1000);
  expect(ranges).toEqual([undefined, 'bytes=1000-', 'bytes=1000-', 'bytes=1000-']);
});

test.each([
  ['502', (response: ServerResponse) => response.writeHead(502).end()],
  ['503', (response: ServerResponse) => response.writeHead(503).end()],
  ['429', (response: ServerResponse) => response.writeHead(429, { 'retry-after': '0' }).end()],
  ['a connection that is reset', (response: ServerResponse) => response.destroy()],
])('%s is retried, and the download resumes', async (_, fail) => {
  let requests = 0;
  // It breaks in the middle, is down twice, and comes back.
  const { url, ranges } = await serve((request, response) => {
    const number = ++requests;
    if (number === 2 || number === 3) fail(response);
    else filed(number === 1 ? { cutAfter: 80_000 } : {})(request, response);
  });
  const waits: Wait[] = [];

  await download(
    { url, file, sha256 },
    { signal: never, delaysMs: [5, 10], waiting: (wait) => waits.push(wait) },
  );

  expect((await readFile(file)).equals(content)).toBe(true);
  expect(ranges).toEqual([undefined, 'bytes=80000-', 'bytes=80000-', 'bytes=80000-']);
  expect(waits.map(({ retry }) => retry)).toEqual([
    { seconds: 1, attempt: 1, attempts: 2 },
    { seconds: 1, attempt: 2, attempts: 2 },
  ]);
});

test('a server that stays busy is given up after the last retry', async () => {
  const { url, ranges } = await serve((_, response) => response.writeHead(502).end());

  await expect(download({ url, file }, { signal: never, delaysMs: [1, 1, 1] })).rejects.toMatchObject({
    fault: 'refused',
    status: 502,
  });
  expect(ranges.length).toBe(4);
});

test('Retry-After counts down by seconds, and one of many minutes is not waited for', soak, async () => {
  let requests = 0;
  const { url } = await serve((request, response) => {
    if (requests++ === 0) response.writeHead(429, { 'retry-after': '2' }).end();
    else filed()(request, response);
  });
  const seconds: (number | undefined)[] = [];
  await download(
    { url, file, sha256 },
    { signal: never, delaysMs: [1], waiting: ({ retry }) => seconds.push(retry?.seconds) },
  );
  expect(seconds).toEqual([2, 1]);

  const busy = await serve((_, response) => response.writeHead(429, { 'retry-after': '3600' }).end());
  const other = path.join(folder, 'other');
  await expect(download({ url: busy.url, file: other }, { signal: never })).rejects.toMatchObject({
    status: 429,
  });
});

test('an abort ends a countdown', async () => {
  const { url } = await serve((_, response) => response.writeHead(503).end());
  const stop = new AbortController();
  const waiting = () => stop.abort(new Error('enough'));

  await expect(download({ url, file }, { signal: stop.signal, waiting })).rejects.toThrow('enough');
});

test('two downloads of one file: one fetches it, the other waits for it and uses it', async () => {
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { url, ranges } = await serve(async (request, response) => {
    await held;
    await filed()(request, response);
  });
  const waits: Wait[] = [];
  const waiting = (wait: Wait) => {
    waits.push(wait);
    go();
  };
  const both = [1, 2].map(() => download({ url, file, sha256 }, { signal: never, waiting }));

  expect(await Promise.all(both)).toEqual([{ bytes: content.length }, { bytes: content.length }]);
  expect(ranges).toEqual([undefined]);
  expect(waits).toEqual([{ reason: 'Another process is downloading it.', retry: null }]);
});

test('an abort ends it, even while the server is silent', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('abc');
  });
  const stop = new AbortController();
  const work = download({ url, file }, { signal: stop.signal });
  await new Promise((done) => setTimeout(done, 50));
  stop.abort();

  await expect(work).rejects.toThrow('abort');
});

test('property: whatever the interruptions, the file is the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 100, max: 900 }),
      fc.integer({ min: 0, max: 999 }),
      async (cutAfter, have) => {
        const body = content.subarray(0, 1000);
        const target = path.join(folder, `${cutAfter}-${have}`);
        const { url } = await serve(filed({ cutAfter, body, target }));
        if (have > 0) await writeFile(`${target}.part`, body.subarray(0, have));
        await download({ url, file: target }, { signal: never });
        expect(await readFile(target)).toEqual(body);
      },
    ),
    { numRuns: 15 },
  );
});
