import type { SlashCommand } from '../contract/command.ts';

/** The screen runs it itself, at once: what is said goes into its prompt. */
export const voice: SlashCommand = {
  name: 'voice',
  needs: 'terminal',
  description: 'Dictate into the prompt; Enter finishes, Esc cancels',
  async execute(_args, { print }) {
    print('Voice input needs the interactive screen: start `aca` in a terminal, without --plain.');
  },
};
