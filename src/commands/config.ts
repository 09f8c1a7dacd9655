import type { SlashCommand } from '../contract/command.ts';

export const config: SlashCommand = {
  name: 'config',
  description: 'Show your settings and where each comes from; /config TEXT filters them',
  async execute(words, { settings, print }) {
    const wanted = words.join(' ').toLowerCase();
    const found = (settings?.() ?? []).filter(({ key }) => key.toLowerCase().includes(wanted));
    const way = 'Change one with `aca config set KEY VALUE`. Changes apply at the next start.';
    if (found.length === 0)
      return print(`${wanted === '' ? 'All settings are at their defaults.' : 'No setting matches.'} ${way}`);
    print([...found.map(({ key, value, origin }) => `${key} = ${value}  (${origin})`), way].join('\n'));
  },
};
