import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type ExportFormat, exported, formatOf } from '../../app/conversation/export-file.ts';
import { redactedSession } from '../../app/conversation/redact-session.ts';
import { housekeepingOptions } from '../../app/housekeeping/housekeeping.ts';
import { sizeText } from '../../app/housekeeping/size-text.ts';
import { loadSettings, sessionStore } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import type { SessionSummary } from '../../contract/session.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { visible } from '../../lib/text/printable.ts';
import { forgetTraces, planHousekeeping, pruneSessions, spaceUse } from '../../session/housekeeping.ts';
import { table, withContext } from './context.ts';

const MAX_HITS = 200;

type ExportOptions = { format?: ExportFormat; output?: string; withSecrets?: boolean };

export function sessionsCommand(terminal: Terminal): Command {
  const print = (text: string): void => {
    terminal.stdout.write(text);
  };
  const open = () => {
    const settings = loadSettings({}, terminal);
    return housekeepingOptions({ ...settings, store: sessionStore(settings) });
  };
  const id = ['<session>', 'its id, the first characters of it, or its title'] as const;
  const json = ['--json', 'print JSON'] as const;

  const command = withContext(new Command('sessions'), terminal)
    .description('List past sessions, the newest first; go on with one by `aca --resume ID`')
    .option(...json)
    .action((options: { json?: boolean }) => {
      const sessions = open().store.list();
      if (options.json) print(`${JSON.stringify(sessions)}\n`);
      else print(sessions.length > 0 ? table(sessions.map(rowOf)) : 'No sessions yet.\n');
    });

  command
    .command('search')
    .description('Find words in all conversations')
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

  command
    .command('export')
    .description('Write a session as Markdown, a self-contained page or JSON')
    .argument(...id)
    .addOption(
      new Option(
        '--format <format>',
        'what to write; without it, what the name of the output asks for, or Markdown',
      ).choices(['markdown', 'html', 'json']),
    )
    .option('-o, --output <file>', 'where to; standard output if absent')
    .option('--with-secrets', 'keep passwords and keys; without it, placeholders stand for them')
    .action(async (wanted: string, { format, output, withSecrets }: ExportOptions) => {
      const settings = loadSettings({}, terminal);
      const whole = (await sessionStore(settings).read(wanted)) ?? missing(wanted);
      const session = withSecrets ? whole : redactedSession(whole, { settings, terminal });
      const text = await exported(session, format ?? formatOf(output ?? '') ?? 'markdown');
      if (output === undefined) print(text);
      else await writeFile(path.resolve(terminal.cwd, output), text, { mode: 0o600 });
    });

  command
    .command('import')
    .description('Take in a session that somebody exported as JSON; go on with it in this folder')
    .argument('<file>', 'what `sessions export --format json` wrote')
    .action(async (file: string) => {
      const text = await readFile(path.resolve(terminal.cwd, file), 'utf8').catch((error: Error) => {
        throw new UserError(`${file} cannot be read: ${error.message}`, 'Name a file that is there.');
      });
      const copy = await open().store.importFrom(text, terminal.cwd, { model: 'imported' });
      await copy.close();
      print(`${copy.session.id}\n`);
    });

  command
    .command('rename')
    .description('Give a session a title')
    .argument(...id)
    .argument('<title...>')
    .action(async (wanted: string, title: string[]) => {
      const found = await open().store.add(wanted, { type: 'title', title: title.join(' ') });
      print(`${(found ?? missing(wanted)).slice(0, 8)} is now "${title.join(' ')}".\n`);
    });

  for (const pinned of [true, false]) {
    command
      .command(pinned ? 'pin' : 'unpin')
      .description(pinned ? 'Keep a session whatever its age' : 'Let a session go when its time comes')
      .argument(...id)
      .action(async (wanted: string) => {
        const found = await open().store.add(wanted, { type: 'pin', pinned });
        print(`${(found ?? missing(wanted)).slice(0, 8)} is ${pinned ? 'pinned' : 'no longer pinned'}.\n`);
      });
  }

  command
    .command('fork')
    .description('Copy a session, or its first messages, into a new one')
    .argument(...id)
    .option('--messages <n>', 'how many of its messages to take along', wholeNumber)
    .option('--rewound', 'with what its last /rewind left behind')
    .action(
      async (wanted: string, { messages, rewound = false }: { messages?: number; rewound?: boolean }) => {
        const copy = (await open().store.fork(wanted, messages, { rewound })) ?? missing(wanted);
        await copy.close();
        print(`${copy.session.id}\n`);
      },
    );

  command
    .command('delete')
    .description('Remove a session and what was kept for its undo')
    .argument(...id)
    .action(async (wanted: string) => {
      const { root, store } = open();
      const id = (await store.find(wanted)) ?? missing(wanted);
      await store.delete(id);
      forgetTraces(root, id);
      print(`${id.slice(0, 8)} is gone.\n`);
    });

  command
    .command('clean')
    .description('Remove sessions unused for long, and the oldest ones past the storage limit')
    .option('--dry-run', 'only say what would go')
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
          : `${removed.length} sessions removed, ${sizeText(freedBytes)} set free.\n`,
      );
    });

  command
    .command('usage')
    .description('Say what takes up the space of the data root')
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

  return command;
}

function rowOf(summary: SessionSummary): string[] {
  const { id, updatedAt, messageCount, bytes, costUsd, workingDirectory, title, firstPrompt, pinned } =
    summary;
  return [
    id.slice(0, 8),
    updatedAt.slice(0, 16).replace('T', ' '),
    `${messageCount} messages`,
    sizeText(bytes),
    costUsd === null ? '' : `$${costUsd.toFixed(2)}`,
    workingDirectory,
    `${pinned ? '* ' : ''}${visible(title ?? firstPrompt)}`,
  ];
}

function missing(wanted: string): never {
  throw new UserError(`There is no session "${wanted}".`, '`aca sessions` lists them.');
}

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0) throw new InvalidArgumentError('It must be a whole number.');
  return number;
}
