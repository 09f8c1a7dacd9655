import { rawRequest } from '../raw-http.ts';
import { type HostileRequest, me, row, signIn, upgrade, type Victim } from './request.ts';

/** Names that resolve to this machine, or look like it; all with the correct token. */
export function hosts({ port, token }: Victim): HostileRequest[] {
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
export function origins({ port, token, cookie, key }: Victim): HostileRequest[] {
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
export function secrets(victim: Victim): HostileRequest[] {
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
