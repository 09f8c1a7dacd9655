import type { ConnectionOptions } from 'node:tls';
import { WebSocket } from 'ws';
import { UserError } from '../../contract/errors.ts';
import { dataRoot } from '../../lib/files/data-root.ts';
import { isRunning } from '../../lib/files/process-identity.ts';
import { ownerToken } from './access/secrets.ts';
import { trustOwnServer } from './http/certificate.ts';
import { SOCKET_PATH } from './server-methods.ts';
import { findServer, type ServerRecord, serverFolder } from './server-record.ts';

/** A server that takes the connection and says nothing is as good as none. */
const HANDSHAKE_MS = 10_000;

/** A server, and the token or the secret of an invitation for it. */
export type ServerAccess = {
  url: string;
  secret: string;
  tls?: Pick<ConnectionOptions, 'ca' | 'checkServerIdentity'>;
};

/** A connection of a program. It has no origin: the secret is all that counts. */
export function serverSocket({ url, secret, tls }: ServerAccess): WebSocket {
  return new WebSocket(`${url.replace(/^http/, 'ws')}${SOCKET_PATH}`, {
    headers: { authorization: `Bearer ${secret}` },
    ...tls,
    perMessageDeflate: false,
    handshakeTimeout: HANDSHAKE_MS,
    // As in browsers: whoever awaits an answer goes on before the next message comes.
    allowSynchronousEvents: false,
  });
}

/**
 * For the owner of this data root. Several machines can share it, and on each of them another user may listen at this
 * address: without a certificate that proves who answers, the token goes to a process that is known to run here.
 */
export function ownerAccess({ url, process }: ServerRecord, root: string): ServerAccess {
  const folder = serverFolder(root);
  const tls = trustOwnServer(folder);
  const isProven = url.startsWith('https:') && tls.ca !== undefined;
  if (!isProven && isRunning(process) !== true)
    throw new UserError(
      'The server of this data root runs on another machine or in a container.',
      'Run this command there, or open a link of `aca serve link` here in a browser.',
    );
  return { url, secret: ownerToken(folder), tls };
}

/** To the server that this user runs here; null if there is none. */
export function localAccess(env: NodeJS.ProcessEnv): ServerAccess | null {
  const root = dataRoot(env);
  const server = findServer(root);
  return server && ownerAccess(server, root);
}
