import { NAME_END } from './symbol-rules.ts';

const MAX_WORDS = 6;
const NAME_START = '(?:^|[^\\p{L}\\p{N}_$])';
/** Stop words. */
const fillers = new Set(
  'a an and are by do does for from how in is it of on or that the this to what when where which who why with'.split(
    ' ',
  ),
);

/** The query as case-insensitive patterns that work in ripgrep and JavaScript alike. */
export type WantedNames = {
  words: string[];
  /** All words as one name, in any notation: fooBar, foo_bar, foo-bar, foo bar. */
  joined: string;
  /** The words and the joined name. */
  patterns: string[];
  wholeWord: string;
  anywhere: string;
};

/** Null if the query has no words. */
export function parseQuery(query: string): WantedNames | null {
  const all = [...new Set(query.match(/[\p{L}\p{N}_$]+/gu) ?? [])];
  const significant = all.filter((word) => !fillers.has(word.toLowerCase()));
  const words = (significant.length > 0 ? significant : all).slice(0, MAX_WORDS);
  if (words.length === 0) return null;

  const pieces = words
    .flatMap((word) => word.split(/_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u))
    .filter((piece) => piece !== '');
  const joined = pieces.map(quoted).join('[\\s_-]?');
  const patterns = [...new Set([...words.map(quoted), ...(joined === '' ? [] : [joined])])];
  const anywhere = patterns.join('|');
  return { words, joined: joined === '' ? anywhere : joined, patterns, wholeWord: alone(anywhere), anywhere };
}

/** A pattern that matches the name only as a whole word. */
export function alone(pattern: string): string {
  return `${NAME_START}(?:${pattern})${NAME_END}`;
}

export function quoted(word: string): string {
  return word.replaceAll('$', '\\$');
}
