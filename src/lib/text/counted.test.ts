import { expect, test } from 'vitest';
import { counted, grouped } from './counted.ts';

test.each([
  [0, 'file', '0 files'],
  [1, 'file', '1 file'],
  [2, 'match', '2 matches'],
  [1, 'entry', '1 entry'],
  [1_048_576, 'entry', '1,048,576 entries'],
  [3, 'day', '3 days'],
  [1000, 'line', '1,000 lines'],
])('%d and %s are %s', (count, unit, text) => {
  expect(counted(count, unit)).toBe(text);
});

test.each([
  [0, '0'],
  [999.6, '1,000'],
  [12_345_678, '12,345,678'],
])('%d is %s', (count, text) => {
  expect(grouped(count)).toBe(text);
});
