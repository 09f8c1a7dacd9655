import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellsOf } from './context-bar.ts';

const row = (tokens: number) => ({ name: 'x', tokens, share: '' });

test('small parts stay visible, and the largest gives way', () => {
  expect(cellsOf([row(1), row(1), row(98_000), row(2000)], 40)).toEqual([1, 1, 37, 1]);
  expect(cellsOf([row(0), row(500), row(500)], 10)).toEqual([0, 5, 5]);
});

test('a bar is exactly as wide as asked for, and shows every used part that it has room for', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 1_000_000 }), { minLength: 1, maxLength: 9 }),
      fc.integer({ min: 9, max: 80 }),
      (tokens, width) => {
        fc.pre(tokens.some((count) => count > 0));
        const cells = cellsOf(tokens.map(row), width);
        expect(cells.reduce((sum, count) => sum + count, 0)).toBe(width);
        expect(cells.map((count) => count > 0)).toEqual(tokens.map((count) => count > 0));
      },
    ),
  );
});
