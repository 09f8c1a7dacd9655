import type { SlashCommand } from '../contract/command.ts';

export const resume: SlashCommand = {
  name: 'resume',
  description: 'Go on with another session, by its id, the first characters of it, or its title',
  async execute(words, { sessions, print }) {
    if (words.length === 0) return print('Which one? /resume and its id or title; /sessions lists them.');
    await sessions.goTo(words.join(' '));
  },
};
