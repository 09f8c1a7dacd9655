const PLACEHOLDER = /\$(?:ARGUMENTS\[(\d{1,3})\]|(ARGUMENTS)\b|(\d)(?!\d)|([A-Z][A-Z0-9_]*)\b|(\$))/g;

/**
 * Fills the placeholders of a text with what is typed after its name. `$ARGUMENTS` is all of it,
 * `$ARGUMENTS[0]` its first word, and `$1` too, unless the text also has `$0`: then `$0` is the first. With
 * `named`, `$KEY` is the value of `KEY=value`, and `$$` is a dollar sign.
 */
export function argumentsFor(body: string, typed: string, names?: 'named') {
  const words = splitWords(typed);
  const first = /\$0(?!\d)/.test(body) ? 0 : 1;
  const keys = names === 'named' ? placeholderNames(body) : [];
  const named = new Map(words.flatMap((word) => pairIn(word, keys)));
  const values = { all: typed, words, named };

  function fill(text: string, { all, words, named }: typeof values): string {
    return text.replaceAll(PLACEHOLDER, (written, index, whole, number, key, dollar) => {
      if (index !== undefined) return words[Number(index)] ?? '';
      if (whole !== undefined) return all;
      if (number !== undefined) return words[Number(number) - first] ?? '';
      if (names !== 'named') return written;
      return dollar === undefined ? (named.get(key) ?? written) : '$';
    });
  }

  return {
    /** Keys of `$KEY` placeholders that were not given. */
    missing: keys.filter((key) => !named.has(key)),
    isUsed:
      keys.length > 0 ||
      [...body.matchAll(PLACEHOLDER)].some(([, index, whole, number]) => index ?? whole ?? number),
    inText: (text: string) => fill(text, values),
    /** Each word is quoted for a shell. */
    inCommand: (text: string) =>
      fill(text, {
        all: words.map(quoted).join(' '),
        words: words.map(quoted),
        named: new Map([...named].map(([key, value]) => [key, quoted(value)])),
      }),
  };
}

function placeholderNames(body: string): string[] {
  return [...new Set([...body.matchAll(PLACEHOLDER)].flatMap(([, , , , key]) => key ?? []))];
}

function pairIn(word: string, keys: readonly string[]): [string, string][] {
  const [, key = '', value = ''] = /^([A-Z][A-Z0-9_]*)=([\s\S]*)$/.exec(word) ?? [];
  return keys.includes(key) ? [[key, value]] : [];
}

/** Quotes keep words together, as in a shell. */
export function splitWords(typed: string): string[] {
  return [...typed.matchAll(/(?:[^\s"']+=)?(?:"[^"]*"|'[^']*')|\S+/g)].map(([word]) =>
    word.replace(
      /^([^\s"']+=)?(["'])([\s\S]*)\2$/,
      (_, key: string | undefined, _quote, inner) => (key ?? '') + inner,
    ),
  );
}

/** Quoted so that it is exactly one word in a command, whether or not its author put it in quotes. */
export function quoted(word: string): string {
  return word.replaceAll(/\s*\n\s*/g, ' ').replaceAll(/[^\p{L}\p{N}_./:@=+,%-]/gu, '\\$&');
}
