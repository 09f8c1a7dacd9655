import { rawRequest } from './raw-http.ts';

/** A server under attack, with secrets that work and secrets that do not work any more. */
export type Victim = {
  port: number;
  token: string;
  /** A browser that is signed in. */
  cookie: string;
  key: string;
  /** A one-time code that was used, a revoked invitation and a signed-out browser. */
  usedCode: string;
  revoked: string;
  signedOut: { cookie: string; key: string };
  /** Of another server of the same user, on another port. */
  otherToken: string;
};

export type HostileRequest = { name: string; bytes: string };

const WS = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** None of them may succeed: no 2xx, no upgrade. */
export function hostileRequests(victim: Victim): HostileRequest[] {
  return [
    ...hosts(victim),
    ...origins(victim),
    ...secrets(victim),
    ...paths(victim),
    ...wrongMethods(victim),
    ...bodies(victim),
    ...malformed(victim),
    ...upgrades(victim),
  ];
}

/** What the same secrets are for. */
export function honestRequests({ port, token, cookie, key }: Victim): string[] {
  const host = `Host: 127.0.0.1:${port}`;
  const own = `Origin: http://127.0.0.1:${port}`;
  const page = `Sec-WebSocket-Protocol: aca.v1, aca.key.${key}`;
  return [
    me([host, `Authorization: Bearer ${token}`]),
    me([host, `Cookie: ${cookie}`, `X-Aca-Key: ${key}`]),
    upgrade([host, `Authorization: Bearer ${token}`]),
    upgrade([host, own, `Cookie: ${cookie}`, page]),
  ];
}

const me = (headers: string[], path = '/api/me') =>
  rawRequest(`GET ${path} HTTP/1.1`, [...headers, 'Connection: close']);
const upgrade = (headers: string[], path = '/acp') => rawRequest(`GET ${path} HTTP/1.1`, [...headers, ...WS]);
const row = (name: string, bytes: string): HostileRequest => ({ name, bytes });

/** Names that resolve to this machine, or look like it; all with the correct token. */
function hosts({ port, token }: Victim): HostileRequest[] {
  const names = [
    'evil.example',
    `evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    `127-0-0-1.rebind.example:${port}`,
    `localhost.evil.example:${port}`,
    `evil.localhost:${port}`,
    '127.0.0.1',
    'localhost',
    `127.0.0.1:${port + 1}`,
    `0.0.0.0:${port}`,
    `127.1:${port}`,
    `127.0.0.2:${port}`,
    `2130706433:${port}`,
    `0x7f000001:${port}`,
    `0177.0.0.1:${port}`,
    `localhost.:${port}`,
    `[::]:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `127.0.0.1:${port}@evil.example`,
    `evil.example@127.0.0.1:${port}`,
    `127.0.0.1:${port}, evil.example`,
    `127.0.0.1:0${port}`,
    `127.0.0.1:${port}/`,
    `127.0.0.1:${port}#`,
    '169.254.169.254',
    '',
  ];
  const auth = `Authorization: Bearer ${token}`;
  const good = `Host: 127.0.0.1:${port}`;
  return [
    ...names.flatMap((name) => [
      row(`host ${name || '(empty)'}`, me([`Host: ${name}`, auth])),
      row(`upgrade, host ${name || '(empty)'}`, upgrade([`Host: ${name}`, auth])),
    ]),
    row('no host', me([auth])),
    row('no host, HTTP/1.0', rawRequest('GET /api/me HTTP/1.0', [auth])),
    row('two hosts, the good one first', me([good, 'Host: evil.example', auth])),
    row('two hosts, the good one last', me(['Host: evil.example', good, auth])),
    row(
      'absolute target of another host',
      rawRequest('GET http://evil.example/api/me HTTP/1.1', [good, auth]),
    ),
    row('absolute target', rawRequest(`GET http://127.0.0.1:${port}/api/me HTTP/1.1`, [good, auth])),
    row('X-Forwarded-Host', me(['Host: evil.example', `X-Forwarded-Host: 127.0.0.1:${port}`, auth])),
    row('OPTIONS *', rawRequest('OPTIONS * HTTP/1.1', [good, auth, 'Connection: close'])),
    row('CONNECT', rawRequest('CONNECT 127.0.0.1:22 HTTP/1.1', [good, auth])),
  ];
}

/** Other sites, with the browser's correct cookie and key, or with the token. */
function origins({ port, token, cookie, key }: Victim): HostileRequest[] {
  const foreign = [
    'http://evil.example',
    `http://evil.example:${port}`,
    'null',
    '',
    `https://127.0.0.1:${port}`,
    `http://127.0.0.1:${port + 1}`,
    'http://127.0.0.1',
    `http://localhost:${port}`,
    `http://127.0.0.1:${port}.evil.example`,
    `http://127.0.0.1:${port}/`,
    `http://user@127.0.0.1:${port}`,
    `http://127.0.0.1:${port} http://evil.example`,
    `HTTP://127.0.0.1:${port}`,
    'file://',
    'chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'vscode-webview://x',
  ];
  const host = `Host: 127.0.0.1:${port}`;
  const page = [host, `Cookie: ${cookie}`, `Sec-WebSocket-Protocol: aca.v1, aca.key.${key}`];
  const post = (headers: string[]) =>
    rawRequest('POST /api/sign-out HTTP/1.1', [
      host,
      `Cookie: ${cookie}`,
      `X-Aca-Key: ${key}`,
      ...headers,
      'Content-Length: 0',
    ]);
  const own = `Origin: http://127.0.0.1:${port}`;
  return [
    ...foreign.flatMap((origin) => [
      row(`upgrade with a cookie from ${origin || '(empty)'}`, upgrade([...page, `Origin: ${origin}`])),
      row(`sign-out from ${origin || '(empty)'}`, post([`Origin: ${origin}`])),
    ]),
    row(
      'upgrade with a token from another site',
      upgrade([host, `Authorization: Bearer ${token}`, 'Origin: http://evil.example']),
    ),
    row('upgrade with a cookie and no origin', upgrade(page)),
    row('sign-out without an origin', post([])),
    row('two origins', upgrade([...page, own, 'Origin: http://evil.example'])),
    row(
      'a script of another site',
      me([
        host,
        `Cookie: ${cookie}`,
        `X-Aca-Key: ${key}`,
        'Sec-Fetch-Site: cross-site',
        'Sec-Fetch-Mode: no-cors',
        'Sec-Fetch-Dest: script',
      ]),
    ),
    row(
      'a page of another port',
      me([
        host,
        `Cookie: ${cookie}`,
        `X-Aca-Key: ${key}`,
        'Sec-Fetch-Site: same-site',
        'Sec-Fetch-Mode: cors',
        'Sec-Fetch-Dest: empty',
      ]),
    ),
    row(
      'a frame on another site',
      me([host, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe'], '/'),
    ),
    row(
      'a form on another site',
      rawRequest(
        'POST /api/sign-in HTTP/1.1',
        [host, 'Origin: null', 'Sec-Fetch-Site: cross-site', 'Content-Type: text/plain', 'Content-Length: 2'],
        '{}',
      ),
    ),
    row(
      'a preflight of another site',
      rawRequest('OPTIONS /api/me HTTP/1.1', [
        host,
        'Origin: http://evil.example',
        'Access-Control-Request-Method: GET',
        'Access-Control-Request-Headers: authorization',
      ]),
    ),
  ];
}

/** Missing, wrong, stale and misplaced secrets, from the right page. */
function secrets(victim: Victim): HostileRequest[] {
  const { port, token, cookie, key, usedCode, revoked, signedOut, otherToken } = victim;
  const host = `Host: 127.0.0.1:${port}`;
  const own = `Origin: http://127.0.0.1:${port}`;
  const value = cookie.split('=')[1] ?? '';
  const flipped = (token.startsWith('A') ? 'B' : 'A') + token.slice(1);
  const headers: [name: string, lines: string[]][] = [
    ['no secret', []],
    ['a wrong token', [`Authorization: Bearer ${flipped}`]],
    ['an empty token', ['Authorization: Bearer ']],
    ['Bearer alone', ['Authorization: Bearer']],
    ['a token without a scheme', [`Authorization: ${token}`]],
    ['Basic', [`Authorization: Basic ${Buffer.from(`owner:${token}`).toString('base64')}`]],
    ['a shortened token', [`Authorization: Bearer ${token.slice(0, -1)}`]],
    ['a longer token', [`Authorization: Bearer ${token}A`]],
    ['a padded token', [`Authorization: Bearer ${token}=`]],
    ['two tokens', [`Authorization: Bearer ${flipped}, Bearer ${token}`]],
    ['two headers', [`Authorization: Bearer ${token}`, 'Authorization: Bearer x']],
    ['the token of another server', [`Authorization: Bearer ${otherToken}`]],
    ['a used code', [`Authorization: Bearer ${usedCode}`]],
    ['a revoked invitation', [`Authorization: Bearer ${revoked}`]],
    ['the cookie as a token', [`Authorization: Bearer ${value}`]],
    ['the token as a cookie', [`Cookie: aca-${port}=${token}`, `X-Aca-Key: ${key}`]],
    ['the token in X-Aca-Key', [`X-Aca-Key: ${token}`]],
    ['a cookie without a key', [`Cookie: ${cookie}`]],
    ['a cookie with a wrong key', [`Cookie: ${cookie}`, `X-Aca-Key: ${flipped}`]],
    ['a cookie with an empty key', [`Cookie: ${cookie}`, 'X-Aca-Key: ']],
    ['a key without a cookie', [`X-Aca-Key: ${key}`]],
    ['the key as a cookie', [`Cookie: aca-${port}=${key}`, `X-Aca-Key: ${key}`]],
    ['the cookie of another port', [`Cookie: aca-${port + 1}=${value}`, `X-Aca-Key: ${key}`]],
    ['a cookie that another port planted', [`Cookie: aca-${port}=${flipped}`, `X-Aca-Key: ${key}`]],
    ['a cookie for TLS without TLS', [`Cookie: __Host-aca-${port}=${value}`, `X-Aca-Key: ${key}`]],
    ['a signed-out browser', [`Cookie: ${signedOut.cookie}`, `X-Aca-Key: ${signedOut.key}`]],
    ["one browser's cookie and another's key", [`Cookie: ${cookie}`, `X-Aca-Key: ${signedOut.key}`]],
    ['two cookie headers', [`Cookie: ${cookie}`, 'Cookie: a=b', `X-Aca-Key: ${key}`]],
    [
      'a trusted proxy',
      ['X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1', 'X-Forwarded-User: owner', 'Remote-User: owner'],
    ],
  ];
  const withQuery = ['token', 'code', 'key', 'access_token'].map((name) =>
    row(`the token as ?${name}=`, me([host], `/api/me?${name}=${token}`)),
  );
  return [
    ...headers.map(([name, lines]) => row(name, me([host, own, ...lines]))),
    ...headers.slice(0, 2).map(([name, lines]) => row(`upgrade: ${name}`, upgrade([host, own, ...lines]))),
    row(
      'upgrade: the token as a subprotocol',
      upgrade([host, own, `Sec-WebSocket-Protocol: aca.v1, aca.key.${token}`]),
    ),
    row(
      'upgrade: a cookie without a key',
      upgrade([host, own, `Cookie: ${cookie}`, 'Sec-WebSocket-Protocol: aca.v1']),
    ),
    row(
      'upgrade: a key without our protocol',
      upgrade([host, own, `Cookie: ${cookie}`, `Sec-WebSocket-Protocol: aca.key.${key}`]),
    ),
    row('upgrade: a revoked invitation', upgrade([host, `Authorization: Bearer ${revoked}`])),
    row(
      'upgrade: a signed-out browser',
      upgrade([
        host,
        own,
        `Cookie: ${signedOut.cookie}`,
        `Sec-WebSocket-Protocol: aca.v1, aca.key.${signedOut.key}`,
      ]),
    ),
    ...withQuery,
    ...[usedCode, revoked, flipped, '', token.slice(1)].map((code) =>
      row('sign-in with a code that is none', signIn(victim, JSON.stringify({ code, name: 'Eve' }))),
    ),
  ];
}

function signIn(
  { port }: Victim,
  body: string,
  headers: string[] = ['Content-Type: application/json'],
): string {
  const own = [`Host: 127.0.0.1:${port}`, `Origin: http://127.0.0.1:${port}`];
  return rawRequest(
    'POST /api/sign-in HTTP/1.1',
    [...own, ...headers, `Content-Length: ${Buffer.byteLength(body)}`],
    body,
  );
}

function paths({ port, token }: Victim): HostileRequest[] {
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

function wrongMethods({ port, token }: Victim): HostileRequest[] {
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

function bodies(victim: Victim): HostileRequest[] {
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
function malformed({ port, token }: Victim): HostileRequest[] {
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

function upgrades({ port, token }: Victim): HostileRequest[] {
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
