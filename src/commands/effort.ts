import type { SlashCommand } from '../contract/command.ts';
import { type Effort, isEffort } from '../contract/request/effort.ts';
import { didYouMean } from '../lib/text/nearest.ts';

const MEANINGS: Record<Effort, string> = {
  none: 'answers without thinking',
  minimal: 'hardly thinks',
  low: 'thinks briefly',
  medium: 'thinks as much as usual tasks need',
  high: 'thinks thoroughly',
  xhigh: 'for hard tasks of many steps',
  max: 'thinks as long as it can',
};

export const effort: SlashCommand = {
  name: 'effort',
  forGuests: true,
  description: 'Show or set how hard the model thinks: /effort high',
  async execute([wanted], { effort, print }) {
    if (!effort) return print('The effort can only be set at the start here, with the setting effort.');
    const { levels, default: usual } = effort.levels();
    if (levels.length === 0) return print(`${effort.model()} has no effort setting.`);
    if (wanted === undefined) {
      const current = effort.used() ?? 'default';
      const rows = [
        { name: 'default', text: usual ? `what the vendor uses: ${usual}` : 'what the vendor uses' },
        ...levels.map((name) => ({ name, text: MEANINGS[name] })),
      ];
      const width = Math.max(...rows.map(({ name }) => name.length));
      return print(
        rows
          .map(({ name, text }) => `${name === current ? '*' : ' '} ${name.padEnd(width)}  ${text}`)
          .join('\n'),
      );
    }
    const level = wanted.toLowerCase();
    if (level !== 'default' && !isEffort(level)) {
      const names = ['default', ...levels];
      return print(`There is no effort ${wanted}.${didYouMean(level, names)} /effort lists the levels.`);
    }
    effort.set(level);
    const used = effort.used();
    const instead = level === 'default' || used === level ? '' : ` ${effort.model()} has no ${level}.`;
    print(`Effort: ${used ?? 'default'}, from the next request on.${instead}`);
  },
};
