import { isDeepStrictEqual } from 'node:util';

/** Deeper nesting is not a call. */
const MAX_DEPTH = 100;

export type LooseOptions = {
  /** Where the value starts; leading white space is skipped. */
  from: number;
  /** At the end of the text, close any open brackets. Strings are never closed. */
  fill: boolean;
};

/** How models quote a string. Only within `"` and `'` does a backslash escape. */
const QUOTES: readonly (readonly [open: string, close: string])[] = [
  ['"""', '"""'],
  ["'''", "'''"],
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['‘', '’'],
  // Gemma 4 and FunctionGemma.
  ['<|"|>', '<|"|>'],
  ['<escape>', '<escape>'],
];

/**
 * Parses one value from JSON as models write it: also with trailing commas, comments, other quotes, line breaks in
 * strings, bare keys, invalid escapes, and Python literals. Valid JSON is parsed as by `JSON.parse`. What may mean two
 * things is not parsed: one key with two values, or a Windows path of which only some backslashes are escapes.
 */
export function readLoose(
  text: string,
  { from, fill }: LooseOptions,
): { value: unknown; end: number } | undefined {
  let at = from;

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text)?.[0];
    at += match?.length ?? 0;
    return match;
  };
  const next = (): string => {
    take(SPACE);
    return text.charAt(at);
  };
  const quoteHere = () => QUOTES.find(([open]) => text.startsWith(open, at));

  function value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new Unreadable();
    const first = next();
    if (first === '{') return object(depth);
    if (first === '[') return array(depth);
    const quote = quoteHere();
    if (quote) return string(quote);
    const word = take(/[\w.+-]+/y) ?? '';
    if (WORDS.has(word)) return WORDS.get(word);
    if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(word)) return Number(word);
    throw new Unreadable();
  }

  function object(depth: number): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    items('}', () => {
      next();
      const quote = quoteHere();
      const key = quote ? string(quote) : take(/[\w$-]+/y);
      if (key === undefined || next() !== ':') throw new Unreadable();
      at++;
      const read = value(depth + 1);
      if (entries.has(key) && !isDeepStrictEqual(entries.get(key), read)) throw new Unreadable();
      entries.set(key, read);
    });
    return Object.fromEntries(entries);
  }

  function array(depth: number): unknown[] {
    const values: unknown[] = [];
    items(']', () => values.push(value(depth + 1)));
    return values;
  }

  function items(close: string, item: () => void): void {
    at++;
    while (!ends(close)) {
      item();
      if (ends(close)) return;
      if (text.charAt(at) !== ',') throw new Unreadable();
      at++;
    }
  }

  function ends(close: string): boolean {
    const char = next();
    if (char === close) at++;
    return char === close || (char === '' && fill);
  }

  function string([open, close]: readonly [string, string]): string {
    at += open.length;
    if (open !== '"' && open !== "'") {
      const raw = rawString(text.slice(at), open, close);
      at += raw.length + close.length;
      return raw;
    }
    const start = at;
    let read = '';
    for (;;) {
      read += take(open === '"' ? /[^"\\]*/y : /[^'\\]*/y) ?? '';
      if (text.charAt(at) === open) {
        if (isMixedPath(text.slice(start, at))) throw new Unreadable();
        at++;
        return read;
      }
      const escaped = take(/\\(u[\da-fA-F]{4}|[\s\S])/y);
      if (escaped === undefined) throw new Unreadable();
      read += unescaped(escaped);
    }
  }

  try {
    return { value: value(0), end: at };
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

class Unreadable extends Error {}

/** Python reads escapes within its long quotes; whether a model meant them there is unknown. */
function rawString(rest: string, open: string, close: string): string {
  const end = rest.indexOf(close);
  const raw = rest.slice(0, end);
  if (end < 0 || (open.length === 3 && raw.includes('\\'))) throw new Unreadable();
  return raw;
}

/** White space and comments. */
const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/|#[^\n]*)*/y;

/** A path such as `C:\new\User`, of which `\n` is an escape and `\U` is none. */
function isMixedPath(raw: string): boolean {
  return /^[A-Za-z]:\\(?!\\)/.test(raw) && /\\[bfnrtu]/.test(raw) && /\\[^"\\/bfnrtu]/.test(raw);
}

const WORDS = new Map<string, unknown>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
]);

const ESCAPES: Record<string, string> = {
  '\\n': '\n',
  '\\t': '\t',
  '\\r': '\r',
  '\\b': '\b',
  '\\f': '\f',
  '\\/': '/',
  '\\\\': '\\',
  '\\"': '"',
  "\\'": "'",
};

/** A backslash that escapes nothing, such as in the pattern `\d`, is kept. */
function unescaped(text: string): string {
  if (text.length === 6) return String.fromCharCode(Number.parseInt(text.slice(2), 16));
  return ESCAPES[text] ?? text;
}
