/**
 * The format of a key in one line: literal text, and in braces a kind of characters with their number, as in
 * `dop_v1_{hex 64}`, `SG.{url 22}.{url 43}` or `xoxb-{url 10+}`.
 */
export type KeyTemplate = string;

/** A piece of a template. `max` is Infinity if a key may have any length. */
export type Piece =
  | { type: 'text'; text: string }
  | { type: 'chars'; kind: CharKind; min: number; max: number };

/** The inside of a character class in a regular expression. */
const kinds = {
  digit: '\\d',
  hex: 'a-f\\d',
  /** Hex in either case. */
  hexi: 'a-fA-F\\d',
  lower: 'a-z\\d',
  upper: 'A-Z\\d',
  alnum: 'A-Za-z\\d',
  word: '\\w',
  url: '\\w-',
  /** As in URLs, with the characters between parts of a token. */
  part: '\\w.=~-',
  base64: 'A-Za-z\\d+/',
} as const;

export type CharKind = keyof typeof kinds;

const UUID = '{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}';
const SHORTEST_HINT = 3;
/** For keys of any length: bounds the search time. */
const LONGEST = 4096;

export function piecesOf(template: KeyTemplate): Piece[] {
  const parts = template.replaceAll('{uuid}', UUID).matchAll(/\{(\w+) (\d+)(?:-(\d+)|(\+))?\}|[^{]+/g);
  return [...parts].map(([text, kind, min, max, more]) => {
    if (kind === undefined) return { type: 'text', text };
    if (!(kind in kinds)) throw new Error(`No kind of characters is called ${kind}: ${template}`);
    return {
      type: 'chars',
      // Checked by the lookup above.
      kind: kind as CharKind,
      min: Number(min),
      max: more === undefined ? Number(max ?? min) : Number.POSITIVE_INFINITY,
    };
  });
}

/**
 * Characters before the first literal text, and a sticky regular expression for the rest, from that text on.
 */
export type CompiledTemplate = {
  hints: string[];
  before: { chars: RegExp; min: number; max: number } | null;
  rest: RegExp;
  /** If a key may contain dashes, hyphenated words look like one: a digit distinguishes them. */
  needsDigit: boolean;
};

export function compileTemplate(template: KeyTemplate): CompiledTemplate {
  const pieces = piecesOf(template);
  const [first] = pieces;
  const lead = first?.type === 'chars' ? first : null;
  const rest = lead ? pieces.slice(1) : pieces;
  const last = pieces.at(-1);
  const source = rest.map((piece) => (piece.type === 'text' ? escaped(piece.text) : charsOf(piece))).join('');
  const end =
    last?.type === 'chars' && last.max !== Number.POSITIVE_INFINITY ? `(?![${kinds[last.kind]}])` : '';
  return {
    hints: hintsOf(rest, template),
    before: lead ? { chars: new RegExp(`[${kinds[lead.kind]}]`), min: lead.min, max: lead.max } : null,
    rest: new RegExp(source + end, 'y'),
    needsDigit: pieces.some(
      (piece) => piece.type === 'chars' && ['url', 'part', 'word'].includes(piece.kind),
    ),
  };
}

function charsOf({ kind, min, max }: Piece & { type: 'chars' }): string {
  return `[${kinds[kind]}]{${min},${Math.min(max, LONGEST)}}`;
}

/** A literal too short to search for is extended by each character that may follow it. */
function hintsOf([first, second]: readonly Piece[], template: KeyTemplate): string[] {
  if (first?.type !== 'text') throw new Error(`No text to look for: ${template}`);
  if (first.text.length >= SHORTEST_HINT) return [first.text];
  if (second?.type !== 'chars') throw new Error(`Too little text to look for: ${template}`);
  const chars = new RegExp(`[${kinds[second.kind]}]`);
  return [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-']
    .filter((char) => chars.test(char))
    .map((char) => first.text + char);
}

function escaped(text: string): string {
  return text.replaceAll(/[.+*?^$|()[\]{}\\/]/g, '\\$&');
}
