import type { RememberedNote, SlashCommand, Suggestion } from '../contract/command.ts';
import { exactLine } from '../lib/text/visible-text.ts';
import { MEMORY_IS_OFF } from './memory.ts';

const USAGE = 'Use /learned, or /learned apply or /learned dismiss with a number from the list.';

export const learned: SlashCommand = {
  name: 'learned',
  description: 'Show what was learned from your sessions: suggested rules, instructions and commands',
  async execute([verb, which = ''], { memory, print }) {
    if (!memory) return print(MEMORY_IS_OFF);
    const suggestions = await memory.suggestions();
    if (verb === undefined) return print(listing(suggestions, memory.list()));
    const chosen = suggestions.find((_, i) => String(i + 1) === which);
    if (verb !== 'apply' && verb !== 'dismiss') return print(USAGE);
    if (which === '') return print(USAGE);
    if (!chosen) return print(`There is no suggestion ${which}. See /learned.`);
    if (verb === 'apply') {
      await chosen.apply();
      return print(KINDS[chosen.what].applied(chosen.text));
    }
    await chosen.dismiss();
    print('Dismissed.');
  },
};

const KINDS: Record<Suggestion['what'], { verb: string; applied(text: string): string }> = {
  rule: {
    verb: 'allow',
    applied: (text) => `${exactLine(text)} is now allowed in this folder. Undo it with /permissions.`,
  },
  convention: {
    verb: 'always tell',
    applied: () => 'It is now included in every session. Undo it with /memory.',
  },
  instruction: {
    verb: 'add to AGENTS.md:',
    applied: () => 'Added to AGENTS.md. Undo it with /undo or `aca undo`.',
  },
};

function listing(suggestions: readonly Suggestion[], notes: readonly RememberedNote[]): string {
  const suggested = suggestions.map(
    ({ what, text, because }, i) => `  ${i + 1}. ${KINDS[what].verb} ${exactLine(text)} (${because})`,
  );
  const commands = notes.flatMap(({ kind, text, date }, i) => {
    const when = date === null ? '' : ` (${date})`;
    return kind === 'commands' ? [`  ${text}${when}; remove it with /memory forget ${i + 1}`] : [];
  });
  return [
    ...(suggested.length > 0
      ? [
          'Suggested:',
          ...suggested,
          'None of these are active. Apply one with /learned apply NUMBER, or drop it with /learned dismiss NUMBER.',
        ]
      : ['No suggestions yet: nothing was approved three times, and no instruction was noticed.']),
    ...(commands.length > 0 ? ['Commands that new sessions are told of:', ...commands] : []),
  ].join('\n');
}
