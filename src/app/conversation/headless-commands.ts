import { existsSync } from 'node:fs';
import { commandNamed } from '../../commands/command-named.ts';
import { commandIn, unknownCommand } from '../../commands/dispatch.ts';
import type { CommandContext, SlashCommand } from '../../contract/command.ts';
import { UserError } from '../../contract/errors.ts';
import type { Host } from '../host.ts';
import type { Opened } from '../open-assistant.ts';
import { commandContext, commandsOf } from './command-context.ts';
import { redacted } from './redact-session.ts';
import { createSessionActions } from './session-actions.ts';

/** Commands that the terminal interface adds. */
const ON_SCREEN = ['model', 'theme'];

/** A command that is about to run. */
export type HeadlessCommand = {
  name: string;
  run(parts: Pick<CommandContext, 'print' | 'submit' | 'signal'>): Promise<void>;
};

/**
 * The command that a prompt such as `/name args` calls; null if the prompt is for the model. Throws a
 * `UserError` for a command that does not exist or needs a terminal, before anything is sent.
 */
export async function headlessCommand(
  line: string,
  opened: Opened,
  host: Host,
): Promise<HeadlessCommand | null> {
  const typed = commandIn(line);
  if (!typed) return null;
  const { name, words, mayBeFile } = typed;
  const named = await opened.extensions.promptFor(line);
  if (named) return { name, run: ({ submit }) => submit(named.content, named.options) };
  const command = await find(name, opened);
  if (command?.needs || ON_SCREEN.includes(name))
    throw new UserError(`/${name} needs a terminal.`, 'Run `aca` without -p, and type it there.');
  if (command)
    return { name, run: (parts) => command.execute(words, contextFor(command, opened, { host, ...parts })) };
  // `/etc is large` is about a folder.
  if (mayBeFile || existsSync(`/${name}`)) return null;
  throw new UserError(
    unknownCommand(name, commandsOf(opened)),
    `To send it as a prompt, put a word before it: "about /${name} …".`,
  );
}

async function find(name: string, opened: Opened): Promise<SlashCommand | undefined> {
  // `mcp__server__prompt` is how others write it.
  const written = name.replace(/^mcp__(.+?)__/, '$1:');
  await opened.extensions.plugins();
  const known = commandNamed(written, commandsOf(opened));
  if (known) return known;
  await opened.mcp?.settled();
  return commandNamed(written, commandsOf(opened));
}

type Parts = Pick<CommandContext, 'print' | 'submit' | 'signal'> & { host: Host };

function contextFor({ name }: SlashCommand, opened: Opened, { host, ...parts }: Parts): CommandContext {
  const unanswered = async (question: string): Promise<never> => {
    throw new UserError(
      `/${name} asks "${question.trim()}", and nobody can answer here.`,
      'Add what it needs after the command, or run it in a terminal.',
    );
  };
  const { opened: session, store, config, privacy, controller } = opened;
  const commands = () => commandsOf(opened).filter(({ needs }) => !needs);
  return commandContext(opened, {
    ...parts,
    host,
    commands,
    ask: unanswered,
    confirm: unanswered,
    prompts: () => [],
    sessions: createSessionActions({
      opened: session,
      store,
      keeps: config.saveHistory,
      cwd: host.cwd,
      redact: (whole) => redacted(whole, privacy),
      confirm: unanswered,
      warn: (text) => controller.notice('warn', text),
      goOn: () => undefined,
    }),
    quit: () => undefined,
  });
}
