import type { IncomingMessage } from 'node:http';
import type { AccessLog } from '../../../observability/audit/access-log.ts';
import type { Access, AccessStore } from '../access/access-store.ts';
import type { Attempts } from './attempts.ts';
import type { Checked, Refusal } from './check-request.ts';

/** What the parts of the server share. */
export type Door = {
  store: AccessStore;
  attempts: Attempts;
  log: AccessLog;
  port: number;
  /** Whether a reverse proxy on this machine names the client's address. */
  behindProxy: boolean;
};

/** The key of a page, in a header of its requests and among the subprotocols of its sockets. */
const KEY_HEADER = 'x-aca-key';
export const PROTOCOL = 'aca.v1';
const KEY_PROTOCOL = 'aca.key.';

/** Other servers on this host get our cookies, too: the name keeps them apart, the key makes a stolen one useless. */
export function cookieName(port: number, { secure }: { secure: boolean }): string {
  return `${secure ? '__Host-' : ''}aca-${port}`;
}

/**
 * Who sent a request. Programs send a token in the Authorization header. Pages send the cookie, which scripts cannot
 * read, and the key, which only pages of this origin can read.
 */
export async function authenticate(
  request: IncomingMessage,
  checked: Checked,
  door: Door,
): Promise<Access | Refusal> {
  const { authorization } = request.headers;
  const address = addressOf(request, door);
  const cookies = cookiesNamed(request, cookieName(door.port, checked.site));
  const key = keyOf(request);
  const isPage = authorization === undefined;
  if (isPage && (cookies.length === 0 || key === null)) return { status: 401, reason: 'not signed in' };
  if (isPage && !checked.fromOwnPage && request.method !== 'GET')
    return { status: 403, reason: 'missing origin' };
  if (isPage && !checked.fromOwnPage && request.headers.upgrade !== undefined)
    return { status: 403, reason: 'missing origin' };
  return guarded(address, door, async () =>
    isPage
      ? door.store.byCookie(cookies, key ?? '')
      : door.store.byToken(/^Bearer ([^\s,]+)$/i.exec(authorization)?.[1] ?? ''),
  );
}

/** Looks at a secret unless its sender has to wait; null is a wrong one. */
export async function guarded<T>(
  address: string,
  { attempts }: Door,
  look: () => Promise<T | null>,
): Promise<T | Refusal> {
  const tooMany = () => ({ status: 429, reason: 'too many wrong tokens', waitMs: attempts.waitFor(address) });
  if (!attempts.mayTry(address)) return tooMany();
  const found = await look();
  if (found !== null) {
    attempts.succeeded(address);
    return found;
  }
  attempts.failed(address);
  return attempts.waitFor(address) > 0 ? tooMany() : { status: 401, reason: 'wrong or expired token' };
}

export function addressOf(
  { socket, headers }: IncomingMessage,
  { behindProxy }: Pick<Door, 'behindProxy'>,
): string {
  const direct = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
  if (!behindProxy) return direct;
  // The last one is what our own proxy saw; those before it are the client's words.
  const forwarded =
    String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .at(-1)
      ?.trim() ?? '';
  return /^[0-9a-f.:]{2,45}$/i.test(forwarded) ? forwarded : direct;
}

/** Whether a page offered our subprotocol with its key. */
function keyOf({ headers }: IncomingMessage): string | null {
  const offered = String(headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((one) => one.trim());
  const own = offered.includes(PROTOCOL) ? offered.find((one) => one.startsWith(KEY_PROTOCOL)) : undefined;
  return (
    own?.slice(KEY_PROTOCOL.length) ??
    (headers[KEY_HEADER] === undefined ? null : String(headers[KEY_HEADER]))
  );
}

function cookiesNamed({ headers }: IncomingMessage, name: string): string[] {
  return (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .slice(0, 5);
}
