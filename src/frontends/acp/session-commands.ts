import type { AvailableCommand } from '@agentclientprotocol/sdk';
import { builtinCommands } from '../../commands/index.ts';
import type { SlashCommand } from '../../contract/command.ts';

export const sessionCommands: readonly SlashCommand[] = builtinCommands.filter(
  ({ needs }) => needs !== 'terminal',
);

export function availableCommands(commands: readonly SlashCommand[]): AvailableCommand[] {
  return commands.map(({ name, description }) => ({ name, description, input: { hint: 'arguments' } }));
}
