import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changedRange } from './changed-range.ts';

test('only what differs is replaced', () => {
  expect(changedRange('one\ntwo\nthree\n', 'one\n2\nthree\n')).toEqual({ start: 4, end: 7, text: '2' });
  expect(changedRange('aa', 'aaa')).toEqual({ start: 2, end: 2, text: 'a' });
  expect(changedRange('same', 'same')).toBeNull();
});

test('neither line ends nor characters are divided', () => {
  expect(changedRange('a\r\nb', 'a\rb')).toEqual({ start: 1, end: 3, text: '\r' });
  expect(changedRange('😀', '😁')).toEqual({ start: 0, end: 2, text: '😁' });
});

test('the range turns any text into any other', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '😀', '😁'), maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const range = changedRange(before, after) ?? { start: 0, end: 0, text: '' };
      expect(range.start).toBeLessThanOrEqual(range.end);
      expect(before.slice(0, range.start) + range.text + before.slice(range.end)).toBe(after);
    }),
  );
});
