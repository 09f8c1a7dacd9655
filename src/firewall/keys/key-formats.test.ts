import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { createTextHider } from '../hide-text.ts';
import { createPlaceholders } from '../placeholders.ts';
import { keyFormats } from './key-formats.ts';
import { type CharKind, type Piece, piecesOf } from './key-template.ts';

const hider = createTextHider(
  [],
  createPlaceholders(() => 'test'),
);
const hide = (text: string) => hider.hide(text);

const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
const digits = '0123456789';
const alphabets: Record<CharKind, string> = {
  digit: digits,
  hex: `${digits}abcdef`,
  hexi: `${digits}abcdefABCDEF`,
  lower: lower + digits,
  upper: upper + digits,
  alnum: lower + upper + digits,
  word: lower + upper + digits,
  url: lower + upper + digits,
  part: lower + upper + digits,
  base64: lower + upper + digits,
};
/** A character that belongs to no kind. */
const FOREIGN = '!';

/** A key of this format with random characters; no such key is stored anywhere. */
const madeUp = (pieces: readonly Piece[]): fc.Arbitrary<string> =>
  fc.tuple(...pieces.map(madeUpPiece)).map((texts) => texts.join(''));

function madeUpPiece(piece: Piece): fc.Arbitrary<string> {
  if (piece.type === 'text') return fc.constant(piece.text);
  const { kind, min, max } = piece;
  const alphabet = alphabets[kind];
  const char = fc.constantFrom(...alphabet);
  const longest = max === Number.POSITIVE_INFINITY ? min + 20 : max;
  const body = fc.array(char, { minLength: min, maxLength: longest }).map((chars) => chars.join(''));
  // With a digit and different characters, as in a real one.
  return min < 8 ? body : body.map((text) => `7${text.slice(1)}`).filter((text) => new Set(text).size > 5);
}

const around: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => `before ${key} after`,
  (key) => `"x": "${key}",\n`,
  (key) => `\tX=${key}\n`,
  (key) => JSON.stringify({ text: `line\n${key}\nline` }),
  (key) => JSON.stringify(JSON.stringify({ x: key })),
  (key) => `${'x'.repeat(5000)} ${key}`,
  (key) => `+  - ${key}`,
  (key) => `https://example.org/?x=${key}&y=1`,
  (key) => `<a>${key}</a>`,
];

const rows = keyFormats.flatMap(([name, ...templates]) =>
  templates.map((template) => ({ name, template, format: formatOf(template) })),
);

test('more than a hundred vendors', () => {
  expect(new Set(keyFormats.map(([name]) => name)).size).toBeGreaterThan(140);
  expect(rows.length).toBeGreaterThan(280);
  expect(new Set(rows.map(({ template }) => template)).size).toBe(rows.length);
});

describe.each(rows)('$name: $template', ({ template }) => {
  const pieces = piecesOf(template);

  sweep([2, 10])('is hidden wherever it is, and nothing else of the text (%i runs)', (numRuns) => {
    fc.assert(
      fc.property(madeUp(pieces), fc.constantFrom(...around), (key, surround) => {
        const text = surround(key);
        const hidden = hide(text);
        expect(hidden).not.toContain(key);
        expect(hidden.replace(/\[secret:[\w.-]+:[0-9a-f]{8}\]/, () => key)).toBe(text);
      }),
      { numRuns },
    );
  });

  test('one character less, a foreign one, or a longer word: not a key', () => {
    const longest = pieces.reduce((best, piece, i) => (sizeOf(piece) > sizeOf(pieces[best]) ? i : best), 0);
    const { min = 0 } = pieces[longest] as Piece & { min?: number };
    const shortened = pieces.map((piece, i) =>
      i === longest ? { ...piece, min: min - 1, max: min - 1 } : piece,
    );
    fc.assert(
      fc.property(madeUp(shortened as Piece[]), (key) => {
        const [prefix] = pieces;
        const at = Math.floor(key.length / 2);
        const broken = key.slice(0, at) + FOREIGN + key.slice(at + 1);
        for (const text of [key, broken]) {
          // Another vendor may have keys in that format.
          const others = rows.filter((row) => row.template !== template && row.format.test(text));
          if (others.length === 0) expect(hide(text)).toBe(text);
        }
        if (prefix?.type === 'text') expect(hide(`${prefix.text} alone`)).toBe(`${prefix.text} alone`);
      }),
      { numRuns: 5 },
    );
  });

  test('placeholders from documentation stay', () => {
    const shown = pieces
      .map((piece) => (piece.type === 'text' ? piece.text : 'x'.repeat(piece.min)))
      .join('');
    expect(hide(shown)).toBe(shown);
  });
});

function sizeOf(piece: Piece | undefined): number {
  return piece?.type === 'chars' ? piece.min : 0;
}

/** A simple second implementation: what finds a key of this format in a text. */
function formatOf(template: string): RegExp {
  const source = piecesOf(template)
    .map((piece) => {
      if (piece.type === 'text') return piece.text.replaceAll(/[^\w]/g, '\\$&');
      const more =
        piece.kind === 'base64'
          ? '+/'
          : piece.kind === 'part'
            ? '_.=~-'
            : piece.kind === 'url'
              ? '_-'
              : piece.kind === 'word'
                ? '_'
                : '';
      return `[${alphabets[piece.kind]}${more}]{${piece.min},${piece.max === Number.POSITIVE_INFINITY ? '' : piece.max}}`;
    })
    .join('');
  return new RegExp(source);
}
