import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { noBubblewrap, sandboxedShell } from '../../../test/support/sandboxed.ts';
import { soak } from '../../../test/support/soak.ts';
import { type ProxyOptions, startProxy } from './network-proxy.ts';

const PUBLIC = '93.184.215.14';

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A local server that stands in for every public address, and a record of requested hosts. */
async function internet() {
  const seen: string[] = [];
  const port = await listen(
    createServer((request, response) =>
      response.end(`${request.method} ${request.headers.host}${request.url}`),
    ),
  );
  const reached: Pick<ProxyOptions, 'resolve' | 'connect'> = {
    resolve: async (name) => (name.startsWith('inner') ? ['10.0.0.7'] : [PUBLIC]),
    connect: (address, wanted) => {
      seen.push(`${address}:${wanted}`);
      return connect({ host: '127.0.0.1', port });
    },
  };
  return { seen, reached };
}

async function proxied(options: ProxyOptions) {
  const proxy = await startProxy(options);
  onTestFinished(() => proxy.close());
  /** Sends these bytes and returns the response until the other side closes. */
  return (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(proxy.socket);
      let answer = '';
      socket.setEncoding('utf8').on('data', (data: string) => {
        answer += data;
        if (answer.endsWith('established\r\n\r\n'))
          socket.write('GET /t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      });
      socket.on('close', () => resolve(answer)).on('error', reject);
      socket.write(text);
    });
}

const tunnel = (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;
const plain = (url: string) => `GET ${url} HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n`;

describe('the sandbox proxy', () => {
  test('allows the listed hosts, by their resolved address', async () => {
    const { seen, reached } = await internet();
    const ask = await proxied({ allowed: ['a.example', '*.b.example', 'c.example:8443'], ...reached });
    for (const target of ['a.example:443', 'x.b.example:443', 'c.example:8443']) {
      expect(await ask(tunnel(target))).toMatch(
        /^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK/,
      );
    }
    expect(await ask(plain('http://a.example/p?q=1'))).toMatch(/\r\nGET a\.example\/p\?q=1/);
    expect(seen).toEqual([`${PUBLIC}:443`, `${PUBLIC}:443`, `${PUBLIC}:8443`, `${PUBLIC}:80`]);
  });

  test.each([
    ['another host', 'evil.example:443'],
    ['a name that only ends alike', 'nota.example:443'],
    ['the name a wildcard is below', 'b.example:443'],
    ['another port', 'a.example:22'],
    ['an address', `${PUBLIC}:443`],
    ['an address in brackets', '[2606:2800::1]:443'],
    ['an address as a number', '2130706433:443'],
    ['a listed name that leads inside', 'inner.example:443'],
    ['a private name', 'localhost:443'],
    ['nonsense', 'a b:443'],
  ])('refuses %s', async (_name, target) => {
    const { seen, reached } = await internet();
    const allowed = ['a.example', '*.b.example', 'inner.example', 'localhost'];
    const ask = await proxied({ allowed, ...reached });
    expect(await ask(tunnel(target))).toMatch(/^HTTP\/1\.1 4\d\d /);
    if (!target.startsWith('[') && !target.includes(' ')) {
      expect(await ask(plain(`http://${target}/`))).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
    expect(seen).toEqual([]);
  });

  test('a refusal says what to do', async () => {
    const { reached } = await internet();
    const ask = await proxied({ allowed: [], ...reached });
    expect(await ask(plain('http://evil.example/'))).toContain(
      'Blocked by the sandbox: evil.example:80 is not an allowed host; the user can add it to sandbox.allowedDomains.\n',
    );
  });

  test("uses the user's own proxy if there is one", async () => {
    const heard: string[] = [];
    const port = await listen(
      createTcpServer((socket) => {
        socket.setEncoding('utf8').on('data', (text: string) => {
          heard.push(text.split('\r\n')[0] ?? '');
          if (text.startsWith('CONNECT')) socket.write('HTTP/1.1 200 Fine\r\n\r\n');
          else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nthere');
        });
        socket.on('error', () => socket.destroy());
      }),
    );
    const ask = await proxied({ allowed: ['a.example'], upstream: new URL(`http://u:p@127.0.0.1:${port}`) });
    expect(await ask(tunnel('a.example:443'))).toMatch(/there$/);
    expect(await ask(plain('http://a.example/x'))).toMatch(/there$/);
    expect(heard).toEqual([
      'CONNECT a.example:443 HTTP/1.1',
      'GET /t HTTP/1.1',
      'GET http://a.example/x HTTP/1.1',
    ]);
  });
});

describe('a command with allowed hosts', () => {
  beforeEach(({ skip }) => {
    if (noBubblewrap !== null) skip(noBubblewrap);
  });
  /** Uses the proxy from the environment, with nothing but bash. */
  const fetch = (url: string) =>
    `p=\${HTTP_PROXY#http://}; exec 5<>/dev/tcp/\${p%:*}/\${p#*:}; printf 'GET ${url} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' >&5; cat <&5`;

  test('reaches only those, and its exit status is as exact as without', soak, async () => {
    const { seen, reached } = await internet();
    const { run, shell } = await sandboxedShell({}, { allowedDomains: ['a.example'], proxy: reached });
    expect(await shell.sandbox()).toEqual({ kind: 'bubblewrap', level: 'standard', network: 'listed' });
    expect((await run(fetch('http://a.example/in'))).stdout).toContain('GET a.example/in');
    expect((await run(fetch('http://b.example/in'))).stdout).toContain('HTTP/1.1 403');
    expect(seen).toEqual([`${PUBLIC}:80`]);
    expect(await run('echo out; echo err >&2; exit 143')).toMatchObject({
      stdout: 'out\n',
      stderr: 'err\n',
      exitCode: 143,
      signal: null,
    });
    expect(await run('kill -SEGV $$')).toMatchObject({ exitCode: null, signal: 'SIGSEGV' });
    expect(await run('sleep 60', { timeoutMs: 3_000 })).toMatchObject({ signal: 'SIGTERM', timedOut: true });
  });

  test('strict has no network at all', async () => {
    const { run } = await sandboxedShell({}, { allowedDomains: ['a.example'], level: () => 'strict' });
    expect(await run('echo "[$HTTP_PROXY]"')).toMatchObject({
      stdout: '[]\n',
      sandbox: { kind: 'bubblewrap', level: 'strict', network: 'none' },
    });
  });
});
