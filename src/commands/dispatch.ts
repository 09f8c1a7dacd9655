import type { CommandContext, SlashCommand } from '../contract/command.ts';
import { nearest } from '../lib/text/nearest.ts';
import { commandNamed } from './command-named.ts';

/** A path such as /etc is not a command. */
const COMMAND = /^\/([a-z][\w-]*|[a-z0-9][\w.-]*:[^\s/]+)(?:\s+(.*))?$/is;
/** Names that may also be files: a command only if there is one. */
const UNUSUAL = /^\/([a-z0-9][\w.-]*)(?:\s+(.*))?$/is;

/** Commands about how the model works: they apply to a run that is going. All others wait for its end. */
const DURING_RUNS: ReadonlySet<string> = new Set(['effort']);

export function appliesDuringRun(line: string): boolean {
  return DURING_RUNS.has(commandIn(line)?.name.toLowerCase() ?? '');
}

export function isCommandLine(line: string): boolean {
  return COMMAND.test(line.trim());
}

/**
 * The name and the arguments of `/name args`; null if the line is not a command. It `mayBeFile` if it is one only
 * if there is a command of that name.
 */
export function commandIn(line: string): { name: string; words: string[]; mayBeFile: boolean } | null {
  const match = COMMAND.exec(line.trim());
  const [, name, rest = ''] = match ?? UNUSUAL.exec(line.trim()) ?? [];
  return name === undefined
    ? null
    : { name, words: rest.split(/\s+/).filter(Boolean), mayBeFile: match === null };
}

/** What to say about a command that does not exist. */
export function unknownCommand(name: string, commands: readonly SlashCommand[]): string {
  const close = nearest(
    name,
    commands.map((command) => command.name),
  );
  return `There is no command /${name}.${close ? ` Did you mean /${close}?` : ''}`;
}

/** Runs `/name args`; false when the line is not a command and belongs to the model. */
export async function dispatch(line: string, context: CommandContext): Promise<boolean> {
  const typed = commandIn(line);
  const command = typed && commandNamed(typed.name, context.commands);
  if (!typed || (!command && typed.mayBeFile)) return false;
  if (command) await command.execute(typed.words, context);
  else context.print(`${unknownCommand(typed.name, context.commands)} /help lists them.`);
  return true;
}
