import type { SlashCommand } from '../contract/command.ts';

export const config: SlashCommand = {
  name: 'config',
  description: 'Show which settings are set, and by whom; /config words finds some',
  async execute(words, { settings, print }) {
    const wanted = words.join(' ').toLowerCase();
    const found = (settings?.() ?? []).filter(({ key }) => key.toLowerCase().includes(wanted));
    const way = '`aca config set KEY VALUE` changes one; it counts from the next start on.';
    if (found.length === 0)
      return print(
        `${wanted === '' ? 'Every setting has its default.' : 'Nothing is set of that name.'} ${way}`,
      );
    print([...found.map(({ key, value, origin }) => `${key} = ${value}  (${origin})`), way].join('\n'));
  },
};
