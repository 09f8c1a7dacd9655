import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpFetch } from './http-fetch.ts';

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

test('sends method, headers and body, and answers as the runtime’s fetch does', async () => {
  const url = await serving((request, response) => {
    response.writeHead(418, 'Teapot', {
      'x-method': request.method,
      'x-sent': request.headers['x-sent'],
      'set-cookie': ['a=1', 'b=2'],
    });
    request.pipe(response);
  });
  const init = { method: 'POST', headers: { 'x-sent': 'yes' }, body: 'naïve 正' };
  const [ours, theirs] = await Promise.all([createHttpFetch()(url, init), fetch(url, init)]);
  const told = (response: Response) => ({
    ok: response.ok,
    status: response.status,
    statusText: response.statusText,
    method: response.headers.get('x-method'),
    sent: response.headers.get('x-sent'),
    cookies: response.headers.getSetCookie(),
  });
  expect(told(ours)).toEqual(told(theirs));
  expect(await ours.text()).toBe('naïve 正');
});

test('the body streams: a part is there before the rest was sent', async () => {
  let finish: () => unknown = () => undefined;
  const url = await serving((_request, response) => {
    response.write('first');
    finish = () => response.end('second');
  });
  const reader = (await createHttpFetch()(url)).body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first');
  finish();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('second');
});

test('an abort ends the wait for an answer, and an answer under way', async () => {
  const reason = new DOMException('stop', 'AbortError');
  const silent = await serving(() => undefined);
  const waiting = new AbortController();
  setTimeout(() => waiting.abort(reason), 20);
  await expect(createHttpFetch()(silent, { signal: waiting.signal })).rejects.toBe(reason);
  await expect(createHttpFetch()(silent, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

  const endless = await serving((_request, response) => void response.write('x'));
  const reading = new AbortController();
  const response = await createHttpFetch()(endless, { signal: reading.signal });
  setTimeout(() => reading.abort(reason), 20);
  await expect(response.text()).rejects.toThrow();
});

test('a connection that breaks in the middle of the body is an error, not an end', async () => {
  const url = await serving((_request, response) => {
    response.write('half');
    setTimeout(() => response.destroy(), 20);
  });
  const response = await createHttpFetch()(url);
  await expect(response.text()).rejects.toThrow();
});

test('nobody listening is said with its code', async () => {
  await expect(createHttpFetch()('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a kept connection that the server has closed meanwhile is replaced', async () => {
  let requests = 0;
  const url = await serving((request, response) => {
    requests++;
    if (requests === 2) request.socket.destroy();
    else response.end(`answer ${requests}`);
  });
  const send = createHttpFetch();
  expect(await (await send(url, { method: 'POST', body: 'a' })).text()).toBe('answer 1');
  expect(await (await send(url, { method: 'POST', body: 'b' })).text()).toBe('answer 3');
});

test('a reader who leaves at the last event keeps the connection for the next request', async () => {
  const sockets = new Set<unknown>();
  const url = await serving((request, response) => {
    sockets.add(request.socket);
    response.write('last event');
    setImmediate(() => response.end());
  });
  const send = createHttpFetch();
  for (let turn = 0; turn < 3; turn++) {
    const { body } = await send(url, { method: 'POST', body: 'a' });
    for await (const chunk of body ?? []) {
      expect(Buffer.from(chunk).toString()).toBe('last event');
      break;
    }
  }
  expect(sockets.size).toBe(1);
});

test('redirects are followed, and an encoding nobody asked for is undone', async () => {
  const url = await serving((request, response) => {
    if (request.url === '/moved') response.writeHead(307, { location: '/here' }).end();
    else if (request.url === '/gzip')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('zipped'));
    else request.pipe(response);
  });
  expect(await (await createHttpFetch()(`${url}/moved`, { method: 'POST', body: 'kept' })).text()).toBe(
    'kept',
  );
  expect(await (await createHttpFetch()(`${url}/gzip`)).text()).toBe('zipped');
});
