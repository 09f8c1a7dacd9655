import type { AvailableCommand } from '@agentclientprotocol/sdk';
import { builtinCommands } from '../../commands/index.ts';
import type { SlashCommand } from '../../contract/command.ts';

/** They continue in another session or close this one, which is up to the editor. */
const OF_THE_EDITOR = new Set(['clear', 'fork', 'quit', 'resume', 'rewind', 'add-dir']);

export const sessionCommands: readonly SlashCommand[] = builtinCommands.filter(
  ({ name }) => !OF_THE_EDITOR.has(name),
);

export function availableCommands(commands: readonly SlashCommand[]): AvailableCommand[] {
  return commands.map(({ name, description }) => ({ name, description, input: { hint: 'arguments' } }));
}
