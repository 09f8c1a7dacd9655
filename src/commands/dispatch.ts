import type { CommandContext } from '../contract/command.ts';
import { nearest } from '../lib/text/nearest.ts';

/** A path such as /etc is not a command. */
const COMMAND = /^\/([a-z][\w-]*|[a-z0-9][\w.-]*:[^\s/]+)(?:\s+(.*))?$/is;

export function isCommandLine(line: string): boolean {
  return COMMAND.test(line.trim());
}

/** Runs `/name args`; false when the line is not a command and belongs to the model. */
export async function dispatch(line: string, context: CommandContext): Promise<boolean> {
  const match = COMMAND.exec(line.trim());
  if (!match) return false;
  const [, name = '', rest = ''] = match;
  const command = context.commands.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (command) {
    await command.execute(rest.split(/\s+/).filter(Boolean), context);
    return true;
  }
  const close = nearest(
    name,
    context.commands.map((candidate) => candidate.name),
  );
  context.print(`There is no command /${name}.${close ? ` Did you mean /${close}?` : ''} /help lists them.`);
  return true;
}
