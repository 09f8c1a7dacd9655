import { expect, test } from 'vitest';
import { diffsByFile, proposal } from './proposed-text.ts';

const diff = (oldText: string | null, newText: string, path = '/a.ts') => ({
  type: 'diff' as const,
  path,
  oldText,
  newText,
});

test('places are put into the whole file', () => {
  const diffs = [diff('b\nc\n', 'b\nC\n'), diff('e\n', 'E\n')];
  expect(proposal('/a.ts', diffs, 'a\nb\nc\nd\ne\n')).toEqual({
    path: '/a.ts',
    before: 'a\nb\nc\nd\ne\n',
    after: 'a\nb\nC\nd\nE\n',
  });
});

test('a place begins with a line', () => {
  expect(proposal('/a.ts', [diff('b\n', 'B\n')], 'ab\nb\n').after).toBe('ab\nB\n');
});

test('line ends of Windows are no difference', () => {
  expect(proposal('/a.ts', [diff('b\n', 'B\n')], 'a\r\nb\r\n')).toMatchObject({
    before: 'a\nb\n',
    after: 'a\nB\n',
  });
});

test('a new file, and a file that is not what it was', () => {
  expect(proposal('/a.ts', [diff(null, 'new\n')], null)).toMatchObject({ before: '', after: 'new\n' });
  expect(proposal('/a.ts', [diff('b\n', 'c\n'), diff('d\n', 'e\n')], 'other\n')).toMatchObject({
    before: 'b\n\nd\n',
    after: 'c\n\ne\n',
  });
});

test('a call may change several files', () => {
  const text = { type: 'content' as const, content: { type: 'text' as const, text: 'why' } };
  const all = diffsByFile([text, diff('a', 'b'), diff('c', 'd', '/b.ts'), diff('e', 'f')]);
  expect([...all].map(([path, diffs]) => [path, diffs.length])).toEqual([
    ['/a.ts', 2],
    ['/b.ts', 1],
  ]);
});
