import type { SlashCommand } from '../contract/command.ts';

export const pin: SlashCommand = {
  name: 'pin',
  forGuests: true,
  description: 'Keep a fact through every compaction: /pin TEXT; without text, list pinned facts',
  async execute(args, { window, print }) {
    const text = args.join(' ');
    if (text === '') {
      const lines = window.pins().map((fact, i) => `${i + 1}  ${fact}`);
      return print(lines.length === 0 ? 'Nothing pinned. Pin a fact with /pin TEXT.' : lines.join('\n'));
    }
    const refused = await window.pin(text);
    print(refused ?? `Pinned: ${text}`);
  },
};

export const unpin: SlashCommand = {
  name: 'unpin',
  forGuests: true,
  description: 'Unpin a fact by its number in /pin: /unpin 2',
  async execute([number = ''], { window, print }) {
    const text = window.pins()[Number(number) - 1];
    if (text === undefined) return print(`There is no pinned fact ${number}. /pin lists them.`);
    await window.unpin(text);
    print(`No longer pinned: ${text}`);
  },
};
