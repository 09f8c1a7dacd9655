import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { postHook } from './http-hook.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Answer = { status?: number; body?: string; headers?: Record<string, string>; hangs?: true };

async function server(answer: Answer) {
  const got: { body: string; headers: Record<string, unknown> }[] = [];
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push({ body, headers: request.headers });
    if (answer.hangs) return;
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/hook`;
  const close = () => {
    http.closeAllConnections();
    http.close();
  };
  closing.push(close);
  return { url, got, close };
}

const { signal } = new AbortController();
const hook = {
  type: 'http' as const,
  matcher: '',
  once: false,
  headers: {},
  variables: [],
  timeoutMs: 5_000,
};
const env = { TOKEN: 'abc', SECRET: 'hidden' };

test('the input is posted, headers get only the variables they may use, and the body is the output', async () => {
  const { url, got } = await server({ body: '{"decision":"block"}' });
  const headers = { Authorization: 'Bearer $TOKEN', 'X-Other': `\${TOKEN}-\${SECRET}` };
  const ending = await postHook({ ...hook, url, headers, variables: ['TOKEN'] }, '{"a":1}\n', {
    fetch,
    env,
    signal,
  });
  expect(ending).toEqual({ exitCode: 0, stdout: '{"decision":"block"}', stderr: '', timedOut: false });
  expect(got).toMatchObject([
    {
      body: '{"a":1}\n',
      headers: { 'content-type': 'application/json', authorization: 'Bearer abc', 'x-other': 'abc-' },
    },
  ]);
});

test('another status, a redirect and a refused connection are failures, silence a timeout', async () => {
  const post = async (answer: Answer, timeoutMs = 5_000) => {
    const { url } = await server(answer);
    return postHook({ ...hook, url, timeoutMs }, '{}', { fetch, env, signal });
  };
  await expect(post({ status: 500 })).rejects.toThrow('it answered with status 500');
  await expect(post({ status: 302, headers: { Location: 'http://127.0.0.1:9/' } })).rejects.toThrow(
    'redirect',
  );
  const { url, close } = await server({});
  close();
  await expect(postHook({ ...hook, url }, '{}', { fetch, env, signal })).rejects.toThrow('ECONNREFUSED');
  expect(await post({ hangs: true }, 50)).toMatchObject({ timedOut: true });
});
