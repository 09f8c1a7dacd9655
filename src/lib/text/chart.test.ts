import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bar, sparkline } from './chart.ts';

test('a sparkline draws the highest value full, and the maximum of each bucket', () => {
  expect(sparkline([1, 2, 4, 8], 10)).toBe('▂▃▅█');
  expect(sparkline([0, 0], 10)).toBe('▁▁');
  expect(sparkline([1, 8, 1, 1], 2)).toBe('█▂');
  expect(sparkline([], 10)).toBe('');
});

test('a bar shows shares to an eighth, and never nothing for a non-zero share', () => {
  expect(bar(0.5, 4)).toBe('██  ');
  expect(bar(1, 4)).toBe('████');
  expect(bar(0.0001, 4)).toBe('▏   ');
  expect(bar(0.4, 2)).toBe('▊ ');
  expect(bar(0, 2)).toBe('  ');
  expect(bar(Number.NaN, 2)).toBe('  ');
});

test('property: both stay within their width for any values', () => {
  const value = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(fc.array(value, { maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (values, width) => {
      expect(sparkline(values, width)).toHaveLength(Math.min(width, values.length));
      for (const share of values) expect(bar(share, width)).toHaveLength(width);
    }),
  );
});
