import path from 'node:path';
import type { SessionOptions } from '../../app/options.ts';
import { loadSettings, type Settings } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import { tryLock } from '../../lib/files/lock.ts';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';
import { version } from '../../lib/version.ts';
import { shutdownSignal } from '../shared/signals.ts';
import type { Terminal } from '../shared/terminal.ts';
import { withTerminals } from './attach/terminal-requests.ts';
import { createFleetReader } from './http/fleet.ts';
import { withOwnerRequests } from './http/owner-requests.ts';
import { startServer } from './http/server.ts';
import type { RunningServer, ServerOptions } from './http/types.ts';
import { findServer, forgetServer, recordServer, serverFolder } from './server-record.ts';
import { Connection, type ConnectionDeps } from './sessions/connection.ts';
import { HostedSessions } from './sessions/hosted-sessions.ts';

export type ServeOptions = {
  session: SessionOptions;
  door: Pick<ServerOptions, 'listen' | 'allowHosts' | 'tls' | 'behindProxy'>;
  /** Called when clients can connect. */
  onListening(server: RunningServer): Promise<void>;
};

/** Owns sessions until the process is ended. What runs then is interrupted, and can be continued by the next server. */
export async function runServer(options: ServeOptions, terminal: Terminal): Promise<void> {
  const settings = loadSettings(options.session, terminal);
  const { root } = settings;
  const folder = serverFolder(root);
  makePrivateFolder(folder);
  const lock = tryLock(path.join(folder, 'server'));
  if (!lock) throw alreadyRunning(root);
  try {
    await serveSessions(options, terminal, settings);
  } finally {
    lock.release();
  }
}

async function serveSessions(
  { session, door, onListening }: ServeOptions,
  terminal: Terminal,
  { root, config }: Settings,
): Promise<void> {
  const folder = serverFolder(root);
  const leaving = shutdownSignal(terminal);
  const warn = (message: string) => void terminal.stderr.write(`${message}\n`);
  let server: RunningServer | undefined;
  const audit: RunningServer['audit'] = (entry) => server?.audit(entry);
  const hosted = new HostedSessions({ options: session, terminal, leaving, folder, audit });
  const fleet = createFleetReader(terminal.env, config);
  const extend: ConnectionDeps['extend'] = (app, connected) => {
    if (server) withOwnerRequests(app, connected.who, { server, root, fleet });
    withTerminals(app, connected, { hosted, env: terminal.env });
  };
  try {
    server = await startServer({
      ...door,
      folder,
      auditFile: config.auditLog ? path.join(root, 'audit.jsonl') : null,
      onSocket: (socket, who, isAllowed) => {
        const connection = new Connection(socket, who, { hosted, isAllowed, extend });
        connection.serve().catch((error: Error) => {
          warn(`A connection failed: ${error.message}`);
          socket.terminate();
        });
      },
      onAccessChanged: () => void hosted.dropRevoked(),
      onTrouble: warn,
    });
    const { url, publicUrl } = server;
    await recordServer(root, { url, publicUrl, version });
    await onListening(server);
    await new Promise<void>((end) => {
      if (leaving.aborted) end();
      leaving.addEventListener('abort', () => end());
    });
  } finally {
    await hosted.closeAll();
    // Before its port is free: somebody else could listen there, and get the token.
    forgetServer(root);
    await server?.close();
    await fleet.close();
  }
}

function alreadyRunning(root: string): UserError {
  const running = findServer(root);
  const where = running ? ` at ${running.publicUrl} (process ${running.process.pid})` : '';
  return new UserError(
    `A server is already running${where}.`,
    'Use `aca serve --status` to see its sessions, or `aca serve --stop` to stop it.',
    { exit: 'error' },
  );
}
