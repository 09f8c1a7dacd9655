import type { SlashCommand } from '../contract/command.ts';

export const clear: SlashCommand = {
  name: 'clear',
  description: 'Begin anew with an empty conversation; this one is kept',
  async execute(_args, { sessions, print }) {
    const { id, messages } = sessions.session;
    if (messages.length === 0) return print('The conversation is empty already.');
    sessions.begin();
    print(`This is a new session. The one before is kept: aca --resume ${id.slice(0, 8)}`);
  },
};
