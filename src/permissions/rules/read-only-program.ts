/** A value that a flag takes: a text, or the path of a file. */
export type ValueKind = 'text' | 'path';

/** What a program is told, as texts: `values` holds all that were given to a flag. */
export type Told = { flags: string[]; values: Record<string, string[]>; operands: string[] };

/**
 * Programs that only look. Flags are listed when they are known to be harmless; any other flag, also a long one
 * cut short, makes the command one to ask about.
 *
 * - `short`: letters that may stand behind one dash, in any combination
 * - `glued`: letters whose value, if any, stands in the same word
 * - `long`: names behind two dashes; a value behind `=` is only a text
 * - `values`: letters, names and whole words that take the next word, or the rest of theirs
 * - `dash`: whole words behind one dash
 * - `numbers`: `-5` is harmless too
 * - `anyFlags`: the program prints what it does not know
 * - `operands`: `paths` are read; `pattern` is a pattern and then paths; `text` is only printed; `names` are paths
 *   whose content stays unread
 * - `patternBy`: flags that bring the pattern themselves, so that every operand is a path
 * - `listedBy`: flags without which operands of `none` are refused
 * - `expands`: variables and substitutions among the operands are only printed
 * - `anyNames`: a file name that looks like a flag does no harm, so a pattern may bring one
 * - `refuses`: why these words, flags and operands, are none that only look
 */
export type ReadOnlyProgram = {
  short?: string;
  glued?: string;
  long?: readonly string[];
  values?: Readonly<Record<string, ValueKind>>;
  dash?: readonly string[];
  numbers?: true;
  anyFlags?: true;
  operands: 'paths' | 'names' | 'pattern' | 'text' | 'none';
  patternBy?: readonly string[];
  listedBy?: readonly string[];
  maxOperands?: number;
  expands?: true;
  anyNames?: true;
  refuses?(told: Told): string | null;
};

/** Names, written as words in a few texts. */
export function list(...lines: string[]): string[] {
  return lines.flatMap((line) => line.split(' '));
}

/** Flags by name, all with a text behind them. */
export function texts(...lines: string[]): Record<string, ValueKind> {
  return Object.fromEntries(list(...lines).map((name) => [name, 'text']));
}

export const GREP_LONG = list(
  'ignore-case line-number count files-with-matches files-without-match only-matching',
  'extended-regexp fixed-strings perl-regexp word-regexp line-regexp invert-match',
  'with-filename no-filename quiet silent color colour no-messages basic-regexp text',
);
export const GREP_VALUES = texts('A B C m e regexp context after-context before-context max-count');
