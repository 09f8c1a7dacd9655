import type { SlashCommand } from '../contract/command.ts';

const LISTED = 20;

export const history: SlashCommand = {
  name: 'history',
  description: 'List your recent prompts from all sessions; /history TEXT searches them',
  async execute(words, { prompts, print }) {
    const wanted = words.join(' ').toLowerCase();
    const found = prompts().filter((prompt) => prompt.toLowerCase().includes(wanted));
    if (found.length === 0) return print(wanted === '' ? 'No prompts yet.' : 'Nothing found.');
    print(
      found
        .slice(-LISTED)
        .map((prompt) => `  ${prompt}`)
        .join('\n'),
    );
  },
};
