import { readFile } from 'node:fs/promises';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { type Network, openNetwork } from './network.ts';
import { certificates } from './routed-network.ts';

const tls = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../../test/support/tls');
const caFile = path.join(tls, 'cert.pem');

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const answer: RequestListener = (request, response) => {
  response.writeHead(200, { 'x-served': 'yes', 'retry-after': '3' });
  request.pipe(response);
};

/** A server with a certificate that only our CA file signs. */
async function secureServer(): Promise<number> {
  const [key, cert] = await Promise.all([readFile(path.join(tls, 'key.pem')), readFile(caFile)]);
  return listening(createHttps({ key, cert }, answer));
}

/** A proxy that resolves `api.test`, which DNS does not, and tunnels to `port`. */
async function proxyTo(port: number): Promise<{ url: string; asked: string[]; credentials: unknown[] }> {
  const asked: string[] = [];
  const credentials: unknown[] = [];
  const proxy = createHttp().on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    credentials.push(request.headers['proxy-authorization']);
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  return { url: `127.0.0.1:${await listening(proxy)}`, asked, credentials };
}

type Sent = { method?: 'POST'; body?: string; signal?: AbortSignal };
type Answer = { status: number; served: string | null | undefined; text: string };
type Send = (url: string, init?: Sent) => Promise<Answer>;

/** Both clients of a network behind one interface. */
const ways: Record<keyof Network, (network: Network) => Send> = {
  fetch: ({ fetch }) => {
    return async (url, init) => {
      const response = await fetch(url, init);
      return {
        status: response.status,
        served: response.headers.get('x-served'),
        text: await response.text(),
      };
    };
  },
  http: ({ http }) => {
    return async (url, init) => {
      const { status, headers, text } = await http({ url, ...init });
      return { status, served: headers['x-served'], text: await text() };
    };
  },
};

describe('[N06] without a proxy or a certificate', () => {
  test('requests go directly to the server', async () => {
    const url = `http://127.0.0.1:${await listening(createHttp(answer))}`;
    for (const env of [{}, { NO_PROXY: '*', HTTPS_PROXY: '', https_proxy: '' }]) {
      const network = await openNetwork(env);
      expect(network.fetch).toBe(fetch);
      expect((await network.http({ url })).status).toBe(200);
    }
  });
});

describe.each(Object.entries(ways))('[N06] %s through a proxy', (_, over) => {
  const sendWith = async (...given: Parameters<typeof openNetwork>) => over(await openNetwork(...given));

  test.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy', 'HTTP_PROXY'])(
    'set by %s, a request and its response pass through intact',
    async (variable) => {
      const proxy = await proxyTo(await secureServer());
      const send = await sendWith({ [variable]: `http://${proxy.url}` }, { caFile });

      const answer = await send('https://api.test/v1', { method: 'POST', body: 'ping' });

      expect(answer).toEqual({ status: 200, served: 'yes', text: 'ping' });
      expect(proxy.asked).toEqual(['api.test:443']);
    },
  );

  test('credentials in the proxy URL are sent to the proxy', async () => {
    const proxy = await proxyTo(await secureServer());
    const send = await sendWith({ HTTPS_PROXY: `http://me:p%40ss@${proxy.url}` }, { caFile });
    await send('https://api.test/');
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from('me:p@ss').toString('base64')}`]);
  });

  test('hosts in NO_PROXY and loopback addresses are reached directly', async () => {
    const proxy = await proxyTo(1);
    const port = await secureServer();
    const plain = await listening(createHttp(answer));
    const send = await sendWith(
      { ALL_PROXY: `http://${proxy.url}`, NO_PROXY: 'api.test,.example' },
      { caFile },
    );

    expect((await send(`https://localhost:${port}/`)).status).toBe(200);
    expect((await send(`https://127.0.0.1:${port}/`)).status).toBe(200);
    expect((await send(`http://127.0.0.1:${plain}/`)).status).toBe(200);
    // This name does not resolve, so an attempt to resolve it proves the direct connection.
    await expect(send('https://api.test/')).rejects.toSatisfy((error: Error) =>
      /^(ENOTFOUND|EAI_AGAIN)$/.test(((error.cause ?? error) as NodeJS.ErrnoException).code ?? ''),
    );
    expect(proxy.asked).toEqual([]);
  });

  test('a proxy that refuses is an error and is not bypassed', async () => {
    const port = await listening(
      createHttp().on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')),
    );
    const send = await sendWith({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
    await expect(send('https://api.test/')).rejects.toThrow();
  });

  test('an abort reaches the request', async () => {
    const hanging = await listening(createHttp(() => undefined));
    const send = await sendWith({ HTTPS_PROXY: 'http://127.0.0.1:9' });
    const reason = new Error('enough');
    const abort = new AbortController();
    setTimeout(() => abort.abort(reason), 50);
    await expect(send(`http://127.0.0.1:${hanging}/`, { signal: abort.signal })).rejects.toBe(reason);
  });
});

describe('[N06] with custom certificates', () => {
  const sendWith = async (...given: Parameters<typeof openNetwork>) => ways.http(await openNetwork(...given));

  test("fetch returns the runtime's own Response and Headers", async () => {
    const proxy = await proxyTo(await secureServer());
    const { fetch } = await openNetwork({ HTTPS_PROXY: proxy.url }, { caFile });
    const response = await fetch(new Request('https://api.test/', { method: 'POST', body: 'ping' }));
    expect(response).toBeInstanceOf(Response);
    expect(response.headers).toBeInstanceOf(Headers);
    expect([response.headers.get('retry-after'), await response.text()]).toEqual(['3', 'ping']);
  });

  test('a server with such a certificate becomes trusted', async () => {
    const port = await secureServer();
    await expect(globalThis.fetch(`https://localhost:${port}/`)).rejects.toThrow();
    const send = await sendWith({}, { caFile });
    expect((await send(`https://localhost:${port}/`)).served).toBe('yes');
  });

  test('certificates from another file do not make it trusted, but those of an extra file do', async () => {
    const port = await secureServer();
    const { rootCertificates } = await import('node:tls');
    const { root } = await workspace({ 'other.pem': rootCertificates[0] ?? '' });
    const other = { caFile: path.join(root, 'other.pem') };

    await expect((await sendWith({}, other))(`https://localhost:${port}/`)).rejects.toThrow();
    const both = await sendWith({ NODE_EXTRA_CA_CERTS: caFile }, other);
    expect((await both(`https://localhost:${port}/`)).status).toBe(200);
  });

  test('the default authorities stay trusted', async () => {
    const { rootCertificates } = await import('node:tls');
    expect(await certificates({}, caFile)).toEqual([...rootCertificates, await readFile(caFile, 'utf8')]);
  });

  test('a file that is missing or has no certificate is named', async () => {
    const { root } = await workspace({ 'notes.txt': 'hello' });
    const missing = path.join(root, 'missing.pem');
    await expect(openNetwork({}, { caFile: missing })).rejects.toThrow(
      `Cannot read the certificates in ${missing} (ENOENT).`,
    );
    const notes = path.join(root, 'notes.txt');
    await expect(openNetwork({}, { caFile: notes })).rejects.toThrow(`${notes} contains no PEM certificate.`);
  });
});

test.each(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'https_proxy'])(
  '%s that is no address is one error that does not quote it',
  async (name) => {
    for (const value of ['http://[', 'http://user:secret@x:99999', 'http:// x'])
      await expect(openNetwork({ [name]: value })).rejects.toThrow(`${name} is not the address of a proxy`);
  },
);
