import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { housekeepingOptions } from '../../../app/housekeeping/housekeeping.ts';
import { sizeText } from '../../../app/housekeeping/size-text.ts';
import { byLastUsed } from '../../../app/opening/choose-session.ts';
import { loadSettings, sessionStore } from '../../../app/settings.ts';
import type { SessionSummary } from '../../../contract/session.ts';
import type { Terminal } from '../../../frontends/shared/terminal.ts';
import { counted } from '../../../lib/text/counted.ts';
import { localTime } from '../../../lib/text/local-time.ts';
import { visible } from '../../../lib/text/printable.ts';
import { forgetTraces, planHousekeeping, pruneSessions, spaceUse } from '../../../session/housekeeping.ts';
import { table, withContext } from '../context.ts';
import { type SessionsDesk as Desk, sessionArgument as id, missing } from './desk.ts';
import { addTransfers } from './transfer.ts';

const MAX_HITS = 200;

const json = ['--json', 'print JSON'] as const;

export function sessionsCommand(terminal: Terminal): Command {
  const print = (text: string): void => {
    terminal.stdout.write(text);
  };
  const open = () => {
    const settings = loadSettings({}, terminal);
    return housekeepingOptions({ ...settings, store: sessionStore(settings) });
  };
  const command = withContext(new Command('sessions'), terminal).description(
    'List, search, export and clean up past sessions',
  );

  command
    .command('list', { isDefault: true })
    .description('List past sessions, last used first; resume one with `aca --resume ID`')
    .option(...json)
    .action((options: { json?: boolean }) => {
      const sessions = byLastUsed(open().store.list());
      if (options.json) print(`${JSON.stringify(sessions)}\n`);
      else print(sessions.length > 0 ? table(sessions.map(rowOf)) : 'No sessions yet.\n');
    });

  command
    .command('search')
    .description('Search all sessions')
    .argument('<words...>')
    .action((words: string[]) => {
      const hits = open().store.catalog.search(words.join(' '), MAX_HITS);
      const rows = hits.map(({ summary, role, line }) => [
        summary.id.slice(0, 8),
        role,
        visible(line).slice(0, 120),
      ]);
      print(rows.length > 0 ? table(rows) : 'Nothing found.\n');
    });

  const desk = { terminal, print, open };
  addTransfers(command, desk);
  addChanges(command, desk);
  addCleaning(command, desk);
  return command;
}

/** What changes a session, or makes a new one of it. */
function addChanges(command: Command, { print, open }: Desk): void {
  command
    .command('rename')
    .description('Rename a session')
    .argument(...id)
    .argument('<title...>')
    .action(async (wanted: string, title: string[]) => {
      const found = await open().store.add(wanted, { type: 'title', title: title.join(' ') });
      print(`${(found ?? missing(wanted)).slice(0, 8)} is now "${title.join(' ')}".\n`);
    });

  for (const pinned of [true, false]) {
    command
      .command(pinned ? 'pin' : 'unpin')
      .description(
        pinned ? 'Pin a session so it is never cleaned up' : 'Unpin a session so it can be cleaned up',
      )
      .argument(...id)
      .action(async (wanted: string) => {
        const found = await open().store.add(wanted, { type: 'pin', pinned });
        print(`${(found ?? missing(wanted)).slice(0, 8)} is ${pinned ? 'pinned' : 'no longer pinned'}.\n`);
      });
  }

  command
    .command('fork')
    .description('Copy a session, or its first messages, to a new session')
    .argument(...id)
    .option('--messages <n>', 'how many messages to copy', wholeNumber)
    .option('--rewound', 'include the messages removed by the last /rewind')
    .action(
      async (wanted: string, { messages, rewound = false }: { messages?: number; rewound?: boolean }) => {
        const copy = (await open().store.fork(wanted, messages, { rewound })) ?? missing(wanted);
        await copy.close();
        print(`${copy.session.id}\n`);
      },
    );
}

/** What removes sessions, and shows how much space they use. */
function addCleaning(command: Command, { print, open }: Desk): void {
  command
    .command('delete')
    .description('Delete a session and its undo data')
    .argument(...id)
    .action(async (wanted: string) => {
      const { root, store } = open();
      const found = (await store.find(wanted)) ?? missing(wanted);
      await store.delete(found);
      forgetTraces(root, found);
      print(`Deleted ${found.slice(0, 8)}.\n`);
    });

  command
    .command('clean')
    .description('Delete old unused sessions, and the oldest ones over the storage limit')
    .option('--dry-run', 'only show what would be deleted')
    .action(async ({ dryRun }: { dryRun?: boolean }) => {
      const options = open();
      const plan = planHousekeeping(options);
      const { removed, freedBytes } = dryRun
        ? { removed: plan, freedBytes: 0 }
        : await pruneSessions(plan, options);
      if (removed.length > 0)
        print(table(removed.map(({ session, because }) => [...rowOf(session), because])));
      print(
        dryRun
          ? `${removed.length} sessions would be removed.\n`
          : `${removed.length} sessions removed, ${sizeText(freedBytes)} freed.\n`,
      );
    });

  command
    .command('usage')
    .description('Show what uses space in the data root')
    .option(...json)
    .action((options: { json?: boolean }) => {
      const { root } = open();
      const use = spaceUse(root);
      if (options.json) print(`${JSON.stringify(use)}\n`);
      else
        print(
          use.length > 0
            ? table(use.map(({ part, bytes }) => [sizeText(bytes), path.join(root, part)]))
            : 'Nothing yet.\n',
        );
    });
}

function rowOf(summary: SessionSummary): string[] {
  const { id, updatedAt, messageCount, bytes, costUsd, workingDirectory, title, firstPrompt, pinned } =
    summary;
  return [
    id.slice(0, 8),
    localTime(updatedAt).slice(0, 16),
    counted(messageCount, 'message'),
    sizeText(bytes),
    costUsd === null ? '' : `$${costUsd.toFixed(2)}`,
    workingDirectory,
    `${pinned ? '* ' : ''}${visible(title ?? firstPrompt)}`,
  ];
}

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0) throw new InvalidArgumentError('Use a whole number.');
  return number;
}
