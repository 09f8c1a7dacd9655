import {
  type AnyMessage,
  type ClientApp,
  type ClientConnection,
  client,
  methods,
  PROTOCOL_VERSION,
  type Stream,
} from '@agentclientprotocol/sdk';
import type { WebSocket } from 'ws';
import { UserError } from '../../contract/errors.ts';
import type { ServerRecord } from './server-record.ts';
import { ownerAccess, serverSocket } from './server-socket.ts';
import { socketStream } from './sessions/socket-stream.ts';

export type ServerConnection = ClientConnection & { socket: WebSocket };

/** Connects to the server of this data root as its owner. `prepare` adds what the server may call. */
export async function connectToServer(
  server: ServerRecord,
  root: string,
  prepare: (app: ClientApp) => void = () => undefined,
): Promise<ServerConnection> {
  const { url } = server;
  const socket = serverSocket(ownerAccess(server, root));
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
