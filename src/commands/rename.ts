import type { SlashCommand } from '../contract/command.ts';

export const rename: SlashCommand = {
  name: 'rename',
  description: 'Give this session a title, by which it can be resumed: /rename login bug',
  async execute(words, { sessions, print }) {
    const title = words.join(' ');
    if (title === '') {
      const now = sessions.session.title;
      return print(
        `${now === undefined ? 'It has no title.' : `It is "${now}".`} /rename and the new title.`,
      );
    }
    await sessions.rename(title);
    print(`This session is now "${title}".`);
  },
};
