/** The type of a flag's value: text, or a file path. */
export type ValueKind = 'text' | 'path';

/** A program's arguments as text: `values` holds all values given to a flag. */
export type Told = { flags: string[]; values: Record<string, string[]>; operands: string[] };

/**
 * Read-only programs, each option with what follows it. Options are listed if they are known to be harmless, in every
 * version in use; anything else asks: unknown, abbreviated, or with a value where none belongs.
 *
 * - `short`: letters without a value, which may share one dash unless the program is `single`
 * - `long`: names after two dashes, without a value
 * - `optional`: letters and names with an optional value, always in their own word: the next word is never theirs
 * - `attached`: the same, but not without a value
 * - `values`: letters, names and whole words that always have a value: the rest of their word, or the next one
 * - `dash`: whole words after one dash
 * - `numbers`: `-5` is harmless too
 * - `anyFlags`: the program prints flags it does not know
 * - `operands`: `paths` are read; `pattern` is a pattern and then paths; `text` is only printed; `names` are
 *   paths whose content is not read
 * - `patternBy`: flags that provide the pattern, so that every operand is a path
 * - `listedBy`: flags required for operands of `none`
 * - `expands`: variables and substitutions among the operands are only printed
 * - `refuses`: why these flags and operands are not read-only
 * - `searches`: why these would find files that may hold secrets, where nothing hides those
 */
export type ReadOnlyProgram = {
  short?: string;
  single?: true;
  long?: readonly string[];
  optional?: readonly string[];
  attached?: readonly string[];
  values?: Readonly<Record<string, ValueKind>>;
  dash?: readonly string[];
  numbers?: true;
  anyFlags?: true;
  operands: 'paths' | 'names' | 'pattern' | 'text' | 'none';
  patternBy?: readonly string[];
  listedBy?: readonly string[];
  maxOperands?: number;
  expands?: true;
  refuses?(told: Told): string | null;
  searches?(told: Told): string | null;
};

/** Names, written as words in a few strings. */
export function list(...lines: string[]): string[] {
  return lines.flatMap((line) => line.split(' '));
}

/** Flags by name, all with a text value. */
export function texts(...lines: string[]): Record<string, ValueKind> {
  return Object.fromEntries(list(...lines).map((name) => [name, 'text']));
}

export const GREP_LONG = list(
  'ignore-case line-number count files-with-matches files-without-match only-matching',
  'extended-regexp fixed-strings perl-regexp word-regexp invert-match',
  'with-filename no-filename quiet',
);
export const GREP_VALUES = texts('A B C m e regexp context after-context before-context max-count');
