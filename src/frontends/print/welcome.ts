import { missingModelText } from '../../app/first-run/missing-model.ts';
import { selectedSession } from '../../app/opening/choose-session.ts';
import { findModel } from '../../app/opening/find-model.ts';
import { loadSettings, sessionStore } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import { exitCodes } from '../shared/exit-codes.ts';
import type { Options } from '../shared/options.ts';
import type { Terminal } from '../shared/terminal.ts';

/** Started without a terminal and without a task: prints the status, and exits. A session is not resumed. */
export async function showWelcome(options: Options, terminal: Terminal): Promise<number> {
  const settings = loadSettings(options, terminal);
  const { cwd } = terminal;
  if ((await selectedSession(options, { store: sessionStore(settings), cwd })) !== null)
    throw new UserError(
      'Resuming a session needs a terminal or a task.',
      'Run this in a terminal, or add a task: -p "TASK".',
    );
  const choice = await findModel(settings, terminal);
  const standing = choice
    ? `Ready: ${choice.preset.name}/${choice.model}.`
    : await missingModelText(settings, terminal);
  terminal.stdout.write(`ai-code-assistant\n\n${standing}\n\n${USE}\n`);
  return exitCodes.done.code;
}

const USE = `Run it in a terminal to start a conversation, or give it a task:
  aca -p "explain this project"
  git diff | aca -p "review this"
  aca --demo        watch a scripted demo on a temporary project; no key needed
  aca --help        everything else`;
