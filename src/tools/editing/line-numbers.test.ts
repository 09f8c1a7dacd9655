import { expect, test } from 'vitest';
import { hasLineNumbers, withoutLineNumbers } from './line-numbers.ts';

test.each([
  ['12\tlet a;', { first: 12, count: 1, text: 'let a;' }],
  ['9\ta\n10\t\tb\n11\n12\tc\n', { first: 9, count: 4, text: 'a\n\tb\n\nc\n' }],
  [' 9\ta\n10\tb', { first: 9, count: 2, text: 'a\nb' }],
  ['1\ta\n3\tb', null],
  ['1\ta\nb', null],
  ['let a;', null],
  ['', null],
  ['12', null],
  ['1\t\n2\t', null],
  ['1\t  \n2\t\t', null],
])('[T08] %j pasted from Read, without its numbers', (text, expected) => {
  expect(withoutLineNumbers(text)).toEqual(expected);
});

test('a number and a tab at the start of any line is reported', () => {
  expect(['a\n3\tb', ' 3\tb', 'a 3\tb', '3 b'].map(hasLineNumbers)).toEqual([true, true, false, false]);
});
