import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { UserError } from '../../contract/errors.ts';
import { certificateText, linkText } from '../../frontends/server/http/announcement.ts';
import type { RunningServer } from '../../frontends/server/http/types.ts';
import { connectToServer } from '../../frontends/server/server-client.ts';
import { type SessionOverview, serverMethods } from '../../frontends/server/server-methods.ts';
import { findServer, type ServerRecord } from '../../frontends/server/server-record.ts';
import { ownerAccess } from '../../frontends/server/server-socket.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { dataRoot } from '../../lib/files/data-root.ts';
import { isRunning } from '../../lib/files/process-identity.ts';
import { ago } from '../../lib/text/ago.ts';
import { visible } from '../../lib/text/printable.ts';
import { table } from '../subcommands/context.ts';

const STOP_MS = 15_000;
const LOOK_MS = 50;
const TITLE_CHARACTERS = 50;

/** What the user needs to connect, once the server listens. */
export async function announce(server: RunningServer, { stdout }: Terminal): Promise<void> {
  const { publicUrl, fingerprint, ownCertificate } = server;
  stdout.write(`Listening on ${publicUrl}\n`);
  if (fingerprint !== null && ownCertificate) stdout.write(certificateText(fingerprint, ownCertificate));
  // A log is no place for a secret.
  if (!stdout.isTTY) {
    stdout.write('To sign in, run `aca serve link`.\n');
    return;
  }
  const link = linkText(await server.signInLink(), { qr: true });
  stdout.write(`Sign in with this link, once and within 10 minutes:\n${link}\n`);
  stdout.write('For another link, run `aca serve link`; for guests, `aca serve invite`. Stop with Ctrl+C.\n');
}

/** `aca serve --status` */
export async function showStatus({ env, stdout }: Terminal): Promise<void> {
  const server = findServer(dataRoot(env));
  if (!server) {
    stdout.write('No server is running. Start one with `aca serve`.\n');
    return;
  }
  const { publicUrl, process, startedAt, version } = server;
  stdout.write(
    `${publicUrl}, process ${process.pid}, version ${version}, started ${ago(startedAt, Date.now())}\n`,
  );
  const sessions = await sessionsOf(server, env);
  const rows = sessions
    .filter(isCurrent)
    .map(({ id, state, title, cwd }) => [
      id.slice(0, 8),
      state,
      visible(title).slice(0, TITLE_CHARACTERS) || '(no prompt)',
      visible(cwd),
    ]);
  stdout.write(rows.length > 0 ? table(rows) : 'No open sessions.\n');
}

/** Those that are open in the server, or were when it ended. */
function isCurrent({ state, participants, lastLine }: SessionOverview): boolean {
  return state !== 'done' || participants > 0 || lastLine !== '';
}

async function sessionsOf(server: ServerRecord, env: Terminal['env']): Promise<SessionOverview[]> {
  const connection = await connectToServer(ownerAccess(server, dataRoot(env)));
  try {
    const { sessions } = await connection.agent.request<{ sessions: SessionOverview[] }>(
      serverMethods.overview,
      {},
    );
    return sessions;
  } finally {
    connection.close();
  }
}

/** `aca serve --stop` */
export async function stopServer({ env, stdout }: Terminal): Promise<void> {
  const server = findServer(dataRoot(env));
  if (!server) {
    stdout.write('No server is running.\n');
    return;
  }
  if (isRunning(server.process) !== true)
    throw new UserError('The server runs on another machine or in a container.', 'Stop it there.');
  process.kill(server.process.pid, 'SIGTERM');
  for (const until = performance.now() + STOP_MS; isRunning(server.process); await pause(LOOK_MS))
    if (performance.now() > until)
      throw new UserError('The server has not stopped yet.', `Look for process ${server.process.pid}.`);
  stdout.write('The server has stopped. Its sessions are saved.\n');
}
