import type { AvailableCommand } from '@agentclientprotocol/sdk';
import { builtinCommands } from '../../commands/index.ts';
import type { SlashCommand } from '../../contract/command.ts';
import type { SentPrompt } from './prompt-turns.ts';

export const sessionCommands: readonly SlashCommand[] = builtinCommands.filter(
  ({ needs }) => needs !== 'terminal',
);

/** For prompts of people who were invited. */
const guestCommands = sessionCommands.filter(({ forGuests }) => forGuests);

/** The built-in commands that a prompt may use. */
export function commandsFor({ commands, isGuest }: Pick<SentPrompt, 'commands' | 'isGuest'> = {}) {
  return isGuest ? guestCommands : (commands ?? sessionCommands);
}

/** In `_meta` of a command: only the owner of the session may use it. */
export type CommandMeta = { aca?: { ownerOnly?: true } };

export function availableCommands(commands: readonly SlashCommand[]): AvailableCommand[] {
  return commands.map(({ name, description, forGuests }) => ({
    name,
    description,
    input: { hint: 'arguments' },
    ...(!forGuests && { _meta: { aca: { ownerOnly: true } } satisfies CommandMeta }),
  }));
}
