import type { SimpleCommand, Word } from './shell-line.ts';
import { plainWord } from './word.ts';

const MAX_VALUES = 20;
/** One word wherever it is expanded, and never an option. */
const PLAIN = /^[\w./@+][\w./@+-]*$/;

/** The values that a loop gives its variable; null unless all of them are written out. */
export function loopValues(list: readonly Word[], text: string): readonly string[] | null {
  const isWritten = list.every((word) => word.literal && !word.glob && PLAIN.test(word.text));
  // `read` could give it another one in between.
  return isWritten && list.length > 0 && list.length <= MAX_VALUES && !/\bread\b/.test(text)
    ? list.map((word) => word.text)
    : null;
}

/** A command in a loop over words that are written out, once for each of them. */
export function unrolled(command: SimpleCommand): readonly SimpleCommand[] {
  const [name, ...others] = [...new Set(command.words.flatMap(({ variables }) => variables))];
  const values = name === undefined || others.length > 0 ? undefined : command.values.get(name);
  if (values === undefined) return [command];
  return values.map((value) => {
    const words = command.words.map((word) => withValue(word, `${name}`, value));
    return { ...command, words, name: words[0]?.text ?? '' };
  });
}

function withValue(word: Word, name: string, value: string): Word {
  if (word.variables.length === 0 || word.opaque || word.glob || word.nested.length > 0) return word;
  const [, text = ''] = /^"?([^"'\\`*?[\]{}~]*(?:\$\{\w+\}[^"'\\`*?[\]{}~]*)*)"?$/.exec(word.raw) ?? [];
  const left = text.replaceAll(`\${${name}}`, value).replaceAll(new RegExp(`\\$${name}(?!\\w)`, 'g'), value);
  return text === '' || left.includes('$') ? word : { ...plainWord(left), raw: word.raw };
}
