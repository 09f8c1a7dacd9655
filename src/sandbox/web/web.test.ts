import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deadUrl, loopback } from '../../../test/support/loopback.ts';
import { behindTls, caFile, secretHost } from '../../../test/support/tls-server.ts';
import { PermissionDeniedError } from '../../contract/errors.ts';
import { createWeb, type WebOptions } from './web.ts';

const never = new AbortController().signal;
const onThisMachine = (options: WebOptions = {}) => createWeb({ allowPrivate: true, ...options });

function send(response: ServerResponse, type: string | null, body: string | Uint8Array): void {
  response.writeHead(200, type === null ? {} : { 'content-type': type });
  response.end(body);
}

function redirect(response: ServerResponse, location: string, status = 302): void {
  response.writeHead(status, { location });
  response.end();
}

describe('a page', () => {
  test.each<[string, string | null, string | Uint8Array, string, string]>([
    ['HTML as Markdown', 'text/html', '<h1>Hi</h1><a href="/b">b</a>', 'text/html', '# Hi\n\n[b](URL/b)'],
    ['JSON as it is', 'application/json', '{"a": [1]}\n', 'application/json', '{"a": [1]}\n'],
    ['text as it is', 'text/plain; charset=koi8-r', Uint8Array.of(0xf0, 0xd2), 'text/plain', 'Пр'],
    ['HTML nobody declared', null, '<!doctype html><p>x', '', 'x'],
    ['text nobody declared', 'application/octet-stream', 'a: 1\n', 'application/octet-stream', 'a: 1\n'],
    [
      'an image by name and size',
      'image/png',
      new Uint8Array(2048),
      'image/png',
      '[image/png, 2.0 KB: not text. To use it, download it with a command.]',
    ],
    [
      'bytes nobody declared, by their size',
      null,
      Uint8Array.of(0, 1, 2),
      '',
      '[no media type, 3 bytes: not text. To use it, download it with a command.]',
    ],
  ])('%s', async (_name, type, body, mediaType, text) => {
    const { url } = await loopback((response) => send(response, type, body));
    expect(await onThisMachine().get(`${url}/p#part`, never)).toEqual({
      url: `${url}/p`,
      status: 200,
      mediaType,
      text: text.replace('URL', url),
    });
  });

  test('an error response is reported with its status', async () => {
    const { url } = await loopback((response) => {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page');
    });
    expect(await onThisMachine().get(url, never)).toEqual({
      url: `${url}/`,
      status: 404,
      mediaType: 'text/plain',
      text: 'no such page',
    });
  });

  test('compressed pages are decompressed; the request has a user agent and nothing else', async () => {
    const { url, requests } = await loopback((response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
      response.end(gzipSync('packed'));
    });
    expect(await onThisMachine().get(url, never)).toMatchObject({ text: 'packed' });
    expect(requests[0]?.headers).toMatchObject({ 'user-agent': 'ai-code-assistant' });
    expect(requests[0]?.headers).not.toHaveProperty('cookie');
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('is cached for five minutes; an error is not', async () => {
    let time = 0;
    const { url, requests } = await loopback((response, { path }) => {
      if (path === '/bad') response.writeHead(500).end();
      else send(response, 'text/plain', `${requests.length}`);
    });
    const web = onThisMachine({ now: () => time });
    const at = async (ms: number, path: string) => {
      time = ms;
      return (await web.get(url + path, never)).text;
    };
    expect([await at(0, '/a'), await at(299_999, '/a#x'), await at(299_999, '/b')]).toEqual(['1', '1', '2']);
    expect(await at(300_000, '/a')).toBe('3');
    await at(300_000, '/bad');
    await at(300_000, '/bad');
    expect(requests.length).toBe(5);
  });
});

describe('redirects', () => {
  test('within a host are followed', async () => {
    const { url, requests } = await loopback((response, { path }) =>
      path === '/3'
        ? send(response, 'text/plain', 'end')
        : redirect(response, `/${Number(path.slice(1)) + 1}`),
    );
    expect(await onThisMachine().get(`${url}/0`, never)).toEqual({
      url: `${url}/3`,
      status: 200,
      mediaType: 'text/plain',
      text: 'end',
    });
    expect(requests.map(({ path }) => path)).toEqual(['/0', '/1', '/2', '/3']);
  });

  test('are followed five times and no more', async () => {
    const { url, requests } = await loopback((response, { path }) => redirect(response, `${path}x`));
    await expect(onThisMachine().get(`${url}/`, never)).rejects.toThrow(
      `${url}/ redirects more than 5 times; stopped at ${url}/xxxxxx.`,
    );
    expect(requests.length).toBe(6);
  });

  test.each([301, 302, 303, 307, 308])('with status %i to another host are reported', async (status) => {
    const other = await loopback((response) => send(response, 'text/plain', 'secret'));
    const { url } = await loopback((response) => redirect(response, `${other.url}/x`, status));
    expect(await onThisMachine().get(url, never)).toEqual({
      url: `${url}/`,
      status,
      mediaType: '',
      text: '',
      movedTo: `${other.url}/x`,
    });
    expect(other.requests).toEqual([]);
  });

  test.each(['http://169.254.169.254/latest/meta-data', 'file:///etc/passwd', 'data:text/plain,x'])(
    'to %s are reported, never followed',
    async (location) => {
      const { url } = await loopback((response) => redirect(response, location));
      expect(await onThisMachine().get(url, never)).toMatchObject({ text: '', movedTo: location });
    },
  );

  test('without a target are pages', async () => {
    const { url } = await loopback((response) => void response.writeHead(302).end('lost'));
    expect(await onThisMachine().get(url, never)).toMatchObject({ status: 302, text: 'lost' });
  });

  test('to an address with a password are refused', async () => {
    const { url } = await loopback((response, { headers }) =>
      redirect(response, `http://u:p@${headers.host}/x`),
    );
    await expect(onThisMachine().get(url, never)).rejects.toThrow(/user name or password/);
  });
});

describe('limits', () => {
  const megabyte = new Uint8Array(1024 * 1024).fill(97);

  test.each([
    ['declared', true],
    ['not declared', false],
  ])('12 MB of text, %s, are refused', async (_name, isDeclared) => {
    const { url } = await loopback((response) => {
      const length = isDeclared ? { 'content-length': 12 * megabyte.length } : {};
      response.writeHead(200, { 'content-type': 'text/plain', ...length });
      for (let i = 0; i < 12; i++) response.write(megabyte);
      response.end();
    });
    await expect(onThisMachine().get(url, never)).rejects.toThrow(
      `${url}/ is larger than 10 MB. Fetch a smaller page, or download it with a command.`,
    );
  });

  test('12 MB compressed to little are refused, too', async () => {
    const { url } = await loopback((response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
      response.end(gzipSync(new Uint8Array(12 * megabyte.length)));
    });
    await expect(onThisMachine().get(url, never)).rejects.toThrow('larger than 10 MB');
  });

  test('12 MB that are not text are identified without downloading them', async () => {
    const { url } = await loopback((response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 12 * megabyte.length });
      response.write('the beginning, and then nothing');
    });
    expect((await onThisMachine().get(url, never)).text).toMatch(/^\[video\/mp4, 12\.0 MB: not text/);
  });

  test.each([
    ['never answers', (_response: ServerResponse) => undefined],
    ['never ends', (response: ServerResponse) => void response.writeHead(200).write('a')],
    [
      'drips',
      (response: ServerResponse) => {
        const timer = setInterval(() => response.write('a'), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('a server that %s times out', async (_name, answer) => {
    const { url } = await loopback((response) => answer(response));
    await expect(onThisMachine({ timeLimitMs: 300 }).get(url, never)).rejects.toThrow(
      `${url}/ did not finish within 0.3s.`,
    );
  });

  test('[L10] the signal stops it at once, with its own reason', async () => {
    const { url } = await loopback(() => undefined);
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('enough')), 100);
    await expect(onThisMachine().get(url, stop.signal)).rejects.toThrow('enough');
    await expect(onThisMachine().get(url, stop.signal)).rejects.toThrow('enough');
  });

  test('a resolver that never answers times out', async () => {
    const web = createWeb({ resolve: () => new Promise(() => undefined), timeLimitMs: 100 });
    await expect(web.get('http://a.org', never)).rejects.toThrow('did not finish within 0.1s');
  });

  test('a refused connection, an unknown host, and a broken connection are reported', async () => {
    const dead = await deadUrl();
    await expect(onThisMachine().get(dead, never)).rejects.toThrow(
      `Cannot fetch ${dead}/: connect ECONNREFUSED ${dead.slice('http://'.length)}`,
    );
    const missing = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND a.org'), { code: 'ENOTFOUND' });
    };
    await expect(createWeb({ resolve: missing }).get('http://a.org', never)).rejects.toThrow(
      'The host a.org was not found (ENOTFOUND). Check the address.',
    );
    const { url } = await loopback((response) => {
      response.writeHead(200, { 'content-length': 10 }).write('a');
      setTimeout(() => response.destroy(), 50);
    });
    await expect(onThisMachine().get(url, never)).rejects.toThrow(`Cannot fetch ${url}/: `);
  });
});

describe('only public addresses', () => {
  test.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://x.localhost/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.google.internal/',
    'http://2130706433/',
    'http://017700000001/',
    'http://0x7f.1/',
    'http://127.1/',
    'http://0/',
    'http://①②⑦.⓪.⓪.①/',
    'http://10.0.0.1:8080/',
    'https://192.168.1.1/',
    'http://100.64.0.1/',
  ])('%s is refused', async (url) => {
    const refusal = await createWeb()
      .get(url, never)
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(PermissionDeniedError);
    expect((refusal as Error).message).toMatch(
      /^Permission denied: fetch http.* is an? .*; only public addresses can be fetched\. For your own servers use a command\)$/,
    );
  });

  test.each([
    ['file:///etc/passwd', 'only http and https URLs can be fetched'],
    ['ftp://a.org/x', 'only http and https URLs can be fetched'],
    ['data:text/plain,x', 'only http and https URLs can be fetched'],
    ['http://user:secret@8.8.8.8/', 'URLs with a user name or password cannot be fetched'],
  ])('%s: %s', async (url, why) => {
    const refusal: Error = await createWeb()
      .get(url, never)
      .then(
        () => new Error('fetched'),
        (error: Error) => error,
      );
    expect(refusal.message).toContain(why);
    expect(refusal.message).not.toContain('secret');
  });

  test('a name is judged by all of its addresses', async () => {
    const { url, requests } = await loopback((response) => send(response, 'text/plain', 'inside'));
    const web = createWeb({ resolve: async () => ['8.8.8.8', '127.0.0.1'] });
    await expect(web.get(url.replace('127.0.0.1', 'rebind.test'), never)).rejects.toThrow(
      'rebind.test resolves to 127.0.0.1, which is a loopback address',
    );
    expect(requests).toEqual([]);
  });

  test('the connection goes to the checked address, even if the name resolves to another now', async () => {
    const { url, requests } = await loopback((response) => send(response, 'text/plain', 'pinned'));
    const named = url.replace('127.0.0.1', 'rebind.test');
    const answers = [['127.0.0.1']];
    let asked = 0;
    const resolve = async () => answers[asked++] ?? ['192.0.2.1'];
    expect(await onThisMachine({ resolve }).get(named, never)).toMatchObject({
      url: `${named}/`,
      text: 'pinned',
    });
    expect(asked).toBe(1);
    expect(requests[0]?.headers.host).toBe(new URL(named).host);
  });

  test('over TLS the certificate is checked for the name, against the trusted authorities', async () => {
    const { url } = await loopback((response) => send(response, 'text/plain', 'secure'));
    const port = await behindTls(Number(new URL(url).port), onTestFinished);
    const resolve = async () => ['127.0.0.1'];
    const certificates = async () => [await readFile(caFile, 'utf8')];
    const trusting = onThisMachine({ resolve, certificates });
    expect(await trusting.get(`https://${secretHost}:${port}/`, never)).toMatchObject({ text: 'secure' });
    await expect(trusting.get(`https://other.test:${port}/`, never)).rejects.toThrow(/altnames/);
    await expect(onThisMachine({ resolve }).get(`https://${secretHost}:${port}/`, never)).rejects.toThrow(
      /self-signed certificate/,
    );
  });

  test('each redirect is checked again', async () => {
    const { url, requests } = await loopback((response, { path }) =>
      path === '/' ? redirect(response, '/inside') : send(response, 'text/plain', 'inside'),
    );
    let asked = 0;
    const web = createWeb({
      fetch: (input, init) => fetch(String(input).replace('a.test', '127.0.0.1'), init),
      resolve: async () => (asked++ === 0 ? ['8.8.8.8'] : ['127.0.0.1']),
    });
    await expect(web.get(url.replace('127.0.0.1', 'a.test'), never)).rejects.toThrow('a loopback address');
    expect(requests.map(({ path }) => path)).toEqual(['/']);
  });

  describe("through the user's proxy", () => {
    const through = (resolve: NonNullable<WebOptions['resolve']>) => {
      const asked: string[] = [];
      const proxied: typeof fetch = async (input) => {
        asked.push(String(input));
        return new Response('by proxy', { headers: { 'content-type': 'text/plain' } });
      };
      return { web: createWeb({ fetch: proxied, resolve }), asked };
    };
    const unknown = async (): Promise<string[]> => {
      throw new Error('ENOTFOUND');
    };

    test('a name that only the proxy can resolve is fetched', async () => {
      const { web, asked } = through(unknown);
      expect(await web.get('https://a.org/', never)).toMatchObject({ text: 'by proxy' });
      expect(asked).toEqual(['https://a.org/']);
    });

    test.each([
      ['http://127.0.0.1/', unknown],
      ['http://0x7f000001/', unknown],
      ['http://[::1]/', unknown],
      ['http://localhost/', unknown],
      ['http://metadata.google.internal/', unknown],
      ['http://wiki.corp/', async () => ['10.1.2.3']],
    ])('%s never reaches it', async (url, resolve) => {
      const { web, asked } = through(resolve);
      await expect(web.get(url, never)).rejects.toThrow('only public addresses can be fetched');
      expect(asked).toEqual([]);
    });
  });

  test('property: no spelling of a local address is allowed', async () => {
    const spelled = fc
      .tuple(
        fc.integer({ min: 0x7f000000, max: 0x7fffffff }),
        fc.constantFrom('dec', 'hex', 'oct', 'short', 'mapped'),
      )
      .map(([value, way]) => {
        const low = value & 0xffffff;
        if (way === 'dec') return `${value}`;
        if (way === 'hex') return `0x${value.toString(16)}`;
        if (way === 'oct') return `0${value.toString(8)}`;
        if (way === 'short') return `127.${low}`;
        return `[::ffff:${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}]`;
      });
    const proxied: typeof fetch = () => Promise.reject(new Error('reached'));
    const web = createWeb({ fetch: proxied });
    await fc.assert(
      fc.asyncProperty(spelled, async (host) => {
        await expect(web.get(`http://${host}/`, never)).rejects.toBeInstanceOf(PermissionDeniedError);
      }),
    );
  });
});
