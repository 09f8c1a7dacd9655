import type { SlashCommand } from '../contract/command.ts';

export const resume: SlashCommand = {
  name: 'resume',
  needs: 'terminal',
  description: 'Resume another session by id, id prefix or title',
  async execute(words, { sessions, print }) {
    if (words.length === 0) return print('Which session? Use /resume with an id or title; see /sessions.');
    await sessions.goTo(words.join(' '));
  },
};
