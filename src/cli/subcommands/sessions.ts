import path from 'node:path';
import { Command } from 'commander';
import { SessionStore } from '../../session/store.ts';
import { loadSettings } from '../open.ts';
import type { Terminal } from '../terminal.ts';
import { table, withContext } from './context.ts';

export function sessionsCommand(terminal: Terminal): Command {
  return withContext(new Command('sessions'), terminal)
    .description('List past sessions, the newest first')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { config, root } = loadSettings({}, terminal);
      const sessions = await new SessionStore(config.sessionDirectory ?? path.join(root, 'sessions')).list();
      const rows = sessions.map(({ id, startedAt, messageCount, workingDirectory }) => [
        id.slice(0, 8),
        startedAt.slice(0, 16).replace('T', ' '),
        `${messageCount} messages`,
        workingDirectory,
      ]);
      terminal.stdout.write(
        json ? `${JSON.stringify(sessions)}\n` : rows.length > 0 ? table(rows) : 'No sessions yet.\n',
      );
    });
}
