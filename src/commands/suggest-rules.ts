import type { SlashCommand } from '../contract/command.ts';
import { MEMORY_IS_OFF } from './memory.ts';

export const suggestRules: SlashCommand = {
  name: 'suggest-rules',
  description: 'List what you keep approving, as rules to consider; /suggest-rules apply 1',
  async execute([verb, which = ''], { memory, print }) {
    if (!memory) return print(MEMORY_IS_OFF);
    const suggestions = await memory.suggestions();
    if (verb === undefined) {
      if (suggestions.length === 0) return print('Nothing to suggest: nothing was approved three times yet.');
      const lines = suggestions.map(
        ({ what, text, because }, i) =>
          `  ${i + 1}. ${what === 'rule' ? 'allow' : 'always tell'} ${text} (${because})`,
      );
      return print(
        [...lines, 'Nothing of it is in force. /suggest-rules apply with a number does it.'].join('\n'),
      );
    }
    const chosen = suggestions.find((_, i) => String(i + 1) === which);
    if (verb !== 'apply')
      return print('Write /suggest-rules, or /suggest-rules apply with a number of the list.');
    if (!chosen) return print(`There is no suggestion ${which}. /suggest-rules lists them.`);
    await chosen.apply();
    print(
      chosen.what === 'rule'
        ? `${chosen.text} is allowed in this folder from now on. /permissions takes it back.`
        : 'It is told in every session from now on. /memory takes it back.',
    );
  },
};
