import { rawRequest } from '../raw-http.ts';
import { type HostileRequest, me, row, signIn, upgrade, type Victim, WS } from './request.ts';

export function paths({ port, token }: Victim): HostileRequest[] {
  const targets = [
    '/../token',
    '/../../../../../../etc/passwd',
    '/..%2f..%2f..%2fetc%2fpasswd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/%252e%252e%252fetc%252fpasswd',
    '/..%5c..%5cetc%5cpasswd',
    '/..\\..\\etc\\passwd',
    '/%c0%ae%c0%ae/etc/passwd',
    '/..;/token',
    '//etc/passwd',
    '/./token',
    '/assets/../token',
    '/assets/..%2ftoken',
    '/assets/',
    '/assets',
    '/token',
    '/serve/token',
    '/access.json',
    '/tls-key.pem',
    '/audit.jsonl',
    '/index.html',
    '/icon.svg%00.html',
    '/%00',
    '/icon.svg/',
    '/.git/config',
    '/.env',
    '/__proto__',
    '/constructor',
    '/api',
    '/api/',
    '/api/me/',
    '/api//me',
    '/API/ME',
    '/api/admin',
    '/acp',
    '/@fs/etc/passwd',
    '/%',
    '/%zz',
    `/${'a'.repeat(15_000)}`,
    `/${'../'.repeat(2_000)}etc/passwd`,
    'file:///etc/passwd',
  ];
  const headers = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`];
  return targets.map((target) => row(`path ${target.slice(0, 40)}`, me(headers, target)));
}

export function wrongMethods({ port, token }: Victim): HostileRequest[] {
  const headers = [
    `Host: 127.0.0.1:${port}`,
    `Origin: http://127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    'Content-Length: 0',
    'Connection: close',
  ];
  const lines = [
    ...['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'OPTIONS', 'PROPFIND'].flatMap((method) => [
      `${method} / `,
      `${method} /api/me `,
    ]),
    'GET /api/sign-in ',
    'GET /api/sign-out ',
    'DELETE /api/sign-in ',
    'get /api/me ',
    'HACK /api/me ',
  ];
  return lines.map((line) => row(line.trim(), rawRequest(`${line}HTTP/1.1`, headers)));
}

export function bodies(victim: Victim): HostileRequest[] {
  const { port, usedCode, token } = victim;
  const own = [
    `Host: 127.0.0.1:${port}`,
    `Origin: http://127.0.0.1:${port}`,
    'Content-Type: application/json',
  ];
  const json = JSON.stringify({ code: token });
  return [
    row('a form as text', signIn(victim, json, ['Content-Type: text/plain'])),
    row('a form', signIn(victim, `code=${token}`, ['Content-Type: application/x-www-form-urlencoded'])),
    row('no content type', signIn(victim, json, [])),
    row('a look-alike content type', signIn(victim, json, ['Content-Type: application/jsonp'])),
    ...[
      '',
      '{',
      '[]',
      'null',
      '"x"',
      '{"code":{"$ne":null}}',
      '{"code":["x"]}',
      '{"code":1}',
      `{"__proto__":{"code":"${usedCode}"}}`,
      '['.repeat(4_000),
    ].map((body) => row(`sign-in with ${body.slice(0, 30) || 'nothing'}`, signIn(victim, body))),
    row('a long code', signIn(victim, JSON.stringify({ code: token, name: 'x'.repeat(3_000) }))),
    row('a body above the limit', signIn(victim, JSON.stringify({ code: token, name: 'x'.repeat(8_000) }))),
    row(
      'a huge announced body',
      rawRequest('POST /api/sign-in HTTP/1.1', [...own, 'Content-Length: 99999999999'], json),
    ),
    row(
      'a chunked body above the limit',
      rawRequest(
        'POST /api/sign-in HTTP/1.1',
        [...own, 'Transfer-Encoding: chunked'],
        `2000\r\n${'x'.repeat(0x2000)}\r\n0\r\n\r\n`,
      ),
    ),
  ];
}

/** What proxies and parsers disagree about. */
export function malformed({ port, token }: Victim): HostileRequest[] {
  const host = `Host: 127.0.0.1:${port}`;
  const auth = `Authorization: Bearer ${token}`;
  const hidden = `GET /api/me HTTP/1.1\r\n${host}\r\n${auth}\r\n\r\n`;
  const post = (headers: string[], body: string) =>
    rawRequest('POST /api/nothing HTTP/1.1', [host, ...headers], body);
  return [
    row('length and chunks', post(['Content-Length: 4', 'Transfer-Encoding: chunked'], `0\r\n\r\n${hidden}`)),
    row('two lengths', post(['Content-Length: 0', `Content-Length: ${hidden.length}`], hidden)),
    row('a list of lengths', post([`Content-Length: 0, ${hidden.length}`], hidden)),
    row('a negative length', post(['Content-Length: -1'], hidden)),
    row('a signed length', post(['Content-Length: +0'], hidden)),
    row('an unknown encoding', post(['Transfer-Encoding: xchunked'], hidden)),
    row('chunked and more', post(['Transfer-Encoding: chunked, identity'], `0\r\n\r\n`)),
    row('a space before the colon', post(['Transfer-Encoding : chunked'], `0\r\n\r\n`)),
    row('a folded header', post(['X-A: b', ' Transfer-Encoding: chunked'], `0\r\n\r\n`)),
    row('a chunk that is too large', post(['Transfer-Encoding: chunked'], `ffffffffffffffff1\r\n`)),
    row('a chunk size that is none', post(['Transfer-Encoding: chunked'], `0x5\r\nhello\r\n0\r\n\r\n`)),
    row('NUL in a header', rawRequest('GET /api/me HTTP/1.1', [host, `${auth}\0`])),
    row(
      'a line break in a header',
      rawRequest('GET /api/me HTTP/1.1', [host, `X-A: b\rAuthorization: Bearer ${token}`]),
    ),
    row('a header without a name', rawRequest('GET /api/me HTTP/1.1', [host, ': x', auth])),
    row('a tab in the request line', rawRequest('GET\t/api/me\tHTTP/1.1', [host, auth])),
    row('HTTP/2 in clear text', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    row('HTTP/0.9', 'GET /api/me\r\n\r\n'),
    row('HTTP/3.7', rawRequest('GET /api/me HTTP/3.7', [host, auth])),
    row('TLS to a plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
    row('garbage', '\0\0\0\0\r\n\r\n'),
    row('large headers', rawRequest('GET /api/me HTTP/1.1', [host, auth, `X-A: ${'a'.repeat(20_000)}`])),
    row(
      'many headers',
      rawRequest('GET /api/me HTTP/1.1', [
        host,
        auth,
        ...Array.from({ length: 3_000 }, (_, i) => `X-${i}: a`),
      ]),
    ),
  ];
}

export function upgrades({ port, token }: Victim): HostileRequest[] {
  const headers = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`];
  const without = (name: string, ...more: string[]) =>
    rawRequest('GET /acp HTTP/1.1', [...headers, ...WS.filter((line) => !line.startsWith(name)), ...more]);
  return [
    row('upgrade on another path', upgrade(headers, '/')),
    row('upgrade on a longer path', upgrade(headers, '/acp/../api/me')),
    row('upgrade by POST', rawRequest('POST /acp HTTP/1.1', [...headers, ...WS])),
    row('upgrade to HTTP/2', without('Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__')),
    row('upgrade without a key', without('Sec-WebSocket-Key')),
    row('upgrade with a bad key', without('Sec-WebSocket-Key', 'Sec-WebSocket-Key: x')),
    row('upgrade with an old version', without('Sec-WebSocket-Version', 'Sec-WebSocket-Version: 7')),
    row('upgrade with a bad list of protocols', upgrade([...headers, 'Sec-WebSocket-Protocol: a,,b'])),
  ];
}
