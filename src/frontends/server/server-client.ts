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
import { type ServerAccess, serverSocket } from './server-socket.ts';
import { socketStream } from './sessions/socket-stream.ts';

export type ServerConnection = ClientConnection & { socket: WebSocket };

/** The server does not let us in: trying again would not help. */
export class AccessRefused extends UserError {}

/** `prepare` adds what the server may call. */
export async function connectToServer(
  access: ServerAccess,
  prepare: (app: ClientApp) => void = () => undefined,
): Promise<ServerConnection> {
  const socket = serverSocket(access);
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', (error) => reject(unreachable(access, error)));
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

function unreachable({ url }: ServerAccess, error: Error): UserError {
  if (/ 40[13]$/.test(error.message))
    return new AccessRefused(
      `The server at ${url} does not accept this token or invitation.`,
      'It may have expired. Ask the owner of the server for another invitation.',
    );
  return new UserError(
    `The server at ${url} cannot be reached: ${error.message}.`,
    'If it is yours, restart it with `aca serve --stop` and `aca serve`.',
  );
}
