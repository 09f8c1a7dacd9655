import { Command } from 'commander';
import { lastSessionIn } from '../../app/opening/choose-session.ts';
import { loadSettings, sessionStore } from '../../app/settings.ts';
import { offerUndo, previewOf } from '../../commands/offer-undo.ts';
import { UserError } from '../../contract/errors.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { visible } from '../../lib/text/printable.ts';
import type { OpenSession } from '../../session/store.ts';
import { undoPlace } from '../../session/undo/undo-place.ts';
import { UndoStore } from '../../session/undo/undo-store.ts';
import { confirm } from './confirm.ts';
import { withContext } from './context.ts';

type Flags = { session?: string; yes?: boolean; include?: string[] };

const WORDS = {
  undo: {
    description: 'Undo the file changes of the last run; repeat to go further back',
    nothing: 'Nothing to undo.',
    question: 'Undo this?',
  },
  redo: {
    description: 'Redo what the last undo reverted',
    nothing: 'Nothing to redo.',
    question: 'Redo this?',
  },
};

/** Like `/undo` and `/redo`, for use after a headless run. */
export function undoCommand(verb: 'undo' | 'redo', terminal: Terminal): Command {
  const { description, nothing, question } = WORDS[verb];
  const print = (text: string) => {
    terminal.stdout.write(`${visible(text)}\n`);
  };
  return withContext(new Command(verb), terminal)
    .description(description)
    .option('--session <id>', 'in this session, by id, id prefix or title')
    .option('--yes', 'apply without asking; without it, non-interactive runs only print a preview')
    .option(
      '--include <file...>',
      'also revert these files, which may have been changed by something else; "all" for every one',
    )
    .action(async ({ session, yes = false, include = [] }: Flags) => {
      const settings = loadSettings({}, terminal);
      // Keeps the session open, so that no conversation changes files at the same time.
      const opened = await openSession(session, { ...settings, cwd: terminal.cwd });
      const { id: sessionId, workingDirectory: cwd } = opened.session;
      const undo = new UndoStore({
        ...undoPlace(settings.root, { sessionId, cwd }),
        roots: [opened.session.workingDirectory, ...settings.config.additionalDirectories],
      });
      try {
        const pending = await (verb === 'undo' ? undo.previewUndo() : undo.previewRedo());
        const { cwd, stdin, stdout } = terminal;
        if (!pending) print(nothing);
        else if (yes) await offerUndo(pending, question, { cwd, print, include, confirm: async () => true });
        else if (stdin.isTTY && stdout.isTTY)
          await offerUndo(pending, question, {
            cwd,
            print,
            include,
            confirm: (words) => confirm(words, terminal),
          });
        else print(`${previewOf(pending, cwd)}\nNothing was changed. To apply this, run: aca ${verb} --yes`);
      } finally {
        await undo.close();
        await opened.close();
      }
    });
}

async function openSession(
  wanted: string | undefined,
  settings: Parameters<typeof sessionStore>[0] & { cwd: string },
): Promise<OpenSession> {
  const store = sessionStore(settings);
  const id = wanted === undefined ? lastSessionIn(store, settings.cwd) : await store.find(wanted);
  const opened = id === null ? null : await store.resume(id);
  if (opened) return opened;
  const hint = 'Run `aca sessions` to list them, and pass one with --session.';
  throw wanted === undefined
    ? new UserError('There is no session in this folder.', hint)
    : new UserError(`There is no session "${wanted}".`, hint);
}
