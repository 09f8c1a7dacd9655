import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RowTokens } from './row-tokens.ts';

test('a row is one character, and the same row the same one', () => {
  const tokens = new RowTokens();

  const [a, b, again] = ['one', 'two', 'one'].map((row) => tokens.tokenFor(row));

  expect(a).toBe(again);
  expect(a).not.toBe(b);
  expect([...(a ?? '')]).toHaveLength(1);
});

test('whatever rows are drawn and let go of, a frame reads as its rows', () => {
  const frames = fc.array(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), { maxLength: 30 });
  fc.assert(
    fc.property(frames, (all) => {
      const tokens = new RowTokens();
      for (const rows of all) {
        const frame = `${rows.map((row) => tokens.tokenFor(row)).join('\n')}\n`;
        expect(tokens.rowsOf(frame)).toBe(`${rows.join('\n')}\n`);
        tokens.keepOnly(frame);
        expect(tokens.rowsOf(frame)).toBe(`${rows.join('\n')}\n`);
      }
    }),
  );
});

test('rows that are gone are let go of: a character of theirs is a character again', () => {
  const tokens = new RowTokens();
  const token = tokens.tokenFor('secret');

  tokens.keepOnly('');

  expect(tokens.rowsOf(token)).toBe(token);
});
