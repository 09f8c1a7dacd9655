import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { createKeymap } from '../keyboard/keymap.ts';
import type { Key } from '../view/types.ts';
import { type Editor, emptyEditor, press, type Surroundings } from './editor.ts';
import { unfold } from './folds.ts';
import { graphemesOf } from './graphemes.ts';
import { placeOf, rowsOf, windowOf } from './layout.ts';
import { changed, emptyBuffer, redone, undone } from './text-buffer.ts';

const hard = [
  'a',
  'B',
  ' ',
  '1',
  '-',
  '漢',
  '👨‍👩‍👧',
  '🇩🇪',
  'e\u0301',
  '\u0301',
  '\u200d',
  'ß',
  'ش',
  '\u202e',
  '\u{100001}',
  '𝒳',
  'İ',
  '?',
  '/',
  '@',
  '\\',
  '"',
];

const named = [
  'return',
  'escape',
  'tab',
  'backspace',
  'delete',
  'up',
  'down',
  'left',
  'right',
  'home',
  'end',
  'pageup',
];
const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGIJOPTXY0$^;,~_<>'];

const typing = fc
  .constantFrom(...hard, ...letters)
  .map(
    (text): Key => ({ type: 'key', name: text.toLowerCase(), text, ctrl: false, alt: false, shift: false }),
  );
const chord = fc
  .record({
    name: fc.constantFrom(...named, ...letters),
    ctrl: fc.boolean(),
    alt: fc.boolean(),
    shift: fc.boolean(),
  })
  .map((key): Key => ({ type: 'key', text: '', ...key }));
/** Moves in between, so that input lands in the middle of other text. */
const moving = fc
  .constantFrom('left', 'left', 'right', 'home', 'up', 'down', 'backspace', 'delete')
  .map((name): Key => ({ type: 'key', name, text: '', ctrl: false, alt: false, shift: false }));
const words = fc.array(fc.constantFrom(...hard, '\n', '\r\n', '\t', '\x1b', 'x'.repeat(300)), {
  maxLength: 30,
});
const paste = words.map((pieces): Key => ({ type: 'paste', text: pieces.join('') }));
const key = fc.oneof(
  { weight: 6, arbitrary: typing },
  { weight: 4, arbitrary: moving },
  { weight: 2, arbitrary: chord },
  { weight: 1, arbitrary: paste },
);

const around: Surroundings = {
  keymap: createKeymap().keymap,
  width: 12,
  history: ['one', 'two\nlines', '漢字 e\u0301'],
  offers: [{ type: 'file', value: 'src/a b.ts', label: 'src/a b.ts', detail: '', marks: [] }],
  queued: 0,
  now: 0,
};

function checkCaret({ buffer: { text, at } }: Editor): void {
  expect(at).toBeGreaterThanOrEqual(0);
  expect(at).toBeLessThanOrEqual(text.length);
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const line = text.slice(start).split('\n')[0] ?? '';
  let place = start;
  const places = [start, ...graphemesOf(line).map((one) => (place += one.length))];
  if (at > 0) expect(places).toContain(at);
}

test.each(['emacs', 'vim'] as const)(
  '%s: no keys break the editor, and the caret stays between characters',
  (mode) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.nat(800)), { maxLength: 60 }), fc.boolean(), (keys, lists) => {
        let editor = emptyEditor(mode);
        let now = 0;
        for (const [one, pause] of keys) {
          now += pause;
          editor = press(editor, one, { ...around, now, offers: lists ? around.offers : [] }).editor;
          checkCaret(editor);
          expect(editor.buffer.text).not.toContain('\r');
        }
      }),
      { numRuns: 400 },
    );
  },
);

test('undo returns to the start, and redo to the end', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(typing, paste), { maxLength: 40 }), (keys) => {
      let editor = emptyEditor('emacs');
      for (const one of keys) editor = press(editor, one, { ...around, offers: [] }).editor;
      const { text, at } = editor.buffer;
      let buffer = editor.buffer;
      while (buffer.past.length > 0) buffer = undone(buffer);
      expect(buffer.text).toBe('');
      while (buffer.future.length > 0) buffer = redone(buffer);
      expect({ text: buffer.text, at: buffer.at }).toEqual({ text, at });
    }),
  );
});

test('a paste is sent verbatim, except for its newlines, wherever it was inserted', () => {
  fc.assert(
    fc.property(words, words, fc.nat(), (typed, pieces, place) => {
      const before = typed
        .filter((one) => !/[\r\u{100001}]/u.test(one))
        .join('')
        .slice(0, 900);
      const text = pieces.join('');
      const characters = before
        .split('\n')
        .flatMap((line, i) => (i > 0 ? ['\n', ...graphemesOf(line)] : graphemesOf(line)));
      const at = characters.slice(0, place % (characters.length + 1)).join('').length;
      const editor = emptyEditor('emacs');
      const buffer = changed(emptyBuffer, { text: before, at });
      const next = press({ ...editor, buffer }, { type: 'paste', text }, { ...around, offers: [] }).editor
        .buffer;
      const unified = text.replaceAll(/\r\n?/g, '\n');
      expect(unfold(next.text, next.folds)).toBe(before.slice(0, at) + unified + before.slice(at));
    }),
  );
});

test('rows contain the whole text in order, none is too wide, and the caret is in one of them', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 2, max: 30 }), fc.nat(), (pieces, width, place) => {
      const text = pieces.join('').replaceAll(/\r\n?/g, '\n');
      const rows = rowsOf(text, new Map(), width);
      let end = 0;
      for (const [i, row] of rows.entries()) {
        const gap = text.slice(end, row.from);
        expect(i === 0 ? '' : gap).toBe(gap === '\n' ? '\n' : '');
        expect(row.cells.map((cell) => cell.at)).toEqual(
          row.cells.map((cell) => cell.at).toSorted((a, b) => a - b),
        );
        const drawn = row.cells.map((cell) => cell.text).join('');
        expect(row.cells.reduce((sum, cell) => sum + cell.width, 0)).toBeLessThanOrEqual(width);
        expect(drawn).not.toMatch(/\p{Cc}/u);
        for (const cell of row.cells) expect(stringWidth(cell.text)).toBe(cell.width);
        end = row.to;
      }
      expect(end).toBe(text.length);
      const at = place % (text.length + 1);
      const { row, column } = placeOf(rows, at);
      expect(row).toBeLessThan(rows.length);
      expect(column).toBeLessThanOrEqual(width);
    }),
  );
});

test('the visible rows always contain the caret', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.nat(49),
      fc.integer({ min: 1, max: 10 }),
      fc.nat(60),
      (count, place, most, before) => {
        const caret = place % count;
        const top = windowOf(count, caret, { most, top: before });
        expect(top).toBeGreaterThanOrEqual(0);
        expect(top).toBeLessThanOrEqual(caret);
        expect(caret).toBeLessThan(top + most);
        expect(top).toBeLessThanOrEqual(Math.max(0, count - most));
      },
    ),
  );
});
