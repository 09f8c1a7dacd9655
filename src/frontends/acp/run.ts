import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import type { SessionOptions } from '../../app/options.ts';
import { shutdownSignal } from '../shared/signals.ts';
import type { Terminal } from '../shared/terminal.ts';
import { AcpAgent } from './agent.ts';

/** The frontend for editors: the Agent Client Protocol over standard input and output, until it is closed. */
export async function runAcp(options: SessionOptions, terminal: Terminal): Promise<void> {
  const { stdin, stdout } = terminal;
  const leaving = shutdownSignal(terminal);
  const agent = new AcpAgent(options, terminal, leaving);
  const stream = ndJsonStream(Writable.toWeb(stdout), Readable.toWeb(stdin) as ReadableStream<Uint8Array>);
  const connection = agent.app().connect(stream);
  leaving.addEventListener('abort', () => connection.close());
  await connection.closed;
  await agent.close();
}
