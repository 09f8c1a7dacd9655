import type { SlashCommand } from '../contract/command.ts';
import { MEMORY_IS_OFF } from './memory.ts';

export const suggestRules: SlashCommand = {
  name: 'suggest-rules',
  description: 'Suggest rules for what you keep approving; /suggest-rules apply 1',
  async execute([verb, which = ''], { memory, print }) {
    if (!memory) return print(MEMORY_IS_OFF);
    const suggestions = await memory.suggestions();
    if (verb === undefined) {
      if (suggestions.length === 0) return print('No suggestions yet: nothing was approved three times.');
      const lines = suggestions.map(
        ({ what, text, because }, i) =>
          `  ${i + 1}. ${what === 'rule' ? 'allow' : 'always tell'} ${text} (${because})`,
      );
      return print(
        [...lines, 'None of these are active. Apply one with /suggest-rules apply NUMBER.'].join('\n'),
      );
    }
    const chosen = suggestions.find((_, i) => String(i + 1) === which);
    if (verb !== 'apply')
      return print('Use /suggest-rules, or /suggest-rules apply with a number from the list.');
    if (!chosen) return print(`There is no suggestion ${which}. See /suggest-rules.`);
    await chosen.apply();
    print(
      chosen.what === 'rule'
        ? `${chosen.text} is now allowed in this folder. Undo it with /permissions.`
        : 'It is now included in every session. Undo it with /memory.',
    );
  },
};
