/** Deeper nesting is not a call. */
const MAX_DEPTH = 100;

export type LooseOptions = {
  /** Where the value starts; leading white space is skipped. */
  from: number;
  /** At the end of the text, close any open brackets. Strings are never closed. */
  fill: boolean;
};

/**
 * Parses one value from JSON as models write it: also with trailing commas, single quotes, line breaks in
 * strings, bare keys, invalid escapes, and Python literals. Valid JSON is parsed as by `JSON.parse`.
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
    take(/\s*/y);
    return text.charAt(at);
  };

  function value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new Unreadable();
    const first = next();
    if (first === '{') return object(depth);
    if (first === '[') return array(depth);
    if (first === '"' || first === "'") return string(first);
    const word = take(/[\w.+-]+/y) ?? '';
    if (WORDS.has(word)) return WORDS.get(word);
    if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(word)) return Number(word);
    throw new Unreadable();
  }

  function object(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    items('}', () => {
      const quote = next();
      const key = quote === '"' || quote === "'" ? string(quote) : take(/[\w$-]+/y);
      if (key === undefined || next() !== ':') throw new Unreadable();
      at++;
      entries.push([key, value(depth + 1)]);
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

  function string(quote: '"' | "'"): string {
    at++;
    let read = '';
    for (;;) {
      read += take(quote === '"' ? /[^"\\]*/y : /[^'\\]*/y) ?? '';
      if (text.charAt(at) === quote) {
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
