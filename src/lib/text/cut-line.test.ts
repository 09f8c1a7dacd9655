import { expect, test } from 'vitest';
import { cutLine, startOf } from './cut-line.ts';

test('a line of 2,000 characters is kept, a longer one is cut with the omitted length', () => {
  expect(cutLine('x'.repeat(2_000))).toBe('x'.repeat(2_000));
  expect(cutLine('x'.repeat(2_001))).toBe(`${'x'.repeat(2_000)} [line cut: 1 more characters]`);
  expect(cutLine('x'.repeat(2_001), 5_000)).toBe(`${'x'.repeat(2_000)} [line cut: 3000 more characters]`);
});

test('a cut never splits a character', () => {
  expect(cutLine(`x${'😀'.repeat(1_000)}`)).toBe(`x${'😀'.repeat(999)} [line cut: 2 more characters]`);
  expect([0, 1, 2, 3, 4].map((max) => startOf('a😀b', max))).toEqual(['', 'a', 'a', 'a😀', 'a😀b']);
});
