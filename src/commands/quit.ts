import type { SlashCommand } from '../contract/command.ts';

export const quit: SlashCommand = {
  name: 'quit',
  needs: 'terminal',
  description: 'Quit (the session is saved)',
  async execute(_args, { quit }) {
    quit();
  },
};
