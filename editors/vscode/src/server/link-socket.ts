import { type ServerAccess, serverSocket } from '../../../../src/frontends/server/server-socket.ts';
import type { LinkSocket } from '../../../../web/wire/server-link.ts';

const REFUSED = [401, 403];

/** `onRefused`: the server does not accept the secret, so that trying again would not help. */
export function linkSocket(access: ServerAccess, onRefused: () => void): LinkSocket {
  const socket = serverSocket(access);
  socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
    if (REFUSED.includes(statusCode)) onRefused();
    socket.terminate();
  });
  // A close event follows.
  socket.on('error', () => undefined);
  return socket;
}
