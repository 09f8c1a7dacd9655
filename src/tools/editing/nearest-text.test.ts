import { expect, test } from 'vitest';
import { nearestText } from './nearest-text.ts';

const lines = ['function a() {', '  return 1;', '}', '', 'function b() {', '  return 2;', '}'];

test.each([
  [
    'the place where most of the lines stand',
    ['function b() {', '  return 3;', '}'],
    '5\tfunction b() {\n6\t  return 2;\n7\t}',
  ],
  ['the line most like the first one', ['functoin b() {'], '5\tfunction b() {'],
  ['blank lines before it counted in', ['', 'functoin b() {'], '4\t\n5\tfunction b() {'],
  ['nothing', ['class Queue extends Map {'], null],
  ['nothing for blanks', [' ', ''], null],
])('[Y17] %s', (_, wanted, expected) => {
  expect(nearestText(lines, wanted)).toBe(expected);
});

test('[Y17] at most ten lines, cut when very long, and fast in any file', () => {
  const many = Array.from({ length: 200_000 }, (_, i) => `some line number ${i} of many`);
  const started = performance.now();
  expect(
    nearestText(
      many,
      Array.from({ length: 50 }, () => 'some line number of many'),
    )?.split('\n').length,
  ).toBe(10);
  expect(performance.now() - started).toBeLessThan(20_000);
  expect(nearestText(['x'.repeat(500)], ['x'.repeat(499)])).toBe(`1\t${'x'.repeat(400)} [line cut]`);
});
