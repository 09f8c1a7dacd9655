import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countChanges, diffRows, rowsOf } from './diff-rows.ts';

test('lines have their signs, their numbers, and the part that differs', () => {
  expect(
    diffRows({ oldText: 'a\nlet x = 1;\nc\n', newText: 'a\nlet x = 2;\nc\nd\n', oldLine: 10, newLine: 12 }),
  ).toEqual([
    { sign: ' ', text: 'a', line: 12 },
    { sign: '-', text: 'let x = 1;', line: 11, changed: [8, 9] },
    { sign: '+', text: 'let x = 2;', line: 13, changed: [8, 9] },
    { sign: ' ', text: 'c', line: 14 },
    { sign: '+', text: 'd', line: 15 },
  ]);
});

test('a new file consists of added lines', () => {
  expect(diffRows({ oldText: null, newText: 'a\nb\n' })).toEqual([
    { sign: '+', text: 'a', line: 1 },
    { sign: '+', text: 'b', line: 2 },
  ]);
});

test('a number that is not known is not invented', () => {
  expect(diffRows({ oldText: 'a\n', newText: 'b\n' }).map((row) => 'line' in row && row.line)).toEqual([
    null,
    null,
  ]);
});

test('unchanged lines far from a change are left out', () => {
  const text = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
  const rows = diffRows({
    oldText: text.join('\n'),
    newText: text.with(9, 'other').join('\n'),
    oldLine: 1,
    newLine: 1,
  });
  expect(rows.map((row) => (row.sign === '…' ? row.count : row.line))).toEqual([
    6, 7, 8, 9, 10, 10, 11, 12, 13, 7,
  ]);
});

test('a line that says that the end of the file has no newline is not a line', () => {
  expect(rowsOf(['-a', '\\ No newline at end of file', '+b'], { oldLine: 1, newLine: 1 })).toHaveLength(2);
});

test('too many differences make a replacement, quickly', () => {
  const some = (name: string) => Array.from({ length: 3_000 }, (_, index) => `${name} ${index}`).join('\n');
  expect(countChanges(diffRows({ oldText: some('old'), newText: some('new') }))).toEqual({
    added: 3_000,
    removed: 3_000,
  });
});

test('both texts can be read from the rows, where nothing is left out', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '', 'if (x) {'), { maxLength: 3 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''));
  fc.assert(
    fc.property(text, text, (oldText, newText) => {
      const rows = diffRows({ oldText, newText }).filter((row) => row.sign !== '…');
      const side = (sign: '+' | '-') =>
        rows
          .filter((row) => row.sign === sign || row.sign === ' ')
          .map((row) => `${row.text}\n`)
          .join('');
      if (oldText !== newText) expect([side('-'), side('+')]).toEqual([oldText, newText]);
    }),
  );
});
