import type { SlashCommand } from '../contract/command.ts';

export const quit: SlashCommand = {
  name: 'quit',
  description: 'Leave; the session is kept',
  async execute(_args, { quit }) {
    quit();
  },
};
