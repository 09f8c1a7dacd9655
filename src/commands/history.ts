import type { SlashCommand } from '../contract/command.ts';

const LISTED = 20;

export const history: SlashCommand = {
  name: 'history',
  description: 'List what you typed last, here and in other sessions; /history words finds a prompt',
  async execute(words, { prompts, print }) {
    const wanted = words.join(' ').toLowerCase();
    const found = prompts().filter((prompt) => prompt.toLowerCase().includes(wanted));
    if (found.length === 0) return print(wanted === '' ? 'Nothing was typed yet.' : 'Nothing found.');
    print(
      found
        .slice(-LISTED)
        .map((prompt) => `  ${prompt}`)
        .join('\n'),
    );
  },
};
