/** A path written as `@path` or `@"path with spaces"`: the text from `at` that is `written`. */
export type AtPath = {
  at: number;
  written: string;
  path: string;
  /** Clearly meant as a file, so that a missing one is worth a message. */
  isFile: boolean;
};

const MENTION = /(?<=^|[\s([{,;:"'])@(?:"([^"\n]+)"|'([^'\n]+)'|((?:\\[^\n]|[^\s"'`\\])+))/gm;
/** Belongs to the sentence around the path. */
const END_OF_SENTENCE = /[.,;:!?)\]}>*]+$/;
/** Others may be decorators, handles or packages. */
const FILE_NAME =
  /\.(md|mdx|mdc|txt|rst|adoc|json|jsonc|jsonl|ya?ml|toml|ini|cfg|conf|env|xml|csv|tsv|log|lock|[cm]?[jt]sx?|vue|svelte|astro|py|ipynb|rb|go|rs|java|kts?|swift|scala|cc|cpp|hpp|[ch]|cs|php|lua|ex|exs|dart|sh|bash|zsh|ps1|sql|graphql|proto|html?|css|s[ac]ss|less|tf|gradle|diff|patch|pdf|png|jpe?g|gif|webp|svg)$/i;
const MAX_PATH = 1024;

/** The paths in a text, not those in code. E-mail addresses are none; decorators and packages may be. */
export function atPaths(text: string): AtPath[] {
  const code = codeSpans(text);
  const found: AtPath[] = [];
  let span = 0;
  for (const match of text.matchAll(MENTION)) {
    const [whole, double, single, bare = ''] = match;
    // Both advance together: scanning all spans for each match would take minutes on a long text.
    while (span < code.length && (code[span]?.[1] ?? 0) <= match.index) span += 1;
    if ((code[span]?.[0] ?? Number.POSITIVE_INFINITY) <= match.index) continue;
    const quoted = double ?? single;
    const written = quoted === undefined ? `@${bare.replace(END_OF_SENTENCE, '')}` : whole;
    const path = quoted ?? written.slice(1).replaceAll(/\\(.)/g, '$1');
    if (path === '' || path.length > MAX_PATH) continue;
    const isInQuotes = /["']/.test(text[match.index - 1] ?? '');
    const isFile = quoted !== undefined || (!isInQuotes && looksLikeFile(path));
    found.push({ at: match.index, written, path, isFile });
  }
  return found;
}

/** `a.ts:10-40`, `a.ts:10` and `a.ts#L10-L40`: the path, and the lines counted from 1. */
export function lineRange(path: string): { path: string; from: number; to: number } | null {
  const [, file, from, to] =
    /^(.+?)(?::(?=\d)|#L?(?=\d))(\d{1,9})(?:-L?(\d{1,9}))?(?::\d+)?$/.exec(path) ?? [];
  if (file === undefined || from === undefined) return null;
  const [first, last] = [Number(from), Number(to ?? from)];
  return first >= 1 && last >= first ? { path: file, from: first, to: last } : null;
}

function looksLikeFile(path: string): boolean {
  const { path: file } = lineRange(path) ?? { path };
  return /^(\.{1,2}|~)\//.test(file) || (FILE_NAME.test(file) && !file.startsWith('/'));
}

function codeSpans(text: string): [from: number, to: number][] {
  const blocks = text.matchAll(
    /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[^\n]*$|$(?![\s\S]))|(`+)[^`\n][^\n]*?\2/gm,
  );
  return [...blocks].map((match) => [match.index, match.index + match[0].length]);
}
