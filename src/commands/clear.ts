import type { SlashCommand } from '../contract/command.ts';

export const clear: SlashCommand = {
  name: 'clear',
  needs: 'terminal',
  description: 'Start a new conversation (this one is saved)',
  async execute(_args, { sessions, print }) {
    const { id, messages } = sessions.session;
    if (messages.length === 0) return print('The conversation is already empty.');
    sessions.begin();
    print(`Started a new session. Resume the previous one with: aca --resume ${id.slice(0, 8)}`);
  },
};
