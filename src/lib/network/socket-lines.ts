import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** Calls `take` with each line that arrives. Errors end the connection: listen to its `close`. */
export function onSocketLine(socket: Socket, take: (line: string) => void): void {
  const lines = createInterface({ input: socket });
  // The interface reports those of its socket once more.
  for (const one of [socket, lines]) one.on('error', () => undefined);
  lines.on('line', take);
}
