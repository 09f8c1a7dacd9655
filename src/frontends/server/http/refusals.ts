import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { addressOf, type Door } from './authenticate.ts';
import type { Refusal } from './check-request.ts';
import { securityHeaders } from './response-headers.ts';

/** How long a client has to take its answer. */
const ANSWER_MS = 1_000;

/** Never quotes the request. */
const HINTS: Record<number, string> = {
  401: 'Sign in: run `aca serve link` and open the link that it prints.',
  403: 'This request came from another site.',
  421: 'The server does not know this host name. Start it with `aca serve --allow-host NAME`.',
  429: 'Too many wrong tokens. Wait a little, then try again.',
};

export function hintFor({ status }: Refusal): string {
  return HINTS[status] ?? `${STATUS_CODES[status] ?? 'Refused'}.`;
}

export function refusalHeaders({ status, waitMs = 0 }: Refusal): Record<string, string> {
  return {
    ...securityHeaders,
    'content-type': 'text/plain; charset=utf-8',
    connection: 'close',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(status === 429 && { 'retry-after': String(Math.ceil(waitMs / 1000)) }),
  };
}

/**
 * Refuses on a socket that the HTTP server does not handle any more. No timeout of the server covers it, and a client
 * may keep its half open for ever, so it is destroyed.
 */
export function refuseOn(socket: Duplex, refusal: Refusal): void {
  const late = setTimeout(() => socket.destroy(), ANSWER_MS).unref();
  socket.once('close', () => clearTimeout(late));
  socket.once('finish', () => socket.destroy());
  socket.end(refusalText(refusal));
}

function refusalText(refusal: Refusal): string {
  const body = `${hintFor(refusal)}\n`;
  const headers = { ...refusalHeaders(refusal), 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`, ...lines, '', body].join(
    '\r\n',
  );
}

/** Without the query, which may contain secrets. */
export function logRefusal(request: IncomingMessage, { reason }: Refusal, door: Door): void {
  const { method, headers, url = '' } = request;
  const target = `${headers.upgrade === undefined ? method : 'upgrade'} ${url.split('?')[0]}`;
  door.log.writeLimited({
    event: 'refused',
    address: addressOf(request, door),
    detail: `${reason}: ${target}`,
  });
}
