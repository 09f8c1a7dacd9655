import {
  type AnyMessage,
  type ClientApp,
  type ClientConnection,
  client,
  methods,
  PROTOCOL_VERSION,
  type Stream,
} from '@agentclientprotocol/sdk';
import { WebSocket } from 'ws';
import { UserError } from '../../contract/errors.ts';
import { trustOwnServer } from './http/certificate.ts';
import { ownerToken } from './http/secrets.ts';
import { SOCKET_PATH } from './http/sockets.ts';
import { type ServerRecord, serverFolder } from './server-record.ts';
import { socketStream } from './sessions/socket-stream.ts';

export type ServerConnection = ClientConnection & { socket: WebSocket };

/** Connects to the server of this data root as its owner. `prepare` adds what the server may call. */
export async function connectToServer(
  { url }: ServerRecord,
  root: string,
  prepare: (app: ClientApp) => void = () => undefined,
): Promise<ServerConnection> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${SOCKET_PATH}`, {
    headers: { authorization: `Bearer ${ownerToken(serverFolder(root))}` },
    ...trustOwnServer(serverFolder(root)),
    perMessageDeflate: false,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', (error) => reject(unreachable(url, error)));
  });
  const app = client({ name: 'aca' });
  prepare(app);
  const stream: Stream = socketStream(socket);
  const connection = app.connect(
    stream as { readable: ReadableStream<AnyMessage>; writable: WritableStream<AnyMessage> },
  );
  await connection.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION });
  return Object.assign(connection, { socket });
}

function unreachable(url: string, error: Error): UserError {
  return new UserError(
    `The server at ${url} cannot be reached: ${error.message}.`,
    'Restart it with `aca serve --stop` and `aca serve`.',
  );
}
