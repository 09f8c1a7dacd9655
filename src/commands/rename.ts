import type { SlashCommand } from '../contract/command.ts';

export const rename: SlashCommand = {
  name: 'rename',
  forGuests: true,
  description: 'Name this session so you can resume it by name: /rename login bug',
  async execute(words, { sessions, print }) {
    const title = words.join(' ');
    if (title === '') {
      const now = sessions.session.title;
      return print(
        `${now === undefined ? 'This session has no title.' : `This session is called "${now}".`} Rename it with /rename TITLE.`,
      );
    }
    await sessions.rename(title);
    print(`This session is now "${title}".`);
  },
};
