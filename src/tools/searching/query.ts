import { NAME_END } from './symbol-rules.ts';

const MAX_WORDS = 6;
const NAME_START = '(?:^|[^\\p{L}\\p{N}_$])';
/** Words of a question that say nothing of the code. */
const fillers = new Set(
  'a an and are by do does for from how in is it of on or that the this to what when where which who why with'.split(
    ' ',
  ),
);

/** What a query asks for, as patterns that ripgrep and JavaScript read alike; case does not count in them. */
export type WantedNames = {
  words: string[];
  /** All words as one name, however it is joined: fooBar, foo_bar, foo-bar, foo bar. */
  joined: string;
  /** The words and the joined name. */
  patterns: string[];
  wholeWord: string;
  anywhere: string;
};

/** Null when there is no word in the query. */
export function parseQuery(query: string): WantedNames | null {
  const all = [...new Set(query.match(/[\p{L}\p{N}_$]+/gu) ?? [])];
  const telling = all.filter((word) => !fillers.has(word.toLowerCase()));
  const words = (telling.length > 0 ? telling : all).slice(0, MAX_WORDS);
  if (words.length === 0) return null;

  const pieces = words
    .flatMap((word) => word.split(/_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u))
    .filter((piece) => piece !== '');
  const joined = pieces.map(quoted).join('[\\s_-]?');
  const patterns = [...new Set([...words.map(quoted), ...(joined === '' ? [] : [joined])])];
  const anywhere = patterns.join('|');
  return { words, joined: joined === '' ? anywhere : joined, patterns, wholeWord: alone(anywhere), anywhere };
}

/** A pattern that takes the name only where it stands by itself. */
export function alone(pattern: string): string {
  return `${NAME_START}(?:${pattern})${NAME_END}`;
}

export function quoted(word: string): string {
  return word.replaceAll('$', '\\$');
}
