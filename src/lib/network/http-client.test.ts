import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type HttpClient, type HttpResponse, httpClient, tapped } from './http-client.ts';
import { createRoutedNetwork } from './routed-network.ts';

const HOUR_MS = 3_600_000;

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function first({ body }: HttpResponse): Promise<string | undefined> {
  for await (const chunk of body) return Buffer.from(chunk).toString();
  return undefined;
}

/** Bypasses the proxy, since all servers here are local, but still uses undici. */
const routed = await createRoutedNetwork(
  {},
  { httpProxy: '', httpsProxy: '', noProxy: '', caFile: undefined },
);
const clients: [string, HttpClient][] = [
  ['node:http', httpClient],
  ['undici', routed.http],
];

describe.each(clients)('over %s', (_, send) => {
  test('method, headers and body are sent; status, headers and body come back', async () => {
    const url = await serving((request, response) => {
      response.writeHead(418, {
        'X-Method': request.method,
        'X-Sent': request.headers['x-sent'] ?? 'no',
        'Set-Cookie': ['a=1', 'b=2'],
      });
      request.pipe(response);
    });
    const headers = { 'X-Sent': 'yes' };
    const response = await send({ url, method: 'POST', headers, body: 'naïve 正' });
    expect(response.status).toBe(418);
    expect(response.headers).toMatchObject({
      'x-method': 'POST',
      'x-sent': 'yes',
      'set-cookie': 'a=1, b=2',
    });
    expect(await response.text()).toBe('naïve 正');
    expect((await send({ url })).headers['x-method']).toBe('GET');
  });

  test('the body streams: a part is available before the rest was sent', async () => {
    let finish: () => unknown = () => undefined;
    const url = await serving((_request, response) => {
      response.write('first');
      finish = () => response.end('second');
    });
    const chunks: string[] = [];
    const response = tapped(await send({ url }), (chunk) => {
      chunks.push(Buffer.from(chunk).toString());
      finish();
    });
    expect(await response.text()).toBe('firstsecond');
    expect(chunks).toEqual(['first', 'second']);
  });

  test('an abort ends the wait for a response, and a response in progress', async () => {
    const reason = new DOMException('stop', 'AbortError');
    const silent = await serving(() => undefined);
    const waiting = new AbortController();
    setTimeout(() => waiting.abort(reason), 20);
    await expect(send({ url: silent, signal: waiting.signal })).rejects.toBe(reason);
    await expect(send({ url: silent, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

    for (const headers of [{}, { 'content-encoding': 'gzip' }]) {
      let gone: Promise<unknown> | undefined;
      const endless = await serving((_request, response) => {
        gone = once(response, 'close');
        response.writeHead(200, headers).write(gzipSync('x').subarray(0, 10));
      });
      const reading = new AbortController();
      const response = await send({ url: endless, signal: reading.signal });
      setTimeout(() => reading.abort(reason), 20);
      await expect(response.text()).rejects.toThrow();
      await gone;
    }
  });

  test('an abort of an unread response is not an error anywhere', async () => {
    for (const headers of [{}, { 'content-encoding': 'gzip' }]) {
      const url = await serving((_request, response) => {
        response.writeHead(200, headers).write(gzipSync('x').subarray(0, 10));
      });
      const leaving = new AbortController();
      await send({ url, signal: leaving.signal });
      leaving.abort();
      await sleep(20);
    }
  });

  test('a connection that breaks in the middle of the body is an error, not an end', async () => {
    for (const headers of [{}, { 'content-encoding': 'gzip' }]) {
      const url = await serving((_request, response) => {
        response.writeHead(200, headers).write(gzipSync('half').subarray(0, 12));
        setTimeout(() => response.destroy(), 20);
      });
      const response = await send({ url });
      await expect(response.text()).rejects.toThrow();
    }
  });

  test('a refused connection is reported with its code', async () => {
    await expect(send({ url: 'http://127.0.0.1:1/' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('an unrequested encoding is decoded: %s', async (encoding, encode) => {
    const url = await serving((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(encode('zipped'));
    });
    expect(await (await send({ url })).text()).toBe('zipped');
  });

  test('an unknown encoding is an error', async () => {
    let gone: Promise<unknown> | undefined;
    const url = await serving((_request, response) => {
      gone = once(response, 'close');
      response.writeHead(200, { 'content-encoding': 'rot13' }).write('uryyb');
    });
    await expect(send({ url })).rejects.toThrow('unknown content encoding, rot13');
    await gone;
  });

  test('a reader that stops at the last event keeps the connection for later requests', async () => {
    const sockets = new Set<unknown>();
    const url = await serving((request, response) => {
      sockets.add(request.socket);
      response.write('last event');
      setImmediate(() => response.end());
    });
    for (let turn = 0; turn < 3; turn++)
      expect(await first(await send({ url, method: 'POST', body: 'a' }))).toBe('last event');
    // One library looks for a free connection just before it notices the end.
    expect(sockets.size).toBeLessThan(3);
  });

  test('a reader that stops long before the end closes the connection', async () => {
    let gone: Promise<unknown> | undefined;
    const url = await serving((_request, response) => {
      gone = once(response, 'close');
      response.write('first event');
    });
    expect(await first(await send({ url }))).toBe('first event');
    await gone;
  });

  test('redirects are followed on the same server only', async () => {
    const other = await serving((_request, response) => response.end('elsewhere'));
    const url = await serving((request, response) => {
      if (request.url === '/moved') response.writeHead(307, { location: '/here' }).end();
      else if (request.url === '/found') response.writeHead(302, { location: '/here' }).end();
      else if (request.url === '/away') response.writeHead(308, { location: other }).end();
      else if (request.url === '/round') response.writeHead(307, { location: '/round' }).end();
      else request.pipe(response);
    });
    const post = async (path: string) => {
      const { status, text } = await send({ url: url + path, method: 'POST', body: 'kept' });
      return [status, await text()];
    };
    expect(await post('/moved')).toEqual([200, 'kept']);
    expect(await post('/found')).toEqual([302, '']);
    expect((await send({ url: `${url}/found` })).status).toBe(200);
    expect(await post('/away')).toEqual([308, '']);
    expect(await post('/round')).toEqual([307, '']);
  });

  test('there is no timeout for silence, before or within the response', async () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'performance'],
    });
    onTestFinished(() => void vi.useRealTimers());
    // The runtime's timers cannot be faked: check that sockets have none.
    const setTimeout = vi.spyOn(Socket.prototype, 'setTimeout');
    onTestFinished(() => setTimeout.mockRestore());
    let heard: (response: ServerResponse) => void = () => undefined;
    const asked = new Promise<ServerResponse>((resolve) => {
      heard = resolve;
    });
    const url = await serving((_request, response) => heard(response));

    const answer = send({ url });
    const server = await asked;
    vi.advanceTimersByTime(HOUR_MS);
    server.write('late ');
    const response = await answer;
    const text = response.text();
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(HOUR_MS);
    server.end('later');

    expect(await text).toBe('late later');
    const ours = setTimeout.mock.calls.filter((_call, i) => {
      const socket = setTimeout.mock.contexts[i] as Socket;
      return socket.remotePort === Number(new URL(url).port);
    });
    expect(ours.filter(([ms]) => ms > 0)).toEqual([]);
  });
});

test('a kept connection that the server has closed is replaced', async () => {
  let requests = 0;
  const url = await serving((request, response) => {
    requests++;
    if (requests === 2) request.socket.destroy();
    else response.end(`answer ${requests}`);
  });
  expect(await (await httpClient({ url, method: 'POST', body: 'a' })).text()).toBe('answer 1');
  expect(await (await httpClient({ url, method: 'POST', body: 'b' })).text()).toBe('answer 3');
});
