import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyOf, keys, typedKeys } from '../../../../test/support/keys.ts';
import { noLook } from '../../../../test/support/look.ts';
import { widthOf } from '../text/measure.ts';
import type { Key } from '../view/types.ts';
import { inputRow } from './footer.ts';
import { textOfLine } from './look.ts';
import { edited, emptyLine, type TextLine } from './text-line.ts';

function after(pressed: readonly Key[], line: TextLine = emptyLine): TextLine {
  return pressed.reduce((now, key) => edited(now, key) ?? now, line);
}

test('edits as in a shell', () => {
  expect(after([...typedKeys('one two'), keyOf('w', { ctrl: true })])).toEqual({ text: 'one ', at: 4 });
  expect(after([...typedKeys('ab'), keys.left, ...typedKeys('X')])).toEqual({ text: 'aXb', at: 2 });
  expect(after([...typedKeys('ab'), keyOf('a', { ctrl: true }), keyOf('delete')])).toEqual({
    text: 'b',
    at: 0,
  });
  expect(after([...typedKeys('ab'), keyOf('u', { ctrl: true })])).toEqual(emptyLine);
});

test('a character of several code points is deleted as one', () => {
  expect(after([...typedKeys('a'), { type: 'paste', text: '👩‍🚀' }, keys.backspace])).toEqual({
    text: 'a',
    at: 1,
  });
});

test('a paste becomes one line, without control characters', () => {
  expect(after([{ type: 'paste', text: 'a\r\n b\u001b[2J' }])).toEqual({ text: 'a b [2J', at: 7 });
});

test('whatever is pressed, the caret splits no surrogate pair, and the row fits', () => {
  const key = fc.oneof(
    fc.constantFrom(...typedKeys('ab '), keys.left, keys.right, keys.home, keys.end, keys.backspace),
    fc.constantFrom('a', 'e', 'b', 'f', 'h', 'u', 'k', 'w').map((name) => keyOf(name, { ctrl: true })),
    fc.string({ unit: 'grapheme', maxLength: 5 }).map((text): Key => ({ type: 'paste', text })),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 40 }), fc.integer({ min: 12, max: 60 }), (pressed, columns) => {
      let line = emptyLine;
      for (const one of pressed) {
        line = edited(line, one) ?? line;
        const { text, at } = line;
        expect(at >= 0 && at <= text.length && !/[\uD800-\uDBFF]$/.test(text.slice(0, at))).toBe(true);
        const row = inputRow('› ', line, { columns, rows: 1, look: noLook });
        expect(widthOf(textOfLine(row))).toBeLessThanOrEqual(columns);
      }
    }),
  );
});
