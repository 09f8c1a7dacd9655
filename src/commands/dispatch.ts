import type { CommandContext } from '../contract/command.ts';
import { nearest } from '../lib/text/nearest.ts';
import { commandNamed } from './command-named.ts';

/** A path such as /etc is not a command. */
const COMMAND = /^\/([a-z][\w-]*|[a-z0-9][\w.-]*:[^\s/]+)(?:\s+(.*))?$/is;
/** Names that may also be files: a command only if there is one. */
const UNUSUAL = /^\/([a-z0-9][\w.-]*)(?:\s+(.*))?$/is;

export function isCommandLine(line: string): boolean {
  return COMMAND.test(line.trim());
}

/** Runs `/name args`; false when the line is not a command and belongs to the model. */
export async function dispatch(line: string, context: CommandContext): Promise<boolean> {
  const match = COMMAND.exec(line.trim());
  const [, name = '', rest = ''] = match ?? UNUSUAL.exec(line.trim()) ?? [];
  const command = name === '' ? undefined : commandNamed(name, context.commands);
  if (command) {
    await command.execute(rest.split(/\s+/).filter(Boolean), context);
    return true;
  }
  if (!match) return false;
  const close = nearest(
    name,
    context.commands.map((candidate) => candidate.name),
  );
  context.print(`There is no command /${name}.${close ? ` Did you mean /${close}?` : ''} /help lists them.`);
  return true;
}
