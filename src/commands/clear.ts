import type { SlashCommand } from '../contract/command.ts';

export const clear: SlashCommand = {
  name: 'clear',
  needs: 'terminal',
  description: 'Start a new conversation (this one is saved)',
  async execute(_args, { sessions, print }) {
    const { id, messages } = sessions.session;
    if (messages.length === 0) return print('The conversation is already empty.');
    await sessions.begin();
    print(`Started a new session. Go back to the previous one with: /resume ${id.slice(0, 8)}`);
  },
};
