import { rawRequest } from '../raw-http.ts';

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

export const WS = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

export const me = (headers: string[], path = '/api/me') =>
  rawRequest(`GET ${path} HTTP/1.1`, [...headers, 'Connection: close']);
export const upgrade = (headers: string[], path = '/acp') =>
  rawRequest(`GET ${path} HTTP/1.1`, [...headers, ...WS]);
export const row = (name: string, bytes: string): HostileRequest => ({ name, bytes });

export function signIn(
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
