import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differences, type Range } from './emphasis.ts';

const cut = (text: string, ranges: Range[] = []) => ranges.map(({ start, end }) => text.slice(start, end));

test.each([
  ['const a = 1;', 'const a = 2;', ['1'], ['2']],
  ['call(first, second)', 'call(first, other, second)', [], ['other, ']],
  ['the old name here', 'the new title here', ['old name'], ['new title']],
])('%s -> %s', (before, after, removed, added) => {
  const found = differences(before, after);
  expect([cut(before, found?.removed), cut(after, found?.added)]).toEqual([removed, added]);
});

test('lines with little in common have no marks', () => {
  expect(differences('alpha beta gamma', 'something else')).toBeNull();
  expect(differences('', '')).toBeNull();
});

test('without the marked parts both lines are the same', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'foo', ' ', '(', ')', 'bar', ', '), { maxLength: 200 });
  const rest = (text: string, ranges: Range[]) =>
    [...ranges].reverse().reduce((left, { start, end }) => left.slice(0, start) + left.slice(end), text);
  fc.assert(
    fc.property(words, words, (before, after) => {
      const [old, now] = [before.join(''), after.join('')];
      const found = differences(old, now);
      if (!found) return;
      expect(rest(old, found.removed).replaceAll(' ', '')).toBe(rest(now, found.added).replaceAll(' ', ''));
    }),
  );
});
